//===- BufferSize.cpp - Bytes of buffers to be placed ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t mlir::fuse::getElementBytes(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

int64_t mlir::fuse::getAlignedBytes(MemRefType type) {
  return llvm::alignTo(type.getNumElements() * getElementBytes(type), kBufferAlignment);
}

Value mlir::fuse::computeAlignedBytes(OpBuilder &builder, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  int64_t known = getElementBytes(alloc.getType());
  for (int64_t extent : alloc.getType().getShape())
    if (!ShapedType::isDynamic(extent))
      known *= extent;
  Value bytes = arith::ConstantIndexOp::create(builder, loc, known);
  for (Value size : alloc.getDynamicSizes())
    bytes = arith::MulIOp::create(builder, loc, bytes, size);
  Value alignment = arith::ConstantIndexOp::create(builder, loc, kBufferAlignment);
  Value lines = arith::CeilDivUIOp::create(builder, loc, bytes, alignment);
  return arith::MulIOp::create(builder, loc, lines, alignment);
}
