//===- StreamLoop.cpp - A second loop, along a dim that members run in step ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the loop carries is updated in place. Where a running maximum is updated, what was needed of
// the old one is computed first, into scratch: else bufferization would have to copy it.
//
//===----------------------------------------------------------------------------------------===//

#include "KernelTiler.h"
#include "TileScratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// One parallel loop per dimension of `out`.
static Value makePointwise(OpBuilder &builder, Location loc, ValueRange inputs,
                           ArrayRef<AffineMap> inputMaps, Value out,
                           function_ref<Value(OpBuilder &, ValueRange)> body) {
  int64_t rank = cast<RankedTensorType>(out.getType()).getRank();
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, out.getType(), inputs, out, maps, iterators,
                                   [&](OpBuilder &inner, Location innerLoc, ValueRange scalars) {
                                     linalg::YieldOp::create(inner, innerLoc, body(inner, scalars));
                                   })
      .getResult(0);
}

/// `value` through the steps, of which casts between difference and exponential may be left out:
/// the factor is the more exact for it.
static Value replay(OpBuilder &builder, ArrayRef<ScalarStep> steps, Value value, bool skipsCasts) {
  for (const ScalarStep &step : steps) {
    if (step.isIdentity || (skipsCasts && isa<arith::ExtFOp, arith::TruncFOp>(step.op)))
      continue;
    IRMapping mapping;
    for (auto [number, operand] : llvm::enumerate(step.op->getOperands())) {
      if (number == step.operand)
        mapping.map(operand, value);
      else if (Operation *constant = operand.getDefiningOp();
               constant && constant->getBlock() == step.op->getBlock())
        mapping.map(operand, builder.clone(*constant)->getResult(0));
    }
    value = builder.clone(*step.op, mapping)->getResult(0);
  }
  return value;
}

/// The scalar op by which a member folds: the maximum of two.
static Value combine(OpBuilder &builder, linalg::LinalgOp member, Value a, Value b) {
  Operation *combiner = member.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Operation *clone = builder.clone(*combiner);
  clone->setOperands({a, b});
  return clone->getResult(0);
}

/// The least finite number of the narrowest type that a running maximum is cast to, in its own
/// type.
static Value makeLeast(OpBuilder &builder, Location loc, const StreamedDim &stream,
                       unsigned maximum, FloatType type) {
  FloatType narrowest = type;
  for (const StreamCorrection &correction : stream.corrections)
    if (correction.maximum == maximum)
      for (const ScalarStep &step : correction.before) {
        auto cast = llvm::cast<FloatType>(step.op->getResult(0).getType());
        if (cast.getWidth() < narrowest.getWidth())
          narrowest = cast;
      }
  APFloat least = APFloat::getLargest(narrowest.getFloatSemantics(), /*Negative=*/true);
  bool losesInfo;
  least.convert(type.getFloatSemantics(), APFloat::rmTowardZero, &losesInfo);
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, least));
}

LogicalResult KernelTiler::emitMembers(Block *block) {
  auto emitAll = [&](function_ref<bool(unsigned)> isWanted) {
    for (unsigned m = 0; m < members.ops().size(); ++m) {
      if (!isWanted(m))
        continue;
      rewriter.setInsertionPointToEnd(block);
      if (failed(emit(m)))
        return failure();
    }
    return success();
  };
  if (!stream)
    return emitAll([](unsigned) { return true; });
  if (failed(emitAll([&](unsigned m) { return stream->phases[m] == StreamPhase::Before; })))
    return failure();
  rewriter.setInsertionPointToEnd(block);
  if (failed(emitStream(block)))
    return failure();
  return emitAll([&](unsigned m) {
    return stream->phases[m] == StreamPhase::Running || stream->phases[m] == StreamPhase::After;
  });
}

SmallVector<unsigned> KernelTiler::getCarriedPositions() const {
  SmallVector<unsigned> positions;
  unsigned next = 0;
  for (auto [m, op] : llvm::enumerate(members.ops())) {
    positions.push_back(next);
    if (stream->folds[m])
      next += op->getNumResults();
  }
  positions.push_back(next);
  return positions;
}

FailureOr<KernelTiler::Tile> KernelTiler::positionResult(unsigned number, unsigned result) {
  linalg::LinalgOp member = members.ops()[number];
  OpFoldResults domainOffsets, domainSizes;
  tileDomain(number, domainOffsets, domainSizes);
  Tile tile;
  if (failed(cast<TilingInterface>(member.getOperation())
                 .getResultTilePosition(rewriter, result, domainOffsets, domainSizes, tile.offsets,
                                        tile.sizes)))
    return member.emitError("has a result without a position");
  return tile;
}

