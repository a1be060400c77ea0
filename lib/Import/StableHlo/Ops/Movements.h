//===- Movements.h - Elements that move, and elements between them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_OPS_MOVEMENTS_H
#define FUSE_IMPORT_STABLEHLO_OPS_MOVEMENTS_H

#include "../Node.h"

namespace mlir::fuse::stablehlo {

/// `count` elements of `value` between any two along an axis.
Value padBetween(Node &n, Value x, int64_t axis, int64_t count, TypedAttr value);
Value padBetween(Node &n, Value x, int64_t axis, int64_t count, double value);

/// One number as an attribute of an element type.
TypedAttr makeNumberAttr(Node &n, double value, Type element);

/// The permutation that undoes one.
SmallVector<int64_t> invert(ArrayRef<int64_t> permutation);

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_OPS_MOVEMENTS_H
