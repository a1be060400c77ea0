//===- StatedExtents.cpp - What arguments say of their open dimensions -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/StatedExtents.h"

#include "fuse/IR/FuseDialect.h"

using namespace mlir;
using namespace mlir::fuse;

std::optional<int64_t> mlir::fuse::readExtent(FunctionOpInterface function, unsigned argument, StringRef attribute,
                                              int64_t dim) {
  auto list = function.getArgAttrOfType<DenseI64ArrayAttr>(argument, attribute);
  return list && dim < list.size() && list[dim] >= 0 ? std::optional(list[dim]) : std::nullopt;
}

void mlir::fuse::writeExtent(FunctionOpInterface function, unsigned argument, StringRef attribute, int64_t dim,
                             int64_t extent) {
  auto list = function.getArgAttrOfType<DenseI64ArrayAttr>(argument, attribute);
  if (!list && extent < 0)
    return;
  SmallVector<int64_t> extents(cast<ShapedType>(function.getArgumentTypes()[argument]).getRank(), -1);
  if (list)
    extents = SmallVector<int64_t>(list.asArrayRef());
  extents[dim] = extent;
  function.setArgAttr(argument, attribute, DenseI64ArrayAttr::get(function.getContext(), extents));
}

std::optional<int64_t> mlir::fuse::getPlannedExtent(FunctionOpInterface function, unsigned argument, int64_t dim) {
  std::optional<int64_t> hint = readExtent(function, argument, attr::kDimHints, dim);
  return hint ? hint : readExtent(function, argument, attr::kDimBounds, dim);
}
