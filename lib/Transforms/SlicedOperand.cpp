//===- SlicedOperand.cpp - Parts of what a reduction reads -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SlicedOperand.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether each element comes from the elements of the operands at its own place.
static bool isElementwise(Operation *op) {
  auto fusable = dyn_cast_if_present<FusableOpInterface>(op);
  if (!fusable || classifyPattern(op) != OpPattern::Elementwise || op->getNumResults() != 1 ||
      op->getNumOperands() == 0 || !isMemoryEffectFree(op) || op->hasAttr(attr::kAlone) ||
      op->hasAttr(attr::kTogether) || op->hasAttr(attr::kGroup))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() &&
         llvm::all_of(op->getOperandTypes(),
                      [&](Type operand) {
                        auto ranked = dyn_cast<RankedTensorType>(operand);
                        return ranked && ranked.getShape() == type.getShape();
                      }) &&
         llvm::all_of(fusable.getIndexingMapsArray(),
                      [](AffineMap map) { return map && map.isIdentity(); });
}

SlicedOperand::SlicedOperand(ReduceOp reader, int64_t dim) : reader(reader), dim(dim) {
  llvm::SetVector<Operation *> open;
  open.insert(reader);
  // Users stand before what they use: an op is looked at again when another user has come in.
  for (size_t i = 0; i < open.size(); ++i)
    for (Value operand : open[i]->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!isElementwise(def) || open.contains(def) || def->getBlock() != reader->getBlock() ||
          !llvm::all_of(def->getUsers(), [&](Operation *user) { return open.contains(user); }))
        continue;
      open.insert(def);
      own.insert(def);
    }
}

Value SlicedOperand::create(OpBuilder &builder, int64_t offset, int64_t size) {
  Made made;
  return slice(builder, reader.getOperand(), dim, offset, size, made);
}

Value SlicedOperand::slice(OpBuilder &builder, Value value, int64_t along, int64_t offset,
                           int64_t size, Made &made) {
  if (Value known = made.lookup(value))
    return known;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes(type.getShape()), offsets(type.getRank(), 0),
      strides(type.getRank(), 1);
  offsets[along] = offset;
  sizes[along] = size;
  auto sliced = RankedTensorType::get(sizes, type.getElementType());
  Operation *def = value.getDefiningOp();
  Value result;
  DenseElementsAttr constant;
  if (def && own.contains(def)) {
    IRMapping mapping;
    for (Value operand : def->getOperands())
      mapping.map(operand, slice(builder, operand, along, offset, size, made));
    Operation *copy = builder.clone(*def, mapping);
    copy->removeAttr(attr::kOrigin); // its composite would hold both parts together
    result = copy->getResult(0);
    result.setType(sliced);
  } else if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    result = arith::ConstantOp::create(builder, def->getLoc(), constant.resizeSplat(sliced));
  } else if (auto broadcast = dyn_cast_if_present<BroadcastOp>(def)) {
    ArrayRef<int64_t> added = broadcast.getDimensions();
    Value source = broadcast.getOperand();
    if (!llvm::is_contained(added, along)) {
      int64_t before = llvm::count_if(added, [&](int64_t dim) { return dim < along; });
      Made none; // values are known for one dimension
      source = slice(builder, source, along - before, offset, size, none);
    }
    result = BroadcastOp::create(builder, broadcast.getLoc(), sliced, source, added);
  } else {
    result = SliceOp::create(builder, reader.getLoc(), sliced, value, offsets, sizes, strides);
  }
  made[value] = result;
  return result;
}

void mlir::fuse::eraseUnused(Value value) {
  llvm::SetVector<Operation *> open; // each op once: it is erased when its last user was
  auto add = [&](Value operand) {
    if (Operation *def = operand.getDefiningOp())
      open.insert(def);
  };
  add(value);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    llvm::for_each(operands, add);
  }
}
