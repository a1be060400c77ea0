//===- Shapes.cpp - Broadcasting, windows and other shape rules -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Shapes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"
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
      fits &= extent == 1 || extent == wanted || ShapedType::isDynamic(extent) || ShapedType::isDynamic(wanted);
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

/// The dimensions that are no static ones.
static SmallVector<int64_t> getRealDims(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (extent != 1)
      dims.push_back(dim);
  return dims;
}

/// The product of the static extents from `position` on, up to the next dynamic one, which `position` then is; none from
/// 2^63 on.
static std::optional<int64_t> multiplyStatic(ArrayRef<int64_t> shape, size_t &position) {
  int64_t product = 1;
  bool overflows = false;
  for (; position < shape.size() && !ShapedType::isDynamic(shape[position]); ++position)
    overflows |= llvm::MulOverflow(product, shape[position], product) != 0;
  return overflows ? std::nullopt : std::optional(product);
}

/// The least counts of dimensions, in the order given, with equal static products; {0, 0} if none
/// below 2^63.
static std::pair<size_t, size_t> matchFront(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  size_t i = 0, j = 0;
  int64_t left = 1, right = 1;
  do {
    bool takeLeft = left <= right;
    ArrayRef<int64_t> list = takeLeft ? from : to;
    size_t &position = takeLeft ? i : j;
    if (position == list.size() || ShapedType::isDynamic(list[position]))
      return {0, 0};
    int64_t &product = takeLeft ? left : right;
    if (llvm::MulOverflow(product, list[position++], product))
      return {0, 0};
  } while (left != right);
  return {i, j};
}

SmallVector<std::pair<int64_t, int64_t>>
mlir::fuse::pairDynamicDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  size_t i = 0, j = 0;
  while (true) {
    // The static dimensions up to the next unknown one, or up to the end.
    std::optional<int64_t> left = multiplyStatic(from, i), right = multiplyStatic(to, j);
    if (!left || left != right || (i == from.size()) != (j == to.size()))
      return {};
    if (i == from.size())
      return pairs;
    pairs.push_back({i++, j++});
  }
}

SmallVector<mlir::fuse::ReshapeGroup> mlir::fuse::matchReshape(ArrayRef<int64_t> from,
                                                               ArrayRef<int64_t> to) {
  SmallVector<ReshapeGroup> groups, tail;
  if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0))
    return groups;
  SmallVector<int64_t> fromDims = getRealDims(from), toDims = getRealDims(to);
  auto extentsOf = [](ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
  };
  SmallVector<int64_t> left = extentsOf(from, fromDims), right = extentsOf(to, toDims);
  auto makeGroup = [&](size_t i, size_t iEnd, size_t j, size_t jEnd) {
    return ReshapeGroup{SmallVector<int64_t, 2>(ArrayRef(fromDims).slice(i, iEnd - i)),
                        SmallVector<int64_t, 2>(ArrayRef(toDims).slice(j, jEnd - j))};
  };
  if (left == right) {
    for (size_t i = 0; i < left.size(); ++i)
      groups.push_back(makeGroup(i, i + 1, i, i + 1));
    return groups;
  }
  size_t i = 0, j = 0, iEnd = left.size(), jEnd = right.size();
  SmallVector<std::pair<int64_t, int64_t>> pairs = pairDynamicDims(left, right);
  for (size_t next = 0; next <= pairs.size();) {
    // Past an unknown dimension that both sides have.
    if (next < pairs.size() && i == static_cast<size_t>(pairs[next].first)) {
      groups.push_back(makeGroup(i, i + 1, j, j + 1));
      ++i, ++j, ++next;
      continue;
    }
    auto [m, n] = matchFront(ArrayRef(left).slice(i, iEnd - i), ArrayRef(right).slice(j, jEnd - j));
    if (m == 0)
      break;
    groups.push_back(makeGroup(i, i + m, j, j + n));
    i += m;
    j += n;
  }
  while (true) {
    SmallVector<int64_t> backLeft(llvm::reverse(ArrayRef(left).slice(i, iEnd - i)));
    SmallVector<int64_t> backRight(llvm::reverse(ArrayRef(right).slice(j, jEnd - j)));
    auto [m, n] = matchFront(backLeft, backRight);
    if (m == 0)
      break;
    tail.push_back(makeGroup(iEnd - m, iEnd, jEnd - n, jEnd));
    iEnd -= m;
    jEnd -= n;
  }
  // A dynamic extent without any partner (it must be 1) shares the group of all.
  if ((i == iEnd) != (j == jEnd))
    return {makeGroup(0, left.size(), 0, right.size())};
  if (i != iEnd)
    groups.push_back(makeGroup(i, iEnd, j, jEnd));
  groups.append(tail.rbegin(), tail.rend());
  return groups;
}

SmallVector<mlir::fuse::ReshapeGroup> mlir::fuse::takeReshapeGroups(ArrayRef<int64_t> counts, ArrayRef<int64_t> from,
                                                                    ArrayRef<int64_t> to) {
  SmallVector<ReshapeGroup> groups;
  int64_t i = 0, j = 0, numFrom = from.size(), numTo = to.size();
  for (; counts.size() >= 2; counts = counts.drop_front(2)) {
    if (counts[0] < 1 || counts[1] < 1 || counts[0] > numFrom - i || counts[1] > numTo - j)
      return {};
    ReshapeGroup group;
    for (int64_t end = i + counts[0]; i < end; ++i)
      if (from[i] != 1)
        group.from.push_back(i);
    for (int64_t end = j + counts[1]; j < end; ++j)
      if (to[j] != 1)
        group.to.push_back(j);
    if (group.from.empty() != group.to.empty())
      return {};
    if (!group.from.empty())
      groups.push_back(std::move(group));
  }
  return i == numFrom && j == numTo ? groups : SmallVector<ReshapeGroup>();
}

SmallVector<mlir::fuse::ReshapeGroup> mlir::fuse::matchOpenReshape(ArrayRef<int64_t> from,
                                                                   ArrayRef<int64_t> to) {
  SmallVector<ReshapeGroup> groups, tail;
  if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0))
    return groups;
  SmallVector<int64_t> left = getRealDims(from), right = getRealDims(to);
  auto isPair = [&](int64_t i, int64_t j) {
    return from[i] == to[j] && !ShapedType::isDynamic(from[i]);
  };
  size_t begin = 0, iEnd = left.size(), jEnd = right.size();
  for (; begin < std::min(iEnd, jEnd) && isPair(left[begin], right[begin]); ++begin)
    groups.push_back({{left[begin]}, {right[begin]}});
  for (; begin < std::min(iEnd, jEnd) && isPair(left[iEnd - 1], right[jEnd - 1]); --iEnd, --jEnd)
    tail.push_back({{left[iEnd - 1]}, {right[jEnd - 1]}});
  if (begin < iEnd || begin < jEnd)
    groups.push_back({SmallVector<int64_t, 2>(ArrayRef(left).slice(begin, iEnd - begin)),
                      SmallVector<int64_t, 2>(ArrayRef(right).slice(begin, jEnd - begin))});
  groups.append(tail.rbegin(), tail.rend());
  return groups;
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
