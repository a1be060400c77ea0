//===- Indices.cpp - Elements and slices that are read and written where indices say -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "../../Common/Scans.h"
#include "Elementwise.h"
#include "Places.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

namespace {

/// x[:, i, j, :, k]: a list with an index, or nothing, for each of the first dimensions.
class Indexing {
public:
  Indexing(Node &n, Value x) : n(n), b(n.b), x(x) {}

  /// Fails for masks, whose number of elements nobody knows.
  LogicalResult read(ArrayRef<Value> indices) {
    if (static_cast<int64_t>(indices.size()) > b.rankOf(x))
      return n.fail("expected at most " + Twine(b.rankOf(x)) + " indices, found " + Twine(indices.size()));
    for (auto [dim, index] : llvm::enumerate(indices)) {
      if (!index)
        continue;
      Type element = b.elementOf(index);
      if (!isa<IntegerType>(element) || element.isInteger(1) || element.isUnsignedInteger())
        return n.fail("expected signed integers as indices: of a mask nobody knows how many elements it takes");
      dims.push_back(dim);
      values.push_back(b.cast(index, b.getBuilder().getI64Type()));
    }
    if (dims.empty())
      return n.fail("expected one index or more");
    // Where indexed dimensions stand apart, the indices' dimensions come first.
    bool isTogether = dims.back() - dims.front() == static_cast<int64_t>(dims.size()) - 1;
    axis = isTogether ? dims.front() : 0;
    for (int64_t dim = 0; dim < b.rankOf(x); ++dim)
      if (!llvm::is_contained(dims, dim))
        order.push_back(dim);
    order.insert(order.begin() + axis, dims.begin(), dims.end());
    shape = n.broadcastExtents(values);
    return success();
  }

  /// The operand with all indexed dimensions as one.
  Value join(Value operand) {
    Value moved = b.transpose(operand, order);
    if (dims.size() == 1)
      return moved;
    extents = n.getExtents(moved);
    SmallVector<AffineExpr> joined(ArrayRef(extents).take_front(axis));
    joined.push_back(n.getProduct(ArrayRef(extents).slice(axis, dims.size())));
    llvm::append_range(joined, ArrayRef(extents).drop_front(axis + dims.size()));
    return b.reshape(moved, n.getSizes(joined));
  }

  Value split(Value joined) {
    if (dims.size() > 1)
      joined = b.reshape(joined, n.getSizes(extents));
    SmallVector<int64_t> back(order.size());
    for (auto [place, dim] : llvm::enumerate(order))
      back[dim] = place;
    return b.transpose(joined, back);
  }

  /// One index into the joined dimension.
  Value getPlaces() {
    if (dims.size() == 1)
      return values.front();
    SmallVector<AffineExpr> indexed, all = n.getExtents(x);
    for (int64_t dim : dims)
      indexed.push_back(all[dim]);
    Value places;
    for (auto [value, extent, stride] : llvm::zip(values, indexed, getStrides(n, indexed))) {
      Value part = scale(n, checkIndices(n, value, extent), stride);
      places = places ? b.add(places, part) : part;
    }
    return places;
  }

  int64_t getAxis() const { return axis; }
  ArrayRef<AffineExpr> getShape() const { return shape; }

private:
  Node &n;
  FuseBuilder &b;
  Value x;
  SmallVector<int64_t> dims, order;
  SmallVector<Value> values;
  SmallVector<AffineExpr> shape, extents;
  int64_t axis = 0;
};

} // namespace

static LogicalResult importIndex(Node &n) {
  Value x = n.tensor("self");
  SmallVector<Value> indices = n.tensors("indices");
  if (n.hasFailed())
    return failure();
  Indexing indexing(n, x);
  if (failed(indexing.read(indices)))
    return failure();
  Value joined = indexing.join(x);
  return n.setResult(n.b.gather(joined, indexing.getPlaces(), indexing.getAxis()));
}

