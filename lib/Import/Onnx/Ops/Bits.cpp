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

void mlir::fuse::onnx::addBitOps(OpTable &table) {
  static constexpr std::pair<const char *, BinaryKind> kBinary[] = {
      {"BitwiseAnd", BinaryKind::And}, {"BitwiseOr", BinaryKind::Or}, {"BitwiseXor", BinaryKind::Xor}};
  for (auto [name, kind] : kBinary)
    table.add(name, 2, 2, [kind = kind](Node &n) {
      return n.setResult(n.b.binary(kind, n.getInput(0), n.getInput(1)));
    });
  table.add("BitwiseNot", 1, 1, [](Node &n) {
    return n.setResult(n.b.unary(UnaryKind::BitwiseNot, n.getInput(0)));
  });
}
