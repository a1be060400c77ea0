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

std::optional<BlockedColumns> fuse::getBlockedColumns(Value weights, int64_t columnDim) {
  int64_t columns = cast<RankedTensorType>(weights.getType()).getDimSize(columnDim);
  // Without what pads the last block.
  if (auto slice = weights.getDefiningOp<SliceOp>()) {
    auto from = cast<RankedTensorType>(slice.getOperand().getType());
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      if (slice.getOffsets()[dim] != 0 || slice.getStrides()[dim] != 1 ||
          (dim != columnDim && slice.getSizes()[dim] != from.getDimSize(dim)))
        return std::nullopt;
    weights = slice.getOperand();
  }
  auto joined = weights.getDefiningOp<ReshapeOp>();
  auto turned = joined ? joined.getOperand().getDefiningOp<TransposeOp>() : TransposeOp();
  if (!turned)
    return std::nullopt;
  ArrayRef<int64_t> split = cast<RankedTensorType>(turned.getType()).getShape();
  ArrayRef<int64_t> whole = cast<RankedTensorType>(joined.getType()).getShape();
  ArrayRef<int64_t> permutation = turned.getPermutation();
  int64_t rank = whole.size();
  if (static_cast<int64_t>(split.size()) != rank + 1 || ShapedType::isDynamicShape(split))
    return std::nullopt;
  // One dimension is two, with all others unchanged, and the two lie apart in memory.
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == columnDim ? split[dim] == 1 || split[dim + 1] == 1 ||
                               split[dim] * split[dim + 1] != whole[dim]
                         : whole[dim] != split[dim + (dim > columnDim)])
      return std::nullopt;
  ArrayRef<int64_t> stored = cast<RankedTensorType>(turned.getOperand().getType()).getShape();
  int64_t outer = permutation[columnDim], inner = permutation[columnDim + 1];
  bool isApart = inner < outer ||
                 llvm::any_of(stored.slice(outer + 1, std::max<int64_t>(0, inner - outer - 1)),
                              [](int64_t extent) { return extent != 1; });
  if (!isApart)
    return std::nullopt;
  BlockedColumns blocked{turned.getResult(), {}, split[columnDim], split[columnDim + 1], columns};
  if (columns <= (blocked.blocks - 1) * blocked.block)
    return std::nullopt;
  return blocked;
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
  if (blocked && !blocked->isFull()) {
    // Of two dimensions: batches share the weights.
    weights = blocked->value;
    AffineExpr n = b.getAffineDimExpr(column), k = b.getAffineDimExpr(column + 1);
    maps[1] = AffineMap::get(domain.size(), 0, {k, n.floorDiv(blocked->block), n % blocked->block},
                             b.getContext());
  } else if (blocked) {
    // The loop over columns is two: [..., m, n, k] is [..., m, block, n, k].
    weights = blocked->value;
    domain.extents[column] = b.getIndexAttr(blocked->blocks);
    domain.extents.insert(domain.extents.begin() + column + 1, b.getIndexAttr(blocked->block));
    domain.iterators.insert(domain.iterators.begin() + column, IteratorType::parallel);
    for (AffineMap &map : maps)
      map = map.shiftDims(1, /*offset=*/column + 1);
    AffineExpr inner = b.getAffineDimExpr(domain.size() - 1);
    AffineExpr columns[] = {b.getAffineDimExpr(column), b.getAffineDimExpr(column + 1)};
    maps[1] = AffineMap::get(domain.size(), 0, {inner, columns[0], columns[1]}, b.getContext());
  }
  Type element = operands[0].element;
  Type accumulator = getAccumulatorType(ReduceKind::Sum, element);
  Output output{accumulator, llvm::to_vector(llvm::seq<unsigned>(0, domain.size() - 1)),
                getReduceNeutral(ReduceKind::Sum, accumulator), factors};
  if (blocked && blocked->isFull())
    splitFactors(output.factors, column, blocked->block);
  Input inputs[] = {{operands[0], maps[0]}, {weights, maps[1]}};
  LazyTensor product = buildGeneric(b, domain, inputs, output, [&](BodyContext &context) {
                         Value l = buildCast(context.b, element, accumulator, context.inputs[0]);
                         Value r = buildCast(context.b, weights.element, accumulator, context.inputs[1]);
                         return SmallVector<Value>{
                             buildMultiplyAdd(context.b, l, r, context.accumulators[0])};
                       }).front();
  if (blocked && blocked->isFull())
    product = joinDims(product, column);
  return castTo(b, product, getElementTypeOrSelf(op.getResult()));
}
