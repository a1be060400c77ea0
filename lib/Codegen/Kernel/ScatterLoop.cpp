//===- ScatterLoop.cpp - A kernel that scatters: a loop over updates ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of a sum of 1500 messages at 173 atoms, in blocks of 87 atoms, a block is
//
//   tile = fill 0 of destination[offset, 0][87, 64]
//   for u = 0 to 1500
//     slice = indices[u] - offset
//     if slice in [0, 87)                       a loop of one iteration or none
//       tile[slice, :] += updates[u, :]         a linalg.generic, as any member is
//   destination[offset, 0][87, 64] = tile
//
// The tile lies in the destination: what the kernel's scatter starts from is computed or copied there.
// What else the kernel computes (messages, indices) is computed where the loop reads it.
//
//===----------------------------------------------------------------------------------------===//

#include "KernelTiler.h"
#include "fuse/Analysis/MemberReads.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type ? value : tensor::CastOp::create(builder, loc, type, value);
}

FailureOr<Value> KernelTiler::emitScatterInit(ScatterRowsOp scatter) {
  Value init = scatter.getInit();
  SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
  Operation *def = init.getDefiningOp();
  bool isFilled = def && isa<linalg::FillOp, tensor::EmptyOp>(def);
  FailureOr<Value> tile =
      resolve(init, offsets, sizes, isFilled ? std::optional<unsigned>(0) : std::nullopt);
  if (failed(tile))
    return scatter.emitOpError("starts from what is not available in the tile");
  if (isFilled)
    return tile;
  Value place = tensor::ExtractSliceOp::create(rewriter, loc, destinations.front(), offsets, sizes,
                                               ones);
  return bufferization::MaterializeInDestinationOp::create(
             rewriter, loc, place.getType(), castTo(rewriter, loc, *tile, place.getType()), place)
      .getResult();
}

FailureOr<Value> KernelTiler::emitScatterIndex(ScatterRowsOp scatter, Value number) {
  Value list = scatter.getIndices(), position = number;
  if (isFromMember(list)) {
    FailureOr<Value> tile = resolve(list, OpFoldResult(number),
                                    OpFoldResult(rewriter.getIndexAttr(1)), std::nullopt);
    if (failed(tile))
      return scatter.emitOpError("has indices that are not available in the tile");
    list = *tile;
    position = arith::ConstantIndexOp::create(rewriter, loc, 0);
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Value index = tensor::ExtractOp::create(rewriter, loc, list, position);
  index = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), index);
  Value extent = getValueOrCreateConstantIndexOp(rewriter, loc, extents[scatter.getDimension()]);
  Value isNegative =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, index, constant(0));
  Value wrapped = arith::AddIOp::create(rewriter, loc, index, extent);
  index = arith::SelectOp::create(rewriter, loc, isNegative, wrapped, index);
  // Whoever computed indices out of range, memory stays whole.
  Value last = arith::SubIOp::create(rewriter, loc, extent, constant(1));
  index = arith::MinSIOp::create(rewriter, loc, index, last);
  return Value(arith::MaxSIOp::create(rewriter, loc, index, constant(0)));
}

FailureOr<Value> KernelTiler::emitScatterUpdate(ScatterRowsOp scatter, Value accumulated,
                                                Value number, Value slice) {
  unsigned dimension = scatter.getDimension();
  SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> sliceSizes(sizes), from(offsets),
      to(offsets.size(), rewriter.getIndexAttr(0));
  sliceSizes[dimension] = rewriter.getIndexAttr(1);
  from[dimension] = number;
  to[dimension] = slice;
  // Without the dimension of the indices.
  SmallVector<int64_t> shape, dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (dim != dimension) {
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
      dims.push_back(dim);
    }
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(accumulated));
  Value updates = scatter.getUpdates();
  if (isFromMember(updates)) {
    FailureOr<Value> tile = resolve(updates, from, sliceSizes, std::nullopt);
    if (failed(tile))
      return scatter.emitOpError("has updates that are not available in the tile");
    updates = *tile;
    from.assign(from.size(), rewriter.getIndexAttr(0));
  }
  Value update =
      tensor::ExtractSliceOp::create(rewriter, loc, type, updates, from, sliceSizes, ones);
  Value old = tensor::ExtractSliceOp::create(rewriter, loc, type, accumulated, to, sliceSizes, ones);
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  std::optional<BinaryKind> combiner = getCombiner(scatter.getKind());
  auto combined = linalg::GenericOp::create(
      rewriter, loc, type, update, old, maps, iterators,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange scalars) {
        ImplicitLocOpBuilder inner(bodyLoc, builder);
        Value next = scalars[0];
        if (combiner)
          next = buildBinary(inner, *combiner, scatter.getElement(), scalars[1], scalars[0]);
        linalg::YieldOp::create(inner, next);
      });
  combined->setDiscardableAttr(attr::kLoopDims, rewriter.getDenseI64ArrayAttr(dims));
  return Value(tensor::InsertSliceOp::create(rewriter, loc, combined.getResult(0), accumulated, to,
                                             sliceSizes, ones));
}

