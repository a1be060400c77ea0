//===- Sharding.cpp - Which part of a tensor a process has -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Sharding.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

Sharding Sharding::get(ShardingAttr attr) {
  Sharding sharding;
  sharding.grid.assign(attr.getGrid().begin(), attr.getGrid().end());
  for (DenseI64ArrayAttr cutting : attr.getDims())
    sharding.axes.emplace_back(cutting.asArrayRef().begin(), cutting.asArrayRef().end());
  return sharding;
}

bool Sharding::isCut() const {
  for (size_t dim = 0; dim < axes.size(); ++dim)
    if (getParts(dim) > 1)
      return true;
  return false;
}

int64_t Sharding::getParts(size_t dim) const {
  int64_t parts = 1;
  if (dim < axes.size())
    for (int64_t axis : axes[dim])
      parts *= grid[axis];
  return parts;
}

int64_t Sharding::getPart(size_t dim, int64_t rank) const {
  int64_t part = 0;
  if (dim >= axes.size())
    return part;
  for (int64_t axis : axes[dim]) {
    int64_t step = countRanks(ArrayRef(grid).drop_front(axis + 1));
    part = part * grid[axis] + rank / step % grid[axis];
  }
  return part;
}

SmallVector<int64_t, 4> Sharding::getFullShape(ArrayRef<int64_t> shard) const {
  SmallVector<int64_t, 4> shape(shard);
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (!ShapedType::isDynamic(extent))
      extent *= getParts(dim);
  return shape;
}

/// Copies the part that begins at `begin` of each dimension from `dim` on.
static void copyPart(const char *from, char *&to, ArrayRef<int64_t> full, ArrayRef<int64_t> part,
                     ArrayRef<int64_t> begin, int64_t elementBytes) {
  int64_t inner = elementBytes;
  for (int64_t extent : full.drop_front())
    inner *= extent;
  from += begin.front() * inner;
  if (full.drop_front() == part.drop_front()) {
    std::memcpy(to, from, static_cast<size_t>(part.front() * inner));
    to += part.front() * inner;
    return;
  }
  for (int64_t i = 0; i < part.front(); ++i)
    copyPart(from + i * inner, to, full.drop_front(), part.drop_front(), begin.drop_front(),
             elementBytes);
}

llvm::Expected<HostArray> Sharding::takePart(const HostArray &full, int64_t rank) const {
  if (!isCut())
    return full;
  SmallVector<int64_t, 4> shape(full.getShape()), begin(shape.size());
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (extent % getParts(dim) != 0)
      return llvm::createStringError("expected dimension %zu to be a multiple of %lld parts, found "
                                     "%s",
                                     dim, static_cast<long long>(getParts(dim)),
                                     full.describe().c_str());
    extent /= getParts(dim);
    begin[dim] = getPart(dim, rank) * extent;
  }
  auto part = HostArray::createUninitialized(full.getElementType(), shape);
  if (!part || part->getByteSize() == 0)
    return part;
  char *to = part->getBytes();
  copyPart(full.getBytes(), to, full.getShape(), shape, begin,
           getElementBytes(full.getElementType()));
  return part;
}

std::string mlir::fuse::formatGrid(ArrayRef<int64_t> grid) {
  std::string text;
  for (int64_t extent : grid)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

int64_t mlir::fuse::countRanks(ArrayRef<int64_t> grid) {
  int64_t ranks = 1;
  for (int64_t extent : grid)
    ranks *= extent;
  return ranks;
}
