//===- Neighbours.cpp - What a contraction's loops do on the way ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Neighbours.h"
#include "../Kernel/BodyAccess.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether an op neither reads nor writes memory that is there already.
static bool isPassive(Operation *op) { return isMemoryEffectFree(op) || isa<memref::AllocOp>(op); }

/// Whether `op` is a member that leaves the memory behind `root` alone.
static bool isElsewhere(Operation *op, Value root) {
  return isa<linalg::LinalgOp>(op) && llvm::none_of(op->getOperands(), [&](Value operand) {
           return isa<MemRefType>(operand.getType()) && getBase(operand) == root;
         });
}

linalg::FillOp mlir::fuse::findStart(linalg::GenericOp contraction) {
  if (contraction.getNumReductionLoops() == 0 || contraction.getNumDpsInits() != 1)
    return {};
  Value sums = contraction.getDpsInits().front(), root = getBase(sums);
  for (Operation *op = contraction->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto fill = dyn_cast<linalg::FillOp>(op); fill && fill.output() == sums)
      return fill;
    if (!isPassive(op) && !isElsewhere(op, root))
      return {};
  }
  return {};
}

/// Whether nobody but `writers` uses the memory behind `buffer`.
static bool isUsedOnlyBy(Value buffer, ArrayRef<Operation *> writers) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isUsedOnlyBy(view.getViewDest(), writers);
    return llvm::is_contained(writers, user);
  });
}

linalg::GenericOp mlir::fuse::findEpilogue(linalg::GenericOp contraction) {
  if (contraction.getNumReductionLoops() == 0 || contraction.getNumDpsInits() != 1)
    return {};
  Operation *next = contraction->getNextNode();
  while (next && isPassive(next))
    next = next->getNextNode();
  auto epilogue = dyn_cast_or_null<linalg::GenericOp>(next);
  if (!epilogue || epilogue.getNumReductionLoops() != 0 ||
      epilogue->getBlock() != contraction->getBlock())
    return {};
  unsigned rank = epilogue.getNumLoops();
  MLIRContext *context = epilogue.getContext();
  auto first =
      AffineMap::getMultiDimIdentityMap(contraction.getNumLoops(), context).getMajorSubMap(rank);
  OpOperand &init = *contraction.getDpsInitOperand(0);
  if (contraction.getNumParallelLoops() != rank ||
      contraction.getMatchingIndexingMap(&init) != first)
    return {};
  Value sums = init.get();
  bool reads = false, writes = false;
  for (OpOperand &operand : epilogue->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isSums = operand.get() == sums;
    if (!isSums && getBase(operand.get()) == getBase(sums))
      return {};
    if (isSums && !epilogue.getMatchingIndexingMap(&operand).isIdentity())
      return {};
    (epilogue.isDpsInit(&operand) ? writes : reads) |= isSums;
  }
  bool readsResults = llvm::any_of(epilogue.getRegionOutputArgs(),
                                   [](Value argument) { return !argument.use_empty(); });
  if (!reads || readsResults)
    return {};
  // What the epilogue writes over before all sums are made, no later one may need.
  for (Value input : contraction.getDpsInputs())
    if (isa<MemRefType>(input.getType()) && llvm::any_of(epilogue.getDpsInits(), [&](Value init) {
          return getBase(init) == getBase(input);
        }))
      return {};
  Value root = getBase(sums);
  linalg::FillOp fill = findStart(contraction);
  if (!writes && (!root.getDefiningOp<memref::AllocOp>() ||
                  !isUsedOnlyBy(root, {fill.getOperation(), contraction, epilogue})))
    return {};
  return epilogue;
}
