//===- ChannelsLast.cpp - Ops on images whose channels come last -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ChannelsLast.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<int64_t> mlir::fuse::getToChannelsLast(int64_t rank) {
  SmallVector<int64_t> permutation = {0, rank - 2, rank - 1};
  llvm::append_range(permutation, llvm::seq<int64_t>(1, rank - 2));
  return permutation;
}

SmallVector<int64_t> mlir::fuse::getToChannelsFirst(int64_t rank) {
  SmallVector<int64_t> permutation = {0};
  llvm::append_range(permutation, llvm::seq<int64_t>(3, rank));
  llvm::append_range(permutation, llvm::seq<int64_t>(1, 3));
  return permutation;
}

bool mlir::fuse::isImage(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 4;
}

/// Whether an element-wise op can be given its operands with channels last.
static bool followsElementwise(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type && type.getRank() <= 4 &&
           (type.getRank() == 4 || type.getRank() == 0 || type.hasStaticShape());
  });
}

/// Whether a view moves or divides nothing but channels: its operand is [N, C1, ..., H, W], and so is its result. A
/// channel shuffle is three such views: [N, 272, H, W] to [N, 4, 68, H, W] to [N, 68, 4, H, W] to [N, 272, H, W].
static bool keepsPixels(Operation *view) {
  auto from = cast<RankedTensorType>(view->getOperand(0).getType());
  auto to = cast<RankedTensorType>(view->getResult(0).getType());
  if (from.getRank() < 4 || to.getRank() < 4 || !from.hasStaticShape() || !to.hasStaticShape())
    return false;
  if (auto transpose = dyn_cast<TransposeOp>(view)) {
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    int64_t rank = from.getRank();
    return permutation[0] == 0 && permutation[rank - 2] == rank - 2 && permutation[rank - 1] == rank - 1;
  }
  return from.getShape().front() == to.getShape().front() &&
         from.getShape().take_back(2) == to.getShape().take_back(2);
}

/// Whether a value is laid out once, before the program runs: a parameter, or a view of one.
static bool isPrepared(Value value) {
  Value source = getViewSource(value);
  auto argument = dyn_cast<BlockArgument>(source);
  if (!argument)
    return matchPattern(source, m_Constant());
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(), attr::kParam);
}

/// Vectors of output channels take 16 of them. Where windows step over columns, vectors along these are
/// made element by element, so that a few channels are better: 3x3 windows of stride 2, 64 channels of
/// 66x66 f32 to 4 on a core of Zen 4 0.52 ms as written, 0.09 with channels last.
/// A filter of one pixel is a product as images are written, too, whose columns are pixels: a good
/// one where there are many. With windows, vectors end with every line: 3x3 and 256 channels of
/// 14x14 f32 on a core of Zen 5 4.3 ms as written, 1.1 with channels last. The smallest are a few
/// microseconds either way; small ones would take longer to transpose their filter in every run.
/// A depthwise convolution of stride 1 has its vectors along columns as it is written: 3x3 and 105
/// channels of 128x128 f32 0.7 ms, and 1.5 with channels last where its image must be transposed.
/// So has one with few filters in a group, of which a vector of output channels takes no more: 3x3 and 32
/// channels in each group of four filters, 28x28 to 56x56 f32 on a core of Zen 4, 80 to 86 GFLOP/s as written and
/// 45 to 48 with channels last; with two filters in a group 48 to 57 and 22; with eight they are equal.
static ChannelRole getConvolutionRole(Conv2dOp op) {
  constexpr int64_t kLeastChannels = 16, kLeastStepped = 4, kLeastOfGroup = 8;
  constexpr int64_t kManyPixels = 1024, kManySteps = 1 << 20, kManyPrepared = 1 << 16;
  ArrayRef<int64_t> result = op.getType().getShape();
  bool isStepped = op.getStrides().back() > 1 && op.getGroups() == 1;
  int64_t least = isStepped ? kLeastStepped : kLeastChannels;
  if (op.getLayout() != ConvLayout::NchwFchw || result[1] < least)
    return ChannelRole::None;
  ArrayRef<int64_t> filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  auto isOne = [](int64_t extent) { return extent == 1; };
  bool isProduct =
      llvm::all_of(filter.drop_front(2), isOne) && llvm::all_of(op.getStrides(), isOne);
  bool hasMany = !ShapedType::isDynamic(result[2]) && !ShapedType::isDynamic(result[3]) &&
                 result[2] * result[3] >= kManyPixels;
  //    A depthwise convolution has one filter in a group.
  bool hasSmallGroups = op.getGroups() > 1 && filter[0] / static_cast<int64_t>(op.getGroups()) < kLeastOfGroup;
  if (hasSmallGroups && llvm::all_of(op.getStrides(), isOne))
    return ChannelRole::Follows;
  int64_t steps = 1;
  for (ArrayRef<int64_t> extents : {result, filter.drop_front()})
    for (int64_t extent : extents)
      if (ShapedType::isDynamic(extent) || llvm::MulOverflow(steps, extent, steps))
        return ChannelRole::Wants;
  if (isProduct && hasMany)
    return ChannelRole::Wants;
  bool isLarge = steps >= kManySteps || (steps >= kManyPrepared && isPrepared(op.getFilter()));
  return isLarge ? ChannelRole::Needs : ChannelRole::Wants;
}

/// Windows that step over columns have no vectors along those, but along channels they do.
static ChannelRole getPoolRole(ArrayRef<int64_t> strides) {
  return strides.back() > 1 ? ChannelRole::Gains : ChannelRole::Follows;
}

