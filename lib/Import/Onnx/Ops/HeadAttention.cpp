//===- HeadAttention.cpp - What ONNX Runtime's attention operators share -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "HeadAttention.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

FailureOr<Value> mlir::fuse::onnx::splitHeads(Node &n, Value x, int64_t heads) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> shape(b.shapeOf(x));
  if (shape.size() == 3) {
    if (ShapedType::isDynamic(shape[2]) || heads < 1 || shape[2] % heads != 0)
      return n.fail("expected a width that " + Twine(heads) + " heads divide, found " + describeExtent(shape[2]));
    x = b.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  }
  return b.transpose(x, {0, 2, 1, 3});
}

Value mlir::fuse::onnx::joinHeads(FuseBuilder &b, Value x) {
  Value turned = b.transpose(x, {0, 2, 1, 3});
  ArrayRef<int64_t> shape = b.shapeOf(turned);
  return b.reshape(turned, {shape[0], shape[1], shape[2] * shape[3]});
}

Value HeadAttention::build(Node &n) {
  FuseBuilder &b = n.b;
  Type element = b.elementOf(query);
  int64_t heads = b.shapeOf(query)[1], groups = b.shapeOf(key)[1];
  bool isGrouped = heads != groups;
  /// [B, N, ...] as [B, G, N / G, ...].
  auto split = [&](Value x) {
    SmallVector<int64_t> shape(b.shapeOf(x));
    if (shape[1] == 1)
      return b.insertUnitDims(x, {1});
    shape[1] = groups;
    shape.insert(shape.begin() + 2, heads / groups);
    return b.reshape(x, shape);
  };
  auto merge = [&](Value x) {
    SmallVector<int64_t> shape(b.shapeOf(x));
    shape[1] *= shape[2];
    shape.erase(shape.begin() + 2);
    return b.reshape(x, shape);
  };
  double factor = scale != 0 ? scale : 1 / std::sqrt(double(b.shapeOf(query).back()));
  Value q = isGrouped ? split(query) : query;
  Value k = isGrouped ? b.insertUnitDims(key, {2}) : key, v = isGrouped ? b.insertUnitDims(value, {2}) : value;
  scores = b.mul(b.widen(b.matmul(q, k, false, /*transposeRhs=*/true)), factor);
  if (softcap > 0)
    scores = b.mul(b.unary(UnaryKind::Tanh, b.div(scores, softcap)), softcap);
  if (bias) {
    Value wide = b.widen(bias);
    scores = b.add(scores, isGrouped ? split(wide) : wide);
  }
  Value wide = scores;
  int64_t last = b.rankOf(wide) - 1;
  AffineExpr keys = n.getExtents(wide)[last];
  if (sink) {
    SmallVector<AffineExpr> extents = n.getExtents(wide);
    extents[last] = n.getConstant(1);
    Value logit = b.widen(isGrouped ? split(sink) : sink);
    wide = b.concat({wide, b.broadcastTo(logit, ArrayRef<OpFoldResult>(n.getSizes(extents)))}, last);
  }
  Value weights = SoftmaxOp::create(b.getBuilder(), wide.getType(), wide, last);
  if (sink)
    weights = b.slice(weights, last, n.getSize(n.getConstant(0)), n.getSize(keys));
  Value result = b.matmul(b.cast(weights, element), v);
  if (!isGrouped)
    return result;
  scores = merge(scores);
  return merge(result);
}

