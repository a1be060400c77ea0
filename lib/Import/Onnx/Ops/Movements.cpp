//===- Movements.cpp - Operators that move elements to places that are known -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"
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
    // What has no elements adds none.
    if (n.getShape(i)[axis] != 0)
      parts.push_back(n.getInput(i));
  }
  if (parts.empty())
    parts.push_back(n.getInput(0));
  return n.setResult(n.concat(parts, axis));
}

/// Parts along an axis whose extent, or a part's, is not known: the extent is taken to be the sum of the parts.
static LogicalResult splitOpen(Node &n, int64_t axis, int64_t parts, SmallVector<AffineExpr> sizes) {
  bool isEmpty = n.getShape(0)[axis] == 0; // and so is each part
  AffineExpr extent = n.getExtents(0)[axis], at = n.getConstant(0);
  if (sizes.empty()) {
    sizes.assign(parts - 1, extent.ceilDiv(parts)); // the last one takes what is left
    AffineExpr before = n.getProduct({n.getConstant(parts - 1), extent.ceilDiv(parts)});
    n.assumeAtLeast(extent, before);
    sizes.push_back(simplifyExtent(extent - before));
  } else {
    AffineExpr sum = n.getConstant(0);
    for (AffineExpr size : sizes)
      sum = sum + size;
    n.assumeEqual(simplifyExtent(sum), extent);
  }
  if (sizes.size() < n.getNumOutputs())
    return n.fail("expected one size for each of " + Twine(n.getNumOutputs()) + " outputs");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (std::optional<int64_t> most = getMost(size); most && *most < 0)
      return n.fail("expected sizes of at least 0, found " + Twine(*most));
    if (n.wantsOutput(i))
      n.setResult(i, isEmpty ? n.getInput(0) : n.b.slice(n.getInput(0), axis, n.getSize(at), n.getSize(size)));
    at = simplifyExtent(at + size);
  }
  return success();
}

