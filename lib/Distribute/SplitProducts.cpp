//===- SplitProducts.cpp - One product for each part that is read ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/SplitProducts.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Some elements along one dimension.
struct Part {
  int64_t dim, offset, size;
};

class Splitter {
public:
  explicit Splitter(func::FuncOp function) : function(function) {}

  /// Whether anything changed.
  bool run() {
    SmallVector<Value> values;
    function.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()))
        values.push_back(op->getResult(0));
    });
    // Readers first: what they leave of a product is read by new slices.
    for (Value value : llvm::reverse(values))
      split(value);
    return changed;
  }

private:
  /// The part that a slice takes, if it is one along a single dimension.
  static std::optional<Part> getPart(Operation *op) {
    auto slice = dyn_cast<SliceOp>(op);
    if (!slice || !slice.getDynamicOffsets().empty() || !slice.getDynamicSizes().empty())
      return std::nullopt;
    std::optional<Part> part;
    for (int64_t dim = 0, e = slice.getOffsets().size(); dim < e; ++dim) {
      if (slice.isWhole(dim))
        continue;
      if (part || slice.getStrides()[dim] != 1)
        return std::nullopt;
      part = Part{dim, slice.getOffsets()[dim], slice.getSizes()[dim]};
    }
    return part;
  }

  void split(Value value) {
    SmallVector<std::pair<SliceOp, Part>> parts;
    for (Operation *user : value.getUsers()) {
      std::optional<Part> part = getPart(user);
      if (!part || (!parts.empty() && parts.front().second.dim != part->dim))
        return;
      parts.push_back({cast<SliceOp>(user), *part});
    }
    if (parts.size() < 2)
      return;
    for (auto &[slice, part] : parts)
      for (auto &[other, otherPart] : parts)
        if (slice != other && part.offset < otherPart.offset + otherPart.size &&
            otherPart.offset < part.offset + part.size)
          return; // what both read would be computed twice
    if (!isOfWeights(value, parts.front().second.dim))
      return;
    for (auto &[slice, part] : parts) {
      OpBuilder builder(slice);
      slice.getResult().replaceAllUsesWith(compute(builder, value, part));
    }
    for (auto &[slice, part] : parts)
      slice.erase();
    changed = true;
  }

  bool isWeight(Value value) const {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &func::FuncOp(function).getBody().front() &&
             func::FuncOp(function).getArgAttr(argument.getArgNumber(), attr::kParam);
    Operation *op = value.getDefiningOp();
    return matchPattern(op, m_Constant()) ||
           (isa<FusableOpInterface>(op) && op->getNumOperands() > 0 &&
            llvm::all_of(op->getOperands(), [&](Value operand) { return isWeight(operand); }));
  }

  /// The dimension of an operand that a dimension of an element-wise result runs along; none where
  /// it repeats.
  static std::optional<int64_t> getOperandDim(Operation *op, Value operand, int64_t dim) {
    auto type = cast<RankedTensorType>(operand.getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t at = dim - (result.getRank() - type.getRank());
    if (at < 0 || type.getDimSize(at) != result.getDimSize(dim))
      return std::nullopt;
    return at;
  }

  /// The dimension of a reshape's operand that is this one of its result.
  static std::optional<int64_t> getReshapedDim(ReshapeOp reshape, int64_t dim) {
    for (const ReshapeGroup &group : reshape.getGroups())
      if (group.from.size() == 1 && group.to.size() == 1 && group.to.front() == dim)
        return group.from.front();
    return std::nullopt;
  }

  static bool isColumn(MatmulOp product, int64_t dim) {
    return dim == cast<RankedTensorType>(product.getType()).getRank() - 1;
  }

  /// Whether the elements of a value along `dim` are columns of a product with weights, and what is
  /// done to each of them.
  bool isOfWeights(Value value, int64_t dim) const {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto product = dyn_cast<MatmulOp>(op))
      return isColumn(product, dim) && isWeight(product.getRhs());
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      std::optional<int64_t> from = getReshapedDim(reshape, dim);
      return from && cast<RankedTensorType>(reshape.getType()).hasStaticShape() &&
             isOfWeights(reshape.getOperand(), *from);
    }
    auto fusable = dyn_cast<FusableOpInterface>(op);
    if (!fusable || !fusable.isElementwise())
      return false;
    bool isOne = false;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> at = getOperandDim(op, operand, dim);
      if (!at || isWeight(operand))
        continue;
      if (!operand.hasOneUse() && !llvm::all_of(operand.getUsers(), [&](Operation *user) { return user == op; }))
        return false;
      if (!isOfWeights(operand, *at))
        return false;
      isOne = true;
    }
    return isOne;
  }

  /// A part of a value, of parts of what it is computed of.
  Value compute(OpBuilder &builder, Value value, const Part &part) {
    Operation *op = value.getDefiningOp();
    Location loc = value.getLoc();
    FuseBuilder f(builder, loc);
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[part.dim] = part.size;
    if (!op || !isOfWeights(value, part.dim))
      return f.slice(value, part.dim, part.offset, part.size);
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      Part inner{*getReshapedDim(reshape, part.dim), part.offset, part.size};
      return f.reshape(compute(builder, reshape.getOperand(), inner), shape);
    }
    SmallVector<Value> operands;
    if (auto product = dyn_cast<MatmulOp>(op)) {
      int64_t rank = cast<RankedTensorType>(product.getRhs().getType()).getRank();
      int64_t column = product.getTransposeRhs() ? rank - 2 : rank - 1;
      operands = {product.getLhs(), f.slice(product.getRhs(), column, part.offset, part.size)};
    } else {
      for (Value operand : op->getOperands()) {
        std::optional<int64_t> at = getOperandDim(op, operand, part.dim);
        operands.push_back(at ? compute(builder, operand, {*at, part.offset, part.size}) : operand);
      }
    }
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    clone->getResult(0).setType(type.clone(shape));
    return clone->getResult(0);
  }

  func::FuncOp function;
  bool changed = false;
};

} // namespace

bool mlir::fuse::splitProducts(func::FuncOp function) {
  if (!Splitter(function).run())
    return false;
  // What nobody reads any more, users first.
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return true;
}