/// x[mask] = one value
static LogicalResult putMasked(Node &n, Value x, Value mask, Value value, bool accumulates) {
  FuseBuilder &b = n.b;
  if (!n.b.typeOf(value).hasStaticShape() || n.b.typeOf(value).getNumElements() != 1)
    return n.fail("expected one value for all elements of a mask");
  value = b.reshape(value, ArrayRef<int64_t>());
  SmallVector<AffineExpr> extents = n.getExtents(mask);
  extents.resize(b.rankOf(x), n.getConstant(1));
  mask = n.reshape(mask, extents);
  return n.setResult(b.select(mask, accumulates ? b.add(x, value) : value, x));
}

static LogicalResult importIndexPut(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), values = b.cast(n.tensor("values"), b.elementOf(x));
  SmallVector<Value> indices = n.tensors("indices");
  bool accumulates = n.getBool("accumulate", false);
  if (n.hasFailed())
    return failure();
  if (indices.size() == 1 && indices[0] && b.elementOf(indices[0]).isInteger(1) && b.rankOf(indices[0]) <= b.rankOf(x))
    return putMasked(n, x, indices[0], values, accumulates);
  Indexing indexing(n, x);
  if (failed(indexing.read(indices)))
    return failure();
  if (accumulates && b.elementOf(x).isInteger(1))
    return n.fail("expected numbers to add up, found bools");
  Value joined = indexing.join(x), places = indexing.getPlaces();
  int64_t axis = indexing.getAxis();
  SmallVector<AffineExpr> all = n.getExtents(joined), shape(ArrayRef(all).take_front(axis));
  llvm::append_range(shape, indexing.getShape());
  llvm::append_range(shape, ArrayRef(all).drop_front(axis + 1));
  if (b.rankOf(values) > static_cast<int64_t>(shape.size()))
    return n.fail("expected values of at most " + Twine(shape.size()) + " dimensions, found " +
                  Twine(b.rankOf(values)));
  if (llvm::is_contained(b.shapeOf(places), 0))
    return n.setResult(x);
  values = n.expand(values, shape);
  return n.setResult(
      indexing.split(b.scatter(accumulates ? ScatterKind::Add : ScatterKind::Set, joined, places, values, axis)));
}

/// Tensors of rank 0 as lists of one element.
static Value asList(Node &n, Value x) { return n.b.rankOf(x) == 0 ? n.b.reshape(x, {1}) : x; }

static LogicalResult importGather(Node &n) {
  Value x = n.tensor("self"), index = n.tensor("index");
  int64_t dim = n.getDim("dim", 0, n.b.rankOf(x));
  if (n.hasFailed())
    return failure();
  FailureOr<Value> result = gatherElements(n, asList(n, x), asList(n, index), dim);
  if (failed(result))
    return failure();
  return n.setResult(n.b.rankOf(index) == 0 ? n.b.reshape(*result, ArrayRef<int64_t>()) : *result);
}

static FailureOr<Value> scatter(Node &n, ScatterKind kind, Value x, Value source) {
  FuseBuilder &b = n.b;
  Value index = asList(n, n.tensor("index")), list = asList(n, x);
  int64_t dim = n.getDim("dim", 0, b.rankOf(x));
  if (n.hasFailed())
    return failure();
  if (kind != ScatterKind::Set && b.elementOf(x).isInteger(1))
    return n.fail("expected numbers, found bools");
  source = b.cast(asList(n, source), b.elementOf(x));
  if (b.rankOf(index) != b.rankOf(list) ||
      (b.rankOf(source) != b.rankOf(index) && b.typeOf(source).getNumElements() != 1))
    return n.fail("expected an index of the tensor's rank, and a source of that rank");
  SmallVector<AffineExpr> extents = n.getExtents(index);
  if (b.rankOf(source) != b.rankOf(index)) {
    source = n.expand(source, extents);
  } else {
    // Elements of the source beyond the index are not read.
    for (auto [axis, pair] : llvm::enumerate(llvm::zip(n.getExtents(source), extents))) {
      auto [own, wanted] = pair;
      if (own == wanted)
        continue;
      n.assumeAtLeast(own, wanted);
      source = b.slice(source, axis, n.getSize(n.getConstant(0)), n.getSize(wanted));
    }
  }
  FailureOr<Value> result = scatterElements(n, kind, list, index, source, dim);
  if (failed(result))
    return failure();
  return b.rankOf(x) == 0 ? b.reshape(*result, ArrayRef<int64_t>()) : *result;
}

