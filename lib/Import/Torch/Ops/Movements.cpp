//===- Movements.cpp - Tensors put together, repeated, padded and cut -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static FailureOr<SmallVector<Value>> getParts(Node &n) {
  SmallVector<Value> parts = n.tensors("tensors");
  if (n.hasFailed())
    return failure();
  if (parts.empty() || llvm::is_contained(parts, Value()))
    return n.fail("expected one tensor or more");
  SmallVector<Promoted> types;
  for (Value part : parts)
    types.push_back(Node::describe(part));
  Type type = n.toType(promote(types));
  for (Value &part : parts)
    part = n.b.cast(part, type);
  return parts;
}

static LogicalResult importCat(Node &n) {
  FailureOr<SmallVector<Value>> parts = getParts(n);
  if (failed(parts))
    return failure();
  // Lists of no elements are let pass among tensors of any rank.
  int64_t rank = 0;
  for (Value part : *parts)
    rank = std::max(rank, n.b.rankOf(part));
  SmallVector<Value> kept;
  int64_t dim = n.getDim("dim", 0, rank);
  if (n.hasFailed())
    return failure();
  for (Value part : *parts) {
    if (n.b.shapeOf(part) == ArrayRef<int64_t>{0} && rank > 1)
      continue;
    if (n.b.rankOf(part) != rank || rank == 0)
      return n.fail("expected tensors of one rank, which is at least 1");
    if (n.b.shapeOf(part)[dim] != 0)
      kept.push_back(part);
  }
  return n.setResult(kept.empty() ? parts->front() : n.concat(kept, dim));
}

static LogicalResult importStack(Node &n) {
  FailureOr<SmallVector<Value>> parts = getParts(n);
  if (failed(parts))
    return failure();
  int64_t dim = n.getDim("dim", 0, n.b.rankOf(parts->front()) + 1);
  if (n.hasFailed())
    return failure();
  for (Value &part : *parts)
    part = n.b.insertUnitDims(part, {dim});
  return n.setResult(n.concat(*parts, dim));
}

static LogicalResult repeat(Node &n, Value x, SmallVector<AffineExpr> counts) {
  SmallVector<AffineExpr> extents = n.getExtents(x), split, wide, result;
  AffineExpr one = n.getConstant(1);
  while (counts.size() < extents.size())
    counts.insert(counts.begin(), one);
  extents.insert(extents.begin(), counts.size() - extents.size(), one);
  for (auto [extent, count] : llvm::zip(extents, counts)) {
    auto number = dyn_cast<AffineConstantExpr>(count);
    if (number && number.getValue() < 0)
      return n.fail("expected counts of at least 0, found " + Twine(number.getValue()));
    result.push_back(simplifyExtent(extent * count));
    if (count != one) {
      split.push_back(one);
      wide.push_back(count);
    }
    split.push_back(extent);
    wide.push_back(extent);
  }
  if (std::optional<std::string> problem = findShapeProblem(*toElementType(n.b.elementOf(x)), getStaticExtents(result)))
    return n.fail(*problem);
  return n.setResult(n.reshape(n.expand(n.reshape(x, split), wide), result));
}

static LogicalResult importRepeatInterleave(Node &n) {
  Value x = n.tensor("self");
  AffineExpr count = n.getExpr("repeats", 1);
  if (!n.has("dim"))
    x = flatten(n, x);
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  if (n.hasFailed() || rank == 0)
    return n.fail("expected a dimension of the tensor");
  SmallVector<AffineExpr> extents = n.getExtents(x), split(extents), wide, result(extents);
  split.insert(split.begin() + dim + 1, n.getConstant(1));
  wide = split;
  wide[dim + 1] = count;
  result[dim] = simplifyExtent(extents[dim] * count);
  return n.setResult(n.reshape(n.expand(n.reshape(x, split), wide), result));
}

/// The elements of an axis of open extent `shift` places further on, those of its end at its start.
static Value rollOpen(Node &n, Value x, int64_t dim, int64_t shift) {
  FuseBuilder &b = n.b;
  AffineExpr extent = n.getExtents(x)[dim], zero = n.getConstant(0);
  if (std::optional<int64_t> least = n.getLeast(extent); least && *least >= std::abs(shift)) {
    AffineExpr first = simplifyExtent(shift > 0 ? extent - shift : n.getConstant(-shift));
    auto take = [&](AffineExpr from, AffineExpr to) {
      return b.slice(x, dim, n.getSize(from), n.getSize(simplifyExtent(to - from)));
    };
    return n.concat({take(first, extent), take(zero, first)}, dim);
  }
  Type index = b.getBuilder().getI64Type();
  Value count = n.getNumber(extent, index), at = b.iota(n.getSizes({extent}), 0, index);
  Value rest = b.binary(BinaryKind::Rem, b.sub(at, double(shift)), count); // of the dividend's sign
  Value isBefore = b.compare(ComparePredicate::Lt, rest, b.scalarLike(0, rest));
  return b.gather(x, b.select(isBefore, b.add(rest, count), rest), dim);
}

