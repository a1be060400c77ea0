//===- SinkCollapses.cpp - Reshapes that join open dimensions, behind their readers -----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Exporters write a layer on [batch, length, 768] as one on rows: a reshape to [batch * length, 768], a product, and a reshape
// back. Where both extents are open, no loop of the product is one of what is around it. Computed on all dimensions, the
// product has the loops of its neighbors, and the two reshapes meet and are gone.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/SymbolicShapes.h"
#include "fuse/IR/TypeOf.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESINKCOLLAPSES
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

RankedTensorType withShape(Value value, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, getElementTypeOrSelf(value));
}

/// A reshape whose first dimension is several of its operand's, of which one behind the first is open; the others follow
/// from the operand's others.
struct Collapse {
  mutable ReshapeOp op;
  unsigned count; ///< of the dimensions that become one

  static std::optional<Collapse> get(Value value) {
    auto op = value.getDefiningOp<ReshapeOp>();
    if (!op || !op.getSizes().empty())
      return std::nullopt;
    ArrayRef<int64_t> from = typeOf(op.getOperand()).getShape(), to = typeOf(op.getResult()).getShape();
    if (to.empty() || !ShapedType::isDynamic(to.front()) || ShapedType::isDynamicShape(to.drop_front()))
      return std::nullopt;
    SmallVector<ReshapeGroup> groups = op.getGroups();
    if (groups.empty() || groups.front().to != SmallVector<int64_t, 2>{0})
      return std::nullopt;
    unsigned count = groups.front().from.size();
    ArrayRef<int64_t> joined = from.take_front(count);
    bool isFront = llvm::equal(groups.front().from, llvm::seq<int64_t>(0, count));
    if (!isFront || count < 2 || !ShapedType::isDynamicShape(joined.drop_front()) ||
        ShapedType::isDynamicShape(from.drop_front(count)))
      return std::nullopt;
    return Collapse{op, count};
  }

  ArrayRef<int64_t> getJoined() const { return typeOf(op.getOperand()).getShape().take_front(count); }

  /// `shape` with the dimensions that were joined in place of the first one.
  SmallVector<int64_t> expand(ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> expanded(getJoined());
    llvm::append_range(expanded, shape.drop_front());
    return expanded;
  }
  /// The operand with its other dimensions as the result has them.
  Value getExpanded(OpBuilder &builder) const {
    SmallVector<int64_t> shape = expand(typeOf(op.getResult()).getShape());
    if (shape == typeOf(op.getOperand()).getShape())
      return op.getOperand();
    return ReshapeOp::create(builder, op.getLoc(), withShape(op.getResult(), shape), op.getOperand(), ValueRange());
  }
};

class Sinking {
public:
  explicit Sinking(func::FuncOp function) : function(function), shapes(function.getContext()) {}

