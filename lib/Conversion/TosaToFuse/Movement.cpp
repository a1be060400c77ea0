//===- Movement.cpp - Constants, views and moved data -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

static LogicalResult convertConst(tosa::ConstOp op, PatternRewriter &rewriter) {
  auto values = dyn_cast<TypedAttr>(op.getValues());
  if (!values || !canBeConstant(op.getType()) || values.getType() != op.getType())
    return rewriter.notifyMatchFailure(op, "arith has no such constant");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, values);
  return success();
}

static LogicalResult convertIdentity(tosa::IdentityOp op, PatternRewriter &rewriter) {
  if (op.getInput1().getType() != op.getOutput().getType())
    return rewriter.notifyMatchFailure(op, "its types differ");
  rewriter.replaceOp(op, op.getInput1());
  return success();
}

static LogicalResult convertReshape(tosa::ReshapeOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput1());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  if (!input || !result)
    return rewriter.notifyMatchFailure(op, "dynamic extents");
  rewriter.replaceOp(op,
                     FuseBuilder(rewriter, op.getLoc()).reshape(op.getInput1(), result.getShape()));
  return success();
}

static LogicalResult convertTranspose(tosa::TransposeOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getTensorType(op.getInput1()), result = getTensorType(op.getOutput());
  if (!input || !result)
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  SmallVector<int64_t> permutation(op.getPerms().begin(), op.getPerms().end());
  SmallVector<int64_t> shape;
  for (int64_t dimension : permutation)
    shape.push_back(input.getDimSize(dimension));
  if (!llvm::equal(shape, result.getShape()))
    return rewriter.notifyMatchFailure(op, "its result's shape is not inferred");
  rewriter.replaceOp(op, FuseBuilder(rewriter, op.getLoc()).transpose(op.getInput1(), permutation));
  return success();
}

static LogicalResult convertSlice(tosa::SliceOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput1());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  FailureOr<SmallVector<int64_t>> start = getConstantIntegers(op.getStart());
  if (!input || !result || failed(start))
    return rewriter.notifyMatchFailure(op, "dynamic extents");
  SmallVector<int64_t> strides(start->size(), 1);
  rewriter.replaceOpWithNewOp<fuse::SliceOp>(op, result, op.getInput1(), *start, result.getShape(),
                                             strides);
  return success();
}

static LogicalResult convertConcat(tosa::ConcatOp op, PatternRewriter &rewriter) {
  RankedTensorType result = getStaticTensorType(op.getOutput());
  auto isStatic = [](Value value) { return bool(getStaticTensorType(value)); };
  if (!result || !llvm::all_of(op.getInput1(), isStatic))
    return rewriter.notifyMatchFailure(op, "dynamic extents");
  rewriter.replaceOpWithNewOp<fuse::ConcatOp>(op, result, op.getInput1(), uint64_t(op.getAxis()));
  return success();
}

static LogicalResult convertPad(tosa::PadOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput1());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  FailureOr<SmallVector<int64_t>> padding = getConstantIntegers(op.getPadding());
  DenseElementsAttr constant;
  if (!input || !result || failed(padding) ||
      !matchPattern(op.getPadConst(), m_Constant(&constant)) || constant.getNumElements() != 1)
    return rewriter.notifyMatchFailure(op, "dynamic extents, or a value that is not known");
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    low.push_back((*padding)[2 * i]);
    high.push_back((*padding)[2 * i + 1]);
  }
  rewriter.replaceOpWithNewOp<fuse::PadOp>(op, result, op.getInput1(), low, high,
                                           cast<TypedAttr>(*constant.value_begin<Attribute>()));
  return success();
}

