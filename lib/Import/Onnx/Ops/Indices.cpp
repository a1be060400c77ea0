//===- Indices.cpp - Operators that read and write where indices say -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static bool hasStaticShapes(Node &n) {
  for (size_t i = 0; i < n.getNumInputs(); ++i)
    if (n.hasInput(i) && !n.getType(i).hasStaticShape())
      return false;
  return true;
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

/// Indices as i64 in [0, extent): negative ones count from the end.
static Value normalizeIndices(FuseBuilder &b, Value indices, int64_t extent) {
  Value wide = b.cast(indices, b.getBuilder().getI64Type());
  Value isNegative = b.compare(ComparePredicate::Lt, wide, 0.0);
  return b.select(isNegative, b.add(wide, double(extent)), wide);
}

/// The same for indices that must be in [-extent, extent): looked up, and so checked as those of a
/// gather.
static Value checkIndices(FuseBuilder &b, Value indices, int64_t extent) {
  return b.gather(b.iota({extent}, 0, b.getBuilder().getI64Type()), indices, 0);
}

/// The row-major place of each element that `indices` names along `axis` of a tensor of shape
/// `extents`; along the others it is the element's own. Indices are those of the axis.
static Value getPlaces(FuseBuilder &b, Value indices, ArrayRef<int64_t> extents, int64_t axis) {
  ArrayRef<int64_t> shape = b.shapeOf(indices);
  Type index = b.getBuilder().getI64Type();
  Value places;
  int64_t stride = countElements(extents);
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    stride = extents[dim] ? stride / extents[dim] : stride;
    Value at = dim == axis ? indices : b.iota(shape, dim, index);
    Value part = stride == 1 ? at : b.mul(at, double(stride));
    places = places ? b.add(places, part) : part;
  }
  return places;
}

/// Indices of data's elements along `axis`: they may not be wider than the data along the others.
static LogicalResult checkElementwise(Node &n, int64_t axis) {
  int64_t rank = n.getRank(0);
  if (!hasStaticShapes(n) || rank == 0 || n.getRank(1) != rank)
    return n.fail("expected static shapes of one rank");
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis && n.getShape(1)[dim] > n.getShape(0)[dim])
      return n.fail("expected at most " + Twine(n.getShape(0)[dim]) + " indices along axis " +
                    Twine(dim) + ", found " + Twine(n.getShape(1)[dim]));
  return success();
}

static LogicalResult importGatherElements(Node &n) {
  int64_t rank = n.getRank(0), axis = n.getAxis(0, rank);
  if (n.hasFailed())
    return failure();
  if (failed(checkElementwise(n, axis)))
    return failure();
  FuseBuilder &b = n.b;
  SmallVector<int64_t> extents(n.getShape(0));
  Value flat = b.reshape(n.getInput(0), {countElements(extents)});
  Value indices = checkIndices(b, n.getInput(1), extents[axis]);
  return n.setResult(b.gather(flat, getPlaces(b, indices, extents, axis), 0));
}

/// The row-major place among `extents` of each tuple in the last dimension of `indices`.
static Value getTuplePlaces(FuseBuilder &b, Value indices, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> shape(b.shapeOf(indices));
  int64_t rank = static_cast<int64_t>(shape.size());
  Value places;
  int64_t stride = countElements(extents);
  for (int64_t i = 0; i < shape.back(); ++i) {
    stride = extents[i] ? stride / extents[i] : stride;
    Value at = b.reshape(b.slice(indices, rank - 1, i, 1), ArrayRef(shape).drop_back());
    at = checkIndices(b, at, extents[i]);
    Value part = stride == 1 ? at : b.mul(at, double(stride));
    places = places ? b.add(places, part) : part;
  }
  return places;
}

/// Tuples of indices name slices; the first `batch_dims` dimensions go along.
static LogicalResult importGatherNd(Node &n) {
  if (!hasStaticShapes(n) || n.getRank(1) < 1)
    return n.fail("expected static shapes");
  FuseBuilder &b = n.b;
  SmallVector<int64_t> data(n.getShape(0)), tuples(n.getShape(1));
  int64_t batch = n.getInt("batch_dims", 0), count = tuples.back();
  if (batch < 0 || count < 1 || batch + count > static_cast<int64_t>(data.size()) ||
      batch >= static_cast<int64_t>(tuples.size()))
    return n.fail("expected tuples of at most " + Twine(data.size()) + " indices");
  ArrayRef<int64_t> indexed = ArrayRef(data).slice(batch, count);
  Value places = getTuplePlaces(b, n.getInput(1), indexed);
  SmallVector<int64_t> flat(ArrayRef(data).drop_front(batch + count));
  int64_t rows = countElements(ArrayRef(data).take_front(batch)), each = countElements(indexed);
  flat.insert(flat.begin(), rows * each);
  if (batch > 0) {
    // Each batch element begins where the one before ended.
    SmallVector<int64_t> shape(b.shapeOf(places)), starts(ArrayRef(shape).take_front(batch));
    if (failed(n.takeListed(rows)))
      return failure();
    SmallVector<int64_t> values;
    for (int64_t i = 0; i < rows; ++i)
      values.push_back(i * each);
    starts.resize(shape.size(), 1);
    places = b.add(places, b.reshape(b.constant(values), starts));
  }
  return n.setResult(b.gather(b.reshape(n.getInput(0), flat), places, 0));
}

