//===- TileScratch.cpp - Memory for a temporary of a block ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileScratch.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::hasZero(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); });
}

std::optional<int64_t> mlir::fuse::getMost(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return constant;
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, size, /*stopCondition=*/nullptr, {/*closedUB=*/true});
  return succeeded(bound) ? std::optional(*bound) : std::nullopt;
}

Value mlir::fuse::makeScratch(OpBuilder &builder, Location loc, Type elementType,
                              ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> largest) {
  if (hasZero(sizes)) // no slice may begin where its source ends
    return tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<OpFoldResult> most(largest);
  for (OpFoldResult &size : most)
    if (std::optional<int64_t> bound = getMost(size))
      size = builder.getIndexAttr(*bound);
  Value empty = tensor::EmptyOp::create(builder, loc, most, elementType);
  if (llvm::equal(sizes, most, isEqualConstantIntOrValue))
    return empty;
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, empty, zeros, sizes, ones);
}

Value mlir::fuse::makeScratch(OpBuilder &builder, Location loc, Type elementType,
                              ArrayRef<OpFoldResult> sizes) {
  return makeScratch(builder, loc, elementType, sizes, sizes);
}

SmallVector<OpFoldResult> mlir::fuse::getSizes(OpBuilder &builder, Value tensor) {
  while (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
  return tensor::getMixedSizes(builder, tensor.getLoc(), tensor);
}
