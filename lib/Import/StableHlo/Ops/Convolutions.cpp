//===- Convolutions.cpp - Convolutions in all their forms -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Windows.h"
#include "../OpTable.h"
#include "Movements.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

namespace {
/// Where the dimensions of a convolution's operands stand: of [b, 0, 1, f], batch 0, feature 3, spatial {1, 2}.
struct DimOrder {
  int64_t batch = -1, feature = -1;
  SmallVector<int64_t> spatial;

  /// Batch, feature, then the spatial dimensions.
  SmallVector<int64_t> getPermutation() const {
    SmallVector<int64_t> permutation = {batch, feature};
    llvm::append_range(permutation, spatial);
    return permutation;
  }
};
} // namespace

/// `batch` and `feature` are the letters for these: b and f, or o and i of a filter.
static FailureOr<DimOrder> readOrder(Node &n, StringRef text, char batch, char feature, int64_t rank) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  DimOrder order;
  order.spatial.assign(std::max<int64_t>(0, rank - 2), -1);
  for (auto [dim, part] : llvm::enumerate(parts)) {
    part = part.trim();
    uint64_t number;
    if (part == StringRef(&batch, 1))
      order.batch = dim;
    else if (part == StringRef(&feature, 1))
      order.feature = dim;
    else if (!part.getAsInteger(10, number) && number < order.spatial.size())
      order.spatial[number] = dim;
  }
  bool isWhole = static_cast<int64_t>(parts.size()) == rank && rank >= 2 && order.batch >= 0 && order.feature >= 0 &&
                 !llvm::is_contained(order.spatial, -1);
  if (!isWhole)
    return n.fail("expected an order of " + Twine(rank) + " dimensions, found '" + text + "'");
  return order;
}

/// A convolution whose groups are of the batch, as that which is a filter's gradient has: group g of the operand's
/// batch meets group g of the filters. With the groups of the batch as channels it is one with groups of features.
static Value moveGroups(Node &n, Value x, int64_t groups) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> shape(b.shapeOf(x)), split = {groups, shape[0] / groups};
  llvm::append_range(split, ArrayRef(shape).drop_front());
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(split.size()));
  std::swap(order[0], order[1]);
  shape[0] /= groups;
  shape[1] *= groups;
  return b.reshape(b.transpose(b.reshape(x, split), order), shape);
}

static LogicalResult importConvolution(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  // conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
  StringRef text = n.getText("dimension_numbers");
  SmallVector<StringRef, 3> lists;
  for (StringRef rest = text; lists.size() < 3;) {
    size_t begin = rest.find('['), end = rest.find(']');
    if (begin == StringRef::npos || end == StringRef::npos || end < begin)
      return n.fail("expected the orders of three tensors' dimensions, found '" + text + "'");
    lists.push_back(rest.slice(begin + 1, end));
    rest = rest.drop_front(end + 1);
  }
  if (n.getRank(1) != rank || n.getResultType().getRank() != rank || rank < 3 || rank > 5)
    return n.fail("expected one to three spatial dimensions");
  FailureOr<DimOrder> input = readOrder(n, lists[0], 'b', 'f', rank), filter = readOrder(n, lists[1], 'o', 'i', rank),
                      output = readOrder(n, lists[2], 'b', 'f', rank);
  if (failed(input) || failed(filter) || failed(output))
    return failure();
  size_t count = rank - 2;
  SmallVector<int64_t> strides = n.getInts("window_strides", count, 1), between = n.getInts("lhs_dilation", count, 1),
                       dilations = n.getInts("rhs_dilation", count, 1),
                       reversal = n.getInts("window_reversal", count, 0);
  auto [low, high] = n.getPadding("padding", count);
  int64_t groups = n.getInt("feature_group_count", 1), batchGroups = n.getInt("batch_group_count", 1);
  Type element = n.getResultElement();
  if (element.isInteger(1))
    return n.fail("convolutions of booleans are not supported");
  if (n.hasFailed())
    return failure();
  Value x = b.transpose(b.cast(n.tensor(0), element), input->getPermutation());
  Value w = b.transpose(b.cast(n.tensor(1), element), filter->getPermutation());
  if (n.hasFailed())
    return failure();
  ArrayRef<int64_t> weights = b.shapeOf(w), image = b.shapeOf(x);
  if (!b.typeOf(w).hasStaticShape() || ShapedType::isDynamic(image[1]) ||
      (batchGroups > 1 && !b.typeOf(x).hasStaticShape()))
    return n.fail("expected channels and a filter whose extents are known before the program runs");
  if (groups < 1 || batchGroups < 1 || image[1] % groups || image[1] / groups != weights[1] || weights[0] % groups ||
      weights[0] % batchGroups || (batchGroups > 1 && (image[0] % batchGroups || groups > 1)))
    return n.fail("expected groups that the channels, filters and batch are multiples of");
  for (int64_t each : weights)
    if (each < 1)
      return n.fail("expected a filter with elements");
  if (batchGroups > 1) {
    x = moveGroups(n, x, batchGroups);
    groups = batchGroups;
  }
  WindowSpec spec;
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = 2 + static_cast<int64_t>(i);
    if (between[i] < 1 || between[i] > kMostWindow || std::abs(low[i]) > kMostWindow || std::abs(high[i]) > kMostWindow)
      return n.fail("expected dilations of at least 1, and padding that memory can hold");
    x = padBetween(n, x, axis, between[i] - 1, 0.0);
    if (reversal[i]) {
      if (failed(n.takeListed(b.shapeOf(w)[axis])))
        return failure();
      w = b.reverse(w, axis);
    }
    // What is cut off is no padding of a window.
    SmallVector<int64_t> before(rank, 0), behind(rank, 0);
    before[axis] = std::min<int64_t>(0, low[i]);
    behind[axis] = std::min<int64_t>(0, high[i]);
    x = b.pad(x, before, behind, 0.0);
    spec.low.push_back(std::max<int64_t>(0, low[i]));
    spec.high.push_back(std::max<int64_t>(0, high[i]));
    spec.kernel.push_back(b.shapeOf(w)[axis]);
  }
  spec.strides = strides;
  spec.dilations = dilations;
  if (n.hasFailed())
    return failure();
  FailureOr<Window> window = makeWindow(n, b.shapeOf(x), spec);
  if (failed(window))
    return failure();
  if (count == 3 && failed(n.takeUnrolled(window->kernel[0])))
    return failure();
  Value y = convolve(n, x, w, Value(), *window, groups);
  return n.setResult(b.transpose(y, invert(output->getPermutation())));
}

void mlir::fuse::stablehlo::addConvolutionOps(OpTable &table) { table.add("convolution", 2, importConvolution); }