static FailureOr<ScatterKind> getKind(Node &n, StringRef name) {
  static constexpr std::pair<StringRef, ScatterKind> kKinds[] = {
      {"add", ScatterKind::Add},      {"sum", ScatterKind::Add},  {"mean", ScatterKind::Add},
      {"multiply", ScatterKind::Mul}, {"prod", ScatterKind::Mul}, {"amax", ScatterKind::Max},
      {"amin", ScatterKind::Min}};
  for (auto [known, kind] : kKinds)
    if (known == name)
      return kind;
  return n.fail("expected reduce = add, sum, mean, multiply, prod, amax or amin, found '" + name + "'");
}

/// What a reduction begins with, whatever follows.
static Value getNeutral(FuseBuilder &b, ScatterKind kind, Type element) {
  double infinity = std::numeric_limits<double>::infinity();
  ElementType type = *toElementType(element);
  switch (kind) {
  case ScatterKind::Mul:
    return b.scalar(1, element);
  case ScatterKind::Max:
    return isa<FloatType>(element) ? b.scalar(-infinity, element) : b.constant({getLowestInteger(type)}, element, {});
  case ScatterKind::Min:
    return isa<FloatType>(element) ? b.scalar(infinity, element) : b.constant({getHighestInteger(type)}, element, {});
  default:
    return b.scalar(0, element);
  }
}

/// Without `include_self`, elements that an update meets begin with what changes none.
static FailureOr<Value> clearMet(Node &n, ScatterKind kind) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), index = asList(n, n.tensor("index")), list = asList(n, x);
  int64_t dim = n.getDim("dim", 0, b.rankOf(x));
  if (n.hasFailed())
    return failure();
  Type boolean = b.getBuilder().getI1Type();
  Number no{Number::Bool, 0.0, 0, AffineExpr(), {}}, yes{Number::Bool, 1.0, 1, AffineExpr(), {}};
  Value none = n.fill(no, n.getExtents(list), boolean), all = n.fill(yes, n.getExtents(index), boolean);
  FailureOr<Value> isMet = scatterElements(n, ScatterKind::Set, none, index, all, dim);
  if (failed(isMet))
    return failure();
  return b.select(n.reshape(*isMet, n.getExtents(x)), getNeutral(b, kind, b.elementOf(x)), x);
}

static LogicalResult importScatter(Node &n, bool hasValue) {
  ScatterKind kind = ScatterKind::Set;
  if (n.has("reduce")) {
    FailureOr<ScatterKind> named = getKind(n, n.getString("reduce", ""));
    if (failed(named))
      return failure();
    kind = *named;
  }
  FailureOr<Value> x = n.getBool("include_self", true) ? n.tensor("self") : clearMet(n, kind);
  if (failed(x))
    return failure();
  Value source =
      hasValue ? n.fill(n.getNumber("value"), n.getExtents(n.tensor("index")), n.b.elementOf(*x)) : n.tensor("src");
  if (n.hasFailed())
    return failure();
  FailureOr<Value> result = scatter(n, kind, *x, source);
  if (failed(result) || n.getString("reduce", "") != "mean")
    return n.setResult(result);
  // Sums over how many they are of.
  FuseBuilder &b = n.b;
  Type element = b.elementOf(*x);
  if (!isa<FloatType>(element))
    return n.fail("expected floats to take the mean of");
  double own = n.getBool("include_self", true) ? 1 : 0;
  Number first{Number::Float, own, 0, AffineExpr(), {}}, one{Number::Float, 1.0, 0, AffineExpr(), {}};
  FailureOr<Value> count =
      scatter(n, kind, n.fill(first, n.getExtents(*x), element), n.fill(one, n.getExtents(n.tensor("index")), element));
  if (failed(count))
    return failure();
  return n.setResult(b.div(*result, b.binary(BinaryKind::Max, *count, b.scalar(1, element))));
}

