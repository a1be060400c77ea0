//===- PastCaches.cpp - Where and when results are stored past the caches -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PastCaches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

std::optional<int64_t> mlir::fuse::getFootprint(func::FuncOp kernel) {
  int64_t bytes = 0;
  for (Type type : kernel.getArgumentTypes()) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer)
      continue;
    if (!buffer.hasStaticShape())
      return std::nullopt;
    bytes += buffer.getNumElements() * buffer.getElementTypeBitWidth() / 8;
  }
  return bytes;
}

Value mlir::fuse::emitIsLarge(OpBuilder &b, func::FuncOp kernel, int64_t bytes) {
  if (getFootprint(kernel))
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value total = index(0);
  for (Value argument : kernel.getArguments()) {
    auto buffer = dyn_cast<MemRefType>(argument.getType());
    if (!buffer)
      continue;
    Value size = index(buffer.getElementTypeBitWidth() / 8);
    for (int64_t dim = 0; dim < buffer.getRank(); ++dim)
      size = arith::MulIOp::create(b, loc, size,
                                   memref::DimOp::create(b, loc, argument, dim).getResult());
    total = arith::AddIOp::create(b, loc, total, size);
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, total, index(bytes));
}

std::optional<LineStart>
mlir::fuse::findLineStart(OpBuilder &b, linalg::GenericOp op, const MapPlan &plan,
                          llvm::function_ref<SmallVector<Value>(OpOperand &)> getIndices) {
  Location loc = op.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  LineStart start;
  start.isCommon = plan.isLarge;
  auto both = [&](Value l, Value r) { return l ? arith::AndIOp::create(b, loc, l, r) : r; };
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto type = dyn_cast<MemRefType>(init.get().getType());
    unsigned bits = type ? type.getElementTypeBitWidth() : 0;
    if (bits % 8 != 0 || plan.lanes * bits % (8 * kCacheLineBytes) != 0 ||
        getAccess(op, init, plan.loop) != Access::Contiguous)
      return std::nullopt;
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, init.get());
    Value at = metadata.getOffset();
    for (auto [position, stride] : llvm::zip(getIndices(init), metadata.getStrides()))
      at = arith::AddIOp::create(b, loc, at, arith::MulIOp::create(b, loc, position, stride));
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, init.get());
    address =
        arith::AddIOp::create(b, loc, address, arith::MulIOp::create(b, loc, at, index(bits / 8)));
    Value missing = arith::AndIOp::create(b, loc, arith::SubIOp::create(b, loc, index(0), address),
                                          index(kCacheLineBytes - 1));
    Value elements = arith::DivUIOp::create(b, loc, missing, index(bits / 8));
    Value rest = arith::RemUIOp::create(b, loc, missing, index(bits / 8));
    start.isCommon = both(start.isCommon,
                          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, index(0)));
    if (start.elements)
      start.isCommon = both(start.isCommon, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                                                  start.elements, elements));
    else
      start.elements = elements;
  }
  return start;
}