ChannelRole mlir::fuse::getChannelRole(Operation *op) {
  if (isa<ReshapeOp, TransposeOp>(op))
    return keepsPixels(op) ? ChannelRole::Follows : ChannelRole::None;
  if (op->getNumResults() != 1 || !isImage(op->getResult(0)))
    return ChannelRole::None;
  auto ifFirst = [](ConvLayout layout, ChannelRole role) {
    return layout == ConvLayout::NchwFchw ? role : ChannelRole::None;
  };
  if (auto fusable = dyn_cast<FusableOpInterface>(op))
    if (fusable.isElementwise() && fusable.hasScalarBody())
      return followsElementwise(op) ? ChannelRole::Follows : ChannelRole::None;
  return llvm::TypeSwitch<Operation *, ChannelRole>(op)
      .Case([](Conv2dOp op) { return getConvolutionRole(op); })
      .Case<MaxPool2dOp, AvgPool2dOp>(
          [&](auto op) { return ifFirst(op.getLayout(), getPoolRole(op.getStrides())); })
      .Case<ConcatOp, PadOp, CopyOp, ResizeNearestOp, SliceOp>([](auto) { return ChannelRole::Follows; })
      .Default([](Operation *) { return ChannelRole::None; });
}

SmallVector<Value> mlir::fuse::getImages(Operation *op) {
  SmallVector<Value> images = {op->getResult(0)};
  if (auto convolution = dyn_cast<Conv2dOp>(op)) {
    images.push_back(convolution.getInput());
    return images;
  }
  for (Value operand : op->getOperands())
    if (isImage(operand) || isa<ReshapeOp, TransposeOp>(op))
      images.push_back(operand);
  return images;
}

template <typename T>
static SmallVector<T> permuteList(ArrayRef<T> values, ArrayRef<int64_t> permutation) {
  SmallVector<T> permuted;
  for (int64_t from : permutation)
    permuted.push_back(values[from]);
  return permuted;
}

RankedTensorType mlir::fuse::toChannelsLast(RankedTensorType image) {
  return image.clone(permuteList(image.getShape(), getToChannelsLast(image.getRank())));
}

Value mlir::fuse::turnToChannelsLast(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return value;
  if (type.getRank() < 4) {
    SmallVector<int64_t> shape(4 - type.getRank(), 1);
    llvm::append_range(shape, type.getShape());
    type = type.clone(shape);
    value = ReshapeOp::create(builder, value.getLoc(), type, value);
  }
  return TransposeOp::create(builder, value.getLoc(), toChannelsLast(type), value,
                             getToChannelsLast(type.getRank()));
}

/// The values of a list with an entry for each dimension, `numbers`, in which a dynamic entry stands for one of `values`.
static SmallVector<Value> permuteValues(ValueRange values, ArrayRef<int64_t> numbers, ArrayRef<int64_t> permutation) {
  SmallVector<Value> all(numbers.size()), permuted;
  for (auto [dim, number] : llvm::enumerate(numbers))
    if (ShapedType::isDynamic(number)) {
      all[dim] = values.front();
      values = values.drop_front();
    }
  for (int64_t from : permutation)
    if (all[from])
      permuted.push_back(all[from]);
  return permuted;
}

/// What an attribute that counts dimensions, or has an entry for each, becomes. `op` has its new operands, and the type
/// of its result as it was.
static void turnAttributes(Operation *op) {
  SmallVector<int64_t> last =
      getToChannelsLast(cast<RankedTensorType>(op->getResult(0).getType()).getRank());
  auto getTurned = [&](int64_t dim) -> int64_t { return llvm::find(last, dim) - last.begin(); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ConcatOp op) { op.setDimension(getTurned(op.getDimension())); })
      .Case([&](PadOp op) {
        op.setLow(permuteList(op.getLow(), last));
        op.setHigh(permuteList(op.getHigh(), last));
      })
      .Case([&](SliceOp op) {
        op.getDynamicOffsetsMutable().assign(permuteValues(op.getDynamicOffsets(), op.getOffsets(), last));
        op.getDynamicSizesMutable().assign(permuteValues(op.getDynamicSizes(), op.getSizes(), last));
        op.setOffsets(permuteList(op.getOffsets(), last));
        op.setSizes(permuteList(op.getSizes(), last));
        op.setStrides(permuteList(op.getStrides(), last));
      })
      .Case([&](ResizeNearestOp op) {
        if (!op.getSizes().empty())
          op.getSizesMutable().assign(permuteValues(op.getSizes(), op.getType().getShape(), last));
      })
      .Case([&](TransposeOp op) {
        op.setPermutation(llvm::map_to_vector(permuteList(op.getPermutation(), last), getTurned));
      })
      .Case<Conv2dOp, MaxPool2dOp, AvgPool2dOp>(
          [](auto op) { op.setLayout(ConvLayout::NhwcHwcf); });
}

Value mlir::fuse::buildChannelsLast(OpBuilder &builder, Operation *op,
                                    llvm::function_ref<Value(Value)> getLast) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<ShapedType>(value.getType())) {
      operands.push_back(value); // an offset, or a size
    } else if (!isa<Conv2dOp>(op) || operand.getOperandNumber() == 0) {
      operands.push_back(getLast(value));
    } else if (operand.getOperandNumber() == 1) {
      // [F, C, KH, KW] to [KH, KW, C, F].
      constexpr int64_t kFilter[] = {2, 3, 1, 0};
      auto type = cast<RankedTensorType>(value.getType());
      operands.push_back(TransposeOp::create(
          builder, op->getLoc(), type.clone(permuteList(type.getShape(), kFilter)), value, kFilter));
    } else {
      operands.push_back(value); // a bias
    }
  }
  Operation *turned = builder.clone(*op);
  turned->setOperands(operands);
  turnAttributes(turned);
  turned->getResult(0).setType(toChannelsLast(cast<RankedTensorType>(op->getResult(0).getType())));
  return turned->getResult(0);
}