static LogicalResult importSplit(Node &n) {
  int64_t axis = n.getAxis(0, n.getRank(0));
  if (n.hasFailed())
    return failure();
  int64_t extent = n.getShape(0)[axis];
  int64_t parts = n.getInt("num_outputs", static_cast<int64_t>(n.getNumOutputs()));
  if (parts != static_cast<int64_t>(n.getNumOutputs()))
    return n.fail("expected num_outputs = " + Twine(n.getNumOutputs()) + ", found " + Twine(parts));
  if (parts < 1)
    return n.fail("expected one part or more");
  if (ShapedType::isDynamic(extent) || n.isSymbolic(1) || n.isComputed(1)) {
    SmallVector<AffineExpr> symbolic = n.getSymbolicIntegers(1, "split");
    return n.hasFailed() ? failure() : splitOpen(n, axis, parts, symbolic);
  }
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

/// A begin or an end of a slice along an axis of extent `extent`, from the begin on where it is negative. Between 0 and
/// the extent, it is taken to be there: a call in which it is not is an error.
static AffineExpr placeEnd(AffineExpr at, AffineExpr extent, MLIRContext *context) {
  std::optional<int64_t> least = getLeast(at), most = getMost(at);
  if (most && *most < 0)
    at = extent + at;
  else if (!least || *least < 0)
    return {}; // it may be either
  if (std::optional<int64_t> behind = getLeast(simplifyExtent(at - extent)); behind && *behind >= 0)
    return extent;
  most = getMost(at);
  return most && *most < 0 ? getAffineConstantExpr(0, context) : at;
}

/// A slice of `x` along an axis, of which the extent, or the begin or the end, is not known.
static FailureOr<Value> sliceSymbolic(Node &n, Value x, int64_t axis, AffineExpr start, AffineExpr end, int64_t step) {
  MLIRContext *context = n.b.getContext();
  AffineExpr extent = n.getExtents(x)[axis], zero = n.getConstant(0);
  auto number = [](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant ? std::optional(constant.getValue()) : std::nullopt;
  };
  bool fromLast = step < 0 && number(start).value_or(0) >= kLeastEnd;
  bool toFirst = step < 0 && number(end).value_or(0) <= -kLeastEnd;
  bool toLast = step > 0 && number(end).value_or(0) >= kLeastEnd;
  AffineExpr from = fromLast ? extent - 1 : placeEnd(start, extent, context);
  AffineExpr to = toLast ? extent : toFirst ? n.getConstant(-1) : placeEnd(end, extent, context);
  if (!from || !to)
    return n.fail("expected a begin and an end along axis " + Twine(axis) +
                  " that are known before the model runs, or known to be negative or not");
  if (step == 1 && from == zero && to == extent)
    return x;
  AffineExpr distance = simplifyExtent(step > 0 ? to - from : from - to);
  if (std::optional<int64_t> most = getMost(distance); most && *most <= 0)
    distance = zero;
  AffineExpr count = distance.ceilDiv(std::abs(step));
  if (step > 0) {
    if (number(from) && to == extent && step == 1 && n.b.shapeOf(x)[axis] == ShapedType::kDynamic)
      return n.b.sliceFrom(x, axis, *number(from));
    return n.b.slice(x, axis, n.getSize(from), n.getSize(count), step);
  }
  Type index = n.b.getBuilder().getI64Type();
  Value places = n.b.mul(n.b.iota(n.getSize(count), 0, index), double(step));
  return n.b.gather(x, n.b.add(places, n.b.fromIndex(n.getSize(from), index)), axis);
}

/// Begins and ends are clamped; negative ones count from the end; negative steps go backwards.
static LogicalResult importSlice(Node &n) {
  if (llvm::any_of(llvm::seq<size_t>(1, 5), [&](size_t i) { return n.isComputed(i); }))
    return importComputedSlice(n);
  bool isOld = n.getOpset() < 10;
  auto getEnds = [&](size_t i, StringRef name) {
    if (!isOld)
      return n.getSymbolicIntegers(i, name);
    return llvm::map_to_vector(n.getInts(name), [&](int64_t value) { return n.getConstant(value); });
  };
  SmallVector<AffineExpr> starts = getEnds(1, "starts"), ends = getEnds(2, "ends");
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(starts.size())));
  SmallVector<int64_t> ones(starts.size(), 1);
  SmallVector<int64_t> axes =
      n.hasInput(3) || (isOld && n.hasAttribute("axes")) ? n.getIntegers(3, "axes") : all;
  SmallVector<int64_t> steps = n.hasInput(4) ? n.getIntegers(4, "steps") : ones;
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return n.fail("expected as many ends, axes and steps as starts");
  Value x = n.getInput(0);
  for (auto [startExpr, endExpr, axis, step] : llvm::zip(starts, ends, axes, steps)) {
    axis = n.normalizeAxis(axis, n.getRank(0));
    if (n.hasFailed())
      return failure();
    int64_t extent = n.b.shapeOf(x)[axis];
    if (step == 0)
      return n.fail("expected steps other than 0");
    auto startNumber = dyn_cast<AffineConstantExpr>(startExpr), endNumber = dyn_cast<AffineConstantExpr>(endExpr);
    if (ShapedType::isDynamic(extent) || !startNumber || !endNumber) {
      FailureOr<Value> part = sliceSymbolic(n, x, axis, startExpr, endExpr, step);
      if (failed(part))
        return failure();
      x = *part;
      continue;
    }
    int64_t start = startNumber.getValue(), end = endNumber.getValue();
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

/// A border of repeated elements along an axis of unknown extent, which must have them: a reflected border of 3
/// elements takes 4 of the operand.
static FailureOr<Value> padOpen(Node &n, Value x, int64_t axis, StringRef mode, int64_t low, int64_t high) {
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(x);
  SmallVector<int64_t> cutLow(rank, 0), cutHigh(rank, 0);
  cutLow[axis] = std::min<int64_t>(low, 0);
  cutHigh[axis] = std::min<int64_t>(high, 0);
  if (cutLow[axis] || cutHigh[axis])
    x = b.pad(x, cutLow, cutHigh, 0.0);
  AffineExpr extent = n.getExtents(x)[axis];
  // `count` elements from one that is `offset` before the end, or behind the begin.
  auto take = [&](bool fromEnd, int64_t offset, int64_t count) {
    OpFoldResult at = n.getSize(fromEnd ? extent - offset : n.getConstant(offset));
    return b.slice(x, axis, at, n.getSize(n.getConstant(count)));
  };
  auto border = [&](bool isHigh, int64_t count) {
    if (mode == "edge") {
      Value one = take(isHigh, isHigh ? 1 : 0, 1);
      SmallVector<int64_t> shape(b.shapeOf(one));
      shape[axis] = count;
      return b.broadcastTo(one, shape);
    }
    if (mode == "wrap")
      return isHigh ? take(false, 0, count) : take(true, count, count);
    return b.reverse(isHigh ? take(true, count + 1, count) : take(false, 1, count), axis);
  };
  SmallVector<Value> parts = {x};
  if (std::max(low, high) > 0 && failed(n.takeListed(std::max<int64_t>(low, 0) + std::max<int64_t>(high, 0))))
    return failure();
  if (low > 0)
    parts.insert(parts.begin(), border(/*isHigh=*/false, low));
  if (high > 0)
    parts.push_back(border(/*isHigh=*/true, high));
  return b.concat(parts, axis);
}

static LogicalResult importPad(Node &n) {
  if (n.isComputed(1) || n.isComputed(3) || (n.hasInput(2) && !n.getKnown(2)))
    return importComputedPad(n);
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
    bool isSane = low[dim] >= -kMost && low[dim] <= kMost && high[dim] >= -kMost && high[dim] <= kMost;
    if (isSane && ShapedType::isDynamic(extent))
      continue;
    if (!isSane || extent + low[dim] + high[dim] < 0)
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
    if (ShapedType::isDynamic(n.getShape(0)[dim])) {
      FailureOr<Value> padded = padOpen(n, x, dim, mode, low[dim], high[dim]);
      if (failed(padded))
        return failure();
      x = *padded;
      continue;
    }
    if (failed(n.takeListed(n.getShape(0)[dim] + low[dim] + high[dim])))
      return failure();
    x = n.b.gather(x, mapPadding(mode, n.getShape(0)[dim], low[dim], high[dim]), dim);
  }
  return n.setResult(x);
}

