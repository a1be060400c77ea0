//===- FoldCollectives.cpp - The pass fuse-fold-collectives ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFOLDCOLLECTIVES
#include "fuse/Distribute/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Folder {
public:
  explicit Folder(MLIRContext *context) : rewriter(context) {}

  /// Whether anything changed.
  bool fold(Operation *op) {
    if (auto slice = dyn_cast<AllSliceOp>(op))
      return foldSlice(slice);
    auto fusable = dyn_cast<FusableOpInterface>(op);
    return fusable && fusable.isElementwise() && sinkGather(op);
  }

private:
  bool foldSlice(AllSliceOp slice) {
    if (auto gather = slice.getOperand().getDefiningOp<AllGatherOp>())
      if (gather.getDimension() == slice.getDimension() && gather.getGroup() == slice.getGroup() &&
          gather.getOperand().getType() == slice.getType()) {
        replace(slice, gather.getOperand());
        eraseUnread(gather);
        return true;
      }
    auto reduce = slice.getOperand().getDefiningOp<AllReduceOp>();
    if (!reduce || !reduce->hasOneUse() || reduce.getGroup() != slice.getGroup())
      return false;
    rewriter.setInsertionPoint(slice);
    replace(slice, ReduceScatterOp::create(rewriter, reduce.getLoc(), slice.getType(),
                                           reduce.getKind(), reduce.getOperand(),
                                           slice.getDimension(), slice.getGroup()));
    eraseUnread(reduce);
    return true;
  }

  bool sinkGather(Operation *op) {
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    AllGatherOp first;
    int64_t bytes = 0;
    for (Value operand : op->getOperands()) {
      if (isNumber(operand))
        continue;
      auto gather = operand.getDefiningOp<AllGatherOp>();
      // A gather that others read stays, and would only be one more.
      if (!gather || !llvm::all_of(gather->getUsers(), [&](Operation *user) { return user == op; }) ||
          cast<RankedTensorType>(gather.getType()).getShape() != result.getShape() ||
          (first && (gather.getDimension() != first.getDimension() ||
                     gather.getGroup() != first.getGroup())))
        return false;
      first = gather;
      bytes += getByteSize(gather.getType());
    }
    if (!first || getByteSize(result) > bytes || result.isDynamicDim(first.getDimension()))
      return false;
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isNumber(operand) ? makeNumber(operand, first)
                                           : operand.getDefiningOp<AllGatherOp>().getOperand());
    Operation *local = rewriter.clone(*op);
    local->setOperands(operands);
    auto shard = cast<RankedTensorType>(first.getOperand().getType());
    local->getResult(0).setType(result.clone(shard.getShape()));
    Value gathered = AllGatherOp::create(rewriter, first.getLoc(), result, local->getResult(0),
                                         first.getDimension(), first.getGroup());
    SmallVector<Value> before(op->getOperands());
    replace(op, gathered);
    for (Value operand : before)
      if (auto gather = operand.getDefiningOp<AllGatherOp>())
        eraseUnread(gather);
    return true;
  }

  static bool isNumber(Value value) {
    DenseElementsAttr constant;
    return matchPattern(value, m_Constant(&constant)) && constant.isSplat();
  }

  /// A constant of one value in the shape of what it is combined with.
  Value makeNumber(Value value, AllGatherOp gather) {
    auto type = cast<RankedTensorType>(value.getType());
    auto whole = cast<RankedTensorType>(gather.getType());
    if (type.getShape() != whole.getShape() && type.getNumElements() == 1)
      return value;
    DenseElementsAttr constant;
    matchPattern(value, m_Constant(&constant));
    auto shard = cast<RankedTensorType>(gather.getOperand().getType());
    int64_t at = gather.getDimension() - (whole.getRank() - type.getRank());
    SmallVector<int64_t> shape(type.getShape());
    if (at >= 0 && shape[at] != 1)
      shape[at] = shard.getDimSize(gather.getDimension());
    return arith::ConstantOp::create(rewriter, value.getLoc(), constant.resizeSplat(type.clone(shape)));
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  /// Collectives have effects, but what nobody reads on any rank need not be exchanged.
  void eraseUnread(Operation *op) {
    if (op->use_empty())
      op->erase();
  }

  OpBuilder rewriter;
};

struct FoldCollectives : fuse::impl::FuseFoldCollectivesBase<FoldCollectives> {
  void runOnOperation() override {
    Folder folder(&getContext());
    // In order: what an op becomes is read by those behind it.
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<Operation *> ops;
      getOperation().walk([&](Operation *op) { ops.push_back(op); });
      for (Operation *op : ops)
        if (folder.fold(op)) {
          changed = true;
          break;
        }
    }
  }
};

} // namespace