FailureOr<Value> mlir::fuse::onnx::buildMask(Node &n, size_t mask, const MaskExtents &at, bool isCausal, double filter,
                                             Type element) {
  FuseBuilder &b = n.b;
  Type index = b.getBuilder().getI64Type();
  AffineExpr one = n.getConstant(1);
  Value key = b.iota(n.getSizes({one, one, one, at.keys}), 3, index), isMasked;
  auto isEqual = [&](AffineExpr x, AffineExpr y) { return simplifyExtent(x - y) == n.getConstant(0); };
  if (n.hasInput(mask)) {
    Value given = n.getInput(mask);
    SmallVector<AffineExpr> extents = n.getExtents(mask);
    SmallVector<int64_t> shape(b.shapeOf(given));
    if (extents.size() == 1) {
      auto limit = [&](AffineExpr offset) {
        Value part = b.slice(b.cast(given, index), 0, n.getSize(offset), n.getSize(at.batch));
        return b.reshape(part, n.getSizes({at.batch, one, one, one}));
      };
      bool hasStarts = isEqual(extents[0], at.batch * 2) && !isEqual(extents[0], at.batch);
      if (!hasStarts && !isEqual(extents[0], at.batch))
        return n.fail("expected a list of one or two numbers for each line of the batch as a mask");
      isMasked = b.compare(ComparePredicate::Ge, key, limit(n.getConstant(0)));
      if (hasStarts)
        isMasked = b.binary(BinaryKind::Or, isMasked, b.compare(ComparePredicate::Lt, key, limit(at.batch)));
    } else if (extents.size() == 2 || extents.size() == 3) {
      // One of a single key says nothing.
      if (shape.back() == 1 && at.keys != one)
        given = Value();
      if (given) {
        n.assumeEqual(extents.back(), at.keys);
        SmallVector<int64_t> axes{1};
        if (extents.size() == 2)
          axes.push_back(2);
        isMasked = b.compare(ComparePredicate::Le, b.insertUnitDims(given, axes), 0.0);
      }
    } else {
      return n.fail("expected a mask of rank 1 to 3, found " + Twine(extents.size()));
    }
  }
  Value bias;
  if (isMasked)
    bias = b.select(isMasked, b.scalar(filter, element), b.scalar(0, element));
  if (isCausal) {
    Value query = b.iota(n.getSizes({one, one, at.queries, one}), 2, index);
    if (at.past != n.getConstant(0))
      query = b.add(query, n.getNumber(at.past, index));
    Value isBehind = b.compare(ComparePredicate::Gt, key, query);
    double lowest = -std::numeric_limits<double>::infinity();
    bias = b.select(isBehind, b.scalar(lowest, element), bias ? bias : b.scalar(0, element));
  }
  return bias;
}

FailureOr<Value> mlir::fuse::onnx::rotate(Node &n, Value x, Value cosines, Value sines, Value positions,
                                          bool isInterleaved) {
  FuseBuilder &b = n.b;
  ArrayRef<int64_t> shape = b.shapeOf(x);
  int64_t size = shape[3];
  if (b.rankOf(cosines) != 2 || b.rankOf(sines) != 2 || b.shapeOf(cosines)[1] != b.shapeOf(sines)[1] ||
      ShapedType::isDynamic(b.shapeOf(cosines)[1]) || ShapedType::isDynamic(size))
    return n.fail("expected tables [positions, pairs] of cosines and sines, and a static head size");
  int64_t half = b.shapeOf(cosines)[1], turned = 2 * half;
  if (turned > size || half < 1)
    return n.fail("expected at most " + Twine(size / 2) + " pairs in the tables of cosines and sines, found " +
                  Twine(half));
  Type index = b.getBuilder().getI64Type();
  Value place = b.cast(positions, index);
  if (b.rankOf(place) == 0)
    place = b.insertUnitDims(b.add(b.iota(n.getSizes({n.getExtents(x)[2]}), 0, index), place), {0});
  auto look = [&](Value table) { return b.insertUnitDims(b.gather(table, place, 0), {1}); };
  Value cosine = look(cosines), sine = look(sines);
  Value first = b.slice(x, 3, 0, half, isInterleaved ? 2 : 1);
  Value second = b.slice(x, 3, isInterleaved ? 1 : half, half, isInterleaved ? 2 : 1);
  Value real = b.sub(b.mul(cosine, first), b.mul(sine, second));
  Value imaginary = b.add(b.mul(sine, first), b.mul(cosine, second));
  SmallVector<Value> parts{real, imaginary};
  if (isInterleaved) {
    SmallVector<AffineExpr> extents = n.getExtents(x);
    extents[3] = n.getConstant(turned);
    Value pairs = b.concat({b.insertUnitDims(real, {4}), b.insertUnitDims(imaginary, {4})}, 4);
    parts = {n.reshape(pairs, extents)};
  }
  if (turned < size)
    parts.push_back(b.slice(x, 3, turned, size - turned));
  return b.concat(parts, 3);
}