/// Elements of the source, one after the other, go to where the mask is set.
static LogicalResult importMaskedScatter(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), mask = n.tensor("mask"), source = flatten(n, b.cast(n.tensor("source"), b.elementOf(x)));
  if (!b.elementOf(mask).isInteger(1) || b.shapeOf(source)[0] == 0)
    return n.fail("expected a mask of bools, and a source of one element or more");
  SmallVector<AffineExpr> extents = n.broadcastExtents({x, mask});
  x = n.expand(x, extents);
  mask = n.expand(mask, extents);
  Value isSet = b.cast(flatten(n, mask), b.getBuilder().getI64Type());
  Value place = b.sub(scanAxis(n, isSet, BinaryKind::Add, 0, /*exclusive=*/false, /*isReversed=*/false), 1.0);
  Value taken = b.gather(source, b.binary(BinaryKind::Max, place, b.scalarLike(0, place)), 0);
  return n.setResult(b.select(mask, n.reshape(taken, extents), x));
}

static LogicalResult importIndexSelect(Node &n) {
  Value x = n.tensor("self"), index = asList(n, n.tensor("index"));
  int64_t dim = n.getDim("dim", 0, n.b.rankOf(x));
  if (n.hasFailed())
    return failure();
  Value taken = n.b.gather(asList(n, x), index, dim);
  return n.setResult(n.b.rankOf(x) == 0 ? n.b.reshape(taken, ArrayRef<int64_t>()) : taken);
}

/// Slices of the tensor that `index` names take those of `source`, or have them added.
static LogicalResult importIndexWrite(Node &n, ScatterKind kind, bool hasValue) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), index = asList(n, n.tensor("index")), list = asList(n, x);
  Type element = b.elementOf(x);
  int64_t dim = n.getDim("dim", 0, b.rankOf(x));
  if (n.hasFailed())
    return failure();
  if (kind == ScatterKind::Add && element.isInteger(1))
    return n.fail("expected numbers, found bools");
  SmallVector<AffineExpr> extents = n.getExtents(list);
  extents[dim] = n.getExtents(index)[0];
  Value source;
  if (hasValue)
    source = n.isTensor("value") ? n.expand(b.cast(n.tensor("value"), element), extents)
                                 : n.fill(n.getNumber("value"), extents, element);
  else
    source = b.cast(asList(n, n.tensor("source")), element);
  if (n.has("alpha"))
    source = b.binary(BinaryKind::Mul, source, n.makeScalar(n.getNumber("alpha"), element));
  if (n.hasFailed() || b.rankOf(source) != b.rankOf(list))
    return n.fail("expected a source of the tensor's rank");
  Value result = b.scatter(kind, list, index, source, dim);
  return n.setResult(b.rankOf(x) == 0 ? b.reshape(result, ArrayRef<int64_t>()) : result);
}

/// The tensor with the elements in [from, to) along a dimension replaced.
static Value replace(Node &n, Value x, Value part, int64_t dim, AffineExpr from, AffineExpr to) {
  FuseBuilder &b = n.b;
  AffineExpr extent = n.getExtents(x)[dim], zero = n.getConstant(0);
  SmallVector<Value> parts;
  if (from != zero)
    parts.push_back(b.slice(x, dim, n.getSize(zero), n.getSize(from)));
  parts.push_back(part);
  if (to != extent)
    parts.push_back(b.slice(x, dim, n.getSize(to), n.getSize(simplifyExtent(extent - to))));
  return b.concat(parts, dim);
}

