//===- Slices.cpp - Slices, and slices at places that the program computes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "Places.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

static LogicalResult importSlice(Node &n) {
  size_t rank = n.getRank(0);
  SmallVector<int64_t> start = n.getInts("start_indices", rank), limit = n.getInts("limit_indices", rank),
                       strides = n.getInts("strides", rank), sizes;
  if (n.hasFailed())
    return failure();
  Value x = n.tensor(0);
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t extent = n.b.shapeOf(x)[dim];
    bool isKnown = !ShapedType::isDynamic(extent);
    if (start[dim] < 0 || limit[dim] < start[dim] || strides[dim] < 1 || (isKnown && limit[dim] > extent))
      return n.fail("expected a slice of the operand, found " + Twine(start[dim]) + ":" + Twine(limit[dim]) + ":" +
                    Twine(strides[dim]) + " of " + describeExtent(extent));
    sizes.push_back((limit[dim] - start[dim] + strides[dim] - 1) / strides[dim]);
    if (!isKnown)
      n.assumeAtLeast(n.getExtents(x)[dim], n.getConstant(limit[dim]));
  }
  return n.setResult(n.b.slice(x, start, sizes, strides));
}

/// The limits and strides are operands as well.
static LogicalResult importRealDynamicSlice(Node &n) {
  FailureOr<SmallVector<AffineExpr>> start = n.getNumbers(1), limit = n.getNumbers(2), strides = n.getNumbers(3);
  if (failed(start) || failed(limit) || failed(strides))
    return failure();
  size_t rank = n.getRank(0);
  if (start->size() != rank || limit->size() != rank || strides->size() != rank)
    return n.fail("expected a start, a limit and a stride for each dimension");
  Value x = n.tensor(0);
  for (size_t dim = 0; dim < rank; ++dim) {
    auto stride = dyn_cast<AffineConstantExpr>((*strides)[dim]);
    if (!stride || stride.getValue() < 1)
      return n.fail("expected strides of at least 1 that are known before the program runs");
    AffineExpr size = ((*limit)[dim] - (*start)[dim]).ceilDiv(stride.getValue());
    if ((*start)[dim] == n.getConstant(0) && size == n.getExtents(x)[dim])
      continue;
    x = n.b.slice(x, dim, n.getSize((*start)[dim]), n.getSize(size), stride.getValue());
  }
  return n.setResult(x);
}

//===- Blocks at places ---------------------------------------------------------------------===//

/// The starts of a block are the operands from `first` on. Dimensions that the block has as a whole are rows; those
/// with starts that are numbers are in `known`.
static FailureOr<Blocks> readBlock(Node &n, unsigned first, ArrayRef<AffineExpr> sizes,
                                   SmallVectorImpl<std::pair<int64_t, AffineExpr>> &known) {
  Blocks blocks;
  SmallVector<AffineExpr> extents = n.getExtentsOf(0);
  Type index = n.b.getBuilder().getI64Type();
  blocks.sizes.assign(sizes.begin(), sizes.end());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    ModelValue &start = n.getOperand(first + dim);
    if (!start.type || start.type.getRank() != 0 || !isa<IntegerType>(start.type.getElementType()))
      return n.fail("expected an integer for each dimension of the operand");
    auto most = dyn_cast<AffineConstantExpr>(simplifyExtent(extents[dim] - size));
    if (most && most.getValue() < 0)
      return n.fail("expected a block that fits into the operand");
    if (extents[dim] == size) {
      blocks.rows.push_back(dim);
      continue;
    }
    auto number = start.numbers ? dyn_cast<AffineConstantExpr>(start.numbers->front()) : AffineConstantExpr();
    std::optional<int64_t> least = getLeast(simplifyExtent(extents[dim] - size));
    if (number && (most || (least && number.getValue() <= *least))) {
      int64_t at = std::max<int64_t>(0, number.getValue());
      known.push_back({dim, n.getConstant(most ? std::min(at, most.getValue()) : at)});
    }
    blocks.placed.push_back(dim);
    Value value = n.b.cast(n.part(first + dim), index);
    blocks.starts.push_back(clampStart(n, value, extents[dim], size));
  }
  return blocks;
}

/// An element of a loop's sequence, where the slice is what the loop's counter says of a tensor from outside.
static Value takeSequence(Node &n, ArrayRef<AffineExpr> sizes) {
  Loop *loop = n.getImporter().loop;
  Value x = n.getOperand(0).tensor;
  if (!loop || !x || !loop->isOutside(x))
    return {};
  FuseBuilder &b = n.b;
  SmallVector<AffineExpr> extents = n.getExtentsOf(0);
  std::optional<int64_t> along;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (extents[dim] == size && (size != n.getConstant(1) || along))
      continue;
    if (size != n.getConstant(1) || along)
      return {};
    along = dim;
  }
  if (!along || extents[*along] != loop->steps)
    return {};
  ModelValue &start = n.getOperand(1 + *along);
  std::optional<bool> runsBack = start.numbers ? loop->runsBack(start.numbers->front()) : std::nullopt;
  if (!runsBack)
    return {};
  Loop::Sequence *found = nullptr;
  SmallVector<int64_t> order = {*along};
  for (int64_t dim = 0; dim < n.getRank(0); ++dim)
    if (dim != *along)
      order.push_back(dim);
  {
    // In front of the loop.
    OpBuilder::InsertionGuard guard(b.getBuilder());
    b.getBuilder().setInsertionPointAfterValue(x);
    x = b.transpose(n.tensor(0), order);
  }
  for (Loop::Sequence &each : loop->sequences)
    if (each.tensor == x && each.runsBack == *runsBack)
      found = &each;
  if (!found) {
    auto type = RankedTensorType::get(b.shapeOf(x).drop_front(), b.elementOf(x));
    found = &loop->sequences.emplace_back(Loop::Sequence{x, *runsBack, loop->block->addArgument(type, b.getLoc())});
  }
  return b.insertUnitDims(found->element, {*along});
}

