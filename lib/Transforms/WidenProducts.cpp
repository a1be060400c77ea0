//===- WidenProducts.cpp - The pass fuse-widen-products -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Parameters.h"
#include "ReadNumerics.h"

#include "fuse/Analysis/TileRegisters.h"
#include "fuse/Analysis/ValueSizes.h"
#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEWIDENPRODUCTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// On one core with AVX-512, a product with weights of 768 x 3072 in f16 takes 0.191 ms with 8 rows, 0.162 widened; with 1 row
/// twice as many bytes are read.
static constexpr int64_t kLeastRows = 16;

/// The dimension of a product's result whose elements have weights of their own: columns, filters.
static int64_t getColumnDim(Operation *op, bool areWeightsFirst) {
  int64_t rank = FuseBuilder::rankOf(op->getResult(0));
  if (auto conv = dyn_cast<Conv2dOp>(op))
    return conv.getLayout() == ConvLayout::NchwFchw ? 1 : rank - 1;
  return areWeightsFirst ? rank - 2 : rank - 1;
}

/// Whether a cast of the image costs less than it saves: each element is in one window, or the windows are read from a tile
/// that the kernel makes, and numbers are of f16. (Two bf16 are read at once.)
static bool hasCheapImage(Conv2dOp op, Type element) {
  ArrayRef<int64_t> shape = FuseBuilder::shapeOf(op.getFilter());
  bool filterFirst = op.getLayout() == ConvLayout::NchwFchw;
  bool isOnce = shape[filterFirst ? 2 : 0] == 1 && shape[filterFirst ? 3 : 1] == 1;
  return op.getGroups() == 1 && (isOnce || element.isF16());
}

namespace {

struct WidenProducts : fuse::impl::FuseWidenProductsBase<WidenProducts> {
  using FuseWidenProductsBase::FuseWidenProductsBase;

  void runOnOperation() override {
    std::optional<Numerics> allowed = readNumerics(getOperation(), numerics);
    if (!allowed)
      return signalPassFailure();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      ValueSizes sizes; // what is stated does not change with element types
      SmallVector<Operation *> products;
      for (Operation &op : function.front())
        if (isWidened(&op, *allowed, sizes))
          products.push_back(&op);
      for (Operation *op : products)
        widen(op);
    }
  }

  /// Whether tile registers multiply the bf16 of `op` faster than any instruction multiplies f32.
  bool usesTiles(Operation *op, Numerics numerics) const {
    ArrayRef<int64_t> shape = FuseBuilder::shapeOf(op->getOperand(1));
    int64_t steps;
    if (auto conv = dyn_cast<Conv2dOp>(op)) {
      if (conv.getGroups() != 1)
        return false;
      steps = shape[conv.getLayout() == ConvLayout::NchwFchw ? 1 : 2];
    } else {
      auto matmul = cast<MatmulOp>(op);
      steps = shape[shape.size() - (matmul.getTransposeRhs() ? 1 : 2)];
    }
    return bf16Tiles && numerics >= Numerics::Folds && !ShapedType::isDynamic(steps) && getTileSteps(steps, /*group=*/2);
  }

  bool isWidened(Operation *op, Numerics numerics, ValueSizes &sizes) const {
    if (!isa<MatmulOp, Conv2dOp>(op))
      return false;
    Type element = FuseBuilder::elementOf(op->getOperand(0));
    if (!element.isF16() && !(element.isBF16() && numerics < Numerics::ReducedPrecision))
      return false;
    if (element.isBF16() && usesTiles(op, numerics))
      return false;
    bool isFirst = isParameter(op->getOperand(0)), isSecond = isParameter(op->getOperand(1));
    if (isFirst == isSecond || (isFirst && isa<Conv2dOp>(op)) || FuseBuilder::elementOf(op->getOperand(1)) != element)
      return false;
    if (auto conv = dyn_cast<Conv2dOp>(op); conv && !hasCheapImage(conv, element))
      return false;
    int64_t rows = 1;
    for (int64_t dim = 0, rank = FuseBuilder::rankOf(op->getResult(0)); dim < rank; ++dim)
      if (dim != getColumnDim(op, isFirst))
        rows *= std::clamp<int64_t>(sizes.getLikelyExtent(op->getResult(0), dim), 1, kLeastRows);
    return rows >= kLeastRows;
  }

  /// In place, with a cast behind it where the result is short.
  static void widen(Operation *op) {
    OpBuilder builder(op);
    Type f32 = builder.getF32Type();
    for (OpOperand &operand : op->getOpOperands())
      operand.set(FuseBuilder(builder, op->getLoc()).cast(operand.get(), f32));
    Value result = op->getResult(0);
    Type narrow = FuseBuilder::elementOf(result);
    if (narrow == f32)
      return;
    result.setType(FuseBuilder::typeOf(result).clone(f32));
    builder.setInsertionPointAfter(op);
    Value rounded = FuseBuilder(builder, op->getLoc()).cast(result, narrow);
    rounded.getDefiningOp()->setAttr(attr::kRounding, builder.getUnitAttr()); // as the product's own
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }
};

} // namespace
