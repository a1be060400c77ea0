//===- SplitProducts.h - One product for each part that is read --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_SPLITPRODUCTS_H
#define FUSE_DISTRIBUTE_SPLITPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// A product with weights that is read in parts along its columns (queries, keys and values of
/// attention that are computed as one) becomes one product for each part, with a part of the weights.
/// Cut in equal parts, the columns of the one product would give each rank a mixture; those of each
/// of the products give it some heads. Returns whether
/// there was one.
bool splitProducts(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_SPLITPRODUCTS_H
