//===- MemoryOps.cpp - Views, memory, data movement: verifiers and domains -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

AffineMap identity(Value value) {
  return AffineMap::getMultiDimIdentityMap(cast<ShapedType>(value.getType()).getRank(),
                                           value.getContext());
}

LogicalResult verifyKeptElementType(Operation *op, Value operand, Value result) {
  if (getElementTypeOrSelf(operand) == getElementTypeOrSelf(result))
    return success();
  return op->emitOpError() << "expected result element type " << getElementTypeOrSelf(operand)
                           << ", found " << getElementTypeOrSelf(result);
}

LogicalResult verifyMovedShape(Operation *op, ArrayRef<int64_t> wanted, RankedTensorType result) {
  if (result.getShape() == wanted)
    return success();
  return op->emitOpError() << "expected result shape " << formatShape(wanted) << ", found "
                           << formatShape(result.getShape());
}

LogicalResult verifyCount(Operation *op, StringRef what, ArrayRef<int64_t> list, int64_t rank) {
  if (static_cast<int64_t>(list.size()) == rank)
    return success();
  return op->emitOpError() << "expected " << rank << " " << what << ", found " << list.size();
}

LogicalResult verifyDimension(Operation *op, int64_t dimension, int64_t rank) {
  if (dimension >= 0 && dimension < rank)
    return success();
  return op->emitOpError() << "dimension " << dimension << " is outside rank " << rank;
}

/// The dynamic extents of `shape` and the values that say them; `sizes` may be left out where they follow.
LogicalResult verifySizes(Operation *op, ArrayRef<int64_t> shape, ValueRange sizes, bool mayFollow) {
  int64_t count = llvm::count_if(shape, ShapedType::isDynamic);
  if (static_cast<int64_t>(sizes.size()) == count || (mayFollow && sizes.empty()))
    return success();
  return op->emitOpError() << "expected " << count << " sizes for the dynamic dimensions of "
                           << formatShape(shape) << ", found " << sizes.size();
}

/// The maps of an op with one tensor operand, then numbers, which are read along no loop.
SmallVector<AffineMap> addNumbers(Operation *op, AffineMap read, AffineMap written) {
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands())
    maps.push_back(isa<ShapedType>(operand.getType())
                       ? read
                       : AffineMap::get(written.getNumDims(), 0, op->getContext()));
  maps.push_back(written);
  return maps;
}

} // namespace

//===- reshape ------------------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  if (failed(verifyKeptElementType(*this, getOperand(), getResult())))
    return failure();
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  if (from.hasStaticShape() && to.hasStaticShape()) {
    if (from.getNumElements() == to.getNumElements())
      return success();
    return emitOpError() << "element counts differ: " << formatShape(from.getShape()) << " has "
                         << from.getNumElements() << ", " << formatShape(to.getShape()) << " has "
                         << to.getNumElements();
  }
  if (failed(verifySizes(*this, to.getShape(), getSizes(), /*mayFollow=*/true)))
    return failure();
  if (getSizes().empty() && to.getNumDynamicDims() > 1 &&
      pairDynamicDims(from.getShape(), to.getShape()).empty())
    return emitOpError() << "at most one dimension of the result can be dynamic, found "
                         << formatShape(to.getShape()) << ", which " << formatShape(from.getShape())
                         << " does not have in that order with as many elements in between";
  return success();
}

bool ReshapeOp::hasFreeSizes() { return getSizes().size() > 1; }

SmallVector<ReshapeGroup> ReshapeOp::getGroups() {
  ArrayRef<int64_t> from = typeOf(getOperand()).getShape(), to = typeOf(getResult()).getShape();
  return hasFreeSizes() ? matchOpenReshape(from, to) : matchReshape(from, to);
}

bool ReshapeOp::hidesLoops() {
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  if (from.hasStaticShape() && to.hasStaticShape())
    return false;
  return llvm::any_of(getGroups(), [&](const ReshapeGroup &group) {
    bool isPair = group.from.size() == 1 && group.to.size() == 1;
    return !isPair && (llvm::any_of(group.from, [&](int64_t dim) { return from.isDynamicDim(dim); }) ||
                       llvm::any_of(group.to, [&](int64_t dim) { return to.isDynamicDim(dim); }));
  });
}

