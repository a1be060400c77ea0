//===- Bodies.h - Regions of reductions, windows and scatters -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_OPS_BODIES_H
#define FUSE_IMPORT_STABLEHLO_OPS_BODIES_H

#include "../GraphImporter.h"

namespace mlir::fuse::stablehlo {

/// The body of a node's region: one block of `count` arguments. Null after a failure.
Block *getBody(Node &n, unsigned region, unsigned count);

/// What a body of two arguments computes, where it is one op of both: Add of `%0 = stablehlo.add %a, %b`; And and Or of
/// booleans.
std::optional<BinaryKind> matchBody(Block &body);
/// Whether the body gives its second argument, as that of a scatter that replaces elements.
bool givesSecond(Block &body);

/// The number that changes nothing. For Add and Mul, Max and Min, And and Or of booleans.
TypedAttr getNeutral(Node &n, BinaryKind kind, Type element);
/// Whether an operand is that number.
bool isNeutral(Node &n, BinaryKind kind, unsigned i);

/// A body applied to the elements of tensors of one shape: the current values, then the others.
FailureOr<SmallVector<Value>> applyBody(Node &n, Block &body, ArrayRef<Value> current, ArrayRef<Value> others);

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_OPS_BODIES_H
