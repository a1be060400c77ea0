//===- ReshapeLowering.cpp - Reshapes between kernels ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReshapeLowering.h"

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Which dimensions of its result each dimension of the operand becomes, of a reshape with sizes that splits; empty for
/// others. (Upstream's expand_shape has no code for several open dimensions in one group.)
static SmallVector<ReassociationIndices> getExpansion(ReshapeOp op) {
  SmallVector<ReassociationIndices> groups;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  unsigned rank = cast<RankedTensorType>(op.getOperand().getType()).getRank(), dims = 0;
  for (const ReshapeGroup &group : op.getGroups()) {
    if (group.from.size() != 1)
      return {};
    groups.emplace_back(group.to.begin(), group.to.end());
    dims += group.to.size();
  }
  bool isExpansion = op.hasFreeSizes() && groups.size() == rank && dims == type.getRank() && rank != dims;
  return isExpansion ? groups : SmallVector<ReassociationIndices>();
}

/// Whether open dimensions are joined, or taken over, and so have the elements of what they become.
static bool isJoin(RankedTensorType from, RankedTensorType to) {
  SmallVector<ReshapeGroup> groups = matchReshape(from.getShape(), to.getShape());
  return !groups.empty() && llvm::all_of(groups, [&](const ReshapeGroup &group) {
    bool isOpen = llvm::any_of(group.to, [&](int64_t dim) { return to.isDynamicDim(dim); });
    bool wasOpen = llvm::any_of(group.from, [&](int64_t dim) { return from.isDynamicDim(dim); });
    return isOpen ? wasOpen && group.to.size() == 1 : !wasOpen;
  });
}

void ReshapeLowering::run() {
  SmallVector<ReshapeOp> reshapes;
  function.walk([&](ReshapeOp op) { reshapes.push_back(op); });
  for (ReshapeOp op : reshapes) {
    builder.setInsertionPoint(op);
    SmallVector<ReassociationIndices> expansion = getExpansion(op);
    Value reshaped = reshape(op.getOperand(), cast<RankedTensorType>(op.getResult().getType()), op.getSizes());
    if (!expansion.empty())
      expansions[reshaped.getDefiningOp()] = std::move(expansion);
    op.getResult().replaceAllUsesWith(reshaped);
    op.erase();
  }
}

Value ReshapeLowering::reshape(Value value, RankedTensorType to, ValueRange given) {
  auto from = cast<RankedTensorType>(value.getType());
  if (!given.empty()) {
    SmallVector<Value> sizes;
    for (OpFoldResult size : getMixedValues(to.getShape(), given, builder))
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    return reshapeTo(value, to, sizes);
  }
  if (from == to)
    return value;
  if (auto groups = getReassociationIndicesForReshape(from, to);
      groups && from.hasStaticShape() && to.hasStaticShape()) {
    if (from.getRank() > to.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, to, value, *groups);
    return tensor::ExpandShapeOp::create(builder, loc, to, value, *groups);
  }
  SmallVector<Value> sizes;
  Value total = arith::ConstantIndexOp::create(builder, loc, 1), known = total;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    total = arith::MulIOp::create(builder, loc, total,
                                  tensor::DimOp::create(builder, loc, value, dim));
  for (int64_t extent : to.getShape())
    if (!ShapedType::isDynamic(extent))
      known = arith::MulIOp::create(builder, loc, known,
                                    arith::ConstantIndexOp::create(builder, loc, extent));
  auto pairs = pairDynamicDims(from.getShape(), to.getShape());
  auto getPaired = [&](int64_t dim) -> Value {
    for (auto [fromDim, toDim] : pairs)
      if (toDim == dim)
        return tensor::DimOp::create(builder, loc, value, fromDim);
    return {};
  };
  // An extent of zero leaves the dynamic one open: it becomes the count, which then must be zero.
  bool isEmpty = llvm::is_contained(to.getShape(), 0);
  Value placed = known;
  for (auto [dim, extent] : llvm::enumerate(to.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      sizes.push_back(arith::ConstantIndexOp::create(builder, loc, extent));
      continue;
    }
    if (Value paired = getPaired(dim)) {
      sizes.push_back(paired);
      continue;
    }
    Value rest = isEmpty ? total : arith::DivUIOp::create(builder, loc, total, known).getResult();
    sizes.push_back(rest);
    placed = arith::MulIOp::create(builder, loc, known, rest);
  }
  if (pairs.empty() && !isJoin(from, to))
    checkElements(from, to, total, placed);
  return reshapeTo(value, to, sizes);
}

void ReshapeLowering::checkElements(RankedTensorType from, RankedTensorType to, Value given, Value expected) {
  std::string text = "reshape of " + formatShape(from.getShape()) + " to " + formatShape(to.getShape()) + ": ";
  if (builder.getInsertionBlock()->getParentOp() == function) {
    checks.push_back({text + "{} elements are given, {} expected", given, expected});
    return;
  }
  // Of a branch, which may not run.
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, given, expected);
  cf::AssertOp::create(builder, loc, holds, text + "the numbers of elements differ");
}

Value ReshapeLowering::reshapeTo(Value value, RankedTensorType to, ArrayRef<Value> sizes) {
  auto shapeType = RankedTensorType::get({to.getRank()}, builder.getIndexType());
  Value shape = tensor::FromElementsOp::create(builder, loc, shapeType, sizes);
  return tensor::ReshapeOp::create(builder, loc, to, value, shape);
}

Operation *ReshapeLowering::getReshape(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp>(op) ? op : nullptr;
}

Value ReshapeLowering::viewAs(OpBuilder &builder, Value buffer, tensor::EmptyOp tensor) {
  Location loc = tensor.getLoc();
  RankedTensorType type = tensor.getType();
  Value shape = memref::AllocaOp::create(builder, loc, MemRefType::get({type.getRank()}, builder.getIndexType()));
  for (auto [dim, size] : llvm::enumerate(tensor.getMixedSizes())) {
    Value extent = getValueOrCreateConstantIndexOp(builder, loc, size);
    memref::StoreOp::create(builder, loc, extent, shape, Value(arith::ConstantIndexOp::create(builder, loc, dim)));
  }
  return memref::ReshapeOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()), buffer, shape);
}

Value ReshapeLowering::undoOnBuffer(OpBuilder &builder, Operation *reshape, Value buffer) const {
  auto it = expansions.find(reshape);
  if (it == expansions.end() && !isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
    return {};
  auto tensor = cast<RankedTensorType>(reshape->getOperand(0).getType());
  auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
  if (it != expansions.end())
    return memref::CollapseShapeOp::create(builder, loc, type, buffer, it->second);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return memref::CollapseShapeOp::create(builder, loc, type, buffer, expand.getReassociationIndices());
  return memref::ExpandShapeOp::create(builder, loc, type, buffer,
                                       cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices());
}
