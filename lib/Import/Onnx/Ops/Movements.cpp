//===- Movements.cpp - Operators that move elements to places that are known -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static LogicalResult importConcat(Node &n) {
  int64_t axis = n.getAxis(n.getOpset() < 4 ? 1 : 0, n.getRank(0));
  if (n.hasFailed())
    return failure();
  SmallVector<Value> parts;
  for (size_t i = 0; i < n.getNumInputs(); ++i) {
    if (!n.hasInput(i))
      return n.fail("operand " + Twine(i) + " is missing");
    if (n.getRank(i) != n.getRank(0))
      return n.fail("expected operands of rank " + Twine(n.getRank(0)) + ", found " +
                    Twine(n.getRank(i)));
    if (ShapedType::isDynamic(n.getShape(i)[axis]))
      return n.fail("expected static extents along the axis");
    // What has no elements adds none.
    if (n.getShape(i)[axis] != 0)
      parts.push_back(n.getInput(i));
  }
  if (parts.empty())
    parts.push_back(n.getInput(0));
  return n.setResult(n.b.concat(parts, axis));
}

static LogicalResult importSplit(Node &n) {
  int64_t axis = n.getAxis(0, n.getRank(0));
  if (n.hasFailed())
    return failure();
  int64_t extent = n.getShape(0)[axis];
  int64_t parts = n.getInt("num_outputs", static_cast<int64_t>(n.getNumOutputs()));
  if (parts != static_cast<int64_t>(n.getNumOutputs()))
    return n.fail("expected num_outputs = " + Twine(n.getNumOutputs()) + ", found " + Twine(parts));
  if (ShapedType::isDynamic(extent) || parts < 1)
    return n.fail("expected a static extent along the axis, and one part or more");
  SmallVector<int64_t> sizes = n.getIntegers(1, "split");
  if (sizes.empty()) {
    int64_t size = (extent + parts - 1) / parts;
    for (int64_t at = 0, left = extent; at < parts; ++at, left -= sizes.back())
      sizes.push_back(std::min(left, size));
  }
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size < 0 || size > extent - sum)
      return n.fail("expected sizes in [0, " + Twine(extent) + "], found " + Twine(size) +
                    " after " + Twine(sum));
    sum += size;
  }
  if (sum != extent || sizes.size() < n.getNumOutputs())
    return n.fail("expected sizes that add up to " + Twine(extent) + ", one for each of " +
                  Twine(n.getNumOutputs()) + " outputs");
  int64_t at = 0;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (n.wantsOutput(i))
      n.setResult(i, n.b.slice(n.getInput(0), axis, at, size));
    at += size;
  }
  return success();
}

/// Exporters write some large number for the end of an axis: 2^63 - 1, 2^31 - 1, or 10^9.
static constexpr int64_t kLeastEnd = 1000000000;

/// Begins and ends are clamped; negative ones count from the end; negative steps go backwards.
static LogicalResult importSlice(Node &n) {
  bool isOld = n.getOpset() < 10;
  SmallVector<int64_t> starts = isOld ? n.getInts("starts") : n.getIntegers(1, "starts");
  SmallVector<int64_t> ends = isOld ? n.getInts("ends") : n.getIntegers(2, "ends");
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(starts.size())));
  SmallVector<int64_t> ones(starts.size(), 1);
  SmallVector<int64_t> axes =
      n.hasInput(3) || (isOld && n.hasAttribute("axes")) ? n.getIntegers(3, "axes") : all;
  SmallVector<int64_t> steps = n.hasInput(4) ? n.getIntegers(4, "steps") : ones;
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return n.fail("expected as many ends, axes and steps as starts");
  Value x = n.getInput(0);
  for (auto [start, end, axis, step] : llvm::zip(starts, ends, axes, steps)) {
    axis = n.normalizeAxis(axis, n.getRank(0));
    if (n.hasFailed())
      return failure();
    int64_t extent = n.b.shapeOf(x)[axis];
    if (step == 0)
      return n.fail("expected steps other than 0");
    if (ShapedType::isDynamic(extent)) {
      if (start == 0 && step == 1 && end >= kLeastEnd)
        continue;
      return n.fail("expected a static extent along axis " + Twine(axis));
    }
    if (extent == 0)
      continue;
    auto fromEnd = [&](int64_t at) { return at < 0 ? at + extent : at; };
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    int64_t from = std::clamp(fromEnd(start), step > 0 ? low : int64_t(0), high);
    int64_t to = std::clamp(end < -extent ? low : fromEnd(end), low, extent);
    // Steps may be as large as numbers are.
    step = std::max(step, -std::numeric_limits<int64_t>::max());
    int64_t distance = step > 0 ? to - from : from - to;
    int64_t count = distance > 0 ? (distance - 1) / std::abs(step) + 1 : 0;
    if (step > 0 || count <= 1) {
      int64_t stride = count <= 1 ? 1 : step;
      x = n.b.slice(x, axis, count == 0 ? 0 : from, count, stride);
      continue;
    }
    if (failed(n.takeListed(count)))
      return failure();
    SmallVector<int64_t> indices;
    for (int64_t i = 0; i < count; ++i)
      indices.push_back(from + i * step);
    x = n.b.gather(x, indices, axis);
  }
  return n.setResult(x);
}

