//===- ContractionLowering.cpp - Matrix products -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Lowerings.h"
#include "fuse/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

// Contractions are the only place where a product and a sum of two ops may become one rounding.
Value fuse::buildMultiplyAdd(ImplicitLocOpBuilder &b, Value l, Value r, Value acc) {
  if (!isa<FloatType>(acc.getType()))
    return arith::AddIOp::create(b, acc, arith::MulIOp::create(b, l, r));
  Value product = arith::MulFOp::create(b, l, r, arith::FastMathFlags::contract);
  return arith::AddFOp::create(b, acc, product, arith::FastMathFlags::contract);
}

LazyTensor fuse::lowerMatmul(ImplicitLocOpBuilder &b, MatmulOp op,
                             ArrayRef<LazyTensor> operands) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Domain domain;
  domain.extents = getLoopExtents(b, cast<FusableOpInterface>(*op), operands);
  domain.iterators = op.getIteratorTypesArray();
  Type element = operands[0].element;
  Type accumulator = getAccumulatorType(ReduceKind::Sum, element);
  Output output{accumulator, llvm::to_vector(llvm::seq<unsigned>(0, domain.size() - 1)),
                getReduceNeutral(ReduceKind::Sum, accumulator)};
  Input inputs[] = {{operands[0], maps[0]}, {operands[1], maps[1]}};
  LazyTensor product = buildGeneric(b, domain, inputs, output, [&](BodyContext &context) {
                         Value l = buildCast(context.b, element, accumulator, context.inputs[0]);
                         Value r = buildCast(context.b, element, accumulator, context.inputs[1]);
                         return SmallVector<Value>{
                             buildMultiplyAdd(context.b, l, r, context.accumulators[0])};
                       }).front();
  return castTo(b, product, getElementTypeOrSelf(op.getResult()));
}