static LogicalResult sliceAt(Node &n, unsigned first, ArrayRef<AffineExpr> sizes) {
  FuseBuilder &b = n.b;
  if (n.getNumOperands() != first + sizes.size())
    return n.fail("expected an integer for each dimension of the operand");
  if (Value element = takeSequence(n, sizes))
    return n.setResult(element);
  SmallVector<std::pair<int64_t, AffineExpr>> known;
  FailureOr<Blocks> blocks = readBlock(n, first, sizes, known);
  if (failed(blocks))
    return failure();
  Value x = n.tensor(0);
  // Dimension by dimension: what is known of one cuts the others.
  for (auto [dim, start] : known)
    x = b.slice(x, dim, n.getSize(start), n.getSize(sizes[dim]));
  Type index = b.getBuilder().getI64Type();
  for (auto [dim, start] : llvm::zip(blocks->placed, blocks->starts)) {
    if (llvm::any_of(known, [&, dim = dim](auto each) { return each.first == dim; }))
      continue;
    Value at = b.add(b.reshape(start, {1}), b.iota(n.getSizes({sizes[dim]}), 0, index));
    x = b.gather(x, at, dim);
  }
  return n.setResult(x);
}

static LogicalResult importDynamicSlice(Node &n) {
  SmallVector<int64_t> sizes = n.getInts("slice_sizes", n.getRank(0));
  if (n.hasFailed())
    return failure();
  for (int64_t size : sizes)
    if (size < 0)
      return n.fail("expected sizes of at least 0");
  return sliceAt(n, 1, llvm::map_to_vector(sizes, [&](int64_t size) { return n.getConstant(size); }));
}

static LogicalResult importDynamicUpdateSlice(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getRank(1) != n.getRank(0) || n.getNumOperands() != 2 + static_cast<unsigned>(n.getRank(0)) ||
      n.getElement(0) != n.getElement(1))
    return n.fail("expected an update of the operand's rank and element type, and an integer for each dimension");
  SmallVector<AffineExpr> sizes = n.getExtentsOf(1);
  ModelValue &operand = n.getOperand(0);
  if (operand.buffer) {
    // The loop makes a sequence of what its steps write.
    Loop &loop = *n.getImporter().loop;
    for (unsigned dim = 0; dim < sizes.size(); ++dim) {
      ModelValue &start = n.getOperand(2 + dim);
      std::optional<bool> runsBack = start.numbers ? loop.runsBack(start.numbers->front()) : std::nullopt;
      if (!runsBack || sizes[dim] != n.getConstant(1) || n.getExtentsOf(operand)[dim] != loop.steps)
        continue;
      // Along the others it is all that is written.
      for (unsigned other = 0; other < sizes.size(); ++other)
        if (other != dim && sizes[other] != n.getExtentsOf(operand)[other])
          return n.fail("expected a loop's buffer to be written as a whole along other dimensions");
      loop.buffers[*operand.buffer] = {static_cast<int64_t>(dim), *runsBack};
      (void)n.tensor(1); // all of the element
      ModelValue written = n.getOperand(1);
      written.buffer = operand.buffer;
      return n.setValue(0, written);
    }
    return n.fail("expected a loop's buffer to be written at the counter's place");
  }
  SmallVector<std::pair<int64_t, AffineExpr>> known;
  SmallVector<AffineExpr> extents = n.getExtentsOf(0);
  FailureOr<Blocks> blocks = readBlock(n, 2, sizes, known);
  if (failed(blocks))
    return failure();
  Value x = n.tensor(0), update = n.tensor(1);
  if (blocks->placed.empty())
    return n.setResult(update);
  if (n.hasFailed() || llvm::is_contained(b.shapeOf(update), 0))
    return n.setResult(x);
  if (n.getImporter().loop)
    return n.setResult(writeBlock(n, ScatterKind::Set, x, update, *blocks, /*checks=*/false));
  Value rows = computeRows(n, *blocks, extents);
  SmallVector<int64_t> order(blocks->placed);
  llvm::append_range(order, blocks->rows);
  Value flat = joinFirst(n, b.transpose(update, order), blocks->placed.size());
  Value written = b.scatter(ScatterKind::Set, joinPlaced(n, x, *blocks), flatten(n, rows), flat, 0);
  return n.setResult(splitPlaced(n, written, *blocks, extents));
}

void mlir::fuse::stablehlo::addSliceOps(OpTable &table) {
  table.add("slice", 1, importSlice);
  table.add("dynamic_slice", 1, importDynamicSlice);
  table.add("dynamic_update_slice", 2, importDynamicUpdateSlice);
  table.add("real_dynamic_slice", 4, importRealDynamicSlice);
}
