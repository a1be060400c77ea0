//===- Views.cpp - The same elements in other shapes and orders, and parts of tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/ComputedNumbers.h"
#include "../OpTable.h"
#include "Places.h"
#include "fuse/IR/Shapes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// A shape, of which one extent may be −1: what the others leave. Where no expression says that, the program may;
/// else it is computed.
static LogicalResult reshapeTo(Node &n, Value x, SmallVector<AffineExpr> to) {
  AffineExpr open = n.getConstant(-1);
  if (n.hasFailed())
    return failure();
  if (llvm::count(to, open) > 1)
    return n.fail("expected at most one −1 in the shape");
  SmallVector<AffineExpr> from = n.getExtents(x);
  if (auto *at = llvm::find(to, open); at != to.end()) {
    SmallVector<AffineExpr> others(to);
    size_t place = at - to.begin();
    others.erase(others.begin() + place);
    AffineExpr product = n.getProduct(others), all = n.getProduct(from);
    auto divisor = dyn_cast<AffineConstantExpr>(product), dividend = dyn_cast<AffineConstantExpr>(all);
    if (divisor && dividend) {
      if (divisor.getValue() == 0 || dividend.getValue() % divisor.getValue() != 0)
        return n.fail("no extent in place of the −1 makes the shape hold " + Twine(dividend.getValue()) + " elements");
      to[place] = n.getConstant(dividend.getValue() / divisor.getValue());
    } else if (std::optional<AffineExpr> left = divideExactly(from, others, n.b.getContext())) {
      to[place] = *left;
    } else if (divisor && divisor.getValue() > 0) {
      to[place] = simplifyExtent(all.floorDiv(divisor.getValue()));
    } else if (const Expected &expected = n.getExpected(0);
               expected.extents.size() == to.size() && expected.extents[place]) {
      to[place] = expected.extents[place];
    } else {
      to[place] = ComputedNumbers(n).quotient(all, product);
    }
  }
  for (AffineExpr extent : to)
    if (auto number = dyn_cast<AffineConstantExpr>(extent); number && number.getValue() < 0)
      return n.fail("expected extents of at least −1 in the shape, found " + Twine(number.getValue()));
  RankedTensorType type = n.b.makeType(getStaticExtents(to), n.b.elementOf(x));
  if (n.hasFailed())
    return failure();
  if (type.hasStaticShape() && n.b.typeOf(x).hasStaticShape() &&
      type.getNumElements() != n.b.typeOf(x).getNumElements())
    return n.fail("expected a shape of " + Twine(n.b.typeOf(x).getNumElements()) + " elements, found one of " +
                  Twine(type.getNumElements()));
  return n.setResult(n.reshape(x, to));
}

static LogicalResult importFlatten(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), first = n.getDim("start_dim", 0, rank), last = n.getDim("end_dim", -1, rank);
  if (n.hasFailed())
    return failure();
  if (first > last)
    return n.fail("expected a start_dim that is not behind end_dim");
  if (rank == 0)
    return n.setResult(n.b.reshape(x, {1}));
  SmallVector<AffineExpr> extents = n.getExtents(x), to(ArrayRef(extents).take_front(first));
  to.push_back(n.getProduct(ArrayRef(extents).slice(first, last - first + 1)));
  llvm::append_range(to, ArrayRef(extents).drop_front(last + 1));
  return n.setResult(n.reshape(x, to));
}

static LogicalResult importUnflatten(Node &n) {
  Value x = n.tensor("self");
  int64_t dim = n.getDim("dim", 0, n.b.rankOf(x));
  SmallVector<AffineExpr> sizes = n.getExprs("sizes"), to = n.getExtents(x);
  if (n.hasFailed() || n.b.rankOf(x) == 0)
    return n.fail("expected a dimension of the tensor");
  to.erase(to.begin() + dim);
  to.insert(to.begin() + dim, sizes.begin(), sizes.end());
  return reshapeTo(n, x, to);
}

static LogicalResult importSqueeze(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x);
  SmallVector<int64_t> dims = n.getDims("dim", rank, /*allIfEmpty=*/!n.has("dim"));
  if (n.hasFailed())
    return failure();
  SmallVector<AffineExpr> to;
  for (auto [dim, extent] : llvm::enumerate(n.getExtents(x)))
    if (extent != n.getConstant(1) || !llvm::is_contained(dims, static_cast<int64_t>(dim)))
      to.push_back(extent);
  return n.setResult(n.reshape(x, to));
}

