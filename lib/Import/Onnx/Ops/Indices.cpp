//===- Indices.cpp - Operators that read and write where indices say -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static LogicalResult importGatherElements(Node &n) {
  int64_t rank = n.getRank(0), axis = n.getAxis(0, rank);
  if (n.hasFailed())
    return failure();
  return n.setResult(gatherElements(n, n.getInput(0), n.getInput(1), axis));
}

/// The row-major place among `extents` of each tuple in the last dimension of `indices`.
static Value getTuplePlaces(Node &n, Value indices, ArrayRef<AffineExpr> extents) {
  FuseBuilder &b = n.b;
  ArrayRef<int64_t> shape = b.shapeOf(indices);
  Value places;
  for (auto [i, stride] : llvm::enumerate(getStrides(n, extents))) {
    Value at = b.reshape(b.slice(indices, shape.size() - 1, i, 1), shape.drop_back());
    Value part = scale(n, checkIndices(n, at, extents[i]), stride);
    places = places ? b.add(places, part) : part;
  }
  return places;
}

/// Tuples of indices name slices; the first `batch_dims` dimensions go along.
static LogicalResult importGatherNd(Node &n) {
  if (n.getRank(1) < 1 || ShapedType::isDynamic(n.getShape(1).back()))
    return n.fail("expected tuples of a static extent");
  FuseBuilder &b = n.b;
  SmallVector<AffineExpr> data = n.getExtents(0), tuples = n.getExtents(1);
  int64_t batch = n.getInt("batch_dims", 0), count = n.getShape(1).back();
  if (batch < 0 || count < 1 || batch + count > static_cast<int64_t>(data.size()) ||
      batch >= static_cast<int64_t>(tuples.size()))
    return n.fail("expected tuples of at most " + Twine(data.size()) + " indices");
  ArrayRef<AffineExpr> indexed = ArrayRef(data).slice(batch, count);
  Value places = getTuplePlaces(n, n.getInput(1), indexed);
  AffineExpr rows = n.getProduct(ArrayRef(data).take_front(batch)), each = n.getProduct(indexed);
  if (batch > 0) {
    // Each batch element begins where the one before ended.
    SmallVector<AffineExpr> starts = n.getExtents(places);
    for (int64_t dim = 0; dim < batch; ++dim) {
      if (differ(data[dim], starts[dim]))
        return n.fail("expected as many tuples as data along axis " + Twine(dim) + ", found " +
                      Twine(n.getShape(1)[dim]) + " and " + Twine(n.getShape(0)[dim]));
      n.assumeEqual(starts[dim], data[dim]);
    }
    std::fill(starts.begin() + batch, starts.end(), n.getConstant(1));
    auto number = dyn_cast<AffineConstantExpr>(rows), size = dyn_cast<AffineConstantExpr>(each);
    Value first;
    if (number && size) {
      if (failed(n.takeListed(number.getValue())))
        return failure();
      SmallVector<int64_t> values;
      for (int64_t i = 0; i < number.getValue(); ++i)
        values.push_back(i * size.getValue());
      first = b.constant(values);
    } else {
      first = scale(n, b.iota(n.getSizes({rows}), 0, b.getBuilder().getI64Type()), each);
    }
    places = b.add(places, b.reshape(first, n.getSizes(starts)));
  }
  return n.setResult(b.gather(joinFirst(n, n.getInput(0), batch + count), places, 0));
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
    int64_t inner = ShapedType::getNumElements(type.getShape().drop_front(axis + 1));
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

/// Whether updates have the shape that is wanted: extents that are not numbers are taken to be equal.
static bool haveShape(Node &n, size_t input, ArrayRef<AffineExpr> wanted) {
  SmallVector<AffineExpr> extents = n.getExtents(input);
  if (extents.size() != wanted.size() || llvm::any_of(llvm::zip(extents, wanted), [](auto pair) {
        return differ(std::get<0>(pair), std::get<1>(pair));
      }))
    return false;
  for (auto [extent, other] : llvm::zip(extents, wanted))
    n.assumeEqual(extent, other);
  return true;
}

static LogicalResult importScatterElements(Node &n) {
  int64_t rank = n.getRank(0), axis = n.getAxis(0, rank);
  if (n.hasFailed())
    return failure();
  if (rank == 0 || n.getRank(1) != rank)
    return n.fail("expected indices of the data's rank, which is at least 1");
  SmallVector<AffineExpr> extents = n.getExtents(0), indexed = n.getExtents(1);
  if (!haveShape(n, 2, indexed))
    return n.fail("expected one update for each index");
  FailureOr<ScatterKind> kind = getScatterKind(n);
  if (failed(kind))
    return failure();
  FuseBuilder &b = n.b;
  // Updates of whole slices take one index for each of these; how many there are may be unknown.
  bool isWhole = !llvm::is_contained(n.getShape(1), 0);
  for (int64_t dim = 0; dim < rank; ++dim)
    isWhole &= dim == axis || indexed[dim] == extents[dim];
  if (Value list = isWhole ? findList(n, 1, axis) : Value())
    return n.setResult(b.scatter(*kind, n.getInput(0), list, n.getInput(2), axis));
  FailureOr<Value> result = scatterElements(n, *kind, n.getInput(0), n.getInput(1), n.getInput(2), axis);
  return n.setResult(result);
}

static LogicalResult importScatterNd(Node &n) {
  if (n.getRank(1) < 1 || ShapedType::isDynamic(n.getShape(1).back()))
    return n.fail("expected tuples of a static extent");
  SmallVector<AffineExpr> data = n.getExtents(0), tuples = n.getExtents(1);
  int64_t count = n.getShape(1).back(), indexed = n.getRank(1) - 1;
  if (count < 1 || count > static_cast<int64_t>(data.size()))
    return n.fail("expected tuples of at most " + Twine(data.size()) + " indices, found " + Twine(count));
  SmallVector<AffineExpr> wanted(ArrayRef(tuples).drop_back());
  llvm::append_range(wanted, ArrayRef(data).drop_front(count));
  if (!haveShape(n, 2, wanted))
    return n.fail("expected updates of the shape of what is updated");
  FailureOr<ScatterKind> kind = getScatterKind(n);
  if (failed(kind))
    return failure();
  if (llvm::is_contained(n.getShape(1), 0) || llvm::is_contained(n.getShape(0), 0))
    return n.setResult(n.getInput(0));
  FuseBuilder &b = n.b;
  // One index is of the rows themselves.
  Value places = count == 1 ? n.getInput(1) : getTuplePlaces(n, n.getInput(1), ArrayRef(data).take_front(count));
  Value updates = n.getInput(2);
  if (indexed == 0) // one tuple
    updates = b.insertUnitDims(updates, {0});
  else
    updates = joinFirst(n, updates, indexed);
  Value result = b.scatter(*kind, joinFirst(n, n.getInput(0), count), flatten(n, places), updates, 0);
  return n.setResult(count == 1 ? result : b.reshape(result, n.getSizes(data)));
}

//===- One-hot, the k largest ---------------------------------------------------------------===//

static LogicalResult importOneHot(Node &n) {
  SmallVector<AffineExpr> depths = n.getSymbolicIntegers(1, "depth");
  int64_t rank = n.getRank(0), axis = n.getAxis(-1, rank + 1);
  if (n.hasFailed())
    return failure();
  if (depths.size() != 1)
    return n.fail("expected 'depth' to be one number, found " + Twine(depths.size()));
  auto depth = dyn_cast<AffineConstantExpr>(depths[0]);
  if ((depth && (depth.getValue() < 1 || depth.getValue() > (int64_t(1) << 40))) || n.getRank(2) != 1 ||
      n.getShape(2)[0] != 2)
    return n.fail("expected a depth of at least 1, and two values");
  FuseBuilder &b = n.b;
  Value indices = n.getInput(0);
  if (isa<FloatType>(n.getElementType(0)))
    indices = b.cast(indices, b.getBuilder().getI64Type());
  indices = b.insertUnitDims(normalizeIndices(n, indices, depths[0]), {axis});
  SmallVector<AffineExpr> along(rank + 1, n.getConstant(1));
  along[axis] = depths[0];
  Value isOn = b.compare(ComparePredicate::Eq, b.iota(n.getSizes(along), axis, b.elementOf(indices)), indices);
  Value values = n.getInput(2);
  Value off = b.reshape(b.slice(values, 0, 0, 1), ArrayRef<int64_t>());
  Value on = b.reshape(b.slice(values, 0, 1, 1), ArrayRef<int64_t>());
  return n.setResult(b.select(isOn, on, off));
}

static LogicalResult importTopK(Node &n) {
  bool isOld = n.getOpset() < 10;
  int64_t rank = n.getRank(0), axis = n.getAxis(-1, rank);
  SmallVector<AffineExpr> counts =
      isOld ? SmallVector<AffineExpr>{n.getConstant(n.getInt("k", 0))} : n.getSymbolicIntegers(1, "K");
  if (n.hasFailed())
    return failure();
  if (counts.size() != 1)
    return n.fail("expected 'K' to be one number, found " + Twine(counts.size()));
  AffineExpr k = counts[0], extent = n.getExtents(0)[axis];
  auto number = dyn_cast<AffineConstantExpr>(k);
  if (number && (number.getValue() < 0 || (differ(extent, k) && number.getValue() > n.getShape(0)[axis])))
    return n.fail("expected k in [0, " + describeExtent(n.getShape(0)[axis]) + "], found " + Twine(number.getValue()));
  n.assumeAtLeast(extent, k);
  auto [values, indices] = findTop(n, n.getInput(0), k, axis, n.getInt("largest", 1) != 0);
  n.setResult(0, values);
  n.setResult(1, indices);
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
  if (n.getRank(1) != rank || axis == 0)
    return n.fail("expected updates of the cache's rank, and an axis behind the batch");
  if (mode != "linear" && mode != "circular")
    return n.fail("expected mode = linear or circular, found '" + mode + "'");
  SmallVector<AffineExpr> shape = n.getExtents(0), updates = n.getExtents(1), along(rank, n.getConstant(1));
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    if (differ(updates[dim], shape[dim]))
      return n.fail("expected updates of extent " + Twine(n.getShape(0)[dim]) + " at axis " + Twine(dim) + ", found " +
                    Twine(n.getShape(1)[dim]));
    n.assumeEqual(updates[dim], shape[dim]);
  }
  if (n.getShape(0)[axis] == 0 || n.getShape(1)[axis] == 0)
    return n.setResult(n.getInput(0));
  along[axis] = shape[axis];
  SmallVector<int64_t> starts(rank, 1);
  starts[0] = n.getShape(0)[0];
  Type index = b.getBuilder().getI64Type();
  Value start;
  if (n.hasInput(2)) {
    start = b.reshape(b.cast(n.getInput(2), index), starts);
  } else {
    starts[0] = ShapedType::isDynamic(starts[0]) ? 1 : starts[0];
    start = b.splat(0, b.makeType(starts, index));
  }
  // Which update a position takes.
  Value offset = b.sub(b.iota(n.getSizes(along), axis, index), start);
  if (mode == "circular") {
    offset = b.binary(BinaryKind::Rem, offset, n.getNumber(shape[axis], index));
    Value isNegative = b.compare(ComparePredicate::Lt, offset, b.scalar(0, index));
    offset = b.select(isNegative, b.add(offset, n.getNumber(shape[axis], index)), offset);
  }
  Value isHit = b.binary(BinaryKind::And, b.compare(ComparePredicate::Ge, offset, b.scalar(0, index)),
                         b.compare(ComparePredicate::Lt, offset, n.getNumber(updates[axis], index)));
  Value place = b.clamp(offset, b.scalar(0, index), n.getNumber(updates[axis] - 1, index));
  Value flat = flatten(n, n.getInput(1));
  Value taken = b.gather(flat, getPlaces(n, b.broadcastTo(place, n.getSizes(shape)), updates, axis), 0);
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