LogicalResult KernelTiler::emitStream(Block *block) {
  streamOffset = streamSize = rewriter.getIndexAttr(0); // of no matter to what is folded
  OpFoldResult extent = privateExtent(stream->source.first, stream->source.second);
  SmallVector<Value> initial;
  SmallVector<Tile> places;
  for (unsigned m = 0; m < members.ops().size(); ++m) {
    if (!stream->folds[m])
      continue;
    linalg::LinalgOp member = members.ops()[m];
    for (OpResult result : member->getResults()) {
      FailureOr<Tile> place = positionResult(m, result.getResultNumber());
      if (failed(place))
        return failure();
      FailureOr<Value> init = resolve(member.getTiedOpOperand(result)->get(), place->offsets,
                                      place->sizes, members.resultNumber(result));
      if (failed(init))
        return member.emitError("has an init that is not available in the tile");
      rewriter.setInsertionPointToEnd(block);
      initial.push_back(*init);
      places.push_back(*place);
    }
  }
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value step = arith::ConstantIndexOp::create(rewriter, loc, streamTile);
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc, extent);
  auto loop = scf::ForOp::create(rewriter, loc, zero, end, step, initial);
  Block *body = loop.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToEnd(body);
  streamOffset = loop.getInductionVar();
  streamSize = tileSize(streamTile, extent, streamOffset);
  factors.assign(stream->corrections.size(), Value());

  SmallVector<unsigned> positions = getCarriedPositions();
  SmallVector<Value> next(initial.size());
  for (unsigned m = 0; m < members.ops().size(); ++m) {
    if (stream->phases[m] != StreamPhase::In && stream->phases[m] != StreamPhase::Running)
      continue;
    rewriter.setInsertionPointToEnd(body);
    unsigned from = positions[m], count = positions[m + 1] - from;
    if (failed(emitStreamed(m, loop.getRegionIterArgs().slice(from, count),
                            MutableArrayRef<Value>(next).slice(from, count))))
      return failure();
  }
  rewriter.setInsertionPointToEnd(body);
  for (auto [value, carried] : llvm::zip_equal(next, initial))
    if (value.getType() != carried.getType())
      value = tensor::CastOp::create(rewriter, loc, carried.getType(), value);
  scf::YieldOp::create(rewriter, loc, next);

  // From the maximum that was subtracted last to the true one.
  rewriter.setInsertionPointToEnd(block);
  for (unsigned m = 0; m < members.ops().size(); ++m)
    for (unsigned i = positions[m]; i < positions[m + 1]; ++i) {
      places[i].value = loop.getResult(i);
      tiles[members.ops()[m]->getResult(i - positions[m])] = places[i];
    }
  for (auto [number, correction] : llvm::enumerate(stream->corrections)) {
    unsigned maximumNumber = correction.maximum;
    linalg::LinalgOp maximum = members.ops()[maximumNumber];
    const Tile &tile = tiles[maximum->getResult(0)];
    factors[number] =
        makeCorrection(correction, tile.value, tile, [&](OpBuilder &builder, ValueRange scalars) {
          Value least = makeLeast(builder, loc, *stream, maximumNumber,
                                  cast<FloatType>(scalars[0].getType()));
          return std::pair(combine(builder, maximum, scalars[0], least), scalars[0]);
        });
  }
  for (unsigned m = 0; m < members.ops().size(); ++m)
    if (int correction = stream->correctionOf[m]; correction != StreamedDim::kNone) {
      Tile &tile = tiles[members.ops()[m]->getResult(0)];
      tile.value = correct(tile.value, m, correction);
    }
  return success();
}