static LogicalResult importUnsqueeze(Node &n) {
  Value x = n.tensor("self");
  int64_t dim = n.getDim("dim", 0, n.b.rankOf(x) + 1);
  return n.hasFailed() ? failure() : n.setResult(n.b.insertUnitDims(x, {dim}));
}

static LogicalResult expandTo(Node &n, Value x, ArrayRef<AffineExpr> sizes) {
  SmallVector<AffineExpr> from = n.getExtents(x), to;
  if (n.hasFailed())
    return failure();
  if (sizes.size() < from.size())
    return n.fail("expected a shape of at least " + Twine(from.size()) + " dimensions, found " + Twine(sizes.size()));
  size_t added = sizes.size() - from.size();
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    AffineExpr own = dim < added ? n.getConstant(1) : from[dim - added];
    bool keeps = size == n.getConstant(-1);
    auto number = dyn_cast<AffineConstantExpr>(size), known = dyn_cast<AffineConstantExpr>(own);
    if ((keeps && dim < added) || (number && !keeps && number.getValue() < 0) ||
        (number && known && !keeps && own != n.getConstant(1) && own != size))
      return n.fail("expected extent " + Twine(dim) + " of the shape to be that of the operand, or this to be 1");
    to.push_back(keeps || own != n.getConstant(1) ? own : size);
  }
  if (std::optional<std::string> problem = findShapeProblem(*toElementType(n.b.elementOf(x)), getStaticExtents(to)))
    return n.fail(*problem);
  return n.setResult(n.expand(x, to));
}

static LogicalResult importPermute(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x);
  SmallVector<int64_t> permutation = n.getInts("dims"), sorted;
  for (int64_t &dim : permutation)
    sorted.push_back(dim = n.wrapDim(dim, rank));
  llvm::sort(sorted);
  if (n.hasFailed())
    return failure();
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return n.fail("expected a permutation of " + Twine(rank) + " dimensions");
  return n.setResult(n.b.transpose(x, permutation));
}

static LogicalResult swapDims(Node &n, Value x, int64_t first, int64_t second) {
  return n.hasFailed() ? failure() : n.setResult(n.b.rankOf(x) < 2 ? x : n.b.swap(x, first, second));
}

static LogicalResult importMovedim(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x);
  SmallVector<int64_t> from = n.getInts("source"), to = n.getInts("destination"), permutation(rank, -1), rest;
  if (from.size() != to.size() || rank == 0)
    return n.fail("expected as many destinations as sources");
  for (auto [source, destination] : llvm::zip(from, to)) {
    source = n.wrapDim(source, rank);
    permutation[n.wrapDim(destination, rank)] = source;
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(from, dim))
      rest.push_back(dim);
  size_t next = 0;
  for (int64_t &dim : permutation)
    if (dim < 0 && next < rest.size())
      dim = rest[next++];
  if (n.hasFailed() || llvm::is_contained(permutation, -1))
    return n.fail("expected dimensions that differ");
  return n.setResult(n.b.transpose(x, permutation));
}

static LogicalResult importSelect(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  AffineExpr index = n.getExpr("index", 0);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  SmallVector<AffineExpr> extents = n.getExtents(x);
  AffineExpr at = n.getPlace(index, extents[dim]);
  auto number = dyn_cast<AffineConstantExpr>(at), extent = dyn_cast<AffineConstantExpr>(extents[dim]);
  if (number && extent && (number.getValue() < 0 || number.getValue() >= extent.getValue()))
    return n.fail("expected an index in [" + Twine(-extent.getValue()) + ", " + Twine(extent.getValue()) + ")");
  if (!number || !extent) {
    n.assumeAtLeast(at, n.getConstant(0));
    n.assumeAtLeast(extents[dim], simplifyExtent(at + 1));
  }
  Value part = n.b.slice(x, dim, n.getSize(at), n.getSize(n.getConstant(1)));
  extents.erase(extents.begin() + dim);
  return n.setResult(n.reshape(part, extents));
}

