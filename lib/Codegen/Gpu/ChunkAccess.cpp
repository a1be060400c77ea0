//===- ChunkAccess.cpp - Neighbouring elements in one access --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ChunkAccess.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

Value mlir::fuse::createChunkLoad(OpBuilder &b, Location loc, Value buffer, ValueRange at,
                                  int64_t count) {
  auto type = cast<MemRefType>(buffer.getType());
  auto load = vector::LoadOp::create(b, loc, VectorType::get({count}, type.getElementType()),
                                     buffer, at);
  load->setAttr("alignment", b.getI64IntegerAttr(count * type.getElementTypeBitWidth() / 8));
  return load.getResult();
}

void mlir::fuse::createChunkStore(OpBuilder &b, Location loc, ValueRange elements, Value buffer,
                                  ValueRange at) {
  auto type = cast<MemRefType>(buffer.getType());
  auto count = static_cast<int64_t>(elements.size());
  Value vector = vector::FromElementsOp::create(
      b, loc, VectorType::get({count}, type.getElementType()), elements);
  auto store = vector::StoreOp::create(b, loc, vector, buffer, at);
  store->setAttr("alignment", b.getI64IntegerAttr(count * type.getElementTypeBitWidth() / 8));
}

SmallVector<Value> mlir::fuse::createElements(OpBuilder &b, Location loc, Value chunk) {
  SmallVector<Value> elements;
  for (int64_t e = 0, count = cast<VectorType>(chunk.getType()).getNumElements(); e < count; ++e)
    elements.push_back(vector::ExtractOp::create(b, loc, chunk, ArrayRef<int64_t>{e}));
  return elements;
}
