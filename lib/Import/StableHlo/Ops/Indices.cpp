//===- Indices.cpp - Gathers and scatters -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "Bodies.h"
#include "Movements.h"
#include "Places.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

namespace {
/// How a gather or a scatter places blocks: its dimension numbers under names that are the same for both.
struct Placement {
  SmallVector<int64_t> window;       ///< of the result (updates): the dimensions of blocks
  SmallVector<int64_t> dropped;      ///< of the operand: those that blocks have one element of and the result has not
  SmallVector<int64_t> operandBatch; ///< of the operand: those that are the batch's
  SmallVector<int64_t> indicesBatch; ///< of the indices: the same
  SmallVector<int64_t> placed;       ///< of the operand: which one each entry of an index is for
  int64_t vector = 0;                ///< of the indices: the dimension whose elements make up one index
};
} // namespace

static FailureOr<Placement> readPlacement(Node &n, bool isGather, unsigned indices, int64_t resultRank) {
  int64_t rank = n.getRank(0), indexRank = n.getRank(indices);
  StringRef text = n.getText(isGather ? "dimension_numbers" : "scatter_dimension_numbers");
  Placement p;
  p.window = n.getListOf(text, isGather ? "offset_dims" : "update_window_dims", resultRank);
  p.dropped = n.getListOf(text, isGather ? "collapsed_slice_dims" : "inserted_window_dims", rank);
  p.operandBatch = n.getListOf(text, isGather ? "operand_batching_dims" : "input_batching_dims", rank);
  p.indicesBatch =
      n.getListOf(text, isGather ? "start_indices_batching_dims" : "scatter_indices_batching_dims", indexRank);
  p.placed = n.getListOf(text, isGather ? "start_index_map" : "scatter_dims_to_operand_dims", rank);
  p.vector = n.getIntOf(text, "index_vector_dim", 0);
  if (n.hasFailed())
    return failure();
  if (!isa<IntegerType>(n.getElement(indices)) || n.getElement(indices).isInteger(1))
    return n.fail("expected integers as indices");
  int64_t entries = p.vector == indexRank                  ? 1
                    : p.vector < 0 || p.vector > indexRank ? -1
                                                           : n.getOperand(indices).type.getDimSize(p.vector);
  if (entries != static_cast<int64_t>(p.placed.size()))
    return n.fail("expected an entry of each index for each of " + Twine(p.placed.size()) + " dimensions");
  if (p.operandBatch.size() != p.indicesBatch.size() || llvm::is_contained(p.indicesBatch, p.vector))
    return n.fail("expected as many batch dimensions of the indices as of the operand");
  for (int64_t dim : p.operandBatch)
    if (llvm::is_contained(p.dropped, dim) || llvm::is_contained(p.placed, dim))
      return n.fail("expected dimensions of the batch to be no others");
  if (static_cast<int64_t>(p.window.size() + p.dropped.size() + p.operandBatch.size()) != rank)
    return n.fail("expected each dimension of the operand to be of blocks, dropped, or of the batch");
  return p;
}

/// The blocks that the indices say. `sizes`: of a block, for each dimension of the operand.
static Blocks makeBlocks(Node &n, const Placement &p, unsigned indices, ArrayRef<AffineExpr> sizes, bool clamps) {
  FuseBuilder &b = n.b;
  Blocks blocks;
  blocks.sizes.assign(sizes.begin(), sizes.end());
  SmallVector<AffineExpr> extents = n.getExtentsOf(0);
  Type index = b.getBuilder().getI64Type();
  Value all = b.cast(n.tensor(indices), index);
  int64_t indexRank = b.rankOf(all);
  for (auto [dim, extent] : llvm::enumerate(n.getExtents(all)))
    if (static_cast<int64_t>(dim) != p.vector)
      blocks.batch.push_back(extent);
  for (int64_t dim = 0; dim < n.getRank(0); ++dim) {
    const auto *batch = llvm::find(p.operandBatch, dim), *entry = llvm::find(p.placed, dim);
    Value start;
    if (batch != p.operandBatch.end()) {
      // The number of the batch itself.
      int64_t place = p.indicesBatch[batch - p.operandBatch.begin()];
      place -= place > p.vector;
      SmallVector<AffineExpr> shape(blocks.batch.size() - place, n.getConstant(1));
      shape[0] = blocks.batch[place];
      start = b.iota(n.getSizes(shape), 0, index);
    } else if (entry != p.placed.end() && (extents[dim] != sizes[dim] || !clamps)) {
      start = all;
      if (p.vector < indexRank) {
        int64_t at = entry - p.placed.begin();
        SmallVector<AffineExpr> shape(blocks.batch);
        start = n.reshape(b.slice(all, p.vector, at, 1), shape);
      }
      start = clamps ? clampStart(n, start, extents[dim], sizes[dim]) : start;
    } else if (extents[dim] != sizes[dim]) {
      start = b.scalar(0, index);
    }
    if (!start) {
      blocks.rows.push_back(dim);
      continue;
    }
    blocks.placed.push_back(dim);
    // Of the batch's rank, so that dimensions of blocks can follow.
    SmallVector<int64_t> missing = llvm::to_vector(llvm::seq<int64_t>(blocks.batch.size() - b.rankOf(start)));
    blocks.starts.push_back(b.insertUnitDims(start, missing));
  }
  return blocks;
}

