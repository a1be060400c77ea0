//===- VectorBody.cpp - A member's body on vectors ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VectorBody.h"
#include "../Kernel/LoopCode.h"
#include "CommonDivisor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

VectorBody::VectorBody(RewriterBase &b, linalg::GenericOp op, unsigned vectorLoop, bool hasFma)
    : b(b), op(op), loc(op.getLoc()), vectorLoop(vectorLoop), hasFma(hasFma),
      iterators(op.getIteratorTypesArray()), ranges(op.getStaticLoopRanges()),
      ivs(op.getNumLoops()) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    extents.push_back(createExtent(b, op, loop));
}

Value VectorBody::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value VectorBody::wholeSteps(unsigned loop, int64_t step) {
  if (!ShapedType::isDynamic(ranges[loop]))
    return index(ranges[loop] / step * step);
  Value size = index(step);
  return arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, extents[loop], size), size);
}

bool VectorBody::hasRemainder(unsigned loop, int64_t step) {
  return ShapedType::isDynamic(ranges[loop]) || ranges[loop] % step != 0;
}

scf::ForOp VectorBody::makeFor(Value from, Value to, int64_t step, ValueRange carried) {
  auto loop = scf::ForOp::create(b, loc, from, to, index(step), carried);
  if (carried.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  return loop;
}

VectorType VectorBody::maskType(int64_t lanes) { return VectorType::get({lanes}, b.getI1Type()); }

SmallVector<Value> VectorBody::indices(OpOperand &operand) {
  return createIndices(b, op, op.getMatchingIndexingMap(&operand), ivs);
}

Value VectorBody::load(OpOperand &operand, int64_t lanes, Value mask) {
  Value buffer = operand.get();
  if (!isa<MemRefType>(buffer.getType()))
    return spread(buffer, lanes);
  Access access = getAccess(op, operand, vectorLoop);
  if (access == Access::Other)
    return loadLanes(operand, lanes, mask);
  return loadAt(buffer, indices(operand), access, lanes, mask);
}

Value VectorBody::loadLanes(OpOperand &operand, int64_t lanes, Value mask) {
  Value first = ivs[vectorLoop];
  Value last = mask ? Value(arith::SubIOp::create(b, loc, extents[vectorLoop], index(1))) : Value();
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value at = arith::AddIOp::create(b, loc, first, index(lane));
    // Lanes that there are none of read the last element.
    ivs[vectorLoop] = mask ? arith::MinUIOp::create(b, loc, at, last) : at;
    elements.push_back(memref::LoadOp::create(b, loc, operand.get(), indices(operand)));
  }
  ivs[vectorLoop] = first;
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(operand.get()));
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Value VectorBody::loadAt(Value buffer, ValueRange at, Access access, int64_t lanes, Value mask) {
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(buffer));
  if (access == Access::Invariant)
    return vector::BroadcastOp::create(b, loc, type, memref::LoadOp::create(b, loc, buffer, at));
  if (!mask)
    return vector::LoadOp::create(b, loc, type, buffer, at);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, buffer, at, mask, zero);
}

Value VectorBody::getScalar(Value value, IRMapping &known) {
  if (Value scalar = known.lookupOrNull(value))
    return scalar;
  Value scalar = value;
  Operation *def = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBody()) {
    OpOperand &operand = *op.getMatchingOpOperand(argument);
    scalar = operand.get();
    if (isa<MemRefType>(scalar.getType()))
      scalar = memref::LoadOp::create(b, loc, scalar, indices(operand));
  } else if (auto position = dyn_cast_if_present<linalg::IndexOp>(def)) {
    scalar = ivs[position.getDim()];
  } else if (def && def->getBlock() == op.getBody()) {
    for (Value from : def->getOperands())
      getScalar(from, known);
    scalar = b.clone(*def, known)->getResult(cast<OpResult>(value).getResultNumber());
  }
  known.map(value, scalar);
  return scalar;
}

Value VectorBody::loadInBody(memref::LoadOp load, int64_t lanes, Value mask) {
  IRMapping scalars;
  SmallVector<Value> at;
  for (Value index : load.getIndices())
    at.push_back(getScalar(index, scalars));
  return loadAt(load.getMemRef(), at, getAccess(op, load, vectorLoop), lanes, mask);
}

