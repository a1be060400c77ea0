//===- ReductionLowering.cpp - Element-wise ops and reductions -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Lowerings.h"
#include "fuse/IR/MergedOps.h"
#include "fuse/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

SmallVector<OpFoldResult> fuse::getLoopExtents(ImplicitLocOpBuilder &b, FusableOpInterface op,
                                               ArrayRef<LazyTensor> operands) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<OpFoldResult> extents;
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    OpFoldResult extent;
    if (!ShapedType::isDynamic(range))
      extent = b.getIndexAttr(range);
    for (auto [operand, map] : llvm::zip(operands, maps)) {
      if (!map || (extent && isa<Attribute>(extent)))
        continue;
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto along = dyn_cast<AffineDimExpr>(expr);
        if (!along || along.getPosition() != loop)
          continue;
        if (!extent || !ShapedType::isDynamic(operand.shape[dim]))
          extent = getExtent(b, operand, dim);
      }
    }
    extents.push_back(extent);
  }
  return extents;
}

/// What ends an op that was planned as one is counted with it.
static LazyTensor countWithItsOp(LazyTensor end) {
  if (Operation *member = end.base ? end.base.getDefiningOp() : nullptr)
    setMergedOps(member, 0);
  return end;
}

LazyTensor fuse::castTo(ImplicitLocOpBuilder &b, const LazyTensor &value, Type element) {
  if (value.element == element)
    return value;
  return countWithItsOp(
      buildMap(b, getExtents(b, value), value, element, [&](BodyContext &context) {
        return buildCast(context.b, value.element, element, context.inputs[0]);
      }));
}

LazyTensor fuse::lowerElementwise(ImplicitLocOpBuilder &b, FusableOpInterface op,
                                  ArrayRef<LazyTensor> operands, const DimFactors &factors) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Input> inputs;
  for (auto [operand, map] : llvm::zip(operands, maps))
    inputs.push_back({operand, map});
  Domain domain = Domain::parallel(getLoopExtents(b, op, operands));
  Output output{getElementTypeOrSelf(op->getResult(0)),
                llvm::to_vector(llvm::seq<unsigned>(0, domain.size())),
                {},
                factors};
  auto body = [&](BodyContext &context) {
    return SmallVector<Value>{op.buildScalarBody(context.b, context.inputs)};
  };
  return buildGeneric(b, domain, inputs, output, body).front();
}

/// The number of elements that are folded into one, of index type.
static Value countReduced(ImplicitLocOpBuilder &b, const LazyTensor &operand,
                          ArrayRef<int64_t> dimensions) {
  int64_t known = 1;
  Value count;
  for (int64_t dim : dimensions) {
    OpFoldResult extent = getExtent(b, operand, dim);
    if (std::optional<int64_t> fixed = getConstantIntValue(extent)) {
      known *= *fixed;
      continue;
    }
    Value factor = cast<Value>(extent);
    count = count ? arith::MulIOp::create(b, count, factor).getResult() : factor;
  }
  Value fixed = arith::ConstantIndexOp::create(b, known);
  return count ? arith::MulIOp::create(b, count, fixed).getResult() : fixed;
}

/// A value whose reduced dimensions were dropped, with them kept as units.
static LazyTensor keepUnits(LazyTensor value, ArrayRef<int64_t> dimensions) {
  for (int64_t dim : dimensions) {
    value.factors.insert(value.factors.begin() + dim, SmallVector<TensorFactor, 1>());
    value.shape.insert(value.shape.begin() + dim, 1);
  }
  return value;
}

/// The factors of the dimensions that are not reduced.
static DimFactors dropReduced(DimFactors factors, ArrayRef<int64_t> dimensions, bool keepsUnits) {
  if (keepsUnits && !factors.empty())
    for (int64_t dim : llvm::reverse(llvm::to_vector(dimensions)))
      factors.erase(factors.begin() + dim);
  return factors;
}

/// The operand's loops, of which `dimensions` are reductions; fills in the others.
static Domain getReductionDomain(ImplicitLocOpBuilder &b, const LazyTensor &operand,
                                 ArrayRef<int64_t> dimensions, SmallVectorImpl<unsigned> &kept) {
  Domain domain;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    bool reduced = llvm::is_contained(dimensions, dim);
    domain.add(getExtent(b, operand, dim),
               reduced ? IteratorType::reduction : IteratorType::parallel);
    if (!reduced)
      kept.push_back(dim);
  }
  return domain;
}

/// Whether some mask is set, or all of them are: an instruction on the bytes that masks are in
/// memory, where the general body goes through single bits, which nothing combines later.
static bool foldsMasks(ReduceKind kind, Type element) {
  return element.isInteger(1) && (kind == ReduceKind::Any || kind == ReduceKind::Max ||
                                  kind == ReduceKind::All || kind == ReduceKind::Min);
}

