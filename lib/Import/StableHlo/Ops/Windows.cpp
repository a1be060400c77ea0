//===- Windows.cpp - Reductions of windows, and what spreads over them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Windows.h"
#include "../../Common/Scans.h"
#include "Bodies.h"
#include "Movements.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

namespace {
/// A window over all dimensions.
struct FullWindow {
  SmallVector<int64_t> sizes, strides, dilations, between, low, high;

  int64_t getReach(size_t dim) const { return dilations[dim] * (sizes[dim] - 1) + 1; }
  bool isPlain(size_t dim) const {
    return sizes[dim] == 1 && strides[dim] == 1 && between[dim] == 1 && low[dim] == 0 && high[dim] == 0;
  }
};
} // namespace

static FailureOr<FullWindow> readWindow(Node &n) {
  size_t rank = n.getRank(0);
  FullWindow v;
  v.sizes = n.getInts("window_dimensions", rank);
  v.strides = n.getInts("window_strides", rank, 1);
  v.dilations = n.getInts("window_dilations", rank, 1);
  v.between = n.getInts("base_dilations", rank, 1);
  std::tie(v.low, v.high) = n.getPadding("padding", rank);
  if (n.hasFailed())
    return failure();
  for (size_t dim = 0; dim < rank; ++dim) {
    for (int64_t each : {v.sizes[dim], v.strides[dim], v.dilations[dim], v.between[dim]})
      if (each < 1 || each > kMostWindow)
        return n.fail("expected windows, strides and dilations of at least 1");
    if (std::abs(v.low[dim]) > kMostWindow || std::abs(v.high[dim]) > kMostWindow)
      return n.fail("expected padding that memory can hold");
  }
  return v;
}

/// The elements that tap `tap` of all windows along `dim` meets; `x` is padded.
static Value takeTap(Node &n, Value x, const FullWindow &v, size_t dim, int64_t tap) {
  FuseBuilder &b = n.b;
  AffineExpr extent = n.getExtents(x)[dim];
  AffineExpr count = (extent - v.getReach(dim)).floorDiv(v.strides[dim]) + 1;
  return b.slice(x, dim, n.getSize(n.getConstant(tap * v.dilations[dim])), n.getSize(count), v.strides[dim]);
}

/// Fails where a window does not fit into a static extent.
static LogicalResult checkFits(Node &n, Value x, const FullWindow &v) {
  for (auto [dim, extent] : llvm::enumerate(n.b.shapeOf(x)))
    if (!ShapedType::isDynamic(extent) && extent < v.getReach(dim))
      return n.fail("a window that reaches " + Twine(v.getReach(dim)) + " does not fit into " + Twine(extent) +
                    " elements");
  return success();
}

//===- Running reductions -------------------------------------------------------------------===//

/// The dimension that a window runs along from the first (`isReversed`: the last) element to each one, as that of
/// jnp.cumsum does; none where it is another window.
static std::optional<size_t> findRunning(Node &n, const FullWindow &v, bool &isReversed) {
  std::optional<size_t> found;
  for (size_t dim = 0; dim < v.sizes.size(); ++dim) {
    if (v.isPlain(dim))
      continue;
    int64_t extent = n.getOperand(0).type.getDimSize(dim), rest = v.sizes[dim] - 1;
    bool runs =
        v.sizes[dim] == extent && v.strides[dim] == 1 && v.dilations[dim] == 1 && v.between[dim] == 1 && rest > 0;
    bool isForward = v.low[dim] == rest && v.high[dim] == 0, isBack = v.low[dim] == 0 && v.high[dim] == rest;
    if (!runs || (!isForward && !isBack) || found)
      return std::nullopt;
    isReversed = isBack;
    found = dim;
  }
  return found;
}

/// Each element with that `step` before it, step = 1, 2, 4, …
static Value runAlong(Node &n, Value x, BinaryKind kind, int64_t axis, bool isReversed) {
  FuseBuilder &b = n.b;
  TypedAttr neutral = getNeutral(n, kind, b.elementOf(x));
  for (int64_t step = 1; step < b.shapeOf(x)[axis]; step *= 2) {
    SmallVector<int64_t> low(b.rankOf(x), 0), high(low);
    (isReversed ? high : low)[axis] = step;
    (isReversed ? low : high)[axis] = -step;
    x = b.binary(kind, b.pad(x, low, high, neutral), x);
  }
  return x;
}

//===- Windows ------------------------------------------------------------------------------===//

/// The operand with the window's padding and what stands between elements.
static Value padWhole(Node &n, Value x, const FullWindow &v, TypedAttr value) {
  for (auto [dim, between] : llvm::enumerate(v.between))
    x = padBetween(n, x, dim, between - 1, value);
  return n.b.pad(x, v.low, v.high, value);
}