//===- Scatter ------------------------------------------------------------------------------===//

static FailureOr<ScatterKind> getScatterKind(Node &n) {
  std::string reduction = n.getString("reduction", "none");
  if (reduction == "none")
    return ScatterKind::Set;
  if (std::optional<ScatterKind> kind = symbolizeScatterKind(reduction);
      kind && kind != ScatterKind::Set)
    return *kind;
  return n.fail("expected reduction = none, add, mul, max or min, found '" + reduction + "'");
}

/// The list that the indices of an element-wise scatter along `axis` are where all that stand at one
/// position along it are equal: models repeat the receivers of messages, [E] to [E, F], over the
/// features. Null where they differ, or may.
static Value findList(Node &n, size_t input, int64_t axis) {
  FuseBuilder &b = n.b;
  RankedTensorType type = n.getType(input);
  int64_t extent = type.getDimSize(axis);
  if (HostArray known = n.getKnown(input)) {
    int64_t inner = countElements(type.getShape().drop_front(axis + 1));
    auto getFirst = [&](int64_t position) { return known.getInt(position * inner); };
    for (int64_t i = 0; i < known.getNumElements(); ++i)
      if (known.getInt(i) != getFirst(i / inner % extent))
        return {};
    SmallVector<int64_t> list;
    for (int64_t position = 0; position < extent; ++position)
      list.push_back(getFirst(position));
    return b.constant(list);
  }
  // Back through what repeats; `kept` is the dimension of the value that `axis` is.
  Value value = n.getInput(input);
  int64_t kept = axis;
  auto isList = [&] {
    return llvm::all_of(llvm::enumerate(b.shapeOf(value)), [&](auto dim) {
      return static_cast<int64_t>(dim.index()) == kept || dim.value() == 1;
    });
  };
  while (!isList()) {
    auto repeat = value.getDefiningOp<BroadcastOp>();
    if (!repeat || llvm::is_contained(repeat.getDimensions(), kept))
      return {};
    kept -= llvm::count_if(repeat.getDimensions(), [&](int64_t dim) { return dim < kept; });
    value = repeat.getOperand();
  }
  return b.reshape(value, {extent});
}

static LogicalResult importScatterElements(Node &n) {
  int64_t rank = n.getRank(0), axis = n.getAxis(0, rank);
  if (n.hasFailed())
    return failure();
  if (rank == 0 || n.getRank(1) != rank)
    return n.fail("expected indices of the data's rank, which is at least 1");
  if (n.getShape(1) != n.getShape(2))
    return n.fail("expected one update for each index");
  FailureOr<ScatterKind> kind = getScatterKind(n);
  if (failed(kind))
    return failure();
  FuseBuilder &b = n.b;
  // Updates of whole slices take one index for each of these; how many there are may be unknown.
  bool isWhole = !llvm::is_contained(n.getShape(1), 0);
  for (int64_t dim = 0; dim < rank; ++dim)
    isWhole &= dim == axis || n.getShape(1)[dim] == n.getShape(0)[dim];
  if (Value list = isWhole ? findList(n, 1, axis) : Value())
    return n.setResult(b.scatter(*kind, n.getInput(0), list, n.getInput(2), axis));
  if (failed(checkElementwise(n, axis)))
    return failure();
  SmallVector<int64_t> extents(n.getShape(0));
  int64_t updates = countElements(n.getShape(1));
  if (updates == 0)
    return n.setResult(n.getInput(0));
  Value places = getPlaces(b, checkIndices(b, n.getInput(1), extents[axis]), extents, axis);
  Value flat = b.scatter(*kind, b.reshape(n.getInput(0), {countElements(extents)}),
                         b.reshape(places, {updates}), b.reshape(n.getInput(2), {updates}), 0);
  return n.setResult(b.reshape(flat, extents));
}

