//===- Ranks.cpp - Evaluates a program of several processes -------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Interpreter/Ranks.h"
#include "Evaluator.h"
#include "fuse/IR/CollectiveShapes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

namespace {

using Shape = SmallVector<int64_t>;

/// Copies a box of `extents` between two arrays.
void copyBox(const HostArray &from, ArrayRef<int64_t> fromOffsets, HostArray &to,
             ArrayRef<int64_t> toOffsets, ArrayRef<int64_t> extents) {
  int64_t count = 1, bytes = getElementBytes(from.getElementType());
  for (int64_t extent : extents)
    count *= extent;
  SmallVector<int64_t> fromStrides = from.getStrides(), toStrides = to.getStrides();
  Shape position(extents.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t source = 0, target = 0;
    for (auto [dim, at] : llvm::enumerate(position)) {
      source += (fromOffsets[dim] + at) * fromStrides[dim];
      target += (toOffsets[dim] + at) * toStrides[dim];
    }
    std::memcpy(to.getBytes() + target * bytes, from.getBytes() + source * bytes, bytes);
    for (int64_t dim = extents.size() - 1; dim >= 0 && ++position[dim] == extents[dim]; --dim)
      position[dim] = 0;
  }
}

Shape getCoordinates(ArrayRef<int64_t> grid, int64_t rank) {
  Shape coordinates(grid.size());
  for (int64_t axis = grid.size() - 1; axis >= 0; --axis) {
    coordinates[axis] = rank % grid[axis];
    rank /= grid[axis];
  }
  return coordinates;
}

/// Which of the parts along `axes` a rank has, the first axis the outermost.
int64_t getPart(ArrayRef<int64_t> grid, ArrayRef<int64_t> axes, int64_t rank) {
  Shape coordinates = getCoordinates(grid, rank);
  int64_t part = 0;
  for (int64_t axis : axes)
    part = part * grid[axis] + coordinates[axis];
  return part;
}

int64_t countRanks(ArrayRef<int64_t> grid) {
  int64_t ranks = 1;
  for (int64_t extent : grid)
    ranks *= extent;
  return ranks;
}

/// The members of a rank's group, in their order within it.
SmallVector<int64_t> getMembers(ProcessGroupAttr group, int64_t rank) {
  SmallVector<int64_t> members(group.getGroupSize());
  Shape own = getCoordinates(group.getGrid(), rank);
  for (int64_t other = 0, e = group.getGridSize(); other < e; ++other) {
    Shape coordinates = getCoordinates(group.getGrid(), other);
    bool isMember = true;
    for (auto [axis, at] : llvm::enumerate(coordinates))
      isMember &= at == own[axis] || llvm::is_contained(group.getAxes(), static_cast<int64_t>(axis));
    if (isMember)
      members[getPart(group.getGrid(), group.getAxes(), other)] = other;
  }
  return members;
}

/// One part of `parts` along a dimension.
HostArray slicePart(const HostArray &array, int64_t dim, int64_t part, int64_t parts) {
  Shape shape(array.getShape()), offsets(shape.size(), 0), zeros(shape.size(), 0);
  shape[dim] /= parts;
  offsets[dim] = part * shape[dim];
  HostArray result(array.getElementType(), shape);
  copyBox(array, offsets, result, zeros, shape);
  return result;
}

HostArray joinAlong(ArrayRef<HostArray> arrays, int64_t dim) {
  Shape shape(arrays.front().getShape()), zeros(shape.size(), 0), offsets(shape.size(), 0);
  Shape whole(shape);
  whole[dim] *= arrays.size();
  HostArray result(arrays.front().getElementType(), whole);
  for (auto [i, array] : llvm::enumerate(arrays)) {
    offsets[dim] = i * shape[dim];
    copyBox(array, zeros, result, offsets, shape);
  }
  return result;
}

/// Element by element, floats in double, rounded once.
HostArray combine(ReduceKind kind, ArrayRef<HostArray> arrays) {
  HostArray result = arrays.front().clone();
  ElementType type = result.getElementType();
  auto pick = [&](bool takesOther, const HostArray &other, int64_t i) {
    if (takesOther)
      result.set(i, other.get(i));
  };
  bool isFloat = isFloatElement(type);
  bool isUnsigned = isUnsignedElement(type);
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i) {
    double sum = isFloat ? result.getFloat(i) : 0;
    for (const HostArray &other : arrays.drop_front()) {
      double value = isFloat ? other.getFloat(i) : 0;
      uint64_t a = result.getUInt(i), b = other.getUInt(i);
      auto isLess = [&](bool swapped) {
        if (isFloat)
          return swapped ? value < result.getFloat(i) : result.getFloat(i) < value;
        uint64_t x = swapped ? b : a, y = swapped ? a : b;
        return isUnsigned ? x < y : static_cast<int64_t>(x) < static_cast<int64_t>(y);
      };
      switch (kind) {
      case ReduceKind::Sum:
        isFloat ? void(sum += value) : result.setInt(i, static_cast<int64_t>(a + b));
        break;
      case ReduceKind::Prod:
        isFloat ? void(sum *= value) : result.setInt(i, static_cast<int64_t>(a * b));
        break;
      case ReduceKind::Max:
        pick(isLess(false) || (isFloat && std::isnan(value)), other, i);
        break;
      case ReduceKind::Min:
        pick(isLess(true) || (isFloat && std::isnan(value)), other, i);
        break;
      case ReduceKind::Any:
        result.setInt(i, a | b);
        break;
      case ReduceKind::All:
        result.setInt(i, a & b);
        break;
      case ReduceKind::Mean:
        llvm_unreachable("refused by the verifier");
      }
    }
    if (isFloat && (kind == ReduceKind::Sum || kind == ReduceKind::Prod))
      result.setFloat(i, sum);
  }
  return result;
}

