//===- ElementwiseFolds.cpp - Folds of element-wise ops and reductions -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"

using namespace mlir;
using namespace mlir::fuse;

OpFoldResult UnaryOp::fold(FoldAdaptor) { return {}; }
OpFoldResult BinaryOp::fold(FoldAdaptor) { return {}; }
OpFoldResult CastOp::fold(FoldAdaptor) { return {}; }
OpFoldResult CompareOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SelectOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ClampOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ReduceOp::fold(FoldAdaptor) { return {}; }
