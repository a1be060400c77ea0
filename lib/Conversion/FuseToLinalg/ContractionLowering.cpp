//===- ContractionLowering.cpp - Matrix products -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Lowerings.h"
#include "fuse/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

// Contractions are the only place where a product and a sum of two ops may become one rounding.
Value fuse::buildMultiplyAdd(ImplicitLocOpBuilder &b, Value l, Value r, Value acc) {
  if (!isa<FloatType>(acc.getType()))
    return arith::AddIOp::create(b, acc, arith::MulIOp::create(b, l, r));
  Value product = arith::MulFOp::create(b, l, r, arith::FastMathFlags::contract);
  return arith::AddFOp::create(b, acc, product, arith::FastMathFlags::contract);
}

/// Whether dimension `inner` of a tensor does not lie right within dimension `outer`.
static bool areApart(ArrayRef<int64_t> stored, int64_t outer, int64_t inner) {
  return inner < outer || llvm::any_of(stored.slice(outer + 1, std::max<int64_t>(0, inner - outer - 1)),
                                       [](int64_t extent) { return extent != 1; });
}

std::optional<BlockedColumns> fuse::getBlockedColumns(Value weights, int64_t columnDim) {
  ArrayRef<int64_t> seen = cast<RankedTensorType>(weights.getType()).getShape();
  // Without what pads the last block and the last group.
  if (auto slice = weights.getDefiningOp<SliceOp>()) {
    if (llvm::any_of(slice.getOffsets(), [](int64_t offset) { return offset != 0; }) ||
        llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; }))
      return std::nullopt;
    weights = slice.getOperand();
  }
  auto joined = weights.getDefiningOp<ReshapeOp>();
  auto turned = joined ? joined.getOperand().getDefiningOp<TransposeOp>() : TransposeOp();
  if (!turned)
    return std::nullopt;
  ArrayRef<int64_t> split = cast<RankedTensorType>(turned.getType()).getShape();
  ArrayRef<int64_t> whole = cast<RankedTensorType>(joined.getType()).getShape();
  ArrayRef<int64_t> stored = cast<RankedTensorType>(turned.getOperand().getType()).getShape();
  ArrayRef<int64_t> permutation = turned.getPermutation();
  if (ShapedType::isDynamicShape(split) || ShapedType::isDynamicShape(seen))
    return std::nullopt;
  BlockedColumns blocked;
  blocked.source = turned.getResult();
  blocked.columns = seen[columnDim];
  blocked.block = whole[columnDim];
  // The columns are two dimensions, or the steps, whose inner one is the innermost of all; all others are
  // unchanged.
  size_t at = 0;
  for (auto [dim, extent] : llvm::enumerate(whole)) {
    bool isColumns = static_cast<int64_t>(dim) == columnDim;
    if (at < split.size() && split[at] == extent) {
      if (seen[dim] != extent && !isColumns)
        return std::nullopt;
      ++at;
      continue;
    }
    if (at + 1 >= split.size() || split[at] * split[at + 1] != extent || (split[at] == 1 && isColumns) ||
        split[at + 1] == 1 || seen[dim] <= extent - split[at + 1])
      return std::nullopt;
    int64_t outer = permutation[at], inner = permutation[at + 1];
    if (isColumns) {
      if (!areApart(stored, outer, inner))
        return std::nullopt;
      blocked.blocks = split[at];
      blocked.block = split[at + 1];
    } else {
      if (blocked.group > 1 || inner + 1 != static_cast<int64_t>(stored.size()))
        return std::nullopt;
      blocked.stepDim = dim;
      blocked.group = split[at + 1];
    }
    at += 2;
  }
  if (at != split.size() || (blocked.blocks == 1 && blocked.group == 1))
    return std::nullopt;
  return blocked;
}

SmallVector<AffineExpr> BlockedColumns::getPositions(ArrayRef<AffineExpr> positions, int64_t columnDim,
                                                     AffineExpr inner) const {
  SmallVector<AffineExpr> parts;
  for (auto [dim, position] : llvm::enumerate(positions)) {
    if (static_cast<int64_t>(dim) == stepDim)
      parts.append({position.floorDiv(group), position % group});
    else if (static_cast<int64_t>(dim) != columnDim || block == columns)
      parts.push_back(position);
    else if (isSplit())
      parts.append({position, inner});
    else if (blocks == 1)
      parts.push_back(position % block);
    else
      parts.append({position.floorDiv(block), position % block});
  }
  return parts;
}

void fuse::splitFactors(DimFactors &factors, unsigned dim, int64_t inner) {
  if (factors.empty())
    return;
  SmallVector<int64_t> outside, inside;
  int64_t rest = inner;
  for (int64_t factor : llvm::reverse(factors[dim])) {
    if (rest != 1 && rest % factor != 0) { // one that belongs to both: neither is split
      outside.clear();
      inside.clear();
      break;
    }
    (rest == 1 ? outside : inside).insert((rest == 1 ? outside : inside).begin(), factor);
    rest /= rest == 1 ? 1 : factor;
  }
  factors[dim] = outside;
  factors.insert(factors.begin() + dim + 1, inside);
}

LazyTensor fuse::lowerMatmul(ImplicitLocOpBuilder &b, MatmulOp op, ArrayRef<LazyTensor> operands,
                             const std::optional<BlockedColumns> &blocked,
                             const DimFactors &factors) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Domain domain;
  domain.extents = getLoopExtents(b, cast<FusableOpInterface>(*op), operands);
  domain.iterators = op.getIteratorTypesArray();
  LazyTensor weights = operands[1];
  unsigned column = domain.size() - 2;
  if (blocked) { // of two dimensions: batches share the weights
    weights = blocked->value;
    if (blocked->isSplit()) {
      // The loop over columns is two: [..., m, n, k] is [..., m, block, n, k].
      domain.extents[column] = b.getIndexAttr(blocked->blocks);
      domain.extents.insert(domain.extents.begin() + column + 1, b.getIndexAttr(blocked->block));
      domain.iterators.insert(domain.iterators.begin() + column, IteratorType::parallel);
      for (AffineMap &map : maps)
        map = map.shiftDims(1, /*offset=*/column + 1);
    }
    AffineExpr positions[] = {b.getAffineDimExpr(domain.size() - 1), b.getAffineDimExpr(column)};
    maps[1] = AffineMap::get(domain.size(), 0,
                             blocked->getPositions(positions, /*columnDim=*/1, b.getAffineDimExpr(column + 1)),
                             b.getContext());
  }
  Type element = operands[0].element;
  Type accumulator = getAccumulatorType(ReduceKind::Sum, element);
  Output output{accumulator, llvm::to_vector(llvm::seq<unsigned>(0, domain.size() - 1)),
                getReduceNeutral(ReduceKind::Sum, accumulator), factors};
  if (blocked && blocked->isSplit())
    splitFactors(output.factors, column, blocked->block);
  Input inputs[] = {{operands[0], maps[0]}, {weights, maps[1]}};
  LazyTensor product = buildGeneric(b, domain, inputs, output, [&](BodyContext &context) {
                         Value l = buildCast(context.b, element, accumulator, context.inputs[0]);
                         Value r = buildCast(context.b, weights.element, accumulator, context.inputs[1]);
                         return SmallVector<Value>{
                             buildMultiplyAdd(context.b, l, r, context.accumulators[0])};
                       }).front();
  if (blocked && blocked->isSplit())
    product = joinDims(product, column);
  return castTo(b, product, getElementTypeOrSelf(op.getResult()));
}