static LogicalResult importTile(Node &n) {
  SmallVector<AffineExpr> extents = n.getExtents(0), repeats = n.getSymbolicIntegers(1, "repeats");
  if (n.hasFailed())
    return failure();
  if (repeats.size() != extents.size())
    return n.fail("expected one count for each of " + Twine(extents.size()) + " extents, found " +
                  Twine(repeats.size()));
  AffineExpr one = n.getConstant(1);
  SmallVector<AffineExpr> split, wide, result;
  for (auto [extent, count] : llvm::zip(extents, repeats)) {
    auto number = dyn_cast<AffineConstantExpr>(count), known = dyn_cast<AffineConstantExpr>(extent);
    if (number && number.getValue() < 0)
      return n.fail("expected counts of at least 0, found " + Twine(number.getValue()));
    int64_t all;
    if (number && known && llvm::MulOverflow(known.getValue(), number.getValue(), all))
      return n.fail("no tensor has the shape");
    result.push_back(extent * count);
    if (count != one) {
      split.push_back(one);
      wide.push_back(count);
    }
    split.push_back(extent);
    wide.push_back(extent);
  }
  FuseBuilder &b = n.b;
  Value x = b.broadcastTo(b.reshape(n.getInput(0), n.getSizes(split)), n.getSizes(wide));
  return n.setResult(b.reshape(x, n.getSizes(result)));
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
  bool isComputed = n.isComputed(1);
  if (n.hasInput(1) && !isComputed)
    k = std::clamp<int64_t>(n.getInteger(1, "k"), -(int64_t(1) << 40), int64_t(1) << 40);
  if (rank < 2)
    return n.fail("expected matrices, found rank " + Twine(rank));
  FuseBuilder &b = n.b;
  SmallVector<OpFoldResult> matrix = n.getSizes(ArrayRef(n.getExtents(0)).take_back(2));
  Type index = b.getBuilder().getI64Type();
  Value difference = b.sub(b.iota(matrix, 1, index), b.iota(matrix, 0, index));
  bool upper = n.getInt("upper", 1);
  Value given = isComputed ? n.getNumber(1, "k") : Value();
  if (n.hasFailed())
    return failure();
  Value diagonal = given ? b.fromIndex(given, index) : b.scalarLike(double(k), difference);
  Value isKept = b.compare(upper ? ComparePredicate::Ge : ComparePredicate::Le, difference, diagonal);
  Value x = n.getInput(0);
  return n.setResult(b.select(isKept, x, b.scalarLike(0, x)));
}

void mlir::fuse::onnx::addMovementOps(OpTable &table) {
  table.add("Concat", 1, OpTable::kAny, importConcat);
  table.add("Split", 1, 2, importSplit, {1}).movesFormats = true;
  table.add("Slice", 1, 5, importSlice, {1, 2, 3, 4}).movesFormats = true;
  table.add("Pad", 1, 4, importPad, {1, 2, 3});
  table.add("Tile", 2, 2, importTile, {1}).movesFormats = true;
  table.add("Gather", 2, 2, importGather).movesFormats = true;
  table.add("Trilu", 1, 2, importTrilu, {1});
}
