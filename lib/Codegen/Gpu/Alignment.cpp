//===- Alignment.cpp - What divides offsets and extents ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BodyAccess.h"
#include "Alignment.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

/// A number that divides the position of the first element of each line of a buffer.
static int64_t getLineDivisor(Value buffer) {
  SmallVector<int64_t> strides;
  int64_t offset, divisor = getOffsetDivisor(buffer);
  if (failed(cast<MemRefType>(buffer.getType()).getStridesAndOffset(strides, offset)) ||
      strides.empty())
    return 1;
  for (int64_t stride : ArrayRef(strides).drop_back())
    divisor = std::gcd(divisor, ShapedType::isDynamic(stride) ? 1 : stride);
  return divisor;
}

/// Whether an index is the same in all iterations of `loop`.
static bool isFixed(linalg::GenericOp op, Value index, unsigned loop) {
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>())
    return llvm::all_of(apply.getOperands(),
                        [&](Value operand) { return isFixed(op, operand, loop); });
  return isUniform(op, index, loop);
}

/// What divides an index that grows by one with `loop`, at its first iteration; none for others.
static std::optional<int64_t> getFirstDivisor(linalg::GenericOp op, Value index, unsigned loop) {
  if (auto number = index.getDefiningOp<linalg::IndexOp>())
    return number.getDim() == loop ? std::optional<int64_t>(0) : std::nullopt;
  // Behind the block's first one.
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return std::nullopt;
  AffineMap map = apply.getAffineMap();
  SmallVector<AffineExpr> zeros, ones;
  SmallVector<int64_t> divisors;
  MLIRContext *context = op.getContext();
  for (auto [i, operand] : llvm::enumerate(apply.getOperands())) {
    auto number = operand.getDefiningOp<linalg::IndexOp>();
    bool isLoop = number && number.getDim() == loop;
    if (!isLoop && !isFixed(op, operand, loop))
      return std::nullopt;
    AffineExpr expr = i < map.getNumDims() ? getAffineDimExpr(i, context)
                                           : getAffineSymbolExpr(i - map.getNumDims(), context);
    zeros.push_back(isLoop ? getAffineConstantExpr(0, context) : expr);
    ones.push_back(isLoop ? expr + 1 : expr);
    divisors.push_back(getDivisor(OpFoldResult(operand)));
  }
  auto replace = [&](ArrayRef<AffineExpr> with) {
    return map.getResult(0).replaceDimsAndSymbols(with.take_front(map.getNumDims()),
                                                  with.drop_front(map.getNumDims()));
  };
  if (simplifyAffineExpr(replace(ones) - map.getResult(0), map.getNumDims(), map.getNumSymbols()) !=
      1)
    return std::nullopt;
  return ::getDivisor(replace(zeros), divisors, map.getNumDims());
}

std::optional<int64_t> mlir::fuse::getContiguousDivisor(linalg::GenericOp op, memref::LoadOp load,
                                                        unsigned loop) {
  if (load.getIndices().empty() || !load.getMemRefType().isLastDimUnitStride())
    return std::nullopt;
  for (Value index : load.getIndices().drop_back())
    if (!isFixed(op, index, loop))
      return std::nullopt;
  std::optional<int64_t> first = getFirstDivisor(op, load.getIndices().back(), loop);
  if (!first)
    return std::nullopt;
  return std::gcd(*first, getLineDivisor(load.getMemRef()));
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

std::optional<int64_t> mlir::fuse::getStride(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  SmallVector<int64_t> strides;
  int64_t offset, stride = 0;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (expr != getAffineDimExpr(loop, op.getContext()) || ShapedType::isDynamic(strides[dim]))
      return std::nullopt;
    stride += strides[dim];
  }
  return stride;
}

int64_t mlir::fuse::countChunk(linalg::GenericOp op, ArrayRef<int64_t> bounds, OpOperand &operand,
                               unsigned loop, int64_t whole) {
  if (!isContiguousAlong(op, operand, loop) || ShapedType::isDynamic(bounds[loop]))
    return 1;
  int64_t divisor = std::gcd(bounds[loop], getAlignment(op, operand, loop));
  AffineMap map = op.getMatchingIndexingMap(&operand);
  divisor = std::gcd(divisor, getExtentDivisor(operand.get(), map.getNumResults() - 1));
  int64_t bytes = getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth() / 8;
  return std::gcd(std::gcd(divisor, whole), std::max<int64_t>(1, kAccessBytes / bytes));
}

//===- Neighbouring elements in one access --------------------------------------------------===//

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
