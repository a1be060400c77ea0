//===- ArgumentSizes.cpp - Sizes that follow from a function's arguments ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ArgumentSizes.h"

#include "fuse/Analysis/ValueSizes.h"
#include "fuse/IR/StatedExtents.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

unsigned ArgumentSizes::SameOp::getHashValue(const Operation *op) {
  return OperationEquivalence::computeHash(const_cast<Operation *>(op), OperationEquivalence::directHashValue,
                                           OperationEquivalence::ignoreHashValue,
                                           OperationEquivalence::IgnoreLocations);
}

bool ArgumentSizes::SameOp::isEqual(const Operation *left, const Operation *right) {
  auto isKey = [](const Operation *op) { return op == getEmptyKey() || op == getTombstoneKey(); };
  if (left == right || isKey(left) || isKey(right))
    return left == right;
  return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(left), const_cast<Operation *>(right),
                                              OperationEquivalence::IgnoreLocations);
}

ArgumentSizes::ArgumentSizes(func::FuncOp function)
    : function(function), builder(OpBuilder::atBlockBegin(&function.getBody().front())) {}

Value ArgumentSizes::hoist(Value size) {
  if (auto argument = dyn_cast<BlockArgument>(size))
    return argument.getOwner() == &function.getBody().front() ? size : Value();
  if (Value known = hoisted.lookup(size))
    return known;
  Operation *op = size.getDefiningOp();
  if (!isPure(op) || op->getNumRegions() > 0 || op->getNumResults() != 1)
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value moved = hoist(operand);
    if (!moved)
      return {};
    mapping.map(operand, moved);
  }
  Operation *copy = builder.clone(*op, mapping);
  auto [known, isNew] = ops.insert(copy);
  if (!isNew)
    copy->erase();
  return hoisted[size] = (*known)->getResult(0);
}

std::optional<int64_t> ArgumentSizes::findStated(Value extent) {
  auto dim = extent.getDefiningOp<memref::DimOp>();
  auto argument = dim ? dyn_cast<BlockArgument>(dim.getSource()) : BlockArgument();
  std::optional<int64_t> position = dim ? dim.getConstantIndex() : std::nullopt;
  if (!argument || !position)
    return std::nullopt;
  return getPlannedExtent(function, argument.getArgNumber(), *position);
}

int64_t ArgumentSizes::getLikely(Value value) {
  if (auto known = likely.find(value); known != likely.end())
    return known->second;
  int64_t found = ValueSizes::kUnknownExtent;
  Operation *op = value.getDefiningOp();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    found = number.getSExtValue();
  } else if (std::optional<int64_t> stated = findStated(value)) {
    found = *stated;
  } else if (op && llvm::all_of(op->getOperandTypes(), llvm::IsaPred<IndexType>)) {
    // The op folds where its operands are numbers.
    Builder attributes(value.getContext());
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(attributes.getIndexAttr(getLikely(operand)));
    SmallVector<OpFoldResult> results;
    Operation *copy = op->clone(); // for folding may change the op itself
    if (succeeded(copy->fold(operands, results)) && results.size() == 1)
      if (auto folded = dyn_cast<Attribute>(results.front()))
        if (auto result = dyn_cast<IntegerAttr>(folded))
          found = result.getInt();
    copy->erase();
  }
  return likely[value] = found;
}