/// The elements at from, from + step … below `to`, of which 0 ≤ from ≤ to ≤ extent is assumed; `count` of them.
static Value takePart(Node &n, Value x, int64_t dim, AffineExpr from, AffineExpr to, int64_t step = 1,
                      AffineExpr count = {}) {
  AffineExpr extent = n.getExtents(x)[dim], zero = n.getConstant(0);
  if (from == zero && to == extent && step == 1)
    return x;
  n.assumeAtLeast(from, zero);
  n.assumeAtLeast(to, from);
  n.assumeAtLeast(extent, to);
  if (auto number = dyn_cast<AffineConstantExpr>(from); number && to == extent && step == 1)
    return n.b.sliceFrom(x, dim, number.getValue());
  if (!count)
    count = simplifyExtent(simplifyExtent(to - from).ceilDiv(step));
  return n.b.slice(x, dim, n.getSize(from), n.getSize(count), step);
}

/// Where expressions leave open what begin and end are clamped to, the `stated` count of the program decides, if it does; else they are
/// computed.
static FailureOr<Value> slice(Node &n, Value x, int64_t dim, AffineExpr start, AffineExpr end, int64_t step,
                              AffineExpr stated) {
  AffineExpr extent = n.getExtents(x)[dim];
  SmallVector<Place> begins = listPlaces(n, start, extent), ends = listPlaces(n, end, extent);
  if (begins.empty() || ends.empty())
    return n.fail("expected a part of the dimension");
  using Pair = std::pair<const Place *, const Place *>;
  SmallVector<Pair> fitting;
  for (const Place &begin : begins)
    for (const Place &last : ends)
      if (stated && simplifyExtent(simplifyExtent(last.at - begin.at).ceilDiv(step)) == stated)
        fitting.push_back({&begin, &last});
  if (begins.size() == 1 && ends.size() == 1)
    fitting = {{&begins.front(), &ends.front()}};
  bool isDecided = !fitting.empty() && llvm::all_of(fitting, [&](Pair pair) {
    return pair.first->at == fitting.front().first->at;
  });
  if (!isDecided) {
    AffineExpr from = clampPlace(n, start, extent, n.getConstant(0)), to = clampPlace(n, end, extent, from);
    AffineExpr count = simplifyExtent(simplifyExtent(to - from).ceilDiv(step));
    if (stated)
      n.assumeEqual(count, stated);
    return takePart(n, x, dim, from, to, step, stated);
  }
  auto [begin, last] = fitting.front();
  if (std::optional<int64_t> most = n.getMost(simplifyExtent(last->at - begin->at)); most && *most <= 0)
    return n.b.slice(x, dim, 0, 0);
  for (const Place *place : {begin, last})
    for (auto [greater, lesser] : place->conditions)
      n.assumeAtLeast(greater, lesser);
  return takePart(n, x, dim, begin->at, last->at, step);
}

/// The same of a step that is open, too.
static Value sliceByOpenStep(Node &n, Value x, int64_t dim, AffineExpr start, AffineExpr end, AffineExpr step) {
  AffineExpr extent = n.getExtents(x)[dim], from = clampPlace(n, start, extent, n.getConstant(0)),
             to = clampPlace(n, end, extent, from);
  n.assumeAtLeast(step, n.getConstant(1));
  AffineExpr count = ComputedNumbers(n).quotient(simplifyExtent(to - from + step - 1), step);
  return n.b.gather(x, listSteps(n, from, count, step), dim);
}

static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

static LogicalResult importSlice(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  AffineExpr start = n.getExpr("start", 0), end = n.getExpr("end", kEnd), step = n.getExpr("step", 1);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  auto knownStep = dyn_cast<AffineConstantExpr>(step);
  if (knownStep && knownStep.getValue() < 1)
    return n.fail("expected a step of at least 1, found " + Twine(knownStep.getValue()));
  auto number = dyn_cast<AffineConstantExpr>(end);
  if (number && number.getValue() > (int64_t(1) << 48))
    end = n.getExtents(x)[dim];
  const Expected &expected = n.getExpected(0);
  AffineExpr stated = expected.extents.size() == size_t(rank) ? expected.extents[dim] : AffineExpr();
  if (!knownStep)
    return n.setResult(sliceByOpenStep(n, x, dim, start, end, step));
  return n.setResult(slice(n, x, dim, start, end, knownStep.getValue(), stated));
}

static LogicalResult importNarrow(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  AffineExpr start = n.getExpr("start", 0), length = n.getExpr("length", 0);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  start = n.getPlace(start, n.getExtents(x)[dim]);
  return n.setResult(takePart(n, x, dim, start, simplifyExtent(start + length)));
}