/// The elements that a padded axis of so many reads. What is cut off is no part of what is
/// repeated.
static SmallVector<int64_t> mapPadding(StringRef mode, int64_t extent, int64_t low, int64_t high) {
  SmallVector<int64_t> indices;
  int64_t first = std::max<int64_t>(0, -low), count = low + extent + high;
  extent = std::max<int64_t>(1, extent - first - std::max<int64_t>(0, -high));
  for (int64_t i = -std::max<int64_t>(0, low); static_cast<int64_t>(indices.size()) < count; ++i) {
    int64_t at = i;
    if (mode == "edge")
      at = std::clamp<int64_t>(i, 0, extent - 1);
    else if (mode == "wrap")
      at = ((i % extent) + extent) % extent;
    else if (extent > 1) { // reflect
      int64_t period = 2 * (extent - 1);
      at = ((i % period) + period) % period;
      at = at < extent ? at : period - at;
    } else {
      at = 0;
    }
    indices.push_back(first + at);
  }
  return indices;
}

static LogicalResult importPad(Node &n) {
  std::string mode = n.getString("mode", "constant");
  SmallVector<int64_t> pads =
      n.getOpset() < 11 ? n.getInts("pads", n.getInts("paddings")) : n.getIntegers(1, "pads");
  int64_t rank = n.getRank(0);
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<int64_t> axes = n.hasInput(3) ? n.getIntegers(3, "axes") : all;
  if (pads.size() != 2 * axes.size())
    return n.fail("expected " + Twine(2 * axes.size()) + " pads, found " + Twine(pads.size()));
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t dim = n.normalizeAxis(axis, rank);
    if (n.hasFailed())
      return failure();
    low[dim] = pads[i];
    high[dim] = pads[i + axes.size()];
  }
  Value x = n.getInput(0);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!low[dim] && !high[dim])
      continue;
    int64_t extent = n.getShape(0)[dim];
    constexpr int64_t kMost = int64_t(1) << 40;
    if (ShapedType::isDynamic(extent))
      return n.fail("expected a static extent along axis " + Twine(dim) + ", which is padded");
    if (low[dim] < -kMost || low[dim] > kMost || high[dim] < -kMost || high[dim] > kMost ||
        extent + low[dim] + high[dim] < 0)
      return n.fail("expected pads that leave at least 0 elements along axis " + Twine(dim) +
                    ", found " + Twine(low[dim]) + " and " + Twine(high[dim]) + " for the extent " +
                    Twine(extent));
    int64_t kept = extent + std::min<int64_t>(0, low[dim]) + std::min<int64_t>(0, high[dim]);
    if (mode != "constant" && kept <= 0 && extent + low[dim] + high[dim] > 0)
      return n.fail("expected elements to repeat along axis " + Twine(dim) + ", found none");
  }
  if (mode == "constant") {
    if (n.getOpset() < 11)
      return n.setResult(n.b.pad(x, low, high, n.getFloat("value", 0)));
    if (!n.hasInput(2))
      return n.setResult(n.b.pad(x, low, high, 0.0));
    FailureOr<HostArray> value = n.getRequired(2, "constant_value");
    if (failed(value))
      return failure();
    if (value->getNumElements() != 1 ||
        value->getTensorType(n.b.getContext()).getElementType() != n.getElementType(0))
      return n.fail("expected one element of the operand's type as constant_value, found " +
                    value->describe());
    auto attribute = value->reshaped({}).toAttribute(n.b.getContext());
    return n.setResult(n.b.pad(x, low, high, llvm::cast<TypedAttr>(attribute.getSplatValue<Attribute>())));
  }
  if (mode != "edge" && mode != "reflect" && mode != "wrap")
    return n.fail("expected mode = constant, edge, reflect or wrap, found '" + mode + "'");
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!low[dim] && !high[dim])
      continue;
    if (failed(n.takeListed(n.getShape(0)[dim] + low[dim] + high[dim])))
      return failure();
    x = n.b.gather(x, mapPadding(mode, n.getShape(0)[dim], low[dim], high[dim]), dim);
  }
  return n.setResult(x);
}