void VectorBody::store(Value value, OpOperand &init, Value mask) {
  SmallVector<Value> at = indices(init);
  if (mask)
    vector::MaskedStoreOp::create(b, loc, init.get(), at, mask, value);
  else
    vector::StoreOp::create(b, loc, value, init.get(), at);
}

Value VectorBody::spread(Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, loc, VectorType::get({lanes}, value.getType()), value);
}

SmallVector<Value> VectorBody::emptySums(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  });
}

SmallVector<Value> VectorBody::addSums(ArrayRef<Value> totals, ArrayRef<Value> sums) {
  SmallVector<Value> added;
  for (auto [total, sum] : llvm::zip_equal(totals, sums)) {
    bool isInteger = getElementTypeOrSelf(sum).isInteger();
    added.push_back(isInteger ? arith::AddIOp::create(b, loc, total, sum).getResult()
                              : arith::AddFOp::create(b, loc, total, sum).getResult());
  }
  return added;
}

SmallVector<Value> VectorBody::addPartialSums(unsigned loop, Value from, Value to, int64_t steps,
                                              bool isOutermost, ArrayRef<Value> totals,
                                              PartCode emit) {
  // Of few parts the first has code of its own, so that the totals need not lie in memory before
  // it: 1024x256 by 256x512 takes 2.5 % longer than in one part without that, and 1 % with it.
  constexpr int64_t kFewParts = 4;
  SmallVector<Value> first;
  int64_t extent = ranges[loop];
  if (!totalsBuffer && isOutermost && !ShapedType::isDynamic(extent) &&
      llvm::divideCeil(extent, steps) <= kFewParts) {
    Value next = arith::AddIOp::create(b, loc, from, index(steps));
    first = emit(from, next, totals);
    totals = first;
    from = next;
  }
  // Totals in memory go to and fro between two places, else LLVM keeps them in registers after all
  // (scalar promotion), and what is summed in the innermost loop in memory.
  auto place = [&](Value position) -> Value {
    Value part = arith::DivUIOp::create(b, loc, arith::SubIOp::create(b, loc, position, from),
                                        index(steps));
    return arith::RemUIOp::create(b, loc, part, index(2));
  };
  auto storeTotals = [&](ArrayRef<Value> values, Value position) {
    for (auto [number, value] : llvm::enumerate(values))
      vector::StoreOp::create(
          b, loc, value, totalsBuffer,
          ValueRange{place(position), index(static_cast<int64_t>(number)), index(0)});
  };
  SmallVector<Type> types = llvm::to_vector(TypeRange(ValueRange(totals)));
  auto loadTotals = [&](Value position) {
    SmallVector<Value> values;
    for (auto [number, type] : llvm::enumerate(types))
      values.push_back(vector::LoadOp::create(
          b, loc, cast<VectorType>(type), totalsBuffer,
          ValueRange{place(position), index(static_cast<int64_t>(number)), index(0)}));
    return values;
  };
  SmallVector<Value> empty = emptySums(totals);
  if (totalsBuffer)
    storeTotals(totals, from);
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp parts = makeFor(from, to, steps, totalsBuffer ? ArrayRef<Value>() : totals);
  Value begin = parts.getInductionVar();
  Value end = arith::AddIOp::create(b, loc, begin, index(steps));
  if (hasRemainder(loop, steps))
    end = arith::MinUIOp::create(b, loc, end, to);
  SmallVector<Value> sums = emit(begin, end, empty);
  if (totalsBuffer) {
    Value next = arith::AddIOp::create(b, loc, begin, index(steps));
    storeTotals(addSums(loadTotals(begin), sums), next);
    b.setInsertionPointAfter(parts);
    Value rounded = arith::CeilDivUIOp::create(b, loc, arith::SubIOp::create(b, loc, to, from),
                                               index(steps));
    Value last = arith::AddIOp::create(
        b, loc, from, arith::MulIOp::create(b, loc, rounded, index(steps)));
    return loadTotals(last);
  }
  b.setInsertionPointToEnd(parts.getBody());
  scf::YieldOp::create(
      b, loc, addSums(llvm::to_vector_of<Value>(parts.getRegionIterArgs()), sums));
  return llvm::to_vector_of<Value>(parts.getResults());
}