/// Parts of sizes that follow each other along a dimension.
static LogicalResult setParts(Node &n, Value x, int64_t dim, ArrayRef<AffineExpr> sizes) {
  AffineExpr at = n.getConstant(0);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    n.setResult(i, takePart(n, x, dim, at, simplifyExtent(at + size)));
    at = simplifyExtent(at + size);
  }
  return success();
}

static LogicalResult importSplitWithSizes(Node &n, StringRef name) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  SmallVector<AffineExpr> sizes = n.getExprs(name);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  if (sizes.size() != n.getNumResults())
    return n.fail("expected one size for each of " + Twine(n.getNumResults()) + " results, found " +
                  Twine(sizes.size()));
  return setParts(n, x, dim, sizes);
}

/// Parts of one size, of which the last one may be smaller: as many as the node has results.
static LogicalResult splitEvenly(Node &n, Value x, int64_t dim, AffineExpr size) {
  AffineExpr extent = n.getExtents(x)[dim], left = extent;
  SmallVector<AffineExpr> sizes;
  for (size_t i = 0; i + 1 < n.getNumResults(); ++i) {
    sizes.push_back(size);
    left = simplifyExtent(left - size);
  }
  sizes.push_back(left);
  return setParts(n, x, dim, sizes);
}

static LogicalResult importSplit(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  AffineExpr size = n.getExpr("split_size", 1);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  return splitEvenly(n, x, dim, size);
}

static LogicalResult importChunk(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank), chunks = n.getInt("chunks", 1);
  if (n.hasFailed() || rank == 0 || chunks < 1)
    return n.fail("expected a dimension of the tensor, and one part or more");
  return splitEvenly(n, x, dim, simplifyExtent(n.getExtents(x)[dim].ceilDiv(chunks)));
}

static LogicalResult importTensorSplit(Node &n, bool hasIndices) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  if (n.hasFailed() || rank == 0 || ShapedType::isDynamic(n.b.shapeOf(x)[dim]))
    return n.fail("expected a dimension whose extent is known before the program runs");
  int64_t extent = n.b.shapeOf(x)[dim];
  SmallVector<int64_t> ends;
  if (hasIndices) {
    ends = n.getInts("indices");
  } else {
    int64_t sections = std::max<int64_t>(1, n.getInt("sections", 1)), at = 0;
    for (int64_t i = 0; i + 1 < sections; ++i)
      ends.push_back(at += extent / sections + (i < extent % sections));
  }
  ends.push_back(extent);
  if (n.hasFailed() || ends.size() != n.getNumResults())
    return n.fail("expected one part for each of " + Twine(n.getNumResults()) + " results");
  int64_t at = 0;
  for (auto [i, end] : llvm::enumerate(ends)) {
    end = std::clamp<int64_t>(end < 0 ? end + extent : end, 0, extent);
    n.setResult(i, takePart(n, x, dim, n.getConstant(at), n.getConstant(std::max(at, end))));
    at = end;
  }
  return success();
}

static LogicalResult importUnbind(Node &n) {
  Value x = n.tensor("self");
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  SmallVector<AffineExpr> extents = n.getExtents(x);
  n.assume(extents[dim], static_cast<int64_t>(n.getNumResults()));
  if (auto number = dyn_cast<AffineConstantExpr>(extents[dim]);
      number && number.getValue() != int64_t(n.getNumResults()))
    return n.fail("expected " + Twine(number.getValue()) + " results, found " + Twine(n.getNumResults()));
  extents.erase(extents.begin() + dim);
  for (size_t i = 0; i < n.getNumResults(); ++i) {
    Value part = n.b.slice(x, dim, n.getSize(n.getConstant(int64_t(i))), n.getSize(n.getConstant(1)));
    n.setResult(i, n.reshape(part, extents));
  }
  return success();
}