static LogicalResult importSliceScatter(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), source = b.cast(n.tensor("src"), b.elementOf(x));
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", 0, rank);
  AffineExpr step = n.getExpr("step", 1), one = n.getConstant(1);
  auto knownStep = dyn_cast<AffineConstantExpr>(step);
  if (n.hasFailed() || rank == 0 || (knownStep && knownStep.getValue() < 1))
    return n.fail("expected a dimension of the tensor, and a step of at least 1");
  n.assumeAtLeast(step, one);
  AffineExpr extent = n.getExtents(x)[dim];
  // Where it ends, the extent of what is written says.
  AffineExpr from = clampPlace(n, n.getExpr("start", 0), extent, n.getConstant(0));
  if (n.hasFailed())
    return failure();
  if (b.shapeOf(source)[dim] == 0)
    return n.setResult(x);
  if (step == one) {
    AffineExpr to = simplifyExtent(from + n.getExtents(source)[dim]);
    n.assumeAtLeast(extent, to);
    return n.setResult(replace(n, x, source, dim, from, to));
  }
  Value places = listSteps(n, from, n.getExtents(source)[dim], step);
  return n.setResult(b.scatter(ScatterKind::Set, x, places, source, dim));
}

static LogicalResult importSelectScatter(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), source = b.cast(n.tensor("src"), b.elementOf(x));
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", 0, rank);
  AffineExpr index = n.getExpr("index", 0);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  AffineExpr extent = n.getExtents(x)[dim], from = n.getPlace(index, extent);
  n.assumeAtLeast(from, n.getConstant(0));
  n.assumeAtLeast(extent, simplifyExtent(from + 1));
  return n.setResult(replace(n, x, b.insertUnitDims(source, {dim}), dim, from, simplifyExtent(from + 1)));
}

static LogicalResult importSearch(Node &n, StringRef sorted, StringRef wanted) {
  FuseBuilder &b = n.b;
  Type type = n.toType(promote({describeOperand(n, sorted), describeOperand(n, wanted)}));
  Value list = b.cast(n.tensor(sorted), type), x = getOperand(n, wanted, type);
  bool isRight = n.getBool("right", false) || n.getString("side", "left") == "right";
  if (n.hasFailed() || type.isInteger(1) || b.rankOf(list) < 1 || n.has("sorter"))
    return n.fail("expected sorted numbers of rank 1 or more, without a sorter");
  // [..., wanted, 1] beside [..., 1, sorted]: how many are less.
  if (b.rankOf(list) == 1 && b.rankOf(x) != 1) {
    x = b.insertUnitDims(x, {b.rankOf(x)});
  } else {
    if (b.rankOf(list) != b.rankOf(x))
      return n.fail("expected lists and values of one rank");
    x = b.insertUnitDims(x, {b.rankOf(x)});
    list = b.insertUnitDims(list, {b.rankOf(list) - 1});
  }
  Value isBefore = b.compare(isRight ? ComparePredicate::Le : ComparePredicate::Lt, list, x);
  Type result = n.getBool("out_int32", false) ? Type(b.getBuilder().getI32Type()) : Type(b.getBuilder().getI64Type());
  return n.setResult(b.reduce(ReduceKind::Sum, b.cast(isBefore, result), {b.rankOf(isBefore) - 1}, false));
}

static LogicalResult importTriangleIndices(Node &n, bool isUpper) {
  FuseBuilder &b = n.b;
  int64_t rows = n.getInt("row", 0), columns = n.getInt("col", 0), offset = n.getInt("offset", 0);
  if (n.hasFailed() || rows < 0 || columns < 0 || rows > kMostBytes / std::max<int64_t>(1, columns) ||
      failed(n.takeListed(rows * columns)))
    return n.fail("expected rows and columns of at least 0");
  SmallVector<int64_t> left, right;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (isUpper ? column - row >= offset : column - row <= offset) {
        left.push_back(row);
        right.push_back(column);
      }
  int64_t count = left.size();
  llvm::append_range(left, right);
  return n.setResult(b.constant(left, n.getType("dtype", b.getBuilder().getI64Type()), {2, count}));
}

