//===- ChannelsLast.cpp - Ops on images whose channels come last -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ChannelsLast.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

/// Convolutions with fewer output channels do not fill a vector with them.
static constexpr int64_t kLeastChannels = 16;

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

/// A filter of one pixel is a product as images are written, too, whose columns are pixels: a good
/// one where there are many. With windows, vectors end with every line: 3x3 and 256 channels of
/// 14x14 f32 on a core of Zen 5 4.3 ms as written, 1.1 turned. Small ones are left to have more
/// blocks.
static ChannelRole getConvolutionRole(Conv2dOp op) {
  constexpr int64_t kManyPixels = 1024, kManySteps = 1 << 20;
  ArrayRef<int64_t> result = cast<RankedTensorType>(op.getResult().getType()).getShape();
  ArrayRef<int64_t> filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  if (result[1] < kLeastChannels)
    return ChannelRole::None;
  auto isOne = [](int64_t extent) { return extent == 1; };
  bool isProduct =
      llvm::all_of(filter.drop_front(2), isOne) && llvm::all_of(op.getStrides(), isOne);
  bool hasMany = !ShapedType::isDynamic(result[2]) && !ShapedType::isDynamic(result[3]) &&
                 result[2] * result[3] >= kManyPixels;
  int64_t steps = 1;
  for (ArrayRef<int64_t> extents : {result, filter.drop_front()})
    for (int64_t extent : extents)
      if (ShapedType::isDynamic(extent) || llvm::MulOverflow(steps, extent, steps))
        return ChannelRole::Wants;
  return (isProduct && hasMany) || steps < kManySteps ? ChannelRole::Wants : ChannelRole::Needs;
}

ChannelRole mlir::fuse::getChannelRole(Operation *op) {
  if (op->getNumResults() != 1 || !isImage(op->getResult(0)))
    return ChannelRole::None;
  auto ifFirst = [](ConvLayout layout, ChannelRole role) {
    return layout == ConvLayout::NchwFchw ? role : ChannelRole::None;
  };
  if (auto fusable = dyn_cast<FusableOpInterface>(op))
    if (fusable.isElementwise() && fusable.hasScalarBody())
      return followsElementwise(op) ? ChannelRole::Follows : ChannelRole::None;
  return llvm::TypeSwitch<Operation *, ChannelRole>(op)
      .Case([&](Conv2dOp op) { return ifFirst(op.getLayout(), getConvolutionRole(op)); })
      .Case<MaxPool2dOp, AvgPool2dOp>(
          [&](auto op) { return ifFirst(op.getLayout(), ChannelRole::Follows); })
      .Case<ConcatOp, PadOp, CopyOp, ResizeNearestOp>([](auto) { return ChannelRole::Follows; })
      .Default([](Operation *) { return ChannelRole::None; });
}

SmallVector<Value> mlir::fuse::getImages(Operation *op) {
  SmallVector<Value> images = {op->getResult(0)};
  if (auto convolution = dyn_cast<Conv2dOp>(op)) {
    images.push_back(convolution.getInput());
    return images;
  }
  for (Value operand : op->getOperands())
    if (isImage(operand))
      images.push_back(operand);
  return images;
}

template <typename T>
static SmallVector<T> permute(ArrayRef<T> values, ArrayRef<int64_t> permutation) {
  SmallVector<T> permuted;
  for (int64_t from : permutation)
    permuted.push_back(values[from]);
  return permuted;
}

RankedTensorType mlir::fuse::toChannelsLast(RankedTensorType image) {
  return image.clone(permute(image.getShape(), kToChannelsLast));
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
  return TransposeOp::create(builder, value.getLoc(), toChannelsLast(type), value, kToChannelsLast);
}

/// What an attribute that counts dimensions, or has an entry for each, becomes.
static void turnAttributes(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([](ConcatOp op) {
        op.setDimension(llvm::find(kToChannelsLast, op.getDimension()) - kToChannelsLast);
      })
      .Case([](PadOp op) {
        op.setLow(permute(op.getLow(), kToChannelsLast));
        op.setHigh(permute(op.getHigh(), kToChannelsLast));
      })
      .Case<Conv2dOp, MaxPool2dOp, AvgPool2dOp>(
          [](auto op) { op.setLayout(ConvLayout::NhwcHwcf); });
}

Value mlir::fuse::buildChannelsLast(OpBuilder &builder, Operation *op,
                                    llvm::function_ref<Value(Value)> getLast) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<Conv2dOp>(op) || operand.getOperandNumber() == 0) {
      operands.push_back(getLast(value));
    } else if (operand.getOperandNumber() == 1) {
      // [F, C, KH, KW] to [KH, KW, C, F].
      constexpr int64_t kFilter[] = {2, 3, 1, 0};
      auto type = cast<RankedTensorType>(value.getType());
      operands.push_back(TransposeOp::create(
          builder, op->getLoc(), type.clone(permute(type.getShape(), kFilter)), value, kFilter));
    } else {
      operands.push_back(value); // a bias
    }
  }
  Operation *turned = builder.clone(*op);
  turned->setOperands(operands);
  turned->getResult(0).setType(toChannelsLast(cast<RankedTensorType>(op->getResult(0).getType())));
  turnAttributes(turned);
  return turned->getResult(0);
}
