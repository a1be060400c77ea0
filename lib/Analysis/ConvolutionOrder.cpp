//===- ConvolutionOrder.cpp - Whether a convolution turns its images -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ConvolutionOrder.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::wantsChannelsLast(Conv2dOp op) {
  constexpr int64_t kLeastChannels = 16; // of a vector
  return op.getLayout() == ConvLayout::NchwFchw &&
         cast<RankedTensorType>(op.getResult().getType()).getDimSize(1) >= kLeastChannels;
}

/// Whether a value is laid out once, before the program runs: a parameter, or a view of one, seen in a
/// kernel or outside.
static bool isPrepared(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<ReshapeOp, TransposeOp, SliceOp>(def))
      return matchPattern(value, m_Constant());
    value = def->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto kernel = dyn_cast<KernelOp>(parent))
    return isPrepared(kernel.getInputs()[argument.getArgNumber()]);
  auto function = dyn_cast<FunctionOpInterface>(parent);
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(), attr::kParam);
}

/// A filter of one pixel is a product as images are written, too, whose columns are pixels: a good
/// one where there are many. With windows, vectors end with every line: 3x3 and 256 channels of
/// 14x14 f32 on a core of Zen 5 4.3 ms as written, 1.1 turned. The smallest are a few microseconds
/// either way; small ones would take longer to turn their filter in every run.
bool mlir::fuse::needsChannelsLast(Conv2dOp op) {
  constexpr int64_t kManyPixels = 1024, kManySteps = 1 << 20, kManyPrepared = 1 << 16;
  ArrayRef<int64_t> result = cast<RankedTensorType>(op.getResult().getType()).getShape();
  ArrayRef<int64_t> filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  if (!wantsChannelsLast(op))
    return false;
  auto isOne = [](int64_t extent) { return extent == 1; };
  bool isProduct =
      llvm::all_of(filter.drop_front(2), isOne) && llvm::all_of(op.getStrides(), isOne);
  bool hasMany = !ShapedType::isDynamic(result[2]) && !ShapedType::isDynamic(result[3]) &&
                 result[2] * result[3] >= kManyPixels;
  int64_t steps = 1;
  for (ArrayRef<int64_t> extents : {result, filter.drop_front()})
    for (int64_t extent : extents)
      if (ShapedType::isDynamic(extent) || llvm::MulOverflow(steps, extent, steps))
        return false;
  if (isProduct && hasMany)
    return false;
  return steps >= kManySteps || (steps >= kManyPrepared && isPrepared(op.getFilter()));
}