// A reshape is no affine function of the loops in general: unmappable, unless it only adds or drops
// unit dimensions.
SmallVector<AffineMap> ReshapeOp::getIndexingMapsArray() {
  ArrayRef<int64_t> from = typeOf(getOperand()).getShape(), to = typeOf(getResult()).getShape();
  if (hasFreeSizes())
    return addNumbers(*this, AffineMap(), identity(getResult()));
  SmallVector<AffineExpr> exprs;
  size_t position = 0;
  for (int64_t extent : from) {
    if (extent == 1) {
      exprs.push_back(getAffineConstantExpr(0, getContext()));
      continue;
    }
    while (position < to.size() && to[position] == 1)
      ++position;
    if (position == to.size() || to[position] != extent)
      return addNumbers(*this, AffineMap(), identity(getResult()));
    exprs.push_back(getAffineDimExpr(position++, getContext()));
  }
  if (!llvm::all_of(to.drop_front(position), [](int64_t extent) { return extent == 1; }))
    return addNumbers(*this, AffineMap(), identity(getResult()));
  return addNumbers(*this, AffineMap::get(to.size(), 0, exprs, getContext()), identity(getResult()));
}

//===- transpose ----------------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  RankedTensorType from = typeOf(getOperand());
  ArrayRef<int64_t> permutation = getPermutation();
  if (failed(verifyKeptElementType(*this, getOperand(), getResult())) ||
      failed(verifyCount(*this, "entries of 'permutation'", permutation, from.getRank())))
    return failure();
  if (!isPermutationVector(permutation))
    return emitOpError() << "'permutation' is not a permutation of 0 to " << from.getRank() - 1;
  SmallVector<int64_t> wanted;
  for (int64_t dim : permutation)
    wanted.push_back(from.getDimSize(dim));
  return verifyMovedShape(*this, wanted, typeOf(getResult()));
}

SmallVector<AffineMap> TransposeOp::getIndexingMapsArray() {
  AffineMap whole = identity(getResult());
  if (getPermutation().empty()) // upstream has no permutation of nothing
    return {whole, whole};
  return {inversePermutation(AffineMap::getPermutationMap(getPermutation(), getContext())), whole};
}

//===- slice --------------------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  RankedTensorType from = typeOf(getOperand());
  if (failed(verifyKeptElementType(*this, getOperand(), getResult())) ||
      failed(verifyCount(*this, "offsets", getOffsets(), from.getRank())) ||
      failed(verifyCount(*this, "sizes", getSizes(), from.getRank())) ||
      failed(verifyCount(*this, "strides", getStrides(), from.getRank())))
    return failure();
  for (auto [list, values, what] :
       {std::tuple(getOffsets(), getDynamicOffsets(), "offsets"), {getSizes(), getDynamicSizes(), "sizes"}})
    if (llvm::count_if(list, ShapedType::isDynamic) != static_cast<int64_t>(values.size()))
      return emitOpError() << "expected a value for each of the " << what << " that is no number, found "
                           << values.size();
  SmallVector<int64_t> wanted;
  for (auto [dim, extent] : llvm::enumerate(from.getShape())) {
    int64_t offset = getOffsets()[dim], size = getSizes()[dim], stride = getStrides()[dim];
    bool isOpen = ShapedType::isDynamic(extent), hasValues = ShapedType::isDynamic(offset) || ShapedType::isDynamic(size);
    if (stride < 1 || (!ShapedType::isDynamic(offset) && offset < 0))
      return emitOpError() << "offset " << offset << ", stride " << stride << " of dimension " << dim
                           << ": expected no negative offset and a positive stride";
    wanted.push_back(size == -1 ? ShapedType::kDynamic : size);
    if (size == -1 && (!isOpen || hasValues || stride != 1))
      return emitOpError() << "size -1 of dimension " << dim
                           << " must be of a dynamic dimension, from a constant offset on with stride 1";
    if (size < -1 && !ShapedType::isDynamic(size))
      return emitOpError() << "negative size " << size << " of dimension " << dim;
    if (isOpen || hasValues)
      continue;
    if (offset > extent ||
        (size > 0 && (size - 1 > (extent - 1 - offset) / stride || offset >= extent)))
      return emitOpError() << "offset " << offset << ", size " << size << ", stride " << stride
                           << " leave dimension " << dim << " of extent " << extent;
  }
  return verifyMovedShape(*this, wanted, typeOf(getResult()));
}

