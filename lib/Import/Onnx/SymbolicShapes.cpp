//===- SymbolicShapes.cpp - Extents of values as expressions of open dimensions --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SymbolicShapes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

void SymbolicShapes::addOpenDim(Value argument, unsigned dim, StringRef symbol) {
  AffineExpr &extent = extents[{argument, dim}];
  extent = symbol.empty() ? AffineExpr() : named.lookup(symbol);
  if (!extent)
    extent = makeSymbol();
  if (!symbol.empty())
    named[symbol] = extent;
}

AffineExpr SymbolicShapes::getExtent(Value value, unsigned dim) {
  int64_t known = cast<RankedTensorType>(value.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(known))
    return getAffineConstantExpr(known, context);
  if (AffineExpr found = extents.lookup({value, dim}))
    return found;
  std::optional<AffineExpr> found;
  if (auto result = dyn_cast<OpResult>(value))
    found = findExtent(result, dim);
  AffineExpr extent = found.value_or(AffineExpr());
  if (!extent)
    extent = makeSymbol();
  extents[{value, dim}] = extent;
  return extent;
}

std::optional<AffineExpr> SymbolicShapes::findExtent(OpResult result, unsigned dim) {
  Operation *op = result.getOwner();
  auto getOf = [&](Value operand, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t each) { return getExtent(operand, each); });
  };
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    ArrayRef<int64_t> from = cast<RankedTensorType>(reshape.getOperand().getType()).getShape();
    ArrayRef<int64_t> to = reshape.getType().getShape();
    for (const ReshapeGroup &group : matchReshape(from, to)) {
      if (!llvm::is_contained(group.to, dim))
        continue;
      SmallVector<int64_t> others = llvm::to_vector(ArrayRef(group.to));
      llvm::erase(others, dim);
      return divideExactly(getOf(reshape.getOperand(), group.from), getOf(result, others), context);
    }
    return std::nullopt;
  }
  if (auto concat = dyn_cast<ConcatOp>(op); concat && concat.getDimension() == dim) {
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (Value operand : concat->getOperands())
      sum = sum + getExtent(operand, dim);
    return sum;
  }
  if (auto pad = dyn_cast<PadOp>(op))
    return getExtent(pad->getOperand(0), dim) + (pad.getLow()[dim] + pad.getHigh()[dim]);
  if (isa<SliceOp>(op)) // a dimension of unknown extent is taken whole
    return getExtent(op->getOperand(0), dim);
  // A loop that the result and an operand both run along.
  auto fusable = dyn_cast<FusableOpInterface>(op);
  AffineMap written = fusable ? fusable.getIndexingMapMatchingResult(result) : AffineMap();
  if (!written || !isa<AffineDimExpr>(written.getResult(dim)))
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap read = fusable.getMatchingIndexingMap(&operand);
    if (!read)
      continue;
    if (std::optional<unsigned> position = read.getResultPosition(written.getResult(dim)))
      return getExtent(operand.get(), *position);
  }
  return std::nullopt;
}

/// Multiplies `number` by the constant factors of an expression, and lists the others. Fails from 2^63 on.
static LogicalResult addFactors(AffineExpr expr, int64_t &number,
                                SmallVectorImpl<AffineExpr> &factors) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return failure(llvm::MulOverflow(number, constant.getValue(), number) != 0);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Mul) {
    factors.push_back(expr);
    return success();
  }
  return success(succeeded(addFactors(binary.getLHS(), number, factors)) &&
                 succeeded(addFactors(binary.getRHS(), number, factors)));
}

/// The product of `factors`.
static AffineExpr multiply(ArrayRef<AffineExpr> factors, MLIRContext *context) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (AffineExpr factor : factors)
    product = product * factor;
  return product;
}

std::optional<AffineExpr> mlir::fuse::onnx::divideExactly(ArrayRef<AffineExpr> dividend,
                                                          ArrayRef<AffineExpr> divisor,
                                                          MLIRContext *context) {
  SmallVector<AffineExpr> above, below;
  int64_t times = 1, over = 1;
  for (AffineExpr expr : dividend)
    if (failed(addFactors(expr, times, above)))
      return std::nullopt;
  for (AffineExpr expr : divisor)
    if (failed(addFactors(expr, over, below)))
      return std::nullopt;
  for (AffineExpr factor : below) {
    AffineExpr *equal = llvm::find(above, factor);
    if (equal == above.end())
      return std::nullopt;
    above.erase(equal);
  }
  // The elements of a reshape divide without a rest.
  if (over <= 0)
    return std::nullopt;
  return times % over == 0 ? multiply(above, context) * (times / over)
                           : (multiply(above, context) * times).floorDiv(over);
}
