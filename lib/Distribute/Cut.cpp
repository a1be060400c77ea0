//===- Cut.cpp - How a tensor lies on a grid of processes ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Cut.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<int64_t, kMostAxes> Cut::axesOf(int64_t what) const {
  SmallVector<int64_t, kMostAxes> axes;
  for (auto [axis, cut] : llvm::enumerate(cuts))
    if (cut == what)
      axes.push_back(axis);
  return axes;
}

int64_t Cut::getParts(Grid grid, int64_t what) const {
  int64_t parts = 1;
  for (auto [axis, extent] : llvm::enumerate(grid))
    if (cuts[axis] == what)
      parts *= extent;
  return parts;
}

int64_t Cut::getParts(Grid grid) const {
  int64_t parts = 1;
  for (auto [axis, extent] : llvm::enumerate(grid))
    if (cuts[axis] >= 0)
      parts *= extent;
  return parts;
}

uint32_t Cut::getKey() const {
  uint32_t key = 0;
  for (int8_t cut : cuts)
    key = key << 8 | static_cast<uint8_t>(cut);
  return key;
}

bool mlir::fuse::isDivisible(ArrayRef<int64_t> shape, Grid grid, const Cut &cut) {
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (int64_t parts = cut.getParts(grid, dim);
        parts > 1 && (ShapedType::isDynamic(extent) || extent % parts != 0))
      return false;
  return true;
}

RankedTensorType mlir::fuse::getShardType(RankedTensorType type, Grid grid, const Cut &cut) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (!ShapedType::isDynamic(extent))
      extent /= cut.getParts(grid, dim);
  return type.clone(shape);
}

ShardingAttr mlir::fuse::toAttr(MLIRContext *context, int64_t rank, Grid grid, const Cut &cut) {
  SmallVector<DenseI64ArrayAttr> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(DenseI64ArrayAttr::get(context, cut.axesOf(dim)));
  return ShardingAttr::get(context, grid, dims);
}

std::string mlir::fuse::describe(int64_t rank, const Cut &cut) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  for (int64_t dim = 0; dim < rank; ++dim) {
    os << (dim ? ", [" : "[");
    llvm::interleaveComma(cut.axesOf(dim), os);
    os << ']';
  }
  os << ']';
  return text;
}

// Inner axes go before outer ones: what remains is then still one run of elements on each rank.
SmallVector<Move> mlir::fuse::planMoves(int64_t rank, const Cut &from, const Cut &to) {
  SmallVector<SmallVector<int64_t, kMostAxes>> now, wanted;
  for (int64_t dim = 0; dim < rank; ++dim) {
    now.push_back(from.axesOf(dim));
    wanted.push_back(to.axesOf(dim));
  }
  auto isPrefix = [](ArrayRef<int64_t> part, ArrayRef<int64_t> all) {
    return part.size() <= all.size() && part == all.take_front(part.size());
  };
  SmallVector<Move> moves;
  // An axis that goes on to another dimension is exchanged, where it is the next one to be put there.
  auto exchange = [&]() {
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (now[dim].empty() || isPrefix(now[dim], wanted[dim]))
        continue;
      int64_t axis = now[dim].back(), next = to[axis];
      if (next < 0 || next == dim || !isPrefix(now[next], wanted[next]) ||
          wanted[next][now[next].size()] != axis)
        continue;
      moves.push_back({Move::Exchange, {axis}, dim, next});
      now[dim].pop_back();
      now[next].push_back(axis);
      return true;
    }
    return false;
  };
  auto gather = [&]() {
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (isPrefix(now[dim], wanted[dim]))
        continue;
      int64_t axis = now[dim].pop_back_val();
      if (!moves.empty() && moves.back().kind == Move::Gather && moves.back().dim == dim)
        moves.back().axes.insert(moves.back().axes.begin(), axis);
      else
        moves.push_back({Move::Gather, {axis}, dim});
      return true;
    }
    return false;
  };
  while (exchange() || gather()) {
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    if (now[dim].size() < wanted[dim].size())
      moves.push_back({Move::Slice,
                       SmallVector<int64_t, kMostAxes>(
                           ArrayRef(wanted[dim]).drop_front(now[dim].size())),
                       dim});
  return moves;
}
