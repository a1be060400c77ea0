//===- LayOutReshapes.cpp - Copies before reshapes that no index map describes ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A reshape of tensor<1x16x?x?xf32> to tensor<1x4x?xf32> moves nothing where the elements lie in this order. Where they
// are written with their channels last, an element's place follows from its number only by divisions by open extents:
// no kernel reads that as part of its loops. The elements are copied to their order first, by whatever computes them.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSELAYOUTRESHAPES
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Whether a reshape makes one dimension of several ones, or several of one, and an extent of an inner one is open: no
/// division by a number says where in these an element stands.
bool mixesOpenDims(ReshapeOp op) {
  auto isOpenWithin = [](ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
    dims = dims.drop_while([&](int64_t dim) { return shape[dim] == 1; });
    return llvm::any_of(dims.drop_front(!dims.empty()), [&](int64_t dim) { return ShapedType::isDynamic(shape[dim]); });
  };
  ArrayRef<int64_t> from = typeOf(op.getOperand()).getShape(), to = typeOf(op.getResult()).getShape();
  return op.hasFreeSizes() || llvm::any_of(op.getGroups(), [&](const ReshapeGroup &group) {
           return isOpenWithin(group.from, from) || isOpenWithin(group.to, to);
         });
}

/// The dimensions of a reshape's operand that hold neighbors of its result: of [8, ?] as [2, 4, ?] both hold the last two.
/// None where not all that lies between the first and the last of `dims` is among them.
std::optional<SmallVector<int64_t, 2>> getSources(ReshapeOp reshape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t, 2> sources;
  SmallVector<ReshapeGroup> groups = reshape.getGroups();
  for (ArrayRef<int64_t> rest = dims; !rest.empty();) {
    const auto *group =
        llvm::find_if(groups, [&](const ReshapeGroup &group) { return llvm::is_contained(group.to, rest.front()); });
    if (group == groups.end())
      return std::nullopt;
    ArrayRef<int64_t> behind = ArrayRef(group->to).drop_until([&](int64_t dim) { return dim == rest.front(); });
    size_t count = std::min(rest.size(), behind.size());
    bool isFirst = rest.size() == dims.size(), isLast = rest.size() == count;
    if (behind.take_front(count) != rest.take_front(count) || (!isFirst && behind.size() < group->to.size()) ||
        (!isLast && count < behind.size()))
      return std::nullopt;
    llvm::append_range(sources, group->from);
    rest = rest.drop_front(count);
  }
  return sources;
}

/// Whether each of some dimensions of `value` lies right inside the one before it in memory, as far as the views say
/// that `value` is made by: of the transpose of tensor<7x?xf32> the two dimensions do not.
bool lieInOrder(Value value, SmallVector<int64_t, 2> dims) {
  auto isWhole = [&](SliceOp slice) {
    return llvm::all_of(llvm::drop_begin(dims), [&](int64_t dim) { return slice.isWhole(dim); });
  };
  while (Operation *view = value.getDefiningOp()) {
    llvm::erase_if(dims, [&](int64_t dim) { return typeOf(value).getShape()[dim] == 1; });
    if (dims.size() < 2)
      return true;
    if (auto transpose = dyn_cast<TransposeOp>(view)) {
      for (int64_t &dim : dims)
        dim = transpose.getPermutation()[dim];
    } else if (auto slice = dyn_cast<SliceOp>(view)) {
      if (!isWhole(slice))
        return false;
    } else if (auto broadcast = dyn_cast<BroadcastOp>(view)) {
      ArrayRef<int64_t> added = broadcast.getDimensions();
      for (int64_t &dim : dims) {
        if (llvm::is_contained(added, dim))
          return false;
        dim -= llvm::count_if(added, [&](int64_t other) { return other < dim; });
      }
    } else if (auto reshape = dyn_cast<ReshapeOp>(view)) {
      std::optional<SmallVector<int64_t, 2>> sources = getSources(reshape, dims);
      if (!sources)
        return false;
      dims = *sources;
    } else {
      break;
    }
    value = view->getOperand(0);
  }
  llvm::erase_if(dims, [&](int64_t dim) { return typeOf(value).getShape()[dim] == 1; });
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  for (size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] <= dims[i - 1])
      return false;
    ArrayRef<int64_t> between = shape.slice(dims[i - 1] + 1, dims[i] - dims[i - 1] - 1);
    if (!llvm::all_of(between, [](int64_t extent) { return extent == 1; }))
      return false;
  }
  return true;
}

/// Whether a reshape joins or splits open dimensions whose elements a view reads elsewhere than in their order.
bool joinsTurnedDims(ReshapeOp op) {
  ArrayRef<int64_t> from = typeOf(op.getOperand()).getShape(), to = typeOf(op.getResult()).getShape();
  return llvm::any_of(op.getGroups(), [&](const ReshapeGroup &group) {
    auto isOpen = [](ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
      return llvm::any_of(dims, [&](int64_t dim) { return ShapedType::isDynamic(shape[dim]); });
    };
    bool isPair = group.from.size() == 1 && group.to.size() == 1;
    return !isPair && (isOpen(group.from, from) || isOpen(group.to, to)) && !lieInOrder(op.getOperand(), group.from);
  });
}

/// The elements as they lie in memory: those that a view reads elsewhere are copied.
void layOut(ReshapeOp op) {
  Value source = op.getOperand();
  while (auto reshape = source.getDefiningOp<ReshapeOp>())
    source = reshape.getOperand();
  if (!isa_and_nonnull<TransposeOp, SliceOp, BroadcastOp>(source.getDefiningOp()))
    return;
  OpBuilder builder(op);
  op.getOperandMutable().assign(CopyOp::create(builder, op.getLoc(), op.getOperand().getType(), op.getOperand()));
}

struct LayOutReshapes : fuse::impl::FuseLayOutReshapesBase<LayOutReshapes> {
  void runOnOperation() override {
    getOperation().walk([](ReshapeOp op) {
      if (mixesOpenDims(op) || joinsTurnedDims(op))
        layOut(op);
    });
  }
};

} // namespace
