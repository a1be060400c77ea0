//===- CollectiveOps.cpp - Ops that exchange tensors between processes ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// A collective waits for other ranks: no pass may remove, repeat or reorder it.
void addCollectiveEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult verifyOperandDimension(Operation *op, StringRef what, int64_t dimension, Value value) {
  int64_t rank = typeOf(value).getRank();
  if (dimension >= 0 && dimension < rank)
    return success();
  return op->emitOpError() << "expected " << what << " to be a dimension of an operand of rank "
                           << rank << ", found " << dimension;
}

/// The result is the operand with the extents that the collective gives it.
LogicalResult verifyResultExtents(Operation *op) {
  RankedTensorType operand = typeOf(op->getOperand(0)), result = typeOf(op->getResult(0));
  SmallVector<int64_t> shape(operand.getShape());
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(extent))
      continue;
    ExtentChange change = *getCollectiveExtentChange(op, dim);
    if (extent % change.over != 0)
      return op->emitOpError() << "expected the extent of dimension " << dim
                               << " to be a multiple of the " << change.over
                               << " ranks of a group, found " << extent;
    extent = extent / change.over * change.times;
  }
  RankedTensorType wanted = operand.clone(shape);
  // An extent that is open on one side may be known on the other.
  if (result.getElementType() == wanted.getElementType() &&
      succeeded(verifyCompatibleShape(result, wanted)))
    return success();
  return op->emitOpError() << "expected a result of type " << wanted << ", found " << result;
}

LogicalResult verifyKind(Operation *op, ReduceKind kind) {
  if (kind == ReduceKind::Mean)
    return op->emitOpError() << "ranks cannot take a mean: expected sum, then a division";
  bool logical = kind == ReduceKind::Any || kind == ReduceKind::All;
  bool boolean = typeOf(op->getOperand(0)).getElementType().isInteger(1);
  if (logical == boolean)
    return success();
  return op->emitOpError() << "expected any or all for elements of i1, another kind for all "
                              "others, found "
                           << stringifyReduceKind(kind) << " of "
                           << typeOf(op->getOperand(0)).getElementType();
}

} // namespace

LogicalResult AllReduceOp::verify() { return verifyKind(*this, getKind()); }

LogicalResult BroadcastFromOp::verify() {
  int64_t size = getGroup().getGroupSize(), root = getRoot();
  if (root < 0 || root >= size)
    return emitOpError() << "expected root to be one of the " << size
                         << " ranks of a group, found " << root;
  return success();
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyOperandDimension(*this, "dimension", getDimension(), getOperand())))
    return failure();
  return verifyResultExtents(*this);
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyKind(*this, getKind())) ||
      failed(verifyOperandDimension(*this, "dimension", getDimension(), getOperand())))
    return failure();
  return verifyResultExtents(*this);
}

LogicalResult AllSliceOp::verify() {
  if (failed(verifyOperandDimension(*this, "dimension", getDimension(), getOperand())))
    return failure();
  return verifyResultExtents(*this);
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyOperandDimension(*this, "split", getSplitDimension(), getOperand())) ||
      failed(verifyOperandDimension(*this, "concat", getConcatDimension(), getOperand())))
    return failure();
  if (getSplitDimension() == getConcatDimension())
    return emitOpError() << "expected split and concat to be two dimensions, found "
                         << getSplitDimension() << " twice";
  return verifyResultExtents(*this);
}

bool mlir::fuse::isCollectiveCallee(StringRef callee) {
  callee.consume_front(kStartPrefix);
  return llvm::is_contained({AllReduceOp::getOperationName(), AllGatherOp::getOperationName(), ReduceScatterOp::getOperationName(),
                             AllToAllOp::getOperationName(), AllSliceOp::getOperationName(),
                             BroadcastFromOp::getOperationName()},
                            ("fuse." + callee).str());
}

ProcessGroupAttr mlir::fuse::getProcessGroup(Operation *op) {
  return isa<HostOpInterface>(op) ? op->getAttrOfType<ProcessGroupAttr>("group") : ProcessGroupAttr();
}

std::optional<ExtentChange> mlir::fuse::getCollectiveExtentChange(Operation *op, int64_t dim) {
  ProcessGroupAttr group = getProcessGroup(op);
  if (!group)
    return std::nullopt;
  int64_t grows = -1, shrinks = -1;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AllGatherOp gather) { grows = gather.getDimension(); })
      .Case<ReduceScatterOp, AllSliceOp>([&](auto part) { shrinks = part.getDimension(); })
      .Case([&](AllToAllOp moved) {
        grows = moved.getConcatDimension();
        shrinks = moved.getSplitDimension();
      });
  ExtentChange change;
  if (dim == grows)
    change.times = group.getGroupSize();
  if (dim == shrinks)
    change.over = group.getGroupSize();
  return change;
}

void AllReduceOp::getEffects(Effects &effects) { addCollectiveEffects(effects); }
void AllGatherOp::getEffects(Effects &effects) { addCollectiveEffects(effects); }
void ReduceScatterOp::getEffects(Effects &effects) { addCollectiveEffects(effects); }
void AllToAllOp::getEffects(Effects &effects) { addCollectiveEffects(effects); }
// Nothing is sent: a rank may slice what it has whenever it likes, parameters once for all calls.
void AllSliceOp::getEffects(Effects &effects) {}
void BroadcastFromOp::getEffects(Effects &effects) { addCollectiveEffects(effects); }