SmallVector<OpFoldResult> SliceOp::getMixedOffsets() {
  return mlir::getMixedValues(getOffsets(), getDynamicOffsets(), getContext());
}

SmallVector<OpFoldResult> SliceOp::getMixedSizes() {
  return mlir::getMixedValues(getSizes(), getDynamicSizes(), getContext());
}

bool SliceOp::isWhole(int64_t dim) {
  int64_t extent = typeOf(getOperand()).getDimSize(dim), size = getSizes()[dim];
  return getOffsets()[dim] == 0 && getStrides()[dim] == 1 &&
         (size == -1 || (size == extent && !ShapedType::isDynamic(size)));
}

// From an offset that is a value on, what is read is no affine function of the loops.
SmallVector<AffineMap> SliceOp::getIndexingMapsArray() {
  SmallVector<AffineExpr> exprs;
  unsigned numSymbols = 0;
  for (auto [dim, offset, stride] : llvm::enumerate(getOffsets(), getStrides()))
    exprs.push_back(ShapedType::isDynamic(offset) ? getAffineSymbolExpr(numSymbols++, getContext())
                                                  : getAffineDimExpr(dim, getContext()) * stride + offset);
  return addNumbers(*this, AffineMap::get(exprs.size(), numSymbols, exprs, getContext()), identity(getResult()));
}

//===- broadcast ----------------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  if (failed(verifyKeptElementType(*this, getOperand(), getResult())))
    return failure();
  int64_t added = getDimensions().size();
  if (from.getRank() + added != to.getRank())
    return emitOpError() << "rank " << from.getRank() << " with " << added
                         << " added dimensions does not give rank " << to.getRank();
  int64_t previous = -1;
  for (int64_t dim : getDimensions()) {
    if (failed(verifyDimension(*this, dim, to.getRank())))
      return failure();
    if (dim <= previous)
      return emitOpError() << "dimensions must be sorted and distinct, found " << dim << " after "
                           << previous;
    previous = dim;
  }
  SmallVector<int64_t> addedExtents;
  for (int64_t dim : getDimensions())
    addedExtents.push_back(to.getDimSize(dim));
  if (failed(verifySizes(*this, addedExtents, getSizes(), /*mayFollow=*/false)))
    return failure();
  SmallVector<int64_t> wanted;
  unsigned next = 0;
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    wanted.push_back(llvm::is_contained(getDimensions(), dim) ? to.getDimSize(dim)
                                                              : from.getDimSize(next++));
  return verifyMovedShape(*this, wanted, to);
}

SmallVector<AffineMap> BroadcastOp::getIndexingMapsArray() {
  int64_t rank = typeOf(getResult()).getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(getDimensions(), dim))
      exprs.push_back(getAffineDimExpr(dim, getContext()));
  return addNumbers(*this, AffineMap::get(rank, 0, exprs, getContext()), identity(getResult()));
}

//===- load, store, copy --------------------------------------------------------------------===//

static LogicalResult verifyBuffer(Operation *op, Value tensor, Value buffer) {
  auto tensorType = cast<RankedTensorType>(tensor.getType());
  auto bufferType = cast<MemRefType>(buffer.getType());
  if (tensorType.getShape() == bufferType.getShape() &&
      tensorType.getElementType() == bufferType.getElementType())
    return success();
  return op->emitOpError() << "expected shape and element type of " << bufferType << ", found "
                           << tensorType;
}

LogicalResult LoadOp::verify() { return verifyBuffer(*this, getResult(), getSource()); }
LogicalResult StoreOp::verify() { return verifyBuffer(*this, getValue(), getDestination()); }

LogicalResult CopyOp::verify() {
  if (getOperand().getType() == getResult().getType())
    return success();
  return emitOpError() << "expected result type " << getOperand().getType() << ", found "
                       << getResult().getType();
}

SmallVector<AffineMap> LoadOp::getIndexingMapsArray() { return SmallVector<AffineMap>(2, identity(getResult())); }
SmallVector<AffineMap> StoreOp::getIndexingMapsArray() { return SmallVector<AffineMap>(2, identity(getValue())); }
SmallVector<AffineMap> CopyOp::getIndexingMapsArray() { return SmallVector<AffineMap>(2, identity(getResult())); }
SmallVector<AffineMap> FromIndexOp::getIndexingMapsArray() { return addNumbers(*this, {}, identity(getResult())); }
SmallVector<AffineMap> IotaOp::getIndexingMapsArray() { return addNumbers(*this, {}, identity(getResult())); }