static LogicalResult importScatterNd(Node &n) {
  if (n.getRank(1) < 1 || ShapedType::isDynamic(n.getShape(1).back()) ||
      !n.getType(0).hasStaticShape())
    return n.fail("expected data of a static shape, and tuples of a static extent");
  SmallVector<int64_t> data(n.getShape(0)), tuples(n.getShape(1));
  int64_t count = tuples.back();
  if (count < 1 || count > static_cast<int64_t>(data.size()))
    return n.fail("expected tuples of at most " + Twine(data.size()) + " indices, found " + Twine(count));
  ArrayRef<int64_t> indexed = ArrayRef(data).take_front(count), rest = ArrayRef(data).drop_front(count);
  // How many rows of the data are updated may be unknown.
  bool isList = tuples.size() == 2 && count == 1;
  if (!isList && !hasStaticShapes(n))
    return n.fail("expected static shapes, but for the number of indices of one dimension");
  int64_t updates = isList ? tuples[0] : countElements(ArrayRef(tuples).drop_back());
  SmallVector<int64_t> wanted(ArrayRef(tuples).drop_back());
  llvm::append_range(wanted, rest);
  if (n.getShape(2) != ArrayRef(wanted))
    return n.fail("expected updates of the shape of what is updated");
  SmallVector<int64_t> rows{countElements(indexed)}, updated{updates};
  llvm::append_range(rows, rest);
  llvm::append_range(updated, rest);
  FailureOr<ScatterKind> kind = getScatterKind(n);
  if (failed(kind))
    return failure();
  if (updates == 0 || llvm::is_contained(data, 0))
    return n.setResult(n.getInput(0));
  FuseBuilder &b = n.b;
  // One index is of the rows themselves.
  Value places = count == 1 ? n.getInput(1) : getTuplePlaces(b, n.getInput(1), indexed);
  Value result = b.scatter(*kind, b.reshape(n.getInput(0), rows), b.reshape(places, {updates}),
                           b.reshape(n.getInput(2), updated), 0);
  return n.setResult(b.reshape(result, data));
}

//===- One-hot, the k largest ---------------------------------------------------------------===//

static LogicalResult importOneHot(Node &n) {
  int64_t depth = n.getInteger(1, "depth");
  int64_t rank = n.getRank(0), axis = n.getAxis(-1, rank + 1);
  if (n.hasFailed())
    return failure();
  if (depth < 1 || depth > (int64_t(1) << 40) || n.getRank(2) != 1 || n.getShape(2)[0] != 2 ||
      !n.getType(0).hasStaticShape())
    return n.fail("expected a depth of at least 1, two values and a static shape");
  FuseBuilder &b = n.b;
  Value indices = n.getInput(0);
  if (isa<FloatType>(n.getElementType(0)))
    indices = b.cast(indices, b.getBuilder().getI64Type());
  indices = b.insertUnitDims(normalizeIndices(b, indices, depth), {axis});
  SmallVector<int64_t> along(rank + 1, 1);
  along[axis] = depth;
  Value isOn = b.compare(ComparePredicate::Eq, b.iota(along, axis, b.elementOf(indices)), indices);
  Value values = n.getInput(2);
  Value off = b.reshape(b.slice(values, 0, 0, 1), ArrayRef<int64_t>()), on = b.reshape(b.slice(values, 0, 1, 1), ArrayRef<int64_t>());
  return n.setResult(b.select(isOn, on, off));
}