LogicalResult KernelTiler::runScatter(ScatterRowsOp scatter) {
  Block &body = function.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  SmallVector<Operation *> views; // from the scatter's result to the function's
  Value result = ret.getNumOperands() == 1 ? ret.getOperand(0) : Value();
  while (result && result != scatter.getResult()) {
    Operation *def = result.getDefiningOp();
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(def))
      return scatter.emitOpError("expected a kernel that computes nothing behind its scatter, whose "
                                 "result is the kernel's only one");
    views.push_back(def);
    result = def->getOperand(0);
  }
  if (!result)
    return scatter.emitOpError() << "expected a kernel with the scatter's result alone, found "
                                 << ret.getNumOperands() << " results";
  for (auto member : function.getOps<linalg::LinalgOp>())
    if (!isa<linalg::FillOp>(member))
      member->setAttr(attr::kRecompute, rewriter.getUnitAttr());

  Value out = function.getArgument(function.getNumArguments() - 1);
  auto [begin, end] = addRange();
  if (!begin)
    return failure();
  readExtentsOffInits(function);
  rewriter.setInsertionPoint(ret);
  for (int64_t dim = 0, rank = tileSizes.size(); dim < rank; ++dim)
    extents.push_back(tensor::getMixedSize(rewriter, loc, scatter.getInit(), dim));
  for (Operation *view : views)
    out = undoView(rewriter, loc, view, out);

  auto blocks = beginBlocks(begin, end, out);
  FailureOr<Value> init = emitScatterInit(scatter);
  if (failed(init))
    return failure();
  rewriter.setInsertionPointToEnd(blocks.getBody());
  unsigned dimension = scatter.getDimension();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value count = getValueOrCreateConstantIndexOp(
      rewriter, loc, tensor::getMixedSize(rewriter, loc, scatter.getIndices(), 0));
  if (auto extent = dyn_cast<Value>(extents[dimension])) { // there may be no slice
    Value isEmpty = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, extent, zero);
    count = arith::SelectOp::create(rewriter, loc, isEmpty, zero, count);
  }
  auto walk = scf::ForOp::create(rewriter, loc, zero, count, one, *init);
  rewriter.setInsertionPointToStart(walk.getBody());
  Value number = walk.getInductionVar(), accumulated = walk.getRegionIterArg(0);
  FailureOr<Value> slice = emitScatterIndex(scatter, number);
  if (failed(slice))
    return failure();
  bool isWhole = isConstantIntValue(offsets[dimension], 0) &&
                 isEqualConstantIntOrValue(sizes[dimension], extents[dimension]);
  FailureOr<Value> next = failure();
  if (isWhole) {
    next = emitScatterUpdate(scatter, accumulated, number, *slice);
  } else {
    Value offset = getValueOrCreateConstantIndexOp(rewriter, loc, offsets[dimension]);
    Value size = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[dimension]);
    Value local = arith::SubIOp::create(rewriter, loc, *slice, offset);
    Value isHere =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, local, size);
    // A loop of one iteration or none: bufferization knows that a loop's result lies where its
    // carried value does, and does not of a branch.
    Value times = arith::SelectOp::create(rewriter, loc, isHere, one, zero);
    auto once = scf::ForOp::create(rewriter, loc, zero, times, one, accumulated);
    rewriter.setInsertionPointToStart(once.getBody());
    next = emitScatterUpdate(scatter, once.getRegionIterArg(0), number, local);
    if (succeeded(next))
      scf::YieldOp::create(rewriter, loc, *next);
    rewriter.setInsertionPointAfter(once);
    if (succeeded(next))
      next = once.getResult(0);
  }
  if (failed(next))
    return failure();
  scf::YieldOp::create(rewriter, loc, *next);

  rewriter.setInsertionPointToEnd(blocks.getBody());
  SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
  Value written = tensor::InsertSliceOp::create(rewriter, loc, walk.getResult(0),
                                                destinations.front(), offsets, sizes, ones);
  scf::YieldOp::create(rewriter, loc, written);
  rewriter.setInsertionPoint(ret);
  Value value = blocks.getResult(0);
  for (Operation *view : llvm::reverse(views))
    value = redoView(rewriter, loc, view, value);
  return returnResults(ret, value);
}