LogicalResult KernelTiler::emitStreamed(unsigned number, ValueRange carried,
                                        MutableArrayRef<Value> next) {
  linalg::LinalgOp member = members.ops()[number];
  if (!stream->folds[number])
    return emit(number);
  if (stream->isRunningMaximum(number))
    return emitRunningMaximum(number, carried.front(), next.front());
  // What was folded so far takes the place of the init.
  SmallVector<std::pair<Value, std::optional<Tile>>> covered;
  for (auto [i, accumulated] : llvm::enumerate(carried)) {
    FailureOr<Tile> place = positionResult(number, i);
    if (failed(place))
      return failure();
    place->value = accumulated;
    if (int correction = stream->correctionOf[number]; correction != StreamedDim::kNone)
      place->value = correct(accumulated, number, correction);
    Value init = member.getDpsInitOperand(i)->get();
    auto it = tiles.find(init);
    covered.push_back({init, it == tiles.end() ? std::nullopt : std::optional<Tile>(it->second)});
    tiles[init] = *place;
  }
  LogicalResult emitted = emit(number);
  for (auto [init, tile] : llvm::reverse(covered)) {
    tiles.erase(init);
    if (tile)
      tiles[init] = *tile;
  }
  for (auto [i, value] : llvm::enumerate(next))
    value = tiles[member->getResult(i)].value;
  return emitted;
}

LogicalResult KernelTiler::emitRunningMaximum(unsigned number, Value old, Value &next) {
  linalg::LinalgOp member = members.ops()[number];
  Block *body = rewriter.getInsertionBlock();
  usesScratch = true;
  LogicalResult emitted = emit(number); // of this tile alone
  usesScratch = false;
  if (failed(emitted))
    return failure();
  rewriter.setInsertionPointToEnd(body);
  Tile &tile = tiles[member->getResult(0)];
  for (auto [i, correction] : llvm::enumerate(stream->corrections)) {
    if (correction.maximum != number)
      continue;
    factors[i] = makeCorrection(
        correction, {old, tile.value}, tile, [&](OpBuilder &builder, ValueRange scalars) {
          Value least =
              makeLeast(builder, loc, *stream, number, cast<FloatType>(scalars[0].getType()));
          Value from = combine(builder, member, scalars[0], least);
          return std::pair(from, combine(builder, member, from, scalars[1]));
        });
  }
  AffineMap identity = rewriter.getMultiDimIdentityMap(tile.offsets.size());
  next = makePointwise(rewriter, loc, tile.value, identity, old,
                       [&](OpBuilder &builder, ValueRange scalars) {
                         return combine(builder, member, scalars[1], scalars[0]);
                       });
  Value scratch = makeScratch(rewriter, loc, getElementTypeOrSelf(old.getType()), tile.sizes);
  tile.value = makePointwise(
      rewriter, loc, next, identity, scratch, [&](OpBuilder &builder, ValueRange scalars) {
        Value least =
            makeLeast(builder, loc, *stream, number, cast<FloatType>(scalars[0].getType()));
        return combine(builder, member, scalars[0], least);
      });
  return success();
}

Value KernelTiler::makeCorrection(const StreamCorrection &correction, ValueRange inputs,
                                  const Tile &like, FromTo body) {
  Type type = correction.after.back().op->getResult(0).getType();
  bool skipsCasts = correction.difference->getResult(0).getType() == type;
  SmallVector<AffineMap> maps(inputs.size(), rewriter.getMultiDimIdentityMap(like.offsets.size()));
  return makePointwise(rewriter, loc, inputs, maps, makeScratch(rewriter, loc, type, like.sizes),
                       [&](OpBuilder &builder, ValueRange scalars) {
                         auto [from, to] = body(builder, scalars);
                         from = replay(builder, correction.before, from, /*skipsCasts=*/false);
                         to = replay(builder, correction.before, to, /*skipsCasts=*/false);
                         Operation *difference = builder.clone(*correction.difference);
                         difference->setOperands({from, to});
                         return replay(builder, correction.after, difference->getResult(0),
                                       skipsCasts);
                       });
}

Value KernelTiler::correct(Value accumulated, unsigned number, int correction) {
  unsigned maximum = stream->corrections[correction].maximum;
  AffineMap map = mapByClass(members, members.ops()[maximum]->getResult(0),
                             members.ops()[number]->getResult(0));
  return makePointwise(rewriter, loc, factors[correction], map, accumulated,
                       [&](OpBuilder &builder, ValueRange scalars) -> Value {
                         Value factor = scalars[0];
                         auto from = cast<FloatType>(factor.getType());
                         auto to = cast<FloatType>(scalars[1].getType());
                         if (from.getWidth() < to.getWidth())
                           factor = arith::ExtFOp::create(builder, loc, to, factor);
                         else if (from.getWidth() > to.getWidth())
                           factor = arith::TruncFOp::create(builder, loc, to, factor);
                         return arith::MulFOp::create(builder, loc, scalars[1], factor);
                       });
}
