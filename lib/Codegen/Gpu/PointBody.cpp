//===- PointBody.cpp - A member's body on a chunk of elements ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PointBody.h"
#include "../Kernel/LoopCode.h"
#include "Alignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

PointBody::PointBody(RewriterBase &b, linalg::GenericOp op, const ThreadMapping &mapping,
                     const DenseMap<Value, PrivateTile> &privates)
    : IterationSpace(b, op, mapping.bounds), mapping(mapping), privates(privates) {}

SmallVector<Value> PointBody::indicesOf(OpOperand &operand, int64_t e) {
  return mapping.spread.empty() ? indices(operand) : indices(operand, mapping.chunkLoop(), e);
}

SmallVector<Value> PointBody::privateIndices(const PrivateTile &tile, int64_t e) {
  SmallVector<Value> at = {position.row.index};
  if (!tile.pattern.isReplicated) {
    at.push_back(position.chunk.index);
    at.push_back(index(e));
  }
  return at;
}

SmallVector<Value> PointBody::load(OpOperand &operand, int64_t count) {
  Value buffer = operand.get();
  if (!isa<MemRefType>(buffer.getType()))
    return SmallVector<Value>(count, buffer);
  SmallVector<Value> values;
  if (auto tile = privates.find(buffer); tile != privates.end()) {
    for (int64_t e = 0; e < count; ++e)
      values.push_back(memref::LoadOp::create(b, loc, tile->second.memory,
                                              privateIndices(tile->second, e)));
    return values;
  }
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool isFixed = mapping.spread.empty() || !map.isFunctionOfDim(mapping.chunkLoop());
  if (isFixed)
    return SmallVector<Value>(count, memref::LoadOp::create(b, loc, buffer, indicesOf(operand, 0)));
  if (count > 1 && isContiguousAlong(op, operand, mapping.chunkLoop()))
    return createElements(b, loc, createChunkLoad(b, loc, buffer, indicesOf(operand, 0), count));
  for (int64_t e = 0; e < count; ++e)
    values.push_back(memref::LoadOp::create(b, loc, buffer, indicesOf(operand, e)));
  return values;
}

SmallVector<SmallVector<Value>> PointBody::loadInputs(int64_t count) {
  SmallVector<SmallVector<Value>> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    inputs.push_back(op.getMatchingBlockArgument(operand).use_empty() ? SmallVector<Value>()
                                                                      : load(*operand, count));
  return inputs;
}

void PointBody::store(OpOperand &init, ArrayRef<Value> values) {
  Value buffer = init.get();
  if (auto tile = privates.find(buffer); tile != privates.end()) {
    for (auto [e, value] : llvm::enumerate(values))
      memref::StoreOp::create(b, loc, value, tile->second.memory,
                              privateIndices(tile->second, e));
    return;
  }
  if (values.size() > 1 && isContiguousAlong(op, init, mapping.chunkLoop()))
    return createChunkStore(b, loc, values, buffer, indicesOf(init, 0));
  for (auto [e, value] : llvm::enumerate(values))
    memref::StoreOp::create(b, loc, value, buffer, indicesOf(init, e));
}

Value PointBody::loadLine(memref::LoadOp load, int64_t e, IRMapping &known) {
  int64_t count = mapping.spread.chunk;
  if (count == 1 || mapping.spread.empty() || !getContiguousDivisor(op, load, mapping.chunkLoop()))
    return {};
  if (e == 0) {
    SmallVector<Value> at;
    for (Value index : load.getIndices())
      at.push_back(known.lookupOrDefault(index));
    lines[load] = createChunkLoad(b, loc, load.getMemRef(), at, count);
  }
  return vector::ExtractOp::create(b, loc, lines.lookup(load), ArrayRef<int64_t>{e});
}

SmallVector<Value> PointBody::body(int64_t e, ArrayRef<SmallVector<Value>> inputs,
                                   ArrayRef<Value> carried) {
  IRMapping known;
  for (auto [operand, values] : llvm::zip_equal(op.getDpsInputOperands(), inputs))
    if (!values.empty())
      known.map(op.getMatchingBlockArgument(operand), values[e]);
  for (auto [argument, value] : llvm::zip_equal(op.getRegionOutputArgs(), carried))
    if (value)
      known.map(argument, value);
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto number = dyn_cast<linalg::IndexOp>(inner)) {
      Value iv = ivs[number.getDim()];
      bool isChunked = !mapping.spread.empty() && number.getDim() == mapping.chunkLoop();
      known.map(number.getResult(),
                isChunked && e != 0 ? Value(arith::AddIOp::create(b, loc, iv, index(e))) : iv);
    } else if (auto load = dyn_cast<memref::LoadOp>(inner);
               Value element = load ? loadLine(load, e, known) : Value()) {
      known.map(load.getResult(), element);
    } else if (Value sum = createMultiplyAdd(b, inner, known)) {
      known.map(inner.getResult(0), sum);
    } else {
      b.clone(inner, known);
    }
  }
  SmallVector<Value> results;
  for (Value value : op.getBody()->getTerminator()->getOperands())
    results.push_back(known.lookupOrDefault(value));
  return results;
}