  void run() {
    // Readers come behind what they read, so that one walk takes a reshape as far as it goes.
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (!isa_and_nonnull<ScanOp>(op->getParentOp()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (rewrite(op))
        replaced.insert(op);
    for (Operation *op : llvm::reverse(ops))
      if ((replaced.contains(op) || isa<ReshapeOp>(op)) && op->use_empty())
        op->erase();
  }

private:
  /// Replaces the uses of an op that reads a collapse by a collapse of what it computes, if it can.
  bool rewrite(Operation *op) {
    if (op->getNumResults() != 1 || op->use_empty())
      return false;
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      return rewriteReshape(reshape);
    auto fusable = dyn_cast<FusableOpInterface>(op);
    if (!fusable || !(fusable.isElementwise() || isa<MatmulOp, ReduceOp>(op)))
      return false;
    std::optional<Collapse> first;
    for (Value operand : op->getOperands())
      if (auto collapse = Collapse::get(operand); collapse && !first)
        first = collapse;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    // A reshape joins dimensions in front of open ones (columns of a product, say) only where it is given their extents.
    if (!first || !type || type.getRank() == 0 || ShapedType::isDynamicShape(type.getShape().drop_front()) || !keepsRows(op))
      return false;
    int64_t rank = type.getRank();
    OpBuilder builder(op);
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      auto collapse = Collapse::get(operand);
      if (collapse && hasRows(op, i, rank)) {
        if (!areEqual(*first, *collapse))
          return false;
        operands.push_back(collapse->getExpanded(builder));
      } else if (hasRows(op, i, rank)) {
        return false;
      } else {
        operands.push_back(operand);
      }
    }
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    int64_t shift = static_cast<int64_t>(first->count) - 1;
    if (auto reduce = dyn_cast<ReduceOp>(clone))
      reduce.setDimensions(llvm::map_to_vector(reduce.getDimensions(), [&](int64_t dim) { return dim + shift; }));
    Value result = op->getResult(0);
    SmallVector<int64_t> shape = first->expand(typeOf(result).getShape());
    clone->getResult(0).setType(withShape(result, shape));
    result.replaceAllUsesWith(
        ReshapeOp::create(builder, op->getLoc(), cast<RankedTensorType>(result.getType()), clone->getResult(0), ValueRange()));
    return true;
  }

  /// Whether the op computes each of the rows that its first operand is joined to by itself.
  static bool keepsRows(Operation *op) {
    if (auto matmul = dyn_cast<MatmulOp>(op))
      return Collapse::get(matmul.getLhs()) && !matmul.getTransposeLhs() && typeOf(matmul.getLhs()).getRank() == 2 &&
             typeOf(matmul.getRhs()).getRank() == 2;
    auto reduce = dyn_cast<ReduceOp>(op);
    return !reduce || !llvm::is_contained(reduce.getDimensions(), 0);
  }

  /// Whether an operand runs along the rows: of an element-wise op, where it has all dimensions and more than one row.
  static bool hasRows(Operation *op, unsigned operand, int64_t rank) {
    if (isa<MatmulOp, ReduceOp>(op))
      return operand == 0;
    auto type = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
    return type && type.getRank() == rank;
  }

  /// A reshape of a collapse: back to its operand's dimensions, or of the dimensions behind.
  bool rewriteReshape(ReshapeOp op) {
    auto collapse = Collapse::get(op.getOperand());
    if (!collapse)
      return false;
    ArrayRef<int64_t> to = typeOf(op.getResult()).getShape(), joined = collapse->getJoined();
    OpBuilder builder(op);
    auto makeReshape = [&](ArrayRef<int64_t> shape) -> Value {
      Value source = collapse->op.getOperand();
      if (shape == typeOf(source).getShape())
        return source;
      return ReshapeOp::create(builder, op.getLoc(), withShape(source, shape), source, ValueRange());
    };
    bool isBack = to.size() >= joined.size() && !ShapedType::isDynamicShape(to.drop_front(joined.size())) &&
                  to.take_front(joined.size()) == joined;
    for (unsigned dim = 0; isBack && dim < joined.size(); ++dim)
      isBack = shapes.getExtent(op.getResult(), dim) == shapes.getExtent(collapse->op.getOperand(), dim);
    if (isBack) {
      op.getResult().replaceAllUsesWith(makeReshape(to));
      return true;
    }
    SmallVector<ReshapeGroup> groups = op.getGroups();
    bool isBehind = op.getSizes().empty() && to.size() > 1 && ShapedType::isDynamic(to.front()) &&
                    !ShapedType::isDynamicShape(to.drop_front()) && !groups.empty() &&
                    groups.front().from.size() == 1 && groups.front().to.size() == 1 && groups.front().to.front() == 0;
    if (!isBehind)
      return false;
    Value made = makeReshape(collapse->expand(to));
    op.getResult().replaceAllUsesWith(
        ReshapeOp::create(builder, op.getLoc(), cast<RankedTensorType>(op.getResult().getType()), made, ValueRange()));
    return true;
  }

  bool areEqual(const Collapse &one, const Collapse &other) {
    if (one.count != other.count)
      return false;
    for (unsigned dim = 0; dim < one.count; ++dim)
      if (one.getJoined()[dim] != other.getJoined()[dim] ||
          shapes.getExtent(one.op.getOperand(), dim) != shapes.getExtent(other.op.getOperand(), dim))
        return false;
    return true;
  }

  func::FuncOp function;
  SymbolicShapes shapes;
  llvm::DenseSet<Operation *> replaced;
};

struct SinkCollapses : fuse::impl::FuseSinkCollapsesBase<SinkCollapses> {
  void runOnOperation() override { Sinking(getOperation()).run(); }
};

} // namespace
