//===- ScatterShape.cpp - What the loops of a scatter go over ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/ScatterShape.h"
#include "fuse/Support/Saturating.h"

using namespace mlir;
using namespace mlir::fuse;

static int64_t joinExtents(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      return ShapedType::kDynamic;
    product = mulSaturating(product, extent);
  }
  return product;
}

ScatterShape ScatterShape::get(ArrayRef<int64_t> operand, ArrayRef<int64_t> indices,
                               int64_t dimension) {
  ScatterShape shape;
  int64_t before = joinExtents(operand.take_front(dimension));
  int64_t behind = joinExtents(operand.drop_front(dimension + 1));
  if (before != 1)
    shape.extents.push_back(before);
  shape.dimension = shape.extents.size();
  shape.extents.push_back(operand[dimension]);
  if (behind != 1)
    shape.extents.push_back(behind);
  shape.updates = joinExtents(indices);
  return shape;
}

ScatterShape ScatterShape::get(ScatterOp scatter) {
  return get(cast<RankedTensorType>(scatter.getOperand().getType()).getShape(),
             cast<RankedTensorType>(scatter.getIndices().getType()).getShape(),
             scatter.getDimension());
}

ScatterShape ScatterShape::get(ScatterRowsOp scatter) {
  ScatterShape shape;
  llvm::append_range(shape.extents, cast<RankedTensorType>(scatter.getInit().getType()).getShape());
  shape.dimension = scatter.getDimension();
  shape.updates = cast<RankedTensorType>(scatter.getIndices().getType()).getDimSize(0);
  return shape;
}

SmallVector<int64_t, 3> ScatterShape::getUpdateExtents() const {
  SmallVector<int64_t, 3> shape(extents);
  shape[dimension] = updates;
  return shape;
}