/// Batch, channels and up to three spatial dimensions of a padded operand, which `pool` reduces.
static Value poolSpatial(Node &n, Value x, const FullWindow &v, ArrayRef<int64_t> spatial,
                         llvm::function_ref<Value(Value, const Window &)> pool) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < b.rankOf(x); ++dim)
    if (!llvm::is_contained(spatial, dim))
      order.push_back(dim);
  size_t others = order.size();
  llvm::append_range(order, spatial);
  Window window;
  for (int64_t dim : spatial) {
    window.kernel.push_back(v.sizes[dim]);
    window.strides.push_back(v.strides[dim]);
    window.dilations.push_back(v.dilations[dim]);
  }
  window.low.assign(spatial.size(), 0);
  window.high = window.extra = window.low;
  x = b.transpose(x, order);
  SmallVector<AffineExpr> extents = n.getExtents(x);
  ArrayRef<AffineExpr> outer = ArrayRef(extents).take_front(others);
  SmallVector<AffineExpr> image = {n.getProduct(others ? outer.drop_back() : outer),
                                   others ? outer.back() : n.getConstant(1)};
  llvm::append_range(image, ArrayRef(extents).drop_front(others));
  Value pooled = pool(n.reshape(x, image), window);
  SmallVector<AffineExpr> result(outer);
  llvm::append_range(result, ArrayRef(n.getExtents(pooled)).drop_front(2));
  return b.transpose(n.reshape(pooled, result), invert(order));
}

static LogicalResult importReduceWindow(Node &n) {
  FuseBuilder &b = n.b;
  unsigned count = n.getNumResults();
  if (count < 1 || n.getNumOperands() != 2 * count)
    return n.fail("expected as many first values as operands");
  for (unsigned i = 0; i < count; ++i)
    if (!n.getOperand(i).type || !n.getOperand(count + i).type || n.getRank(i) != n.getRank(0) ||
        n.getRank(count + i) != 0 || n.getElement(i) != n.getElement(count + i))
      return n.fail("expected operands of one shape, and first values of their element types");
  FailureOr<FullWindow> v = readWindow(n);
  Block *body = getBody(n, 0, 2 * count);
  if (failed(v) || !body)
    return failure();
  std::optional<BinaryKind> kind = count == 1 ? matchBody(*body) : std::nullopt;
  bool startsNeutral = kind && isNeutral(n, *kind, 1);
  bool isReversed = false;
  if (startsNeutral)
    if (std::optional<size_t> dim = findRunning(n, *v, isReversed); dim && n.b.typeOf(n.tensor(0)).hasStaticShape())
      return n.setResult(runAlong(n, n.tensor(0), *kind, *dim, isReversed));
  SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i) {
    std::optional<double> first = n.getSplat(count + i);
    if (!first && !startsNeutral)
      return n.fail("expected first values that are known before the program runs");
    TypedAttr padding =
        startsNeutral ? getNeutral(n, *kind, n.getElement(i)) : makeNumberAttr(n, *first, n.getElement(i));
    values.push_back(padWhole(n, n.tensor(i), *v, padding));
  }
  if (n.hasFailed() || failed(checkFits(n, values[0], *v)))
    return failure();
  SmallVector<int64_t> spatial;
  for (size_t dim = 0; dim < v->sizes.size(); ++dim)
    if (v->sizes[dim] > 1 || v->strides[dim] > 1)
      spatial.push_back(dim);
  bool isFloat = isa<FloatType>(n.getElement(0));
  bool fits = !spatial.empty() && spatial.size() <= 3 && b.typeOf(values[0]).hasStaticShape();
  auto finish = [&](Value result) { return n.setResult(startsNeutral ? result : b.binary(*kind, result, n.part(1))); };
  if (kind == BinaryKind::Max && fits)
    return finish(poolSpatial(n, values[0], *v, spatial,
                              [&](Value x, const Window &window) { return maxWindows(n, x, window); }));
  if (kind == BinaryKind::Add && fits && isFloat) {
    double taps = 1;
    for (int64_t dim : spatial)
      taps *= static_cast<double>(v->sizes[dim]);
    Value wide = b.widen(values[0]);
    Value mean =
        poolSpatial(n, wide, *v, spatial, [&](Value x, const Window &window) { return averageWindows(n, x, window); });
    return finish(b.cast(b.mul(mean, taps), n.getElement(0)));
  }
  if (kind) { // one dimension after the other
    for (int64_t dim : spatial) {
      if (failed(n.takeUnrolled(v->sizes[dim])))
        return failure();
      Value sum;
      for (int64_t tap = 0; tap < v->sizes[dim]; ++tap) {
        Value part = takeTap(n, values[0], *v, dim, tap);
        sum = sum ? b.binary(*kind, sum, part) : part;
      }
      values[0] = sum;
    }
    return finish(values[0]);
  }
  // Any other body: tap by tap, in their order.
  int64_t taps = 1;
  for (int64_t size : v->sizes)
    if (llvm::MulOverflow(taps, size, taps))
      taps = kMostBytes;
  if (failed(n.takeUnrolled(taps)))
    return failure();
  SmallVector<Value> current;
  for (int64_t tap = 0; tap < taps; ++tap) {
    SmallVector<Value> parts(values);
    int64_t rest = tap;
    for (size_t dim = v->sizes.size(); dim-- > 0; rest /= v->sizes[dim])
      for (Value &part : parts)
        part = takeTap(n, part, *v, dim, rest % v->sizes[dim]);
    if (current.empty())
      for (unsigned i = 0; i < count; ++i)
        current.push_back(b.broadcastTo(n.part(count + i), n.getSizes(n.getExtents(parts[i]))));
    FailureOr<SmallVector<Value>> made = applyBody(n, *body, current, parts);
    if (failed(made))
      return failure();
    current = *made;
  }
  for (unsigned i = 0; i < count; ++i)
    if (failed(n.setResult(i, current[i])))
      return failure();
  return success();
}

