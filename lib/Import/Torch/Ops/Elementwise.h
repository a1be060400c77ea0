//===- Elementwise.h - What element-wise ops have in common -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_OPS_ELEMENTWISE_H
#define FUSE_IMPORT_TORCH_OPS_ELEMENTWISE_H

#include "../OpTable.h"

namespace mlir::fuse::torch {

/// Integers and bools as what the result is, or f32; floats as they are.
inline Value toFloat(Node &n, Value x) {
  if (isa<FloatType>(n.b.elementOf(x)))
    return x;
  Type result = n.getResultType(0, n.b.getBuilder().getF32Type());
  return n.b.cast(x, isa<FloatType>(result) ? result : n.b.getBuilder().getF32Type());
}

/// Whether elements are not 0.
inline Value toBool(Node &n, Value x) { return n.b.cast(x, n.b.getBuilder().getI1Type()); }

/// x without its fraction.
inline Value truncate(FuseBuilder &b, Value x) {
  Value size = b.unary(UnaryKind::Floor, b.unary(UnaryKind::Abs, x));
  return b.select(b.compare(ComparePredicate::Lt, x, 0.0), b.unary(UnaryKind::Neg, size), size);
}

inline bool isShortFloat(Type element) { return element.isF16() || element.isBF16(); }

/// Two operands, either of which may be a number, as tensors of one element type: `type`, or the one they are promoted
/// to.
struct Pair {
  Value left, right;
};
Pair getPair(Node &n, StringRef left, StringRef right, Type type = {});

/// log(exp(x) + exp(y)), or with powers of 2.
Value addExponentials(FuseBuilder &b, Value x, Value y, bool isBinary);

/// An operand that may be a tensor or a number, as a tensor.
Value getOperand(Node &n, StringRef name, Type element);
/// What takes part in type promotion of an operand that may be a tensor or a number.
Promoted describeOperand(Node &n, StringRef name);

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_OPS_ELEMENTWISE_H
