//===- ScatterOps.cpp - Updates at given indices: verifiers, domain, folds -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What `fuse.scatter` and `fuse.scatter_rows` have alike.
template <typename Op>
LogicalResult verifyScatter(Op op, Value operand, Value indices, Value updates, Type element) {
  RankedTensorType into = typeOf(operand), from = typeOf(updates), result = typeOf(op.getResult());
  int64_t dimension = op.getDimension();
  if (dimension < 0 || dimension >= into.getRank())
    return op.emitOpError() << "dimension " << dimension << " is outside rank " << into.getRank();
  if (!isLegal(op.getKind(), element))
    return op.emitOpError() << "'" << stringifyScatterKind(op.getKind()) << "' expects "
                            << describeTypes(getLegalTypes(op.getKind())) << ", found " << element;
  if (result != into)
    return op.emitOpError() << "expected a result of the operand's type " << into << ", found "
                            << result;
  if (from.getElementType() != into.getElementType())
    return op.emitOpError() << "expected updates of element type " << into.getElementType()
                            << ", found " << from.getElementType();
  SmallVector<int64_t> wanted(into.getShape().take_front(dimension));
  llvm::append_range(wanted, typeOf(indices).getShape());
  llvm::append_range(wanted, into.getShape().drop_front(dimension + 1));
  if (from.getShape() != ArrayRef(wanted))
    return op.emitOpError() << "expected updates of shape " << formatShape(wanted) << ", found "
                            << formatShape(from.getShape());
  return success();
}

} // namespace

LogicalResult ScatterOp::verify() {
  return verifyScatter(*this, getOperand(), getIndices(), getUpdates(),
                       typeOf(getOperand()).getElementType());
}

// The loops are the dimensions of `updates`. Which slice of the operand and of the result is
// touched, the indices say; within it, both are touched along the loops before and behind theirs.
SmallVector<utils::IteratorType> ScatterOp::getIteratorTypesArray() {
  return SmallVector<utils::IteratorType>(typeOf(getUpdates()).getRank(),
                                          utils::IteratorType::parallel);
}

SmallVector<AffineMap> ScatterOp::getIndexingMapsArray() {
  int64_t rank = typeOf(getUpdates()).getRank(), indexRank = typeOf(getIndices()).getRank();
  int64_t scattered = getDimension();
  AffineMap all = AffineMap::getMultiDimIdentityMap(rank, getContext());
  SmallVector<AffineExpr> slices;
  for (int64_t dim = 0, end = typeOf(getOperand()).getRank(); dim < end; ++dim)
    slices.push_back(dim == scattered
                         ? getAffineSymbolExpr(0, getContext())
                         : getAffineDimExpr(dim < scattered ? dim : dim + indexRank - 1,
                                            getContext()));
  AffineMap touched = AffineMap::get(rank, 1, slices, getContext());
  return {touched, all.getSliceMap(scattered, indexRank), all, touched};
}

bool ScatterOp::isBitStable() {
  std::optional<BinaryKind> combiner = getCombiner(getKind());
  return !combiner || ::mlir::fuse::isBitStable(*combiner, typeOf(getOperand()).getElementType());
}

/// Without updates, or without anything to update, nothing changes.
OpFoldResult ScatterOp::fold(FoldAdaptor) {
  return llvm::is_contained(typeOf(getUpdates()).getShape(), 0) ? getOperand() : Value();
}

LogicalResult ScatterRowsOp::verify() {
  if (typeOf(getIndices()).getRank() != 1 || typeOf(getInit()).getRank() > 3)
    return emitOpError() << "expected a list of indices and an init of rank 1 to 3, found "
                         << getIndices().getType() << " and " << getInit().getType();
  return verifyScatter(*this, getInit(), getIndices(), getUpdates(), getElement());
}