void VectorBody::hoistFromVectors(Value value) {
  auto position = dyn_cast<BlockArgument>(ivs[vectorLoop]);
  auto loop = position ? dyn_cast<scf::ForOp>(position.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || loop.isDefinedOutsideOfLoop(value))
    return;
  Operation *def = value.getDefiningOp();
  auto read = dyn_cast_if_present<memref::LoadOp>(def);
  bool isWritten = read && llvm::any_of(op.getDpsInits(), [&](Value init) {
                     return getBase(init) == getBase(read.getMemRef());
                   });
  if (!def || isWritten || (!read && !isPure(def)))
    return;
  for (Value operand : def->getOperands())
    hoistFromVectors(operand);
  if (llvm::all_of(def->getOperands(),
                   [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); }))
    def->moveBefore(loop);
}

Value VectorBody::divideByCommon(Operation &inner, IRMapping &mapping, int64_t lanes) {
  auto division = dyn_cast<arith::DivFOp>(inner);
  if (!division || !hasFma || !hasCommonQuotients(division.getType(), division.getRhs()) ||
      !isUniform(op, division.getRhs(), vectorLoop) || isUniform(op, division.getLhs(), vectorLoop))
    return {};
  IRMapping scalars;
  Value divisor = getScalar(division.getRhs(), scalars);
  hoistFromVectors(divisor);
  Value dividends = spread(mapping.lookupOrDefault(division.getLhs()), lanes);
  return createQuotients(b, loc, dividends, divisor);
}

SmallVector<Value> VectorBody::body(ArrayRef<Value> accumulators, int64_t lanes, Value mask) {
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (argument.use_empty())
      continue;
    mapping.map(argument, read(*operand, lanes, mask));
  }
  for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), accumulators))
    if (value)
      mapping.map(argument, value);
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (&inner == leftOut) {
      mapping.map(inner.getResult(0), spread(mapping.lookupOrDefault(standIn), lanes));
      continue;
    }
    if (auto position = dyn_cast<linalg::IndexOp>(inner)) {
      auto type = VectorType::get({lanes}, b.getIndexType());
      Value value = spread(ivs[position.getDim()], lanes);
      if (position.getDim() == vectorLoop)
        value = arith::AddIOp::create(b, loc, value, vector::StepOp::create(b, loc, type));
      mapping.map(position.getResult(), value);
      continue;
    }
    if (auto gathered = dyn_cast<memref::LoadOp>(inner)) {
      mapping.map(gathered.getResult(), loadInBody(gathered, lanes, mask));
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      auto type = VectorType::get({lanes}, constant.getType());
      mapping.map(
          constant.getResult(),
          arith::ConstantOp::create(
              b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(constant.getValue()))));
      continue;
    }
    if (Value quotients = divideByCommon(inner, mapping, lanes)) {
      mapping.map(inner.getResult(0), quotients);
      continue;
    }
    // A short number that all lanes have in common is widened once.
    if (isa<arith::ExtFOp>(inner) && isUniform(op, inner.getResult(0), vectorLoop)) {
      IRMapping scalars;
      Value scalar = getScalar(inner.getResult(0), scalars);
      hoistFromVectors(scalar);
      mapping.map(inner.getResult(0), spread(scalar, lanes));
      continue;
    }
    // A condition that all lanes have in common stays a scalar.
    auto choice = dyn_cast<arith::SelectOp>(inner);
    bool isCommon = choice && isUniform(op, choice.getCondition(), vectorLoop);
    for (Value operand : inner.getOperands())
      if (!isCommon || operand != choice.getCondition())
        mapping.map(operand, spread(mapping.lookupOrDefault(operand), lanes));
    if (isCommon) {
      IRMapping scalars;
      Value condition = getScalar(choice.getCondition(), scalars);
      mapping.map(choice.getResult(),
                  arith::SelectOp::create(b, loc, condition, mapping.lookup(choice.getTrueValue()),
                                          mapping.lookup(choice.getFalseValue())));
      continue;
    }
    if (Value sum = hasFma ? createMultiplyAdd(b, inner, mapping) : Value()) {
      mapping.map(inner.getResult(0), sum);
      continue;
    }
    Operation *clone = b.clone(inner, mapping);
    for (auto [from, to] : llvm::zip(inner.getResults(), clone->getResults())) {
      to.setType(VectorType::get({lanes}, from.getType()));
      mapping.map(from, to);
    }
  }
  SmallVector<Value> results;
  for (Value value : op.getBody()->getTerminator()->getOperands())
    results.push_back(spread(mapping.lookupOrDefault(value), lanes));
  return results;
}