void mlir::fuse::torch::addIndexOps(OpTable &table) {
  table.add("index.Tensor _unsafe_index.Tensor", "self", importIndex);
  table.add("index_put.default _unsafe_index_put.default", "self values", importIndexPut);
  table.add("gather.default", "self index", importGather);
  table.add("take_along_dim.default", "self indices", [](Node &n) -> LogicalResult {
    Value x = n.tensor("self"), index = n.tensor("indices");
    int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
    if (n.hasFailed() || rank == 0 || n.b.rankOf(index) != rank || !n.has("dim"))
      return n.fail("expected a dimension, and indices of the tensor's rank");
    // All other dimensions broadcast.
    SmallVector<AffineExpr> own = n.getExtents(x), indexed = n.getExtents(index);
    for (int64_t i = 0; i < rank; ++i) {
      if (i == dim)
        continue;
      own[i] = own[i] == n.getConstant(1) ? indexed[i] : own[i];
      indexed[i] = own[i];
    }
    return n.setResult(gatherElements(n, n.expand(x, own), n.expand(index, indexed), dim));
  });
  table.add("take.default", "self index",
            [](Node &n) { return n.setResult(n.b.gather(flatten(n, n.tensor("self")), n.tensor("index"), 0)); });
  table.add("scatter.src scatter.reduce scatter_reduce.two", "self index src",
            [](Node &n) { return importScatter(n, false); });
  table.add("scatter.value scatter.value_reduce", "self index", [](Node &n) { return importScatter(n, true); });
  table.add("scatter_add.default", "self index src",
            [](Node &n) { return n.setResult(scatter(n, ScatterKind::Add, n.tensor("self"), n.tensor("src"))); });
  table.add("masked_scatter.default", "self mask source", importMaskedScatter);
  table.add("index_select.default", "self index", importIndexSelect);
  table.add("index_add.default", "self index source",
            [](Node &n) { return importIndexWrite(n, ScatterKind::Add, false); });
  table.add("index_copy.default", "self index source",
            [](Node &n) { return importIndexWrite(n, ScatterKind::Set, false); });
  table.add("index_fill.int_Scalar index_fill.int_Tensor", "self index",
            [](Node &n) { return importIndexWrite(n, ScatterKind::Set, true); });
  table.add("slice_scatter.default", "self src", importSliceScatter);
  table.add("select_scatter.default", "self src", importSelectScatter);
  table.add("embedding.default", "weight indices",
            [](Node &n) { return n.setResult(n.b.gather(n.tensor("weight"), n.tensor("indices"), 0)); });
  table.add("bucketize.Tensor bucketize.Scalar", "boundaries",
            [](Node &n) { return importSearch(n, "boundaries", "self"); });
  table.add("searchsorted.Tensor searchsorted.Scalar", "sorted_sequence",
            [](Node &n) { return importSearch(n, "sorted_sequence", "self"); });
  table.add("tril_indices.default", "", [](Node &n) { return importTriangleIndices(n, false); });
  table.add("triu_indices.default", "", [](Node &n) { return importTriangleIndices(n, true); });
  table.add("one_hot.default", "self", [](Node &n) -> LogicalResult {
    FuseBuilder &b = n.b;
    Value x = n.tensor("self");
    AffineExpr count = n.getExpr("num_classes", -1);
    if (n.hasFailed() || count == n.getConstant(-1))
      return n.fail("expected num_classes, since nobody knows the largest element before the program runs");
    Type index = b.getBuilder().getI64Type();
    Value place = b.iota(n.getSizes({count}), 0, index);
    Value isOn = b.compare(ComparePredicate::Eq, b.insertUnitDims(b.cast(x, index), {b.rankOf(x)}), place);
    return n.setResult(b.cast(isOn, index));
  });
}
