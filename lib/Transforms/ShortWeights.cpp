//===- ShortWeights.cpp - Weights that are computed from few bits -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ShortWeights.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

using Digits = SmallVector<LoopDigit, 2>;

/// The digits of all dimensions as those of a tensor of `shape` with the same elements in the same
/// order.
static std::optional<SmallVector<Digits>> regroup(ArrayRef<Digits> dims, ArrayRef<int64_t> shape) {
  SmallVector<LoopDigit> all; // the outermost one last
  for (const Digits &digits : llvm::reverse(dims))
    for (const LoopDigit &digit : llvm::reverse(digits))
      if (digit.extent != 1)
        all.push_back(digit);
  SmallVector<Digits> result;
  for (int64_t extent : shape) {
    Digits &digits = result.emplace_back();
    for (int64_t rest = extent; rest > 1;) {
      if (all.empty())
        return std::nullopt;
      LoopDigit digit = all.pop_back_val();
      int64_t taken = std::min(rest, digit.extent);
      if (rest % taken != 0 || digit.extent % taken != 0)
        return std::nullopt;
      int64_t inner = digit.extent / taken;
      digits.push_back({digit.loop, digit.divisor * inner, taken});
      if (inner > 1)
        all.push_back({digit.loop, digit.divisor, inner});
      rest /= taken;
    }
  }
  if (!all.empty())
    return std::nullopt;
  return result;
}

static std::optional<SmallVector<Digits>> throughSlice(SliceOp slice, ArrayRef<Digits> dims) {
  SmallVector<Digits> result(dims);
  ArrayRef<int64_t> whole = FuseBuilder::shapeOf(slice.getOperand());
  for (auto [dim, digits] : llvm::enumerate(result)) {
    if (slice.isWhole(dim))
      continue;
    // The front of a longer dimension: there are elements for more steps or columns.
    if (slice.getOffsets()[dim] != 0 || slice.getStrides()[dim] != 1 || digits.size() != 1)
      return std::nullopt;
    digits.front().extent = whole[dim];
  }
  return result;
}

std::optional<WeightAccess> WeightAccess::through(Operation *op, unsigned number) const {
  Value operand = op->getOperand(number);
  ArrayRef<int64_t> shape = FuseBuilder::shapeOf(operand);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    WeightAccess access{SmallVector<Digits>(dims.size())};
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      access.dims[from] = dims[to];
    return access;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    WeightAccess access;
    for (auto [dim, digits] : llvm::enumerate(dims))
      if (!llvm::is_contained(broadcast.getDimensions(), static_cast<int64_t>(dim)))
        access.dims.push_back(digits);
    return access;
  }
  std::optional<SmallVector<Digits>> found;
  if (isa<ReshapeOp>(op)) {
    found = regroup(dims, shape);
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    found = throughSlice(slice, dims);
  } else { // element-wise: the last dimensions, repeated where they are 1
    found = SmallVector<Digits>(ArrayRef(dims).take_back(shape.size()));
    for (auto [extent, digits] : llvm::zip_equal(shape, *found))
      if (extent == 1)
        digits.clear();
  }
  return found ? std::optional(WeightAccess{*found}) : std::nullopt;
}

/// The digits of one loop, the outermost first, with the dimensions in which they stand when each
/// digit is one.
static SmallVector<std::pair<LoopDigit, int64_t>> getSorted(ArrayRef<Digits> dims, unsigned loop) {
  SmallVector<std::pair<LoopDigit, int64_t>> sorted;
  int64_t number = 0;
  for (const Digits &digits : dims)
    for (const LoopDigit &digit : digits) {
      if (digit.loop == loop)
        sorted.push_back({digit, number});
      ++number;
    }
  llvm::sort(sorted, [](auto &a, auto &b) { return a.first.divisor > b.first.divisor; });
  return sorted;
}

std::optional<WeightAccess::Run> WeightAccess::getRun() const {
  int64_t least[2] = {0, 0}, covered[2] = {0, 0};
  for (unsigned loop : {0, 1}) {
    auto sorted = getSorted(dims, loop);
    if (sorted.empty())
      continue;
    for (auto [outer, inner] : llvm::zip(sorted, ArrayRef(sorted).drop_front()))
      if (outer.first.divisor != inner.first.divisor * inner.first.extent)
        return std::nullopt;
    least[loop] = sorted.back().first.divisor;
    covered[loop] = sorted.front().first.divisor * sorted.front().first.extent;
  }
  return Run{least[0], least[1], covered[0], covered[1]};
}

Value WeightAccess::toMatrix(FuseBuilder &b, Value value) const {
  SmallVector<int64_t> split, order, shape;
  for (const Digits &digits : dims)
    for (const LoopDigit &digit : digits)
      split.push_back(digit.extent);
  for (unsigned loop : {0, 1}) {
    int64_t extent = 1;
    for (auto &[digit, number] : getSorted(dims, loop)) {
      order.push_back(number);
      extent *= digit.extent;
    }
    shape.push_back(extent);
  }
  return b.reshape(b.transpose(b.reshape(value, split), order), shape);
}

std::pair<int64_t, int64_t> mlir::fuse::getIntegerRange(Value value) {
  Type element = getElementTypeOrSelf(value);
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || bits == 1;
  std::pair<int64_t, int64_t> whole =
      bits > 32
          ? std::pair(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max())
      : isUnsigned ? std::pair(int64_t(0), (int64_t(1) << bits) - 1)
                   : std::pair(-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp, BroadcastOp, CopyOp>(op))
    return getIntegerRange(op->getOperand(0));
  if (DenseIntElementsAttr constant; matchPattern(value, m_Constant(&constant)) && bits <= 32) {
    std::pair<int64_t, int64_t> range = {whole.second, whole.first};
    for (const APInt &number : constant) {
      int64_t each =
          isUnsigned ? static_cast<int64_t>(number.getZExtValue()) : number.getSExtValue();
      range = {std::min(range.first, each), std::max(range.second, each)};
    }
    return range;
  }
  auto binary = dyn_cast_if_present<BinaryOp>(op);
  if (!binary || bits > 32)
    return whole;
  std::pair<int64_t, int64_t> left = getIntegerRange(binary.getLhs()),
                              right = getIntegerRange(binary.getRhs());
  switch (binary.getKind()) {
  case BinaryKind::And: // of what is not negative no larger than either
    if (right.first >= 0)
      return {0, left.first >= 0 ? std::min(left.second, right.second) : right.second};
    return left.first >= 0 ? std::pair(int64_t(0), left.second) : whole;
  case BinaryKind::ShiftRight:
    if (right.first >= 0 && right.second < static_cast<int64_t>(bits))
      return {std::min(left.first >> right.first, left.first >> right.second),
              std::max(left.second >> right.first, left.second >> right.second)};
    return whole;
  default:
    return whole;
  }
}