static LogicalResult importRoll(Node &n) {
  Value x = n.tensor("self");
  FuseBuilder &b = n.b;
  SmallVector<int64_t> shifts = n.getInts("shifts"), dims = n.getInts("dims");
  SmallVector<AffineExpr> shape = n.getExtents(x);
  bool isFlat = dims.empty();
  if (isFlat) {
    x = flatten(n, x);
    dims = {0};
  }
  if (n.hasFailed() || dims.size() != shifts.size())
    return n.fail("expected one shift for each dimension");
  for (auto [shift, dim] : llvm::zip(shifts, dims)) {
    dim = n.wrapDim(dim, b.rankOf(x));
    if (n.hasFailed() || b.rankOf(x) == 0)
      return failure(n.hasFailed());
    int64_t extent = b.shapeOf(x)[dim];
    if (ShapedType::isDynamic(extent) && shift != 0)
      x = rollOpen(n, x, dim, shift);
    if (ShapedType::isDynamic(extent) || extent == 0)
      continue;
    int64_t by = ((shift % extent) + extent) % extent;
    if (by != 0)
      x = b.concat({b.slice(x, dim, extent - by, by), b.slice(x, dim, 0, extent - by)}, dim);
  }
  return n.setResult(isFlat ? n.reshape(x, shape) : x);
}

static LogicalResult importFlip(Node &n) {
  Value x = n.tensor("self");
  SmallVector<int64_t> dims = n.getDims("dims", n.b.rankOf(x), /*allIfEmpty=*/false);
  if (n.hasFailed())
    return failure();
  for (int64_t dim : dims) {
    AffineExpr extent = n.getExtents(x)[dim];
    if (auto number = dyn_cast<AffineConstantExpr>(extent)) {
      if (failed(n.takeListed(number.getValue())))
        return failure();
      x = n.b.reverse(x, dim);
      continue;
    }
    Type index = n.b.getBuilder().getI64Type();
    Value places = n.b.sub(n.getNumber(extent - 1, index), n.b.iota(n.getSizes({extent}), 0, index));
    x = n.b.gather(x, places, dim);
  }
  return n.setResult(x);
}

static LogicalResult importTriangle(Node &n, bool isUpper) {
  Value x = n.tensor("self");
  FuseBuilder &b = n.b;
  AffineExpr diagonal = n.getExpr("diagonal", 0);
  if (n.hasFailed() || b.rankOf(x) < 2)
    return n.fail("expected matrices");
  SmallVector<OpFoldResult> matrix = n.getSizes(ArrayRef(n.getExtents(x)).take_back(2));
  Type index = b.getBuilder().getI64Type();
  Value difference = b.sub(b.iota(matrix, 1, index), b.iota(matrix, 0, index));
  Value isKept =
      b.compare(isUpper ? ComparePredicate::Ge : ComparePredicate::Le, difference, n.getNumber(diagonal, index));
  return n.setResult(b.select(isKept, x, b.scalarLike(0, x)));
}

/// Channels to space and back: [C · r², H, W] and [C, H · r, W · r].
static LogicalResult importPixelShuffle(Node &n, bool isBack) {
  Value x = n.tensor("self");
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(x), factor = n.getInt(isBack ? "downscale_factor" : "upscale_factor", 1);
  if (n.hasFailed() || rank < 3 || factor < 1 || factor > kMostSpread)
    return n.fail("expected rank 3 or more, and a factor of at least 1");
  SmallVector<AffineExpr> extents = n.getExtents(x), outer(ArrayRef(extents).drop_back(3));
  AffineExpr channels = extents[rank - 3], height = extents[rank - 2], width = extents[rank - 1],
             r = n.getConstant(factor);
  SmallVector<AffineExpr> split(outer), result(outer);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank - 3));
  int64_t at = rank - 3;
  if (isBack) {
    split.append({channels, simplifyExtent(height.floorDiv(factor)), r, simplifyExtent(width.floorDiv(factor)), r});
    order.append({at, at + 2, at + 4, at + 1, at + 3});
    result.append({simplifyExtent(channels * (factor * factor)), split[at + 1], split[at + 3]});
  } else {
    split.append({simplifyExtent(channels.floorDiv(factor * factor)), r, r, height, width});
    order.append({at, at + 3, at + 1, at + 4, at + 2});
    result.append({split[at], simplifyExtent(height * factor), simplifyExtent(width * factor)});
  }
  return n.setResult(n.reshape(b.transpose(n.reshape(x, split), order), result));
}