/// An element's place among the sorted ones is the number of those that go before it; the k first
/// places then take their elements.
static LogicalResult importTopK(Node &n) {
  bool isOld = n.getOpset() < 10;
  int64_t rank = n.getRank(0), axis = n.getAxis(-1, rank);
  int64_t k = isOld ? n.getInt("k", 0) : n.getInteger(1, "K");
  if (n.hasFailed())
    return failure();
  if (!n.getType(0).hasStaticShape() || k < 0 || k > n.getShape(0)[axis])
    return n.fail("expected a static shape, and k in [0, " + describeExtent(n.getShape(0)[axis]) +
                  "], found " + Twine(k));
  bool largest = n.getInt("largest", 1) != 0;
  FuseBuilder &b = n.b;
  Value x = b.swap(n.getInput(0), axis, rank - 1);
  SmallVector<int64_t> shape(b.shapeOf(x)), row(shape), column(shape), ranks(shape);
  int64_t extent = shape.back();
  Type index = b.getBuilder().getI64Type();
  row.insert(row.end() - 1, 1);    // [..., 1, n]: the others
  column.push_back(1);             // [..., n, 1]: the element
  Value others = b.reshape(x, row), own = b.reshape(x, column);
  SmallVector<int64_t> flatRow(row.size(), 1), flatColumn(row.size(), 1);
  flatRow.back() = extent;
  flatColumn[row.size() - 2] = extent;
  Value isBefore = b.compare(ComparePredicate::Lt, b.iota(flatRow, row.size() - 1, index),
                             b.iota(flatColumn, row.size() - 2, index));
  Value isBetter = b.compare(largest ? ComparePredicate::Gt : ComparePredicate::Lt, others, own);
  Value isEqual = b.compare(ComparePredicate::Eq, others, own);
  if (isa<FloatType>(n.getElementType(0))) { // NaN is the largest
    Value otherIsNan = b.unary(UnaryKind::IsNan, others), isNan = b.unary(UnaryKind::IsNan, own);
    Value first = largest ? otherIsNan : isNan, second = largest ? isNan : otherIsNan;
    Value wins = b.binary(BinaryKind::And, first, b.unary(UnaryKind::LogicalNot, second));
    isBetter = b.binary(BinaryKind::Or, isBetter, wins);
    isEqual = b.binary(BinaryKind::Or, isEqual, b.binary(BinaryKind::And, otherIsNan, isNan));
  }
  Value isTied = b.binary(BinaryKind::And, isEqual, isBefore);
  Value goesBefore = b.cast(b.binary(BinaryKind::Or, isBetter, isTied), index);
  Value place = b.reduce(ReduceKind::Sum, goesBefore, {int64_t(row.size()) - 1}, false);
  // [..., k, n]: which element has the place.
  SmallVector<int64_t> wanted(row.size(), 1), places(row);
  wanted[row.size() - 2] = k;
  Value isAt = b.compare(ComparePredicate::Eq, b.iota(wanted, row.size() - 2, index),
                         b.reshape(place, places));
  Value which = b.select(isAt, b.iota(flatRow, row.size() - 1, index), b.scalar(0, index));
  Value indices = b.reduce(ReduceKind::Sum, which, {int64_t(row.size()) - 1}, false);
  SmallVector<int64_t> extents(shape);
  Value flat = b.reshape(x, {countElements(shape)});
  Value values = b.gather(flat, getPlaces(b, indices, extents, rank - 1), 0);
  n.setResult(0, b.swap(values, axis, rank - 1));
  n.setResult(1, b.swap(indices, axis, rank - 1));
  return success();
}

/// Updates [B, …, T, …] put to B caches from position write_indices[b] on, along `axis`.
static LogicalResult importTensorScatter(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  int64_t axis = n.getAxis(-2, rank);
  std::string mode = n.getString("mode", "linear");
  if (n.hasFailed())
    return failure();
  if (!hasStaticShapes(n) || n.getRank(1) != rank || axis == 0)
    return n.fail("expected static shapes of one rank, and an axis behind the batch");
  if (mode != "linear" && mode != "circular")
    return n.fail("expected mode = linear or circular, found '" + mode + "'");
  SmallVector<int64_t> shape(n.getShape(0)), starts(rank, 1), along(rank, 1);
  int64_t extent = shape[axis], count = n.getShape(1)[axis];
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis && n.getShape(1)[dim] != shape[dim])
      return n.fail("expected updates of extent " + Twine(shape[dim]) + " at axis " + Twine(dim) +
                    ", found " + Twine(n.getShape(1)[dim]));
  if (extent == 0 || count == 0)
    return n.setResult(n.getInput(0));
  along[axis] = extent;
  starts[0] = shape[0];
  Type index = b.getBuilder().getI64Type();
  Value start = n.hasInput(2) ? b.reshape(b.cast(n.getInput(2), index), starts)
                              : b.splat(0, b.makeType(starts, index));
  // Which update a position takes.
  Value offset = b.sub(b.iota(along, axis, index), start);
  if (mode == "circular") {
    offset = b.binary(BinaryKind::Rem, offset, b.scalar(double(extent), index));
    Value isNegative = b.compare(ComparePredicate::Lt, offset, b.scalar(0, index));
    offset = b.select(isNegative, b.add(offset, double(extent)), offset);
  }
  Value isHit = b.binary(BinaryKind::And, b.compare(ComparePredicate::Ge, offset, b.scalar(0, index)),
                         b.compare(ComparePredicate::Lt, offset, b.scalar(double(count), index)));
  Value place = b.clamp(offset, b.scalar(0, index), b.scalar(double(count - 1), index));
  SmallVector<int64_t> extents(n.getShape(1));
  Value flat = b.reshape(n.getInput(1), {countElements(extents)});
  Value taken = b.gather(flat, getPlaces(b, b.broadcastTo(place, shape), extents, axis), 0);
  return n.setResult(b.select(isHit, taken, n.getInput(0)));
}

void mlir::fuse::onnx::addIndexOps(OpTable &table) {
  table.add("GatherElements", 2, 2, importGatherElements);
  table.add("GatherND", 2, 2, importGatherNd);
  table.add("Scatter", 3, 3, importScatterElements);
  table.add("ScatterElements", 3, 3, importScatterElements);
  table.add("ScatterND", 3, 3, importScatterNd);
  table.add("TensorScatter", 2, 3, importTensorScatter);
  table.add("OneHot", 3, 3, importOneHot, {1});
  table.add("TopK", 1, 2, importTopK, {1});
}