/// What one rank gets, given the operands of the members of its group and its number among them.
HostArray runCollective(Operation *op, ArrayRef<HostArray> operands, int64_t own) {
  int64_t size = operands.size();
  return llvm::TypeSwitch<Operation *, HostArray>(op)
      .Case([&](AllReduceOp reduce) { return combine(reduce.getKind(), operands); })
      .Case([&](ReduceScatterOp reduce) {
        return slicePart(combine(reduce.getKind(), operands), reduce.getDimension(), own, size);
      })
      .Case([&](AllGatherOp gather) { return joinAlong(operands, gather.getDimension()); })
      .Case([&](AllSliceOp slice) {
        return slicePart(operands[own], slice.getDimension(), own, size);
      })
      .Case([&](AllToAllOp exchange) {
        SmallVector<HostArray> received;
        for (const HostArray &operand : operands)
          received.push_back(slicePart(operand, exchange.getSplitDimension(), own, size));
        return joinAlong(received, exchange.getConcatDimension());
      })
      .Case([&](BroadcastFromOp broadcast) { return operands[broadcast.getRoot()].clone(); })
      .Default([](Operation *) { return HostArray(); });
}

/// The offsets and the extents of a rank's part.
std::pair<Shape, Shape> getBox(ArrayRef<int64_t> full, ShardingAttr sharding, int64_t rank) {
  Shape offsets(full.size(), 0), extents(full);
  for (size_t dim = 0; dim < full.size(); ++dim) {
    extents[dim] /= sharding.getParts(dim);
    offsets[dim] =
        extents[dim] * getPart(sharding.getGrid(), sharding.getDims()[dim].asArrayRef(), rank);
  }
  return {offsets, extents};
}

} // namespace

HostArray mlir::fuse::takeShard(const HostArray &full, ShardingAttr sharding, int64_t rank) {
  auto [offsets, extents] = getBox(full.getShape(), sharding, rank);
  HostArray shard(full.getElementType(), extents);
  copyBox(full, offsets, shard, Shape(extents.size(), 0), extents);
  return shard;
}