//===- concat, pad, gather, iota, resize ----------------------------------------------------===//

/// The loops of a result of `rank`; where `isLoop` is false, a symbol: no affine function of them.
static AffineMap partialMap(MLIRContext *context, int64_t rank,
                            function_ref<bool(int64_t dim)> isLoop) {
  SmallVector<AffineExpr> exprs;
  unsigned numSymbols = 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    exprs.push_back(isLoop(dim) ? getAffineDimExpr(dim, context)
                                : getAffineSymbolExpr(numSymbols++, context));
  return AffineMap::get(rank, numSymbols, exprs, context);
}

std::optional<int64_t> ConcatOp::getEqualParts() {
  constexpr size_t kMostSelected = 8;
  ArrayRef<int64_t> shape = typeOf(getOperands().front()).getShape();
  bool isEqual = getOperands().size() > 1 && getOperands().size() <= kMostSelected &&
                 !ShapedType::isDynamicShape(shape) && !llvm::is_contained(shape, 0) &&
                 llvm::all_of(getOperands(),
                              [&](Value operand) { return typeOf(operand).getShape() == shape; });
  int64_t part = isEqual ? shape[getDimension()] : 1;
  return part > 1 ? std::optional<int64_t>(part) : std::nullopt;
}

SmallVector<AffineMap> ConcatOp::getIndexingMapsArray() {
  int64_t joined = getDimension();
  AffineMap map = partialMap(getContext(), typeOf(getResult()).getRank(),
                             [&](int64_t dim) { return dim != joined; });
  if (std::optional<int64_t> part = getEqualParts()) { // each is read at the position within a part
    SmallVector<AffineExpr> exprs(map.getResults());
    exprs[joined] = getAffineDimExpr(joined, getContext()) % *part;
    map = AffineMap::get(map.getNumDims(), 0, exprs, getContext());
  }
  SmallVector<AffineMap> maps(getOperation()->getNumOperands(), map);
  maps.push_back(identity(getResult()));
  return maps;
}

SmallVector<AffineMap> PadOp::getIndexingMapsArray() {
  AffineMap map = partialMap(getContext(), typeOf(getResult()).getRank(), [&](int64_t dim) {
    return getLow()[dim] == 0 && getHigh()[dim] == 0;
  });
  return {map, identity(getResult())};
}

SmallVector<AffineMap> ResizeNearestOp::getIndexingMapsArray() {
  ArrayRef<int64_t> from = typeOf(getOperand()).getShape(), to = typeOf(getResult()).getShape();
  AffineMap map = partialMap(getContext(), to.size(),
                             [&](int64_t dim) {
                               return from[dim] == to[dim] && (getSizes().empty() || !ShapedType::isDynamic(to[dim]));
                             });
  return addNumbers(*this, map, identity(getResult()));
}

LogicalResult ConcatOp::verify() {
  if (getOperands().empty())
    return emitOpError() << "expected at least one operand";
  RankedTensorType first = typeOf(getOperands().front());
  int64_t dimension = getDimension();
  if (failed(verifyDimension(*this, dimension, first.getRank())))
    return failure();
  SmallVector<int64_t> wanted(first.getShape());
  wanted[dimension] = 0;
  for (Value operand : getOperands()) {
    RankedTensorType type = typeOf(operand);
    if (failed(verifyKeptElementType(*this, operand, getResult())))
      return failure();
    SmallVector<int64_t> others(type.getShape());
    bool fits = type.getRank() == first.getRank();
    if (fits) {
      others[dimension] = first.getDimSize(dimension);
      fits = ArrayRef<int64_t>(others) == first.getShape();
    }
    if (!fits)
      return emitOpError() << "operand shapes differ beside dimension " << dimension << ": "
                           << formatShape(first.getShape()) << " and "
                           << formatShape(type.getShape());
    int64_t &sum = wanted[dimension];
    sum = type.isDynamicDim(dimension) || ShapedType::isDynamic(sum) ? ShapedType::kDynamic
                                                                     : sum + type.getDimSize(dimension);
  }
  return verifyMovedShape(*this, wanted, typeOf(getResult()));
}

