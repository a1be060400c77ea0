//===- Contractions.cpp - Sums of products ----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// What was widened only to be summed in the accumulator, before it was.
static Value skipWidening(Value x) {
  auto cast = x.getDefiningOp<CastOp>();
  if (!cast)
    return x;
  Type from = getElementTypeOrSelf(cast.getOperand()), to = getElementTypeOrSelf(cast.getResult());
  bool isAccumulator = ((from.isF16() || from.isBF16()) && to.isF32()) ||
                       (from.isSignlessInteger(8) && to.isSignlessInteger(32));
  return isAccumulator ? cast.getOperand() : x;
}

static int64_t countElements(BodyBuilder &body, ArrayRef<int64_t> loops) {
  return std::accumulate(loops.begin(), loops.end(), int64_t(1),
                         [&](int64_t n, int64_t loop) { return n * body.getExtent(loop); });
}

/// Whether a tensor over `loops`, and so each joined part of it, has a number of elements.
static bool isCountable(BodyBuilder &body, ArrayRef<int64_t> loops) {
  int64_t count = 1; // as if no extent were 0
  return llvm::none_of(loops, [&](int64_t loop) {
    return llvm::MulOverflow(count, std::max<int64_t>(body.getExtent(loop), 1), count);
  });
}

/// `x` with its loops in groups, those of the second and the third joined each.
static Value group(BodyBuilder &body, Value x, ArrayRef<int64_t> loops, ArrayRef<int64_t> batch,
                   ArrayRef<int64_t> rows, ArrayRef<int64_t> columns) {
  SmallVector<int64_t> permutation, shape;
  auto position = [&](int64_t loop) { return llvm::find(loops, loop) - loops.begin(); };
  for (ArrayRef<int64_t> part : {batch, rows, columns})
    for (int64_t loop : part)
      permutation.push_back(position(loop));
  x = body.getGraph().transpose(x, permutation);
  if (rows.size() == 1 && columns.size() == 1)
    return x;
  for (int64_t loop : batch)
    shape.push_back(body.getExtent(loop));
  shape.push_back(countElements(body, rows));
  shape.push_back(countElements(body, columns));
  return body.getGraph().reshape(x, shape);
}

/// Whether the last loops of a tensor are `last`, behind the batch's.
static bool endsWith(ArrayRef<int64_t> loops, ArrayRef<int64_t> batch, ArrayRef<int64_t> last) {
  return last.size() == 1 && loops.back() == last.front() &&
         loops.take_front(batch.size()) == batch && loops.size() == batch.size() + 2;
}

FailureOr<Value> fuse::buildContraction(BodyBuilder &body, const LoopTensor &lhs,
                                        const LoopTensor &rhs, ArrayRef<int64_t> order,
                                        Type element) {
  SmallVector<int64_t> batch, m, n, k;
  for (int64_t loop = 0; loop < body.getNumLoops(); ++loop) {
    bool isLeft = llvm::is_contained(lhs.loops, loop);
    bool isRight = llvm::is_contained(rhs.loops, loop);
    bool isKept = llvm::is_contained(order, loop);
    if (!isLeft && !isRight)
      return failure();
    if (isLeft && isRight)
      (isKept ? batch : k).push_back(loop);
    else if (!isKept)
      return failure();
    else
      (isLeft ? m : n).push_back(loop);
  }
  // A product of vectors or of a matrix and a vector is a reduction.
  if (m.empty() || n.empty() || k.empty())
    return failure();
  Value l = skipWidening(lhs.tensor), r = skipWidening(rhs.tensor);
  Type from = getElementTypeOrSelf(l);
  if (from != getElementTypeOrSelf(r)) {
    l = lhs.tensor;
    r = rhs.tensor;
    from = getElementTypeOrSelf(l);
  }
  if (from != getElementTypeOrSelf(r) || !(getTypeClass(from) & NumericTypes))
    return failure();
  bool isJoined = m.size() > 1 || n.size() > 1 || k.size() > 1;
  auto isDynamic = [&](int64_t loop) { return ShapedType::isDynamic(body.getExtent(loop)); };
  if (isJoined && llvm::any_of(llvm::seq<int64_t>(0, body.getNumLoops()), isDynamic))
    return failure();
  if (isJoined &&
      !(isCountable(body, lhs.loops) && isCountable(body, rhs.loops) && isCountable(body, order)))
    return failure();

  // Operands as they lie, where one flag says it: [batch, m, k] or [batch, k, m].
  bool transposeLhs = endsWith(lhs.loops, batch, m) && k.size() == 1;
  bool transposeRhs = endsWith(rhs.loops, batch, k) && n.size() == 1;
  if (transposeLhs)
    l = group(body, l, lhs.loops, batch, k, m);
  else
    l = group(body, l, lhs.loops, batch, m, k);
  if (transposeRhs)
    r = group(body, r, rhs.loops, batch, n, k);
  else
    r = group(body, r, rhs.loops, batch, k, n);

  SmallVector<int64_t> shape, loops, whole;
  for (ArrayRef<int64_t> part : {ArrayRef(batch), ArrayRef(m), ArrayRef(n)})
    loops.append(part.begin(), part.end());
  for (int64_t loop : batch)
    shape.push_back(body.getExtent(loop));
  shape.push_back(m.size() == 1 ? body.getExtent(m[0]) : countElements(body, m));
  shape.push_back(n.size() == 1 ? body.getExtent(n[0]) : countElements(body, n));
  for (int64_t loop : loops)
    whole.push_back(body.getExtent(loop));
  FuseBuilder &g = body.getGraph();
  Value product = MatmulOp::create(g.getBuilder(), RankedTensorType::get(shape, element), l, r,
                                   transposeLhs, transposeRhs);
  SmallVector<int64_t> permutation;
  for (int64_t loop : order)
    permutation.push_back(llvm::find(loops, loop) - loops.begin());
  return g.transpose(g.reshape(product, whole), permutation);
}