/// Windows of `size` elements, `step` apart, as a last dimension.
static LogicalResult importUnfold(Node &n) {
  Value x = n.tensor("self");
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(x), dim = n.getDim("dimension", 0, rank), size = n.getInt("size", 1),
          step = n.getInt("step", 1);
  bool isOpen = rank != 0 && ShapedType::isDynamic(b.shapeOf(x)[dim]);
  if (n.hasFailed() || rank == 0 || size < 0 || step < 1 || (!isOpen && size > b.shapeOf(x)[dim]))
    return n.fail("expected windows within the extent");
  Type index = b.getBuilder().getI64Type();
  Value at;
  if (isOpen) {
    AffineExpr extent = n.getExtents(x)[dim], all = n.getConstant(size);
    n.assumeAtLeast(extent, all);
    SmallVector<AffineExpr> shape = {simplifyExtent((extent - size).floorDiv(step) + 1), all};
    Value window = b.iota(n.getSizes(shape), 0, index), place = b.iota(n.getSizes(shape), 1, index);
    at = b.add(b.mul(window, double(step)), place);
  } else {
    int64_t count = (b.shapeOf(x)[dim] - size) / step + 1;
    if (failed(n.takeListed(count * size)))
      return failure();
    SmallVector<int64_t> places;
    for (int64_t window = 0; window < count; ++window)
      for (int64_t i = 0; i < size; ++i)
        places.push_back(window * step + i);
    at = b.constant(places, index, {count, size});
  }
  Value windows = b.gather(x, at, dim);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
  order.erase(order.begin() + dim + 1);
  order.push_back(dim + 1);
  return n.setResult(b.transpose(windows, order));
}

/// The windows of images as columns: [N, C · taps, windows].
static LogicalResult importIm2col(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  bool isSingle = b.rankOf(x) == 3;
  if (isSingle)
    x = b.insertUnitDims(x, {0});
  SmallVector<int64_t> kernel = n.getSpread("kernel_size", 2, 1), dilation = n.getSpread("dilation", 2, 1),
                       padding = n.getSpread("padding", 2, 0), stride = n.getSpread("stride", 2, 1);
  if (n.hasFailed() || b.rankOf(x) != 4)
    return n.fail("expected images");
  for (size_t i = 0; i < 2; ++i)
    if (kernel[i] < 1 || dilation[i] < 1 || stride[i] < 1 || padding[i] < 0 || kernel[i] > kMostWindow ||
        padding[i] > kMostWindow)
      return n.fail("expected kernels, dilations and strides of at least 1");
  if (failed(n.takeUnrolled(kernel[0] * kernel[1])))
    return failure();
  x = b.pad(x, {0, 0, padding[0], padding[1]}, {0, 0, padding[0], padding[1]}, 0.0);
  SmallVector<AffineExpr> extents = n.getExtents(x), counts;
  for (size_t i = 0; i < 2; ++i) {
    AffineExpr left = simplifyExtent(extents[2 + i] - (dilation[i] * (kernel[i] - 1) + 1));
    if (auto number = dyn_cast<AffineConstantExpr>(left); number && number.getValue() < 0)
      return n.fail("a window does not fit into the image");
    n.assumeAtLeast(left, n.getConstant(0));
    counts.push_back(simplifyExtent(left.floorDiv(stride[i]) + 1));
  }
  auto takeEvery = [&](Value image, size_t i, int64_t offset) {
    return b.slice(image, 2 + i, n.getSize(n.getConstant(offset * dilation[i])), n.getSize(counts[i]), stride[i]);
  };
  SmallVector<Value> taps;
  for (int64_t i = 0; i < kernel[0]; ++i)
    for (int64_t k = 0; k < kernel[1]; ++k)
      taps.push_back(b.insertUnitDims(takeEvery(takeEvery(x, 0, i), 1, k), {2}));
  SmallVector<AffineExpr> to = {extents[0], simplifyExtent(extents[1] * (kernel[0] * kernel[1])),
                                simplifyExtent(counts[0] * counts[1])};
  Value all = n.reshape(b.concat(taps, 2), to);
  return n.setResult(isSingle ? n.reshape(all, ArrayRef(to).drop_front()) : all);
}