/// A broadcast along new dimensions, then a reshape.
static LogicalResult convertTile(tosa::TileOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput1());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  FailureOr<SmallVector<int64_t>> multiples = getConstantIntegers(op.getMultiples());
  if (!input || !result || failed(multiples))
    return rewriter.notifyMatchFailure(op, "dynamic extents");
  SmallVector<int64_t> added, extents;
  for (auto [i, multiple] : llvm::enumerate(*multiples)) {
    // -1 asks for what the result's type says.
    if (multiple < 1)
      return rewriter.notifyMatchFailure(op, "a multiple that is not known");
    if (multiple != 1) {
      added.push_back(i + added.size());
      extents.push_back(multiple);
    }
  }
  FuseBuilder g(rewriter, op.getLoc());
  rewriter.replaceOp(op, g.reshape(g.broadcast(op.getInput1(), added, extents), result.getShape()));
  return success();
}

/// Indices [N, W] of rows of values [N, K, C] as indices [N · W] of rows [N · K, C]; null where extents are
/// dynamic, or the indices' type has no room for that.
static Value joinBatches(FuseBuilder &g, Value values, Value indices) {
  RankedTensorType rows = getStaticTensorType(values), type = getStaticTensorType(indices);
  if (!rows || !type)
    return {};
  Type element = type.getElementType();
  int64_t batches = type.getDimSize(0), rowsOfBatch = rows.getDimSize(1);
  bool isIndex = element.isSignlessInteger(64) || element.isSignlessInteger(32);
  if (!isIndex || batches * rowsOfBatch > std::numeric_limits<int32_t>::max())
    return {};
  if (batches > 1) {
    SmallVector<int64_t> starts;
    for (int64_t i = 0; i < batches; ++i)
      starts.push_back(i * rowsOfBatch);
    indices = g.binary(BinaryKind::Add, indices, g.constant(starts, element, {batches, 1}));
  }
  return g.reshape(indices, {type.getNumElements()});
}

/// [N, K, C] as [N · K, C].
static Value joinRows(FuseBuilder &g, Value values) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(values.getType()).getShape();
  return g.reshape(values, {shape[0] * shape[1], shape[2]});
}

/// values [N, K, C], indices [N, W] -> [N, W, C]: one gather of rows of [N · K, C].
static LogicalResult convertGather(tosa::GatherOp op, PatternRewriter &rewriter) {
  FuseBuilder g(rewriter, op.getLoc());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  Value indices = result ? joinBatches(g, op.getValues(), op.getIndices()) : Value();
  if (!indices)
    return rewriter.notifyMatchFailure(op, "dynamic extents, or indices without a form");
  Value rows = g.gather(joinRows(g, op.getValues()), indices, 0);
  rewriter.replaceOp(op, g.reshape(rows, result.getShape()));
  return success();
}

/// values [N, K, C], indices [N, W], input [N, W, C] -> [N, K, C]: one scatter of rows of [N · K, C].
static LogicalResult convertScatter(tosa::ScatterOp op, PatternRewriter &rewriter) {
  FuseBuilder g(rewriter, op.getLoc());
  bool isStatic = getStaticTensorType(op.getInput()) != nullptr;
  Value indices = isStatic ? joinBatches(g, op.getValuesIn(), op.getIndices()) : Value();
  if (!indices)
    return rewriter.notifyMatchFailure(op, "dynamic extents, or indices without a form");
  Value rows = joinRows(g, op.getValuesIn());
  Value updated = ScatterOp::create(rewriter, op.getLoc(), rows.getType(), ScatterKind::Set, rows,
                                    indices, joinRows(g, op.getInput()), 0);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getValuesIn().getType()).getShape();
  rewriter.replaceOp(op, g.reshape(updated, shape));
  return success();
}

void fuse::populateTosaMovementPatterns(RewritePatternSet &patterns) {
  patterns.add(convertConst);
  patterns.add(convertIdentity);
  patterns.add(convertReshape);
  patterns.add(convertTranspose);
  patterns.add(convertSlice);
  patterns.add(convertConcat);
  patterns.add(convertPad);
  patterns.add(convertTile);
  patterns.add(convertGather);
  patterns.add(convertScatter);
}