LogicalResult PadOp::verify() {
  RankedTensorType from = typeOf(getOperand());
  if (failed(verifyKeptElementType(*this, getOperand(), getResult())) ||
      failed(verifyCount(*this, "entries of 'low'", getLow(), from.getRank())) ||
      failed(verifyCount(*this, "entries of 'high'", getHigh(), from.getRank())))
    return failure();
  if (cast<TypedAttr>(getValueAttr()).getType() != from.getElementType())
    return emitOpError() << "expected a value of type " << from.getElementType() << ", found "
                         << getValueAttr();
  SmallVector<int64_t> wanted;
  for (auto [dim, extent] : llvm::enumerate(from.getShape())) {
    int64_t low = getLow()[dim], high = getHigh()[dim];
    if (ShapedType::isDynamic(extent)) {
      wanted.push_back(extent);
      continue;
    }
    int64_t padded;
    if (llvm::AddOverflow(extent, low, padded) || llvm::AddOverflow(padded, high, padded))
      return emitOpError() << "padding " << low << " and " << high << " of dimension " << dim
                           << " of extent " << extent << " leaves the range of sizes";
    if (padded < 0 || low < -extent || high < -extent)
      return emitOpError() << "padding " << low << " and " << high << " crops more than dimension "
                           << dim << " of extent " << extent << " has";
    wanted.push_back(padded);
  }
  return verifyMovedShape(*this, wanted, typeOf(getResult()));
}

LogicalResult GatherOp::verify() {
  RankedTensorType from = typeOf(getOperand()), indices = typeOf(getIndices());
  int64_t dimension = getDimension();
  if (failed(verifyKeptElementType(*this, getOperand(), getResult())) ||
      failed(verifyDimension(*this, dimension, from.getRank())))
    return failure();
  SmallVector<int64_t> wanted(from.getShape().take_front(dimension));
  llvm::append_range(wanted, indices.getShape());
  llvm::append_range(wanted, from.getShape().drop_front(dimension + 1));
  return verifyMovedShape(*this, wanted, typeOf(getResult()));
}

// Which slice of the data is read, the indices say; within it, the data is read along the loops
// behind and before theirs.
SmallVector<AffineMap> GatherOp::getIndexingMapsArray() {
  int64_t rank = typeOf(getResult()).getRank(), indexRank = typeOf(getIndices()).getRank();
  int64_t gathered = getDimension();
  AffineMap all = AffineMap::getMultiDimIdentityMap(rank, getContext());
  SmallVector<AffineExpr> data;
  for (int64_t dim = 0, end = typeOf(getOperand()).getRank(); dim < end; ++dim)
    data.push_back(dim == gathered ? getAffineSymbolExpr(0, getContext())
                                   : getAffineDimExpr(dim < gathered ? dim : dim + indexRank - 1,
                                                      getContext()));
  return {AffineMap::get(rank, 1, data, getContext()), all.getSliceMap(gathered, indexRank), all};
}

LogicalResult IotaOp::verify() {
  RankedTensorType type = typeOf(getResult());
  if (failed(verifySizes(*this, type.getShape(), getSizes(), /*mayFollow=*/false)))
    return failure();
  if (type.getElementType().isInteger(1))
    return emitOpError() << "does not give element type i1";
  return verifyDimension(*this, getDimension(), type.getRank());
}

LogicalResult FromIndexOp::verify() {
  RankedTensorType type = typeOf(getResult());
  if (type.getRank() != 0 || type.getElementType().isInteger(1))
    return emitOpError() << "expected a result of rank 0, not of i1, found " << type;
  return success();
}

LogicalResult ResizeNearestOp::verify() {
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  if (failed(verifyKeptElementType(*this, getOperand(), getResult())))
    return failure();
  if (from.getRank() != to.getRank())
    return emitOpError() << "expected a result of rank " << from.getRank() << ", found rank "
                         << to.getRank();
  if (failed(verifySizes(*this, to.getShape(), getSizes(), /*mayFollow=*/true)))
    return failure();
  for (auto [dim, extent] : llvm::enumerate(from.getShape())) {
    int64_t wanted = to.getDimSize(dim);
    if (extent == wanted)
      continue;
    if (ShapedType::isDynamic(wanted) && getSizes().empty())
      return emitOpError() << "resized dimension " << dim << " has no size";
    if (extent == 0)
      return emitOpError() << "dimension " << dim << " is empty: nothing to resample";
  }
  return success();
}