static LogicalResult importTile(Node &n) {
  SmallVector<int64_t> repeats = n.getIntegers(1, "repeats");
  SmallVector<int64_t> shape(n.getShape(0)), split, wide, result;
  bool areKnown = llvm::all_of(llvm::zip(shape, repeats), [](auto each) {
    return !ShapedType::isDynamic(std::get<0>(each)) || std::get<1>(each) == 1;
  });
  if (repeats.size() != shape.size() || !areKnown)
    return n.fail("expected one count for each of " + Twine(shape.size()) +
                  " static extents, found " + Twine(repeats.size()));
  for (auto [extent, count] : llvm::zip(shape, repeats)) {
    if (count < 0)
      return n.fail("expected counts of at least 0, found " + Twine(count));
    int64_t &all = result.emplace_back(extent);
    if (count != 1 && llvm::MulOverflow(extent, count, all))
      return n.fail("no tensor has the shape");
    if (count != 1) {
      split.push_back(1);
      wide.push_back(count);
    }
    split.push_back(extent);
    wide.push_back(extent);
  }
  Value x = n.b.broadcastTo(n.b.reshape(n.getInput(0), split), wide);
  return n.setResult(n.b.reshape(x, result));
}

static LogicalResult importGather(Node &n) {
  int64_t axis = n.getAxis(0, n.getRank(0));
  if (n.hasFailed())
    return failure();
  return n.setResult(n.b.gather(n.getInput(0), n.getInput(1), axis));
}

/// Keeps the triangle above (`upper`) or below a diagonal of the last two dimensions.
static LogicalResult importTrilu(Node &n) {
  int64_t rank = n.getRank(0), k = 0;
  if (n.hasInput(1))
    k = std::clamp<int64_t>(n.getInteger(1, "k"), -(int64_t(1) << 40), int64_t(1) << 40);
  if (rank < 2 || ShapedType::isDynamic(n.getShape(0)[rank - 1]) ||
      ShapedType::isDynamic(n.getShape(0)[rank - 2]))
    return n.fail("expected matrices of static extents");
  FuseBuilder &b = n.b;
  ArrayRef<int64_t> matrix = n.getShape(0).take_back(2);
  Type index = b.getBuilder().getI64Type();
  Value difference = b.sub(b.iota(matrix, 1, index), b.iota(matrix, 0, index));
  bool upper = n.getInt("upper", 1);
  Value isKept = b.compare(upper ? ComparePredicate::Ge : ComparePredicate::Le, difference,
                           b.scalarLike(double(k), difference));
  Value x = n.getInput(0);
  return n.setResult(b.select(isKept, x, b.scalarLike(0, x)));
}

void mlir::fuse::onnx::addMovementOps(OpTable &table) {
  table.add("Concat", 1, OpTable::kAny, importConcat);
  table.add("Split", 1, 2, importSplit, {1});
  table.add("Slice", 1, 5, importSlice, {1, 2, 3, 4});
  table.add("Pad", 1, 4, importPad, {1, 2, 3});
  table.add("Tile", 2, 2, importTile, {1});
  table.add("Gather", 2, 2, importGather);
  table.add("Trilu", 1, 2, importTrilu, {1});
}
