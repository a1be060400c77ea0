//===- ReductionOps.cpp - Reductions: verifiers, domains, scalar bodies -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/Support/KindTypes.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// The operand's loops; the result has no position of those in `dimensions`.
SmallVector<AffineMap> reductionMaps(RankedTensorType type, ArrayRef<int64_t> dimensions,
                                     bool keepDims) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!llvm::is_contained(dimensions, dim))
      kept.push_back(getAffineDimExpr(dim, context));
    else if (keepDims)
      kept.push_back(getAffineConstantExpr(0, context));
  }
  return {AffineMap::getMultiDimIdentityMap(type.getRank(), context),
          AffineMap::get(type.getRank(), 0, kept, context)};
}

LogicalResult verifyReduced(Operation *op, RankedTensorType operand, ArrayRef<int64_t> dimensions,
                            bool keepDims, RankedTensorType result) {
  int64_t previous = -1;
  for (int64_t dim : dimensions) {
    if (dim < 0 || dim >= operand.getRank())
      return op->emitOpError() << "dimension " << dim << " is outside an operand of rank "
                               << operand.getRank();
    if (dim <= previous)
      return op->emitOpError() << "dimensions must be sorted and distinct, found " << dim
                               << " after " << previous;
    previous = dim;
  }
  SmallVector<int64_t> wanted;
  for (auto [dim, extent] : llvm::enumerate(operand.getShape())) {
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(dim)))
      wanted.push_back(extent);
    else if (keepDims)
      wanted.push_back(1);
  }
  if (result.getShape() != ArrayRef<int64_t>(wanted))
    return op->emitOpError() << "expected result shape " << formatShape(wanted) << ", found "
                             << formatShape(result.getShape());
  return success();
}

template <typename OpT> LogicalResult verifyArgReduce(OpT op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  int64_t dimension = op.getDimension();
  if (operand.getElementType().isInteger(1))
    return op.emitOpError() << "does not take element type i1";
  if (failed(verifyReduced(op, operand, {dimension}, op.getKeepDims(),
                           cast<RankedTensorType>(op.getResult().getType()))))
    return failure();
  if (operand.getDimSize(dimension) == 0)
    return op.emitOpError() << "dimension " << dimension << " is empty: no index to return";
  return success();
}

} // namespace

LogicalResult ReduceOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!isLegal(getKind(), operand.getElementType()))
    return emitOpError() << "'" << stringifyReduceKind(getKind()) << "' takes "
                         << describeTypes(getLegalTypes(getKind())) << ", found element type "
                         << operand.getElementType();
  if (result.getElementType() != operand.getElementType())
    return emitOpError() << "expected result element type " << operand.getElementType()
                         << ", found " << result.getElementType();
  return verifyReduced(*this, operand, getDimensions(), getKeepDims(), result);
}

SmallVector<AffineMap> ReduceOp::getIndexingMapsArray() {
  return reductionMaps(cast<RankedTensorType>(getOperand().getType()), getDimensions(),
                       getKeepDims());
}

Value ReduceOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  Type element = getElementTypeOrSelf(getOperand());
  Type accumulator = getAccumulatorType(getKind(), element);
  Value value = element == accumulator ? args[0] : buildCast(builder, element, accumulator, args[0]);
  return buildReduceCombine(builder, getKind(), accumulator, args[1], value);
}

bool ReduceOp::isBitStable() {
  return isa<IntegerType>(getElementTypeOrSelf(getOperand())) || getKind() == ReduceKind::Max ||
         getKind() == ReduceKind::Min;
}

LogicalResult ArgmaxOp::verify() { return verifyArgReduce(*this); }
LogicalResult ArgminOp::verify() { return verifyArgReduce(*this); }

#define FUSE_ARG_REDUCE_DOMAIN(OP)                                                               \
  SmallVector<AffineMap> OP::getIndexingMapsArray() {                                            \
    return reductionMaps(cast<RankedTensorType>(getOperand().getType()),                         \
                         {static_cast<int64_t>(getDimension())}, getKeepDims());                 \
  }
FUSE_ARG_REDUCE_DOMAIN(ArgmaxOp)
FUSE_ARG_REDUCE_DOMAIN(ArgminOp)
#undef FUSE_ARG_REDUCE_DOMAIN
