//===- Annotations.cpp - What a program says of its shardings ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Annotations.h"
#include "fuse/Distribute/CutRule.h"
#include "fuse/Distribute/Problem.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Reader {
public:
  explicit Reader(func::FuncOp function) : function(function) {}

  FailureOr<Annotations> read() {
    bool hasFailed = false;
    function.walk([&](shard::ShardOp op) { hasFailed |= failed(addAnnotation(op)); });
    if (hasFailed)
      return failure();
    return std::move(annotations);
  }

private:
  LogicalResult findGrid(shard::ShardOp op, shard::ShardingOp sharding) {
    auto grid = SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(op, sharding.getGridAttr());
    if (!grid)
      return op.emitError() << "expected a shard.grid named '" << sharding.getGrid()
                            << "', found none";
    ArrayRef<int64_t> shape = grid.getShape();
    if (shape.size() > kMostAxes || ShapedType::isDynamicShape(shape))
      return op.emitError() << "expected a grid of at most " << kMostAxes
                            << " axes of known extents, found '" << sharding.getGrid() << "' of "
                            << (ShapedType::isDynamicShape(shape) ? "an unknown extent"
                                                                  : std::to_string(shape.size()) + " axes");
    if (annotations.grid.empty()) {
      annotations.grid.assign(shape.begin(), shape.end());
      annotations.used.resize(shape.size());
      gridName = sharding.getGrid().str();
    } else if (gridName != sharding.getGrid()) {
      return op.emitError() << "expected all annotations of a function to name one grid, found '"
                            << gridName << "' and '" << sharding.getGrid() << "'";
    }
    return success();
  }

  LogicalResult addAnnotation(shard::ShardOp op) {
    if (op->getParentOp() != function)
      return op.emitError() << "expected an annotation in the body of a function, found one in '"
                            << op->getParentOp()->getName() << "': move it out of the region";
    auto sharding = op.getSharding().getDefiningOp<shard::ShardingOp>();
    if (!sharding)
      return op.emitError() << "expected a sharding that a shard.sharding op gives";
    if (failed(findGrid(op, sharding)))
      return failure();
    if (!sharding.getStaticHaloSizes().empty() || !sharding.getDynamicHaloSizes().empty())
      return op.emitError() << "halos are not supported: expected dimensions in equal parts, which "
                               "do not overlap";
    if (!sharding.getStaticShardedDimsOffsets().empty() ||
        !sharding.getDynamicShardedDimsOffsets().empty())
      return op.emitError() << "parts of different sizes are not supported: expected no "
                               "sharded_dims_offsets; pad the dimension, so that it divides";
    auto type = cast<RankedTensorType>(op.getType());
    auto axesOfDims = sharding.getSplitAxes().getAxes();
    if (static_cast<int64_t>(axesOfDims.size()) > type.getRank())
      return op.emitError() << "expected axes for at most " << type.getRank()
                            << " dimensions, found them for " << axesOfDims.size();
    Cut cut;
    for (auto [dim, axes] : llvm::enumerate(axesOfDims)) {
      int64_t previous = -1;
      for (int64_t axis : axes.asArrayRef()) {
        if (axis < 0 || axis >= static_cast<int64_t>(annotations.grid.size()))
          return op.emitError() << "expected an axis of a grid of " << annotations.grid.size()
                                << " axes, found " << axis;
        if (cut[axis] >= 0)
          return op.emitError() << "expected each axis to cut one dimension, found axis " << axis
                                << " twice";
        if (axis < previous)
          return op.emitError() << "expected the axes of a dimension in ascending order, found "
                                << previous << " before " << axis
                                << ": number the axes of the grid so that the outer one comes first";
        previous = axis;
        if (annotations.grid[axis] == 1)
          continue; // one rank has all
        cut.set(axis, dim);
        annotations.used[axis] = true;
      }
      if (failed(checkExtent(op, type.getDimSize(dim), dim, cut)))
        return failure();
    }
    annotations.cuts[op.getResult()] = cut;
    return success();
  }

  LogicalResult checkExtent(shard::ShardOp op, int64_t extent, int64_t dim, const Cut &cut) {
    int64_t parts = cut.getParts(annotations.grid, dim);
    if (parts == 1)
      return success();
    if (ShapedType::isDynamic(extent))
      return op.emitError() << "dimension " << dim << " is of unknown extent and cannot be cut into "
                            << parts << " parts: give it a size, or cut another dimension";
    if (extent % parts != 0)
      return op.emitError() << "dimension " << dim << " of extent " << extent
                            << " cannot be cut into " << parts << " equal parts: pad it to "
                            << (extent + parts - 1) / parts * parts << ", or cut another dimension";
    return success();
  }

  func::FuncOp function;
  Annotations annotations;
  std::string gridName;
};

} // namespace

FailureOr<Annotations> mlir::fuse::readAnnotations(func::FuncOp function) {
  return Reader(function).read();
}

LogicalResult mlir::fuse::checkDistributable(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc()) << "expected a function of one block to partition, found "
                                << function.getBody().getBlocks().size();
  bool hasFailed = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, attr::kSharding)) {
      emitError(function.getLoc()) << "argument #" << i << " is a shard already: a program is partitioned once";
      return failure();
    }
  for (Operation &op : function.getBody().front()) {
    std::string why = whyNotDistributable(&op);
    if (why.empty())
      continue;
    op.emitError() << "cannot be partitioned: " << why;
    hasFailed = true;
  }
  return failure(hasFailed);
}

llvm::Expected<ShardRequest> mlir::fuse::parseShardRequest(StringRef text) {
  auto fail = [&](const Twine &found) {
    return llvm::createStringError("expected 'tensor=N,data=M', one of them, or 'auto=N', found " + found);
  };
  ShardRequest request;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  llvm::SmallDenseSet<StringRef> seen;
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    int64_t count;
    if (value.getAsInteger(10, count) || count < 1 || count > (1 << 20))
      return fail("'" + part + "'");
    int64_t *slot = name == "tensor" ? &request.tensor
                    : name == "data" ? &request.data
                    : name == "auto" ? &request.automatic
                                     : nullptr;
    if (!slot || !seen.insert(name).second)
      return fail("'" + part + "'");
    *slot = count;
  }
  if (request.automatic && seen.size() > 1)
    return fail("'" + text + "'");
  return request;
}
