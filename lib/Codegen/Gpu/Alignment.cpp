//===- Alignment.cpp - What divides offsets and extents ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Alignment.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? 1 : product;
}

static int64_t getDivisor(AffineExpr expr, ArrayRef<int64_t> operands, unsigned numDims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t left = getDivisor(binary.getLHS(), operands, numDims);
  int64_t right = getDivisor(binary.getRHS(), operands, numDims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod: // what divides both divides the rest
    return std::gcd(left, right);
  case AffineExprKind::Mul:
    return multiply(left, right);
  default:
    return 1;
  }
}

int64_t mlir::fuse::getDivisor(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant);
  Operation *def = cast<Value>(value).getDefiningOp();
  if (!def)
    if (auto argument = dyn_cast<BlockArgument>(cast<Value>(value)))
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
          loop && argument == loop.getInductionVar())
        return std::gcd(getDivisor(OpFoldResult(loop.getLowerBound())),
                        getDivisor(OpFoldResult(loop.getStep())));
  if (!def)
    return 1;
  auto ofOperand = [&](unsigned i) { return getDivisor(OpFoldResult(def->getOperand(i))); };
  if (isa<arith::MulIOp>(def))
    return multiply(ofOperand(0), ofOperand(1));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp, arith::RemUIOp>(def))
    return std::gcd(ofOperand(0), ofOperand(1));
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def))
    map = apply.getAffineMap();
  else if (auto least = dyn_cast<affine::AffineMinOp>(def))
    map = least.getAffineMap();
  else
    return 1;
  SmallVector<int64_t> operands;
  for (unsigned i = 0; i < def->getNumOperands(); ++i)
    operands.push_back(ofOperand(i));
  int64_t divisor = 0;
  for (AffineExpr expr : map.getResults())
    divisor = std::gcd(divisor, ::getDivisor(expr, operands, map.getNumDims()));
  return divisor;
}

int64_t mlir::fuse::getExtentDivisor(Value buffer, unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto view = buffer.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return 1;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [from, size] : llvm::enumerate(view.getMixedSizes()))
    if (!dropped.test(from) && dim-- == 0)
      return getDivisor(size);
  return 1;
}

bool mlir::fuse::isContiguousAlong(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || map.getNumResults() == 0 || !type.isLastDimUnitStride())
    return false;
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(loop))
      return false;
  return map.getResults().back() == getAffineDimExpr(loop, op.getContext());
}

/// What divides the position of a view's first element.
static int64_t getOffsetDivisor(Value buffer) {
  Operation *def = buffer.getDefiningOp();
  if (!def || isa<memref::AllocOp, memref::AllocaOp>(def))
    return 0;
  if (isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(def))
    return getOffsetDivisor(def->getOperand(0));
  auto view = dyn_cast<memref::SubViewOp>(def);
  if (!view)
    return 1;
  int64_t divisor = getOffsetDivisor(view.getSource());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(view.getSourceType().getStridesAndOffset(strides, offset)))
    return 1;
  for (auto [position, stride] : llvm::zip_equal(view.getMixedOffsets(), strides)) {
    int64_t known = ShapedType::isDynamic(stride) ? 1 : stride;
    divisor = std::gcd(divisor, multiply(getDivisor(position), known));
  }
  return divisor;
}

int64_t mlir::fuse::getLineDivisor(Value buffer) {
  SmallVector<int64_t> strides;
  int64_t offset, divisor = getOffsetDivisor(buffer);
  if (failed(cast<MemRefType>(buffer.getType()).getStridesAndOffset(strides, offset)) ||
      strides.empty())
    return 1;
  for (int64_t stride : ArrayRef(strides).drop_back())
    divisor = std::gcd(divisor, ShapedType::isDynamic(stride) ? 1 : stride);
  return divisor;
}

int64_t mlir::fuse::getAlignment(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  auto type = cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return 1;
  int64_t divisor = getOffsetDivisor(operand.get());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (expr == getAffineDimExpr(loop, op.getContext()))
      continue;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr); constant && constant.getValue() == 0)
      continue;
    // An extent of 1 leaves the loop at 0.
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) == 1)
      continue;
    divisor = std::gcd(divisor, ShapedType::isDynamic(strides[dim]) ? 1 : strides[dim]);
  }
  return divisor;
}