/// The other way around: what the windows have is added up in the image.
static LogicalResult importCol2im(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  bool isSingle = b.rankOf(x) == 2;
  if (isSingle)
    x = b.insertUnitDims(x, {0});
  SmallVector<AffineExpr> size = n.getExprs("output_size");
  SmallVector<int64_t> kernel = n.getSpread("kernel_size", 2, 1), dilation = n.getSpread("dilation", 2, 1),
                       padding = n.getSpread("padding", 2, 0), stride = n.getSpread("stride", 2, 1);
  if (n.hasFailed() || b.rankOf(x) != 3 || size.size() != 2)
    return n.fail("expected columns");
  SmallVector<AffineExpr> counts; // of windows
  for (size_t i = 0; i < 2; ++i) {
    auto known = dyn_cast<AffineConstantExpr>(size[i]);
    if (kernel[i] < 1 || dilation[i] < 1 || stride[i] < 1 || padding[i] < 0 || (known && known.getValue() < 1) ||
        std::max({kernel[i], padding[i], stride[i], dilation[i]}) > kMostSpread)
      return n.fail("expected kernels, dilations and strides of at least 1");
    AffineExpr left = simplifyExtent(size[i] + (2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1));
    if (auto number = dyn_cast<AffineConstantExpr>(left); number && number.getValue() < 0)
      return n.fail("a window does not fit into the image");
    n.assumeAtLeast(left, n.getConstant(0));
    counts.push_back(simplifyExtent(left.floorDiv(stride[i]) + 1));
  }
  int64_t taps = kernel[0] * kernel[1];
  if (failed(n.takeUnrolled(taps)))
    return failure();
  SmallVector<AffineExpr> extents = n.getExtents(x);
  AffineExpr all = simplifyExtent(counts[0] * counts[1]);
  if (ShapedType::isDynamic(b.shapeOf(x)[1]) || b.shapeOf(x)[1] % taps != 0)
    return n.fail("expected channels whose number is known before the program runs, for each of the window's elements");
  if (isa<AffineConstantExpr>(all) && isa<AffineConstantExpr>(extents[2]) && all != extents[2])
    return n.fail("expected one column for each of " + Twine(cast<AffineConstantExpr>(all).getValue()) + " windows");
  n.assumeEqual(extents[2], all);
  AffineExpr channels = n.getConstant(b.shapeOf(x)[1] / taps), one = n.getConstant(1);
  Value windows = n.reshape(x, {extents[0], channels, n.getConstant(taps), counts[0], counts[1]});
  // Each window's element with the zeros up to the next window's: so all are as many, and ends of the sum are cut off.
  SmallVector<AffineExpr> split = {extents[0], channels, counts[0], one, counts[1], one};
  SmallVector<AffineExpr> wide = {extents[0], channels, simplifyExtent(counts[0] * stride[0]),
                                  simplifyExtent(counts[1] * stride[1])};
  Value sum;
  for (int64_t i = 0; i < kernel[0]; ++i)
    for (int64_t k = 0; k < kernel[1]; ++k) {
      Value part = n.reshape(b.slice(windows, 2, i * kernel[1] + k, 1), split);
      part = n.reshape(b.pad(part, {0, 0, 0, 0, 0, 0}, {0, 0, 0, stride[0] - 1, 0, stride[1] - 1}, 0.0), wide);
      int64_t top = i * dilation[0], left = k * dilation[1];
      int64_t bottom = (kernel[0] - 1) * dilation[0] - top, right = (kernel[1] - 1) * dilation[1] - left;
      part = b.pad(part, {0, 0, top, left}, {0, 0, bottom, right}, 0.0);
      sum = sum ? b.add(sum, part) : part;
    }
  for (size_t i = 0; i < 2; ++i)
    sum = b.slice(sum, 2 + i, n.getSize(n.getConstant(padding[i])), n.getSize(size[i]));
  return n.setResult(isSingle ? n.reshape(sum, {channels, size[0], size[1]}) : sum);
}

/// Lists as all dimensions of a grid.
static LogicalResult importMeshgrid(Node &n) {
  FuseBuilder &b = n.b;
  SmallVector<Value> lists = n.tensors("tensors");
  std::string indexing = n.getString("indexing", "ij");
  if (n.hasFailed() || lists.empty() || lists.size() != n.getNumResults() || llvm::is_contained(lists, Value()))
    return n.fail("expected one list for each result");
  auto rank = static_cast<int64_t>(lists.size());
  bool swaps = indexing == "xy" && rank > 1;
  auto getDim = [&](int64_t i) { return swaps && i < 2 ? 1 - i : i; };
  SmallVector<AffineExpr> shape(rank, n.getConstant(1));
  for (auto [i, list] : llvm::enumerate(lists)) {
    if (b.rankOf(list) > 1)
      return n.fail("expected lists, found a tensor of rank " + Twine(b.rankOf(list)));
    if (b.rankOf(list) == 1)
      shape[getDim(i)] = n.getExtents(list)[0];
  }
  for (auto [i, list] : llvm::enumerate(lists)) {
    SmallVector<AffineExpr> own(rank, n.getConstant(1));
    own[getDim(i)] = shape[getDim(i)];
    n.setResult(i, n.expand(n.reshape(list, own), shape));
  }
  return success();
}