//===- Gradients of windows ------------------------------------------------------------------===//

/// The gradient of a maximum over windows: each element of the source goes to the element of the operand that its
/// window has chosen, the first one of equal ones.
static LogicalResult importSelectAndScatter(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<FullWindow> v = readWindow(n);
  Block *select = getBody(n, 0, 2), *scatter = getBody(n, 1, 2);
  if (failed(v) || !select || !scatter)
    return failure();
  auto word = select->front().getAttrOfType<OpaqueAttr>("comparison_direction");
  StringRef direction = word ? word.getAttrData().rsplit(' ').second.trim("<> ") : StringRef();
  bool isComparison = llvm::hasNItems(*select, 2) && select->front().getNumOperands() == 2 &&
                      select->front().getOperand(0) == select->getArgument(0) &&
                      select->front().getOperand(1) == select->getArgument(1) && select->back().getNumOperands() == 1 &&
                      select->front().getNumResults() == 1 &&
                      select->back().getOperand(0) == select->front().getResult(0);
  if (!isComparison || (direction != "GE" && direction != "LE") || matchBody(*scatter) != BinaryKind::Add)
    return n.fail("expected a choice by GE or LE, and a sum");
  bool isMost = direction == "GE";
  if (n.getRank(1) != n.getRank(0) || n.getElement(1) != n.getElement(0) || n.getRank(2) != 0)
    return n.fail("expected a source of the operand's rank and element type");
  int64_t taps = 1;
  for (int64_t size : v->sizes)
    if (llvm::MulOverflow(taps, size, taps))
      taps = kMostBytes;
  if (failed(n.takeUnrolled(taps)))
    return failure();
  Value x = padWhole(n, n.tensor(0), *v, getNeutral(n, isMost ? BinaryKind::Max : BinaryKind::Min, n.getElement(0)));
  Value source = n.tensor(1), zero = b.scalarLike(0, source);
  if (n.hasFailed() || failed(checkFits(n, x, *v)))
    return failure();
  if (!b.typeOf(x).hasStaticShape() || !b.typeOf(source).hasStaticShape())
    return n.fail("expected extents that are known before the program runs");
  Type index = b.getBuilder().getI32Type();
  Value best, where;
  auto forEachTap = [&](llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> fn) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      SmallVector<int64_t> place(v->sizes.size());
      int64_t rest = tap;
      for (size_t dim = place.size(); dim-- > 0; rest /= v->sizes[dim])
        place[dim] = rest % v->sizes[dim];
      fn(tap, place);
    }
  };
  forEachTap([&](int64_t tap, ArrayRef<int64_t> place) {
    Value part = x, number = b.constant({tap}, index, {});
    for (auto [dim, at] : llvm::enumerate(place))
      part = takeTap(n, part, *v, dim, at);
    if (!best) {
      best = part;
      where = b.broadcastTo(number, b.shapeOf(part));
      return;
    }
    Value isBetter = b.compare(isMost ? ComparePredicate::Gt : ComparePredicate::Lt, part, best);
    best = b.select(isBetter, part, best);
    where = b.select(isBetter, number, where);
  });
  if (b.shapeOf(best) != b.shapeOf(source))
    return n.fail("expected a source of as many elements as there are windows, found " + describe(source.getType()) +
                  " and " + describe(best.getType()));
  Value sum;
  forEachTap([&](int64_t tap, ArrayRef<int64_t> place) {
    Value isHere = b.compare(ComparePredicate::Eq, where, b.constant({tap}, index, {}));
    Value part = b.select(isHere, source, zero);
    SmallVector<int64_t> low, high;
    for (auto [dim, at] : llvm::enumerate(place)) {
      part = padBetween(n, part, dim, v->strides[dim] - 1, 0.0);
      int64_t begin = at * v->dilations[dim], extent = b.shapeOf(x)[dim];
      // In the operand, without its padding.
      low.push_back(begin - v->low[dim]);
      high.push_back(extent - begin - b.shapeOf(part)[dim] - v->high[dim]);
    }
    part = b.pad(part, low, high, 0.0);
    sum = sum ? b.add(sum, part) : part;
  });
  return n.setResult(n.getSplat(2) == 0.0 ? sum : b.add(sum, n.part(2)));
}

void mlir::fuse::stablehlo::addWindowOps(OpTable &table) {
  table.add("reduce_window", 2, importReduceWindow);
  table.add("select_and_scatter", 3, importSelectAndScatter);
}