static LazyTensor lowerMaskReduce(ImplicitLocOpBuilder &b, ReduceOp op, const LazyTensor &operand,
                                  const DimFactors &factors) {
  bool isAny = op.getKind() == ReduceKind::Any || op.getKind() == ReduceKind::Max;
  Output output{b.getI8Type(), {}, b.getI8IntegerAttr(isAny ? 0 : 1), factors};
  Domain domain = getReductionDomain(b, operand, op.getDimensions(), output.loops);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(domain.size(), b.getContext());
  LazyTensor folded =
      buildGeneric(b, domain, Input{operand, identity}, output, [&](BodyContext &context) {
        ImplicitLocOpBuilder &b = context.b;
        Value mask = arith::ExtUIOp::create(b, b.getI8Type(), context.inputs[0]);
        Value so = context.accumulators[0];
        return SmallVector<Value>{isAny ? arith::OrIOp::create(b, so, mask).getResult()
                                        : arith::AndIOp::create(b, so, mask).getResult()};
      }).front();
  folded.element = operand.element;
  return op.getKeepDims() ? keepUnits(folded, op.getDimensions()) : folded;
}

LazyTensor fuse::lowerReduce(ImplicitLocOpBuilder &b, ReduceOp op, const LazyTensor &operand,
                             const DimFactors &resultFactors) {
  ReduceKind kind = op.getKind();
  DimFactors factors = dropReduced(resultFactors, op.getDimensions(), op.getKeepDims());
  if (foldsMasks(kind, operand.element))
    return lowerMaskReduce(b, op, operand, factors);
  Type accumulator = getAccumulatorType(kind, operand.element);
  Output output{accumulator, {}, getReduceNeutral(kind, accumulator), factors};
  Domain domain = getReductionDomain(b, operand, op.getDimensions(), output.loops);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(domain.size(), b.getContext());
  LazyTensor folded =
      buildGeneric(b, domain, Input{operand, identity}, output, [&](BodyContext &context) {
        Value arguments[] = {context.inputs[0], context.accumulators[0]};
        return SmallVector<Value>{op.buildScalarBody(context.b, arguments)};
      }).front();
  if (kind == ReduceKind::Mean) {
    Value dynamicCount;
    bool isStatic = llvm::none_of(op.getDimensions(), [&](int64_t dim) {
      return ShapedType::isDynamic(operand.shape[dim]);
    });
    if (!isStatic)
      dynamicCount = countReduced(b, operand, op.getDimensions());
    folded = buildMap(
        b, getExtents(b, folded), folded, operand.element, [&](BodyContext &context) {
          Value count =
              isStatic ? countReduced(context.b, operand, op.getDimensions()) : dynamicCount;
          Value mean =
              buildReduceFinish(context.b, kind, accumulator, context.inputs[0], count);
          return buildCast(context.b, accumulator, operand.element, mean);
        });
    countWithItsOp(folded);
  } else {
    folded = castTo(b, folded, operand.element);
  }
  return op.getKeepDims() ? keepUnits(folded, op.getDimensions()) : folded;
}

LazyTensor fuse::lowerArgReduce(ImplicitLocOpBuilder &b, ArgReduceKind kind, int64_t dimension,
                                bool keepDims, const LazyTensor &operand,
                                const DimFactors &resultFactors) {
  // Any element, NaN and the extreme itself included, is better than this candidate.
  ReduceKind extreme = kind == ArgReduceKind::Argmax ? ReduceKind::Max : ReduceKind::Min;
  Output best{operand.element, {}, getReduceNeutral(extreme, operand.element),
              dropReduced(resultFactors, dimension, keepDims)};
  Domain domain = getReductionDomain(b, operand, dimension, best.loops);
  Output index{b.getI64Type(), best.loops,
               b.getI64IntegerAttr(std::numeric_limits<int64_t>::max()), best.factors};
  AffineMap identity = AffineMap::getMultiDimIdentityMap(domain.size(), b.getContext());
  LazyTensor result =
      buildGeneric(b, domain, Input{operand, identity}, {best, index}, [&](BodyContext &context) {
        Value position =
            arith::IndexCastOp::create(context.b, b.getI64Type(), context.getIndex(dimension));
        ArgValue so{context.accumulators[0], context.accumulators[1]};
        ArgValue next{context.inputs[0], position};
        ArgValue better = buildArgCombine(context.b, kind, operand.element, so, next);
        return SmallVector<Value>{better.element, better.index};
      })[1];
  return keepDims ? keepUnits(result, dimension) : result;
}