static LogicalResult importDiff(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", -1, rank), times = n.getInt("n", 1);
  if (n.hasFailed() || rank == 0 || times < 0 || failed(n.takeUnrolled(times)))
    return n.fail("expected a dimension of the tensor");
  SmallVector<Value> parts = {x};
  if (n.has("prepend"))
    parts.insert(parts.begin(), b.cast(n.tensor("prepend"), b.elementOf(x)));
  if (n.has("append"))
    parts.push_back(b.cast(n.tensor("append"), b.elementOf(x)));
  x = n.concat(parts, dim);
  bool isBool = b.elementOf(x).isInteger(1);
  for (int64_t i = 0; i < times; ++i) {
    AffineExpr one = n.getConstant(1), count = simplifyExtent(n.getExtents(x)[dim] - 1);
    if (auto number = dyn_cast<AffineConstantExpr>(count); number && number.getValue() <= 0)
      return n.setResult(b.slice(x, dim, 0, 0));
    n.assumeAtLeast(n.getExtents(x)[dim], one);
    Value left = b.slice(x, dim, n.getSize(n.getConstant(0)), n.getSize(count));
    Value right = b.slice(x, dim, n.getSize(one), n.getSize(count));
    x = isBool ? b.binary(BinaryKind::Xor, right, left) : b.sub(right, left);
  }
  return n.setResult(x);
}

/// Tensors side by side along a dimension, after each has so many.
static LogicalResult importPile(Node &n, int64_t dim, int64_t least) {
  FailureOr<SmallVector<Value>> parts = getParts(n);
  if (failed(parts))
    return failure();
  FuseBuilder &b = n.b;
  for (Value &part : *parts) {
    if (least == 3 && b.rankOf(part) < 3) { // behind the others
      SmallVector<int64_t> at;
      if (b.rankOf(part) < 2)
        at.push_back(0);
      part = b.insertUnitDims(part, at);
      if (b.rankOf(part) < 2)
        part = b.insertUnitDims(part, {1});
      part = b.insertUnitDims(part, {2});
    }
    while (b.rankOf(part) < least)
      part = b.insertUnitDims(part, {0});
  }
  int64_t along = dim == 1 && b.rankOf(parts->front()) == 1 ? 0 : dim;
  for (Value part : *parts)
    if (b.rankOf(part) != b.rankOf(parts->front()))
      return n.fail("expected tensors of one rank");
  return n.setResult(n.concat(*parts, along));
}

void mlir::fuse::torch::addMovementOps(OpTable &table) {
  table.add("cat.default concat.default concatenate.default", "", importCat);
  table.add("stack.default", "", importStack);
  table.add("meshgrid.default meshgrid.indexing", "", importMeshgrid);
  table.add("diff.default", "self", importDiff);
  table.add("hstack.default", "", [](Node &n) { return importPile(n, 1, 1); });
  table.add("vstack.default", "", [](Node &n) { return importPile(n, 0, 2); });
  table.add("dstack.default", "", [](Node &n) { return importPile(n, 2, 3); });
  table.add("repeat.default", "self", [](Node &n) { return repeat(n, n.tensor("self"), n.getExprs("repeats")); });
  table.add("tile.default", "self", [](Node &n) { return repeat(n, n.tensor("self"), n.getExprs("dims")); });
  table.add("repeat_interleave.self_int", "self", importRepeatInterleave);
  table.add("roll.default", "self", importRoll);
  table.add("flip.default", "self", importFlip);
  table.add("tril.default", "self", [](Node &n) { return importTriangle(n, false); });
  table.add("triu.default", "self", [](Node &n) { return importTriangle(n, true); });
  table.add("pixel_shuffle.default", "self", [](Node &n) { return importPixelShuffle(n, false); });
  table.add("pixel_unshuffle.default", "self", [](Node &n) { return importPixelShuffle(n, true); });
  table.addView("unfold.default unfold_copy.default", "self", importUnfold);
  table.add("im2col.default", "self", importIm2col);
  table.add("col2im.default", "self", importCol2im);
}
