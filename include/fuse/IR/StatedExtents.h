//===- StatedExtents.h - What arguments say of their open dimensions -----------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `fuse.dim_bounds` and `fuse.dim_hints` of an argument have an extent for each dimension, -1 where they say nothing:
//
//   func.func @main(%x: tensor<?x?x8xf32> {fuse.dim_bounds = array<i64: -1, 512, -1>, fuse.dim_hints = array<i64: 1, 128, -1>})
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_STATEDEXTENTS_H
#define FUSE_IR_STATEDEXTENTS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <optional>

namespace mlir::fuse {

/// What `attribute`, one of the two, says of dimension `dim` of an argument; none where it says nothing.
std::optional<int64_t> readExtent(FunctionOpInterface function, unsigned argument, StringRef attribute, int64_t dim);

/// Makes `attribute` say `extent` of it, or nothing with -1. The argument has a shape.
void writeExtent(FunctionOpInterface function, unsigned argument, StringRef attribute, int64_t dim, int64_t extent);

/// What is planned for: the hint, else the bound.
std::optional<int64_t> getPlannedExtent(FunctionOpInterface function, unsigned argument, int64_t dim);

/// Calls `act` for each dynamic dimension of an argument that has a shape.
void forEachOpenDim(FunctionOpInterface function, llvm::function_ref<void(unsigned argument, int64_t dim)> act);

/// An argument's number, and one of its dimensions.
using ArgumentDim = std::pair<int64_t, int64_t>;

/// Which dimensions of arguments must be equal: those of one name (`fuse.dim_names`), and those that the ops of the function
/// make equal (`fuse.equal_dims` and `fuse.scaled_dims`, which the pass fuse-bind-dims adds).
llvm::EquivalenceClasses<ArgumentDim> getEqualDims(FunctionOpInterface function);

} // namespace mlir::fuse

#endif // FUSE_IR_STATEDEXTENTS_H