/// Where the dimensions of [batch…, placed…, rows…] stand in the result of a gather (the updates of a scatter). Placed
/// dimensions that are dropped, or the batch's, have no place.
static SmallVector<int64_t> getTargets(const Placement &p, const Blocks &blocks, int64_t rank, int64_t resultRank) {
  SmallVector<int64_t> ofOperand(rank, -1), targets;
  size_t next = 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(p.dropped, dim) && !llvm::is_contained(p.operandBatch, dim))
      ofOperand[dim] = p.window[next++];
  for (int64_t dim = 0; dim < resultRank; ++dim)
    if (!llvm::is_contained(p.window, dim))
      targets.push_back(dim);
  for (int64_t dim : llvm::concat<const int64_t>(blocks.placed, blocks.rows))
    targets.push_back(ofOperand[dim]);
  return targets;
}

static LogicalResult gather(Node &n, ArrayRef<AffineExpr> sizes) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0), resultRank = n.getResultType().getRank();
  FailureOr<Placement> p = readPlacement(n, /*isGather=*/true, 1, resultRank);
  if (failed(p))
    return failure();
  SmallVector<AffineExpr> extents = n.getExtentsOf(0);
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    auto rest = dyn_cast<AffineConstantExpr>(simplifyExtent(extents[dim] - size));
    bool isOne = size == n.getConstant(1);
    bool isDropped = llvm::is_contained(p->dropped, dim) || llvm::is_contained(p->operandBatch, dim);
    if ((rest && rest.getValue() < 0) || (isDropped && !isOne))
      return n.fail("expected blocks that fit into the operand, with one element along dimensions that are dropped");
  }
  int64_t batchRank = n.getRank(1) - (p->vector < n.getRank(1));
  if (batchRank + static_cast<int64_t>(p->window.size()) != resultRank)
    return n.fail("expected a result of rank " + Twine(batchRank + p->window.size()));
  Blocks blocks = makeBlocks(n, *p, 1, sizes, /*clamps=*/true);
  Value x = n.tensor(0);
  if (n.hasFailed())
    return failure();
  if (blocks.placed.empty()) {
    // Each block is the whole operand.
    blocks.placed.push_back(blocks.rows.empty() ? 0 : blocks.rows.front());
    if (blocks.rows.empty())
      return n.setResult(x, blocks.batch);
    blocks.rows.erase(blocks.rows.begin());
    blocks.starts.push_back(b.insertUnitDims(b.scalar(0, b.getBuilder().getI64Type()),
                                             llvm::to_vector(llvm::seq<int64_t>(blocks.batch.size()))));
  }
  Value made = b.gather(joinPlaced(n, x, blocks), computeRows(n, blocks, extents), 0);
  // [batch…, placed…, rows…] without what is dropped.
  SmallVector<int64_t> targets = getTargets(*p, blocks, rank, resultRank), order(resultRank), kept;
  SmallVector<AffineExpr> from = n.getExtents(made), shape;
  for (auto [dim, target] : llvm::enumerate(targets)) {
    if (target < 0)
      continue;
    order[target] = kept.size();
    kept.push_back(dim);
    shape.push_back(from[dim]);
  }
  return n.setResult(b.transpose(n.reshape(made, shape), order));
}

static LogicalResult importGather(Node &n) {
  SmallVector<int64_t> sizes = n.getInts("slice_sizes", n.getRank(0));
  if (n.hasFailed())
    return failure();
  return gather(n, llvm::map_to_vector(sizes, [&](int64_t size) { return n.getConstant(size); }));
}

static LogicalResult importDynamicGather(Node &n) {
  FailureOr<SmallVector<AffineExpr>> sizes = n.getNumbers(2);
  if (failed(sizes))
    return failure();
  if (static_cast<int64_t>(sizes->size()) != n.getRank(0))
    return n.fail("expected a size for each dimension of the operand");
  return gather(n, *sizes);
}

//===- Scatters -----------------------------------------------------------------------------===//