llvm::Expected<HostArray> mlir::fuse::joinShards(ArrayRef<HostArray> shards, ShardingAttr sharding) {
  Shape shape(shards.front().getShape());
  for (auto [dim, extent] : llvm::enumerate(shape))
    extent *= sharding.getParts(dim);
  HostArray full(shards.front().getElementType(), shape);
  for (auto [rank, shard] : llvm::enumerate(shards)) {
    auto [offsets, extents] = getBox(shape, sharding, rank);
    copyBox(shard, Shape(shape.size(), 0), full, offsets, extents);
  }
  for (auto [rank, shard] : llvm::enumerate(shards)) {
    HostArray there = takeShard(full, sharding, rank);
    if (std::memcmp(there.getBytes(), shard.getBytes(), shard.getByteSize()) != 0)
      return llvm::createStringError("rank %d and another rank differ in what both have",
                                     static_cast<int>(rank));
  }
  return full;
}

FailureOr<SmallVector<HostArray>> mlir::fuse::interpretRanks(func::FuncOp function,
                                                             ArrayRef<HostArray> args,
                                                             const InterpreterOptions &options) {
  auto expectSharding = [&](Attribute attribute, StringRef what,
                            unsigned number) -> FailureOr<ShardingAttr> {
    if (auto sharding = dyn_cast_or_null<ShardingAttr>(attribute))
      return sharding;
    return function.emitOpError() << "expected " << attr::kSharding << " on " << what << " #" << number
                                  << ", found none";
  };
  SmallVector<ShardingAttr> shardings;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    FailureOr<ShardingAttr> sharding =
        expectSharding(function.getArgAttr(i, attr::kSharding), "argument", i);
    if (failed(sharding))
      return failure();
    shardings.push_back(*sharding);
  }
  SmallVector<ShardingAttr> ofResults;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    FailureOr<ShardingAttr> sharding =
        expectSharding(function.getResultAttr(i, attr::kSharding), "result", i);
    if (failed(sharding))
      return failure();
    ofResults.push_back(*sharding);
  }
  if (shardings.empty() && ofResults.empty())
    return SmallVector<HostArray>();
  int64_t ranks = countRanks((shardings.empty() ? ofResults : shardings).front().getGrid());
  Evaluator evaluator(options);
  SmallVector<Environment> environments(ranks);
  Block &body = function.getBody().front();
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    for (int64_t rank = 0; rank < ranks; ++rank) {
      HostArray shard = takeShard(args[number], shardings[number], rank);
      if (!fits(shard, argument.getType()))
        return function.emitOpError() << "argument #" << number << " of rank " << rank << ": expected "
                                      << describe(argument.getType()) << ", found " << shard.describe();
      environments[rank][argument] = shard;
    }
  for (Operation &op : body.without_terminator()) {
    ProcessGroupAttr group = getProcessGroup(&op);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      FailureOr<Arrays> results;
      if (group) {
        Arrays operands;
        SmallVector<int64_t> members = getMembers(group, rank);
        for (int64_t member : members)
          operands.push_back(environments[member].lookup(op.getOperand(0)));
        results = Arrays{runCollective(&op, operands, llvm::find(members, rank) - members.begin())};
      } else {
        results = evaluator.evaluateOp(&op, environments[rank]);
      }
      if (failed(results))
        return failure();
      for (auto [result, array] : llvm::zip_equal(op.getResults(), *results)) {
        if (!fits(array, result.getType()))
          return op.emitOpError() << "expected result #" << result.getResultNumber() << " to be "
                                  << describe(result.getType()) << ", found "
                                  << (array ? array.describe() : "no array");
        environments[rank][result] = array;
      }
    }
  }
  SmallVector<HostArray> full;
  for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    SmallVector<HostArray> shards;
    for (Environment &environment : environments)
      shards.push_back(environment.lookup(value));
    llvm::Expected<HostArray> joined = joinShards(shards, ofResults[number]);
    if (!joined)
      return function.emitOpError() << "result #" << number << ": "
                                    << llvm::toString(joined.takeError());
    full.push_back(*joined);
  }
  return full;
}
