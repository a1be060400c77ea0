//===- StatedExtents.cpp - What arguments say of their open dimensions -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/StatedExtents.h"

#include "fuse/IR/DimNames.h"
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

void mlir::fuse::forEachOpenDim(FunctionOpInterface function,
                                llvm::function_ref<void(unsigned argument, int64_t dim)> act) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
        if (shaped.isDynamicDim(dim))
          act(i, dim);
}

llvm::EquivalenceClasses<ArgumentDim> mlir::fuse::getEqualDims(FunctionOpInterface function) {
  llvm::EquivalenceClasses<ArgumentDim> equal;
  // A dimension, and the first one of its class; -1 for a constant.
  if (auto list = function->getAttrOfType<DenseI64ArrayAttr>(attr::kEqualDims))
    for (ArrayRef<int64_t> rest = list; rest.size() >= 4; rest = rest.drop_front(4))
      if (rest[2] >= 0)
        equal.unionSets({rest[0], rest[1]}, {rest[2], rest[3]});
  // A dimension and its factor, twice.
  if (auto list = function->getAttrOfType<DenseI64ArrayAttr>(attr::kScaledDims))
    for (ArrayRef<int64_t> rest = list; rest.size() >= 6; rest = rest.drop_front(6))
      if (rest[3] >= 0 && rest[2] == rest[5])
        equal.unionSets({rest[0], rest[1]}, {rest[3], rest[4]});
  llvm::StringMap<ArgumentDim> named;
  forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
    if (StringRef name = getDimName(function, argument, dim); !name.empty())
      equal.unionSets(named.try_emplace(name, ArgumentDim(argument, dim)).first->second, {argument, dim});
  });
  return equal;
}
