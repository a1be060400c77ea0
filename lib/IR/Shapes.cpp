//===- Shapes.cpp - Broadcasting, windows and other shape rules -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Shapes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

FailureOr<SmallVector<int64_t>>
mlir::fuse::inferBroadcastShape(ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<int64_t> result(rank, 1);
  for (ArrayRef<int64_t> shape : shapes)
    for (auto [i, extent] : llvm::enumerate(shape)) {
      int64_t &slot = result[rank - shape.size() + i];
      if (extent == 1)
        continue;
      if (slot == 1 || (ShapedType::isDynamic(slot) && !ShapedType::isDynamic(extent)))
        slot = extent;
      else if (!ShapedType::isDynamic(extent) && slot != extent)
        return failure();
    }
  return result;
}

LogicalResult mlir::fuse::verifyBroadcastsTo(Operation *op, StringRef what, RankedTensorType type,
                                             ArrayRef<int64_t> target) {
  ArrayRef<int64_t> shape = type.getShape();
  bool fits = shape.size() <= target.size();
  if (fits)
    for (auto [extent, wanted] : llvm::zip(shape, target.take_back(shape.size())))
      fits &= extent == 1 || extent == wanted ||
              (ShapedType::isDynamic(extent) && wanted != 1) ||
              (ShapedType::isDynamic(wanted) && extent != 1);
  if (fits)
    return success();
  return op->emitOpError() << what << " of shape " << formatShape(shape)
                           << " does not broadcast to shape " << formatShape(target);
}

AffineMap mlir::fuse::getBroadcastMap(RankedTensorType type, ArrayRef<int64_t> target) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> results;
  size_t offset = target.size() - type.getRank();
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    results.push_back(extent == 1 && target[offset + i] != 1
                          ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(offset + i, context));
  return AffineMap::get(target.size(), 0, results, context);
}

int64_t mlir::fuse::getWindowExtent(int64_t size, int64_t kernel, int64_t stride, int64_t dilation,
                                    int64_t low, int64_t high) {
  if (ShapedType::isDynamic(size))
    return ShapedType::kDynamic;
  int64_t room = size + low + high - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

std::string mlir::fuse::formatShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "<rank 0>";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      shape, os,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << '?';
        else
          os << extent;
      },
      "x");
  return text;
}
