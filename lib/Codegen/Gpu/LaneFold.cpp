//===- LaneFold.cpp - Partial results of lanes into one ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LaneFold.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

Value LaneFold::combine(Value partial) {
  int64_t width = std::min(lanes, kSubgroup);
  for (int64_t distance = width / 2; distance > 0; distance /= 2)
    partial = combine(partial, shuffle(partial, distance));
  return usesBarrier() ? combineSubgroups(partial) : partial;
}

/// Devices exchange 32 bits; of types that are wider, conversions exchange the parts.
Value LaneFold::shuffle(Value value, int64_t distance) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 32) {
    Type bits = b.getIntegerType(width);
    if (type != bits)
      value = arith::BitcastOp::create(b, loc, bits, value);
    value = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  }
  Value other = gpu::ShuffleOp::create(b, loc, value, static_cast<int32_t>(distance),
                                       static_cast<int32_t>(kSubgroup), gpu::ShuffleMode::XOR)
                    .getShuffleResult();
  if (width < 32) {
    Type bits = b.getIntegerType(width);
    other = arith::TruncIOp::create(b, loc, bits, other);
    if (type != bits)
      other = arith::BitcastOp::create(b, loc, type, other);
  }
  return other;
}

Value LaneFold::combineSubgroups(Value partial) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t subgroups = lanes / kSubgroup;
  auto type = MemRefType::get({groups, subgroups}, partial.getType());
  Value shared = memref::AllocOp::create(b, loc, type);
  Value inSubgroup = arith::RemUIOp::create(b, loc, lane, index(kSubgroup));
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, inSubgroup, index(0));
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value subgroup = arith::DivUIOp::create(b, loc, lane, index(kSubgroup));
    memref::StoreOp::create(b, loc, partial, shared, ValueRange{group, subgroup});
  }
  gpu::BarrierOp::create(b, loc);
  Value total;
  for (int64_t i = 0; i < subgroups; ++i) {
    Value each = memref::LoadOp::create(b, loc, shared, ValueRange{group, index(i)});
    total = total ? combine(total, each) : each;
  }
  return total;
}
