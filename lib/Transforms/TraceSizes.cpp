//===- TraceSizes.cpp - Extents of computed values from those of arguments -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/SymbolicShapes.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSETRACESIZES
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct TraceSizes : fuse::impl::FuseTraceSizesBase<TraceSizes> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        trace(function);
  }

  static void trace(FunctionOpInterface function) {
    SymbolicShapes shapes(function.getContext());
    Block *entry = &function.getFunctionBody().front();
    SmallVector<tensor::DimOp> dims;
    function.walk([&](tensor::DimOp dim) {
      // What stands in a kernel or a recurrence sees nothing outside.
      if (dim->getParentWithTrait<OpTrait::IsIsolatedFromAbove>() == function &&
          !llvm::is_contained(entry->getArguments(), dim.getSource()))
        dims.push_back(dim);
    });
    for (tensor::DimOp dim : dims) {
      AffineExpr extent = shapes.getNumber(dim);
      if (!shapes.isOfArguments(extent, entry))
        continue;
      OpBuilder builder(dim);
      OpFoldResult size = shapes.materialize(builder, dim.getLoc(), extent);
      dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, dim.getLoc(), size));
      dim.erase();
    }
  }
};

} // namespace
