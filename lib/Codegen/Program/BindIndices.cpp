//===- BindIndices.cpp - Which arguments hold indices ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/SymbolicShapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEBINDINDICES
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Where all elements of `value` come from, unchanged and none left out.
static Value traceElements(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (auto cast = dyn_cast<CastOp>(def)) {
      auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(cast->getOperand(0)));
      auto to = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
      if (!from || !to || from.getWidth() > to.getWidth() || from.getWidth() == 1 ||
          from.isUnsigned() || to.isUnsigned())
        return value;
    } else if (!isa<ReshapeOp, TransposeOp, BroadcastOp>(def)) {
      return value;
    }
    value = def->getOperand(0);
  }
  return value;
}

namespace {

struct BindIndices : fuse::impl::FuseBindIndicesBase<BindIndices> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.isPublic() && failed(bind(function)))
        return signalPassFailure();
  }

  LogicalResult bind(func::FuncOp function) {
    SmallVector<int64_t> bounds;
    WalkResult result = function.walk([&](Operation *op) {
      if (auto gather = dyn_cast<GatherOp>(op))
        return bind(gather, gather.getOperand(), gather.getIndices(), gather.getDimension(), bounds);
      if (auto scatter = dyn_cast<ScatterOp>(op))
        return bind(scatter, scatter.getOperand(), scatter.getIndices(), scatter.getDimension(),
                    bounds);
      return WalkResult::advance();
    });
    if (!bounds.empty())
      function->setAttr(attr::kIndexBounds, DenseI64ArrayAttr::get(&getContext(), bounds));
    return failure(result.wasInterrupted());
  }

  /// Notes what must hold of the indices of `op` along `dimension` of `operand`.
  WalkResult bind(Operation *op, Value operand, Value indices, int64_t dimension,
                  SmallVectorImpl<int64_t> &bounds) {
    int64_t extent = cast<RankedTensorType>(operand.getType()).getDimSize(dimension);
    Value source = traceElements(indices);
    DenseIntElementsAttr constants;
    if (matchPattern(source, m_Constant(&constants)))
      return checkConstants(op, constants, extent, dimension);
    Block *entry = &op->getParentOfType<func::FuncOp>().front();
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument || argument.getOwner() != entry || !isa<RankedTensorType>(argument.getType()))
      return WalkResult::advance();
    if (!ShapedType::isDynamic(extent)) {
      bounds.append({argument.getArgNumber(), extent, -1, -1});
      return WalkResult::advance();
    }
    SymbolicShapes shapes(&getContext());
    std::optional<ExtentSymbol> symbol = shapes.getSingle(shapes.getExtent(operand, dimension));
    auto into = symbol ? dyn_cast<BlockArgument>(symbol->value) : BlockArgument();
    if (into && into.getOwner() == entry && symbol->dim != ExtentSymbol::kNumber)
      bounds.append({argument.getArgNumber(), -1, into.getArgNumber(), symbol->dim});
    return WalkResult::advance();
  }

  static WalkResult checkConstants(Operation *op, DenseIntElementsAttr constants, int64_t extent,
                                   int64_t dimension) {
    if (ShapedType::isDynamic(extent))
      return WalkResult::advance();
    for (auto [i, index] : llvm::enumerate(constants.getValues<APInt>())) {
      int64_t value = index.getSExtValue();
      if (value < -extent || value >= extent)
        return op->emitOpError()
               << "index " << value << " (element " << i << " of indices) is outside [" << -extent
               << ", " << extent << ") of dimension " << dimension;
    }
    return WalkResult::advance();
  }
};

} // namespace
