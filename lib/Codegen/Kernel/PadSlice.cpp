//===- PadSlice.cpp - Part of a padded tensor ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PadSlice.h"
#include "IndexMath.h"
#include "TileScratch.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<OpFoldResult> asIndices(OpBuilder &builder, ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    std::optional<int64_t> constant = getConstantIntValue(value);
    return constant ? OpFoldResult(builder.getIndexAttr(*constant)) : value;
  });
}

SmallVector<OpFoldResult> mlir::fuse::getLowPad(OpBuilder &builder, tensor::PadOp pad) {
  return asIndices(builder, pad.getMixedLowPad());
}

SmallVector<OpFoldResult> mlir::fuse::getHighPad(OpBuilder &builder, tensor::PadOp pad) {
  return asIndices(builder, pad.getMixedHighPad());
}

SmallVector<OpFoldResult> mlir::fuse::getPaddedSizes(OpBuilder &builder, tensor::PadOp pad) {
  IndexMath math{builder, pad.getLoc()};
  SmallVector<OpFoldResult> low = getLowPad(builder, pad), high = getHighPad(builder, pad);
  SmallVector<OpFoldResult> inside = getSizes(builder, pad.getSource()), sizes;
  for (auto [dim, extent] : llvm::enumerate(pad.getResultType().getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      sizes.push_back(builder.getIndexAttr(extent));
      continue;
    }
    sizes.push_back(math.apply(math.symbol(0) + math.symbol(1) + math.symbol(2),
                               {low[dim], inside[dim], high[dim]}));
  }
  return sizes;
}

PadSlice mlir::fuse::slicePad(OpBuilder &builder, tensor::PadOp pad, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  Location loc = pad.getLoc();
  IndexMath math{builder, loc};
  OpFoldResult zero = builder.getIndexAttr(0);
  llvm::SmallBitVector padded = pad.getPaddedDims();
  SmallVector<OpFoldResult> before = getLowPad(builder, pad), behind = getHighPad(builder, pad);
  SmallVector<OpFoldResult> inside = getSizes(builder, pad.getSource());
  PadSlice slice;
  for (auto [dim, offset, size] : llvm::enumerate(offsets, sizes)) {
    if (!padded.test(dim)) {
      slice.offsets.push_back(offset);
      slice.sizes.push_back(size);
      slice.low.push_back(zero);
      slice.high.push_back(zero);
      continue;
    }
    OpFoldResult extent = inside[dim];
    AffineExpr s0 = math.symbol(0), s1 = math.symbol(1), s2 = math.symbol(2);
    // Element number i of the part is the source's number offset - before + i. Those from `low` to
    // `end` are inside.
    OpFoldResult low = math.clamp(s0 - s1, {before[dim], offset}, zero, size);
    low = math.min({s0, s1}, {low, before[dim]}); // which tells the most that it is
    OpFoldResult end = math.clamp(s0 - s1 + s2, {before[dim], offset, extent}, low, size);
    if (isConstantIntValue(extent, 0))
      low = end = size;
    slice.offsets.push_back(math.apply(s1 - s0 + s2, {before[dim], offset, low}));
    // No more than the part has, which tells temporaries of this size their largest.
    slice.sizes.push_back(math.min({s0 - s1, s2}, {end, low, size}));
    slice.low.push_back(low);
    slice.high.push_back(math.min({s0 - s1, s2}, {size, end, behind[dim]}));
  }
  return slice;
}

tensor::PadOp mlir::fuse::padSlice(OpBuilder &builder, tensor::PadOp pad, Value inside,
                                   const PadSlice &slice, ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  std::tie(shape, std::ignore) = decomposeMixedValues(SmallVector<OpFoldResult>(sizes));
  auto type = RankedTensorType::get(shape, pad.getResultType().getElementType());
  return tensor::PadOp::create(builder, pad.getLoc(), type, inside, slice.low, slice.high,
                               pad.getConstantPaddingValue(), /*nofold=*/false);
}
