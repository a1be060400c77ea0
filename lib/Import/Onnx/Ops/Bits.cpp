//===- Bits.cpp - Operators on the bits of numbers -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static LogicalResult importBitShift(Node &n) {
  std::string direction = n.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return n.fail("expected direction = LEFT or RIGHT, found '" + direction + "'");
  BinaryKind kind = direction == "LEFT" ? BinaryKind::ShiftLeft : BinaryKind::ShiftRight;
  return n.setResult(n.b.binary(kind, n.getInput(0), n.getInput(1)));
}

static LogicalResult importBitCast(Node &n) {
  FailureOr<ElementType> element = n.getElementAttribute("to", 0);
  if (failed(element))
    return failure();
  Type type = toMLIRType(*element, n.b.getContext());
  Value x = n.getInput(0);
  if (type == n.getElementType(0))
    return n.setResult(x);
  // The byte of a boolean is 0 or 1.
  if (type.isInteger(1) || n.getElementType(0).isInteger(1))
    return n.setResult(n.b.cast(x, type));
  return n.setResult(BitcastOp::create(n.b.getBuilder(), n.getType(0).clone(type), x));
}

void mlir::fuse::onnx::addBitOps(OpTable &table) {
  static constexpr std::pair<const char *, BinaryKind> kBinary[] = {
      {"BitwiseAnd", BinaryKind::And}, {"BitwiseOr", BinaryKind::Or}, {"BitwiseXor", BinaryKind::Xor}};
  for (auto [name, kind] : kBinary)
    table.add(name, 2, 2, [kind = kind](Node &n) {
      return n.setResult(n.b.binary(kind, n.getInput(0), n.getInput(1)));
    });
  table.add("BitShift", 2, 2, importBitShift);
  table.add("BitCast", 1, 1, importBitCast);
  table.add("BitwiseNot", 1, 1, [](Node &n) {
    return n.setResult(n.b.unary(UnaryKind::BitwiseNot, n.getInput(0)));
  });
}