static LogicalResult importDiagonal(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t rank = b.rankOf(x), offset = n.getInt("offset", 0), first = n.getDim("dim1", 0, rank),
          second = n.getDim("dim2", 1, rank);
  if (n.hasFailed() || rank < 2 || first == second)
    return n.fail("expected two dimensions of the tensor that differ");
  int64_t rows = b.shapeOf(x)[first], columns = b.shapeOf(x)[second];
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns))
    return n.fail("expected extents that are known before the program runs");
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != first && dim != second)
      order.push_back(dim);
  order.append({first, second});
  SmallVector<AffineExpr> extents = n.getExtents(x), flat;
  for (int64_t dim : ArrayRef(order).drop_back(2))
    flat.push_back(extents[dim]);
  flat.push_back(n.getConstant(rows * columns));
  int64_t count =
      std::max<int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  if (failed(n.takeListed(count)))
    return failure();
  int64_t start = offset >= 0 ? offset : -offset * columns;
  Value list = n.reshape(b.transpose(x, order), flat);
  if (count == 0)
    return n.setResult(b.slice(list, rank - 2, 0, 0));
  return n.setResult(b.slice(list, rank - 2, start, count, columns + 1));
}

void mlir::fuse::torch::addViewOps(OpTable &table) {
  table.addView("view.default reshape.default _unsafe_view.default view_copy.default _reshape_alias.default", "self",
                [](Node &n) { return reshapeTo(n, n.tensor("self"), n.getExprs(n.has("size") ? "size" : "shape")); });
  table.addView("view_as.default reshape_as.default", "self other",
                [](Node &n) { return reshapeTo(n, n.tensor("self"), n.getExtents(n.tensor("other"))); });
  table.addView("flatten.using_ints", "self", importFlatten);
  table.addView("ravel.default", "self", [](Node &n) { return reshapeTo(n, n.tensor("self"), {n.getConstant(-1)}); });
  table.addView("unflatten.int", "self", importUnflatten);
  table.addView("squeeze.default squeeze.dim squeeze.dims squeeze_copy.default squeeze_copy.dim squeeze_copy.dims",
                "self", importSqueeze);
  table.addView("unsqueeze.default unsqueeze_copy.default", "self", importUnsqueeze);
  table.addView("expand.default expand_copy.default broadcast_to.default", "self",
                [](Node &n) { return expandTo(n, n.tensor("self"), n.getExprs("size")); });
  table.addView("expand_as.default", "self other",
                [](Node &n) { return expandTo(n, n.tensor("self"), n.getExtents(n.tensor("other"))); });
  table.addView("permute.default permute_copy.default", "self", importPermute);
  table.addView("transpose.int transpose_copy.int swapaxes.default swapdims.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    int64_t rank = n.b.rankOf(x);
    bool hasAxes = n.has("axis0");
    return swapDims(n, x, n.getDim(hasAxes ? "axis0" : "dim0", 0, rank), n.getDim(hasAxes ? "axis1" : "dim1", 1, rank));
  });
  table.addView("t.default t_copy.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    return n.b.rankOf(x) > 2 ? n.fail("expected a matrix") : swapDims(n, x, 0, 1);
  });
  table.addView("mT.default adjoint.default matrix_H.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    return n.b.rankOf(x) < 2 ? n.fail("expected matrices") : swapDims(n, x, n.b.rankOf(x) - 2, n.b.rankOf(x) - 1);
  });
  table.addView("numpy_T.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    SmallVector<int64_t> reversed = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, n.b.rankOf(x))));
    return n.setResult(n.b.transpose(x, reversed));
  });
  table.addView("movedim.int movedim.intlist moveaxis.int moveaxis.intlist", "self", importMovedim);
  table.addView("select.int select_copy.int", "self", importSelect);
  table.addView("slice.Tensor slice_copy.Tensor", "self", importSlice);
  table.addView("narrow.default narrow_copy.default", "self", importNarrow);
  table.addView("split_with_sizes.default split_with_sizes_copy.default", "self",
                [](Node &n) { return importSplitWithSizes(n, "split_sizes"); });
  table.addView("split.sizes", "self", [](Node &n) { return importSplitWithSizes(n, "split_size"); });
  table.addView("split.Tensor split_copy.Tensor unsafe_split.Tensor", "self", importSplit);
  table.addView("chunk.default unsafe_chunk.default", "self", importChunk);
  table.addView("tensor_split.sections", "self", [](Node &n) { return importTensorSplit(n, false); });
  table.addView("tensor_split.indices", "self", [](Node &n) { return importTensorSplit(n, true); });
  table.addView("unbind.int unbind_copy.int", "self", importUnbind);
  table.addView("diagonal.default diagonal_copy.default", "self", importDiagonal);
}
