//===- BufferPlaces.cpp - Where buffers lie in memory that they share --------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t mlir::fuse::getElementBytes(MemRefType type) {
  Type element = type.getElementType();
  // What LLVM keeps in memory as one element: an i48 of another dialect's op takes 8 bytes.
  return element.isIndex() ? 8 : llvm::PowerOf2Ceil(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
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

void mlir::fuse::replaceByView(OpBuilder &builder, memref::AllocOp alloc, Value memory,
                               Value offset) {
  auto plain = MemRefType::get(alloc.getType().getShape(), alloc.getType().getElementType());
  Value view = memref::ViewOp::create(builder, alloc.getLoc(), plain, memory, offset,
                                      alloc.getDynamicSizes());
  alloc.replaceAllUsesWith(view);
  alloc.erase();
  builder.setInsertionPointAfterValue(view);
}

func::FuncOp mlir::fuse::makeQuery(func::FuncOp function, Value value, const Twine &name,
                                   unsigned numDropped) {
  Operation *ret = function.getBody().front().getTerminator();
  ret->insertOperands(0, value);
  OpBuilder builder(function);
  auto query = cast<func::FuncOp>(builder.clone(*function));
  ret->eraseOperand(0);
  query.setName(name.str());
  Block &body = query.getBody().front();
  body.getTerminator()->setOperands(body.getTerminator()->getOperand(0));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
      op.erase();
  for (unsigned i = 0; i < numDropped; ++i) {
    BlockArgument dropped = query.getArguments().back();
    if (!dropped.use_empty()) {
      InFlightDiagnostic error = function.emitError();
      error << "cannot tell the bytes that it needs before it runs: they depend on what it computes";
      error.attachNote(dropped.user_begin()->getLoc()) << "here";
      query.erase();
      return {};
    }
    (void)query.eraseArgument(query.getNumArguments() - 1);
  }
  query.setFunctionType(
      builder.getFunctionType(query.getArgumentTypes(), {builder.getIndexType()}));
  return query;
}
