//===- SliceGathers.cpp - Gathers of one slice are read in place ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESLICEGATHERS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// The loop that an index runs along: the loop itself, or with what is the same for the whole
/// member added to it.
static std::optional<unsigned> findLoop(Value index, Block *body) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop.getDim();
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return std::nullopt;
  std::optional<unsigned> found;
  AffineMap map = apply.getAffineMap();
  AffineExpr rest = map.getResult(0);
  for (auto [place, operand] : llvm::enumerate(apply.getMapOperands())) {
    if (operand.getParentBlock() != body)
      continue;
    auto loop = operand.getDefiningOp<linalg::IndexOp>();
    if (!loop || found)
      return std::nullopt;
    found = loop.getDim();
    bool isDim = place < map.getNumDims();
    unsigned position = isDim ? place : place - map.getNumDims();
    AffineExpr own = isDim ? getAffineDimExpr(position, map.getContext())
                           : getAffineSymbolExpr(position, map.getContext());
    rest = simplifyAffineExpr(rest - own, map.getNumDims(), map.getNumSymbols());
    if (isDim ? rest.isFunctionOfDim(position) : rest.isFunctionOfSymbol(position))
      return std::nullopt;
  }
  return found;
}

/// Whether a value is the same in each iteration: it depends on loops of one iteration alone.
/// `ranges`: how often each runs.
static bool isFixed(Value value, linalg::GenericOp op, ArrayRef<int64_t> ranges) {
  SmallVector<Value> values = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!values.empty()) {
    Value next = values.pop_back_val();
    if (next.getParentBlock() != op.getBody())
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      OpOperand *input = op.getMatchingOpOperand(argument);
      AffineMap map = op.getMatchingIndexingMap(input);
      if (!op.isDpsInput(input) || !map.isProjectedPermutation(/*allowZeroInResults=*/true))
        return false;
      for (auto [loop, range] : llvm::enumerate(ranges))
        if (range != 1 && map.isFunctionOfDim(loop))
          return false;
      continue;
    }
    Operation *def = next.getDefiningOp();
    if (auto loop = dyn_cast<linalg::IndexOp>(def); loop && ranges[loop.getDim()] != 1)
      return false;
    if (!isPure(def) || def->getNumRegions() > 0)
      return false;
    if (seen.insert(def).second)
      llvm::append_range(values, def->getOperands());
  }
  return true;
}

/// What the member reads, if that is a slice: along each dimension from an offset on, or at one
/// place.
static tensor::ExtractOp findSlice(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
      !op.getIndexingMapMatchingResult(op->getOpResult(0)).isIdentity())
    return {};
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  auto read = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!read || read->getBlock() != op.getBody() ||
      read.getTensor().getParentBlock() == op.getBody() ||
      read.getTensor().getType().getRank() != type.getRank() ||
      read.getTensor().getType().getElementType() != type.getElementType())
    return {};
  ArrayRef<int64_t> ranges = type.getShape();
  bool isGather = false;
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    std::optional<unsigned> loop = findLoop(index, op.getBody());
    // In the order of the loops; a loop of one iteration may stand elsewhere, or be none.
    if (loop && *loop == dim)
      continue;
    if (ranges[dim] != 1 || !isFixed(index, op, ranges))
      return {};
    isGather = true;
  }
  return isGather ? read : tensor::ExtractOp();
}

/// The value of an index in the first iteration, computed before the member.
static Value hoist(OpBuilder &builder, linalg::GenericOp op, Value index, IRMapping &known) {
  if (index.getParentBlock() != op.getBody())
    return index;
  if (Value made = known.lookupOrNull(index))
    return made;
  Location loc = op.getLoc();
  auto makeZero = [&] { return arith::ConstantIndexOp::create(builder, loc, 0).getResult(); };
  Value made;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    Value input = op.getMatchingOpOperand(argument)->get();
    made = input;
    if (auto tensor = dyn_cast<RankedTensorType>(input.getType()))
      made = tensor::ExtractOp::create(builder, loc, input,
                                       SmallVector<Value>(tensor.getRank(), makeZero()));
  } else if (index.getDefiningOp<linalg::IndexOp>()) {
    made = makeZero();
  } else {
    Operation *def = index.getDefiningOp();
    for (Value operand : def->getOperands())
      hoist(builder, op, operand, known);
    made = builder.clone(*def, known)->getResult(cast<OpResult>(index).getResultNumber());
  }
  known.map(index, made);
  return made;
}

static void replaceBySlice(IRRewriter &rewriter, linalg::GenericOp op, tensor::ExtractOp read) {
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), rewriter.getIndexAttr(1));
  IRMapping known;
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    offsets.push_back(getAsOpFoldResult(hoist(rewriter, op, index, known)));
    Value out = op.getDpsInitOperand(0)->get();
    sizes.push_back(tensor::getMixedSize(rewriter, op.getLoc(), out, dim));
  }
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, type, read.getTensor(), offsets, sizes,
                                                      strides);
}

namespace {
struct SliceGathers : fuse::impl::FuseSliceGathersBase<SliceGathers> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      if (tensor::ExtractOp read = findSlice(op))
        replaceBySlice(rewriter, op, read);
  }
};
} // namespace