static std::optional<ScatterKind> getScatterKind(Block &body) {
  if (givesSecond(body))
    return ScatterKind::Set;
  std::optional<BinaryKind> kind = matchBody(body);
  if (!kind)
    return std::nullopt;
  switch (*kind) {
  case BinaryKind::Add:
    return ScatterKind::Add;
  case BinaryKind::Mul:
    return ScatterKind::Mul;
  case BinaryKind::Max:
    return ScatterKind::Max;
  case BinaryKind::Min:
    return ScatterKind::Min;
  default:
    return std::nullopt;
  }
}

static LogicalResult importScatter(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getNumOperands() != 3 || n.getNumResults() != 1)
    return n.fail("expected one operand, indices and updates");
  Block *body = getBody(n, 0, 2);
  std::optional<ScatterKind> kind = body ? getScatterKind(*body) : std::nullopt;
  if (!kind)
    return n.fail("expected a body that replaces elements, or computes sums, products, maxima or minima");
  int64_t rank = n.getRank(0), updateRank = n.getRank(2);
  FailureOr<Placement> p = readPlacement(n, /*isGather=*/false, 1, updateRank);
  if (failed(p))
    return failure();
  if (n.getElement(0) != n.getElement(2))
    return n.fail("expected updates of the operand's element type");
  int64_t batchRank = n.getRank(1) - (p->vector < n.getRank(1));
  if (batchRank + static_cast<int64_t>(p->window.size()) != updateRank)
    return n.fail("expected updates of rank " + Twine(batchRank + p->window.size()));
  SmallVector<AffineExpr> extents = n.getExtentsOf(0), given = n.getExtentsOf(2), sizes(rank, n.getConstant(1));
  size_t next = 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(p->dropped, dim) && !llvm::is_contained(p->operandBatch, dim))
      sizes[dim] = given[p->window[next++]];
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (auto rest = dyn_cast<AffineConstantExpr>(simplifyExtent(extents[dim] - size)); rest && rest.getValue() < 0)
      return n.fail("expected updates that fit into the operand");
  Blocks blocks = makeBlocks(n, *p, 1, sizes, /*clamps=*/false);
  Value x = n.tensor(0), updates = n.tensor(2);
  if (n.hasFailed())
    return failure();
  if (llvm::is_contained(b.shapeOf(updates), 0))
    return n.setResult(x);
  if (blocks.placed.empty() && rank == 0)
    return n.fail("expected an operand of rank 1 or more");
  if (blocks.placed.empty()) {
    blocks.placed.push_back(0);
    blocks.rows.erase(blocks.rows.begin());
    blocks.starts.push_back(b.insertUnitDims(b.scalar(0, b.getBuilder().getI64Type()),
                                             llvm::to_vector(llvm::seq<int64_t>(blocks.batch.size()))));
  }
  SmallVector<int64_t> order, missing;
  if (n.getImporter().loop) {
    if (n.getProduct(blocks.batch) != n.getConstant(1))
      return n.fail("expected one index of a scatter in a loop");
    // The block with the operand's dimensions.
    for (int64_t dim = 0; dim < updateRank; ++dim)
      if (!llvm::is_contained(p->window, dim))
        order.push_back(dim);
    llvm::append_range(order, p->window);
    return n.setResult(writeBlock(n, *kind, x, n.reshape(b.transpose(updates, order), sizes), blocks, /*checks=*/true));
  }
  // Blocks that are not within the operand change nothing: they go to a row behind it.
  Value inside = isInside(n, blocks, extents), rows = computeRows(n, blocks, extents);
  Value joined = joinPlaced(n, x, blocks);
  SmallVector<AffineExpr> all = n.getExtents(joined);
  inside = b.insertUnitDims(inside, llvm::to_vector(llvm::seq<int64_t>(batchRank, batchRank + blocks.placed.size())));
  Value target = b.select(inside, rows, n.getNumber(all[0], b.elementOf(rows)));
  SmallVector<int64_t> low(b.rankOf(joined), 0), high(low);
  high[0] = 1;
  Value wide = b.pad(joined, low, high, 0.0);
  // The updates as [batch…, placed…, rows…].
  for (auto [dim, place] : llvm::enumerate(getTargets(*p, blocks, rank, updateRank))) {
    if (place < 0)
      missing.push_back(dim);
    else
      order.push_back(place);
  }
  Value moved = b.insertUnitDims(b.transpose(updates, order), missing);
  Value flat = joinFirst(n, moved, batchRank + blocks.placed.size());
  if (batchRank + blocks.placed.size() == 0)
    return n.fail("expected an index");
  Value written = b.scatter(*kind, wide, flatten(n, target), flat, 0);
  written = b.slice(written, 0, n.getSize(n.getConstant(0)), n.getSize(all[0]));
  return n.setResult(splitPlaced(n, written, blocks, extents));
}

void mlir::fuse::stablehlo::addIndexOps(OpTable &table) {
  table.add("gather", 2, importGather);
  table.add("dynamic_gather", 3, importDynamicGather);
  table.add("scatter", 3, importScatter);
}
