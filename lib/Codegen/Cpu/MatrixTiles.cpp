//===- MatrixTiles.cpp - Products in tile registers (AMX) ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MatrixTiles.h"
#include "../Kernel/LoopCode.h"
#include "LoopFacts.h"
#include "fuse/Analysis/TileRegisters.h"
#include "fuse/IR/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// So many rows are worth the columns that are loaded for them.
static constexpr int64_t kLeastRows = 4;
/// Registers that hold sums; the others hold what is multiplied.
static constexpr int64_t kSumTiles = 4;
/// Where the configuration, of 64 bytes, has the bytes of a line (16 bits each) and the lines of each tile.
static constexpr int64_t kConfigBytes = 64, kBytesOfLine = 16, kNumberOfLines = 48;

//===- The plan -----------------------------------------------------------------------------===//

/// Whether each iteration of `loop` moves through memory of `operand` by the same number of elements.
static bool movesEvenly(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  return llvm::all_of(op.getMatchingIndexingMap(&operand).getResults(), [&](AffineExpr expr) {
    return getStep(expr, loop, op.getNumLoops()).has_value();
  });
}

/// The dimension of columns in groups that counts the groups.
static std::optional<unsigned> getGroupDim(linalg::GenericOp op, const DotPlan &dot) {
  AffineExpr group = getAffineDimExpr(dot.loop, op.getContext()).floorDiv(dot.group);
  ArrayRef<AffineExpr> exprs = op.getMatchingIndexingMap(&op->getOpOperand(dot.columns)).getResults();
  const AffineExpr *found = llvm::find(exprs, group);
  return found == exprs.end() ? std::nullopt : std::optional<unsigned>(found - exprs.begin());
}

void mlir::fuse::planMatrixTiles(linalg::GenericOp op, ContractionPlan &plan, int64_t width, const VectorFacts &facts) {
  if (!plan.dot || !plan.dot->isPacked() || !plan.unrolledLoop || plan.scaled || plan.dot->unpacked ||
      op.getNumDpsInits() != 1 || width != kTileLines)
    return;
  DotPlan &dot = *plan.dot;
  if (dot.kind == DotPlan::Kind::Bf16 ? !facts.dots.bf16Tiles : !facts.dots.int8Tiles)
    return;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t steps = ranges[dot.loop], rows = ranges[*plan.unrolledLoop], columns = ranges[plan.loop];
  std::optional<int64_t> part = getTileSteps(steps, dot.group);
  if (!part || (!ShapedType::isDynamic(rows) && rows < kLeastRows) ||
      !movesEvenly(op, op->getOpOperand(dot.rows), *plan.unrolledLoop))
    return;
  int64_t lanes = fitBlocks(op, plan.loop, 2 * kTileLines);
  OpOperand &operand = op->getOpOperand(dot.columns);
  if (lanes % kTileLines != 0)
    return;
  if (dot.areGrouped) {
    bool areWhole = hasWholeRegisters(operand, dot.group, lanes) ||
                    (!ShapedType::isDynamic(columns) && columns % lanes == 0);
    if (!getGroupDim(op, dot) || !areWhole)
      return;
  }
  dot.tileSteps = part;
  plan.lanes = plan.tailLanes = lanes;
  plan.unroll = kTileLines * kSumTiles / (lanes / kTileLines);
  if (!ShapedType::isDynamic(rows))
    plan.unroll = std::min(plan.unroll, rows);
  // Sums of parts would have to pass memory between them; those of bytes are exact, and the rounding of bf16's products
  // outweighs that of long sums.
  plan.reductionBlock = 0;
  plan.partialSums.reset();
  plan.totalsInMemory = false;
}

//===- Configuration ------------------------------------------------------------------------===//

MatrixTiles::MatrixTiles(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan, ArrayRef<unsigned> inner,
                         Value packed)
    : VectorBody(b, op, plan.loop, plan.hasFma), plan(plan), dot(*plan.dot), inner(inner), packed(packed),
      elementBytes(4 / dot.group), numRowTiles(llvm::divideCeil(plan.unroll, kTileLines)),
      numColumnTiles(plan.lanes / kTileLines) {
  Type element = getElementTypeOrSelf(op.getDpsInits().front());
  IntegerAttr alignment = b.getI64IntegerAttr(kTileLineBytes);
  sums = memref::AllocOp::create(b, loc, MemRefType::get({numRowTiles * kTileLines, plan.lanes}, element), alignment);
  Value all = extents[*plan.unrolledLoop], one = index(1);
  groups = b.createOrFold<arith::CeilDivUIOp>(loc, all, index(plan.unroll));
  rows = b.createOrFold<arith::CeilDivUIOp>(loc, all, b.createOrFold<arith::MaxUIOp>(loc, groups, one));
  configure();
}

/// The register that tile `rowTile` of `count` is loaded to: the last one, which may have fewer lines than the others, has
/// one of its own.
int64_t MatrixTiles::getRowRegister(int64_t rowTile, int64_t count) const {
  int64_t last = kTileRegisters - 1, first = kSumTiles + numColumnTiles;
  return rowTile + 1 == count ? last : first + rowTile % (last - first);
}

/// Writes the lines of all tiles to memory, and makes the processor read them from there. Where the number of rows is
/// known at run time only, so are the lines of tiles of sums, down to none, and of the last tile of rows.
void MatrixTiles::configure() {
  auto type = MemRefType::get({kConfigBytes}, b.getI8Type());
  Value memory = memref::AllocOp::create(b, loc, type, b.getI64IntegerAttr(kConfigBytes));
  SmallVector<int8_t> fixed(kConfigBytes, 0);
  fixed[0] = 1; // the palette: eight tiles of a kilobyte
  SmallVector<std::pair<int64_t, Value>> open; // bytes of the configuration
  auto set = [&](int64_t tile, Value lines, int64_t bytes) {
    Value width = index(bytes), none = index(0);
    if (std::optional<int64_t> known = getConstantIntValue(lines)) {
      fixed[kBytesOfLine + 2 * tile] = static_cast<int8_t>(*known ? bytes : 0);
      fixed[kNumberOfLines + tile] = static_cast<int8_t>(*known);
      return;
    }
    // A tile without lines has no bytes, either.
    Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lines, none);
    open.push_back({kBytesOfLine + 2 * tile, arith::SelectOp::create(b, loc, isEmpty, none, width)});
    open.push_back({kNumberOfLines + tile, lines});
  };
  Value full = index(kTileLines);
  for (int64_t rowTile = 0; rowTile < numRowTiles; ++rowTile) {
    Value before = index(rowTile * kTileLines);
    Value left = b.createOrFold<arith::SubIOp>(loc, b.createOrFold<arith::MaxUIOp>(loc, rows, before), before);
    Value lines = b.createOrFold<arith::MinUIOp>(loc, left, full);
    for (int64_t columnTile = 0; columnTile < numColumnTiles; ++columnTile)
      set(getSumRegister(rowTile, columnTile), lines, kTileLineBytes);
  }
  for (int64_t columnTile = 0; columnTile < numColumnTiles; ++columnTile)
    set(kSumTiles + columnTile, index(*dot.tileSteps / dot.group), kTileLineBytes);
  int64_t last = kTileRegisters - 1;
  for (int64_t tile = kSumTiles + numColumnTiles; tile < last; ++tile)
    set(tile, full, *dot.tileSteps * elementBytes);
  Value one = index(1);
  Value tail = b.createOrFold<arith::RemUIOp>(loc, b.createOrFold<arith::SubIOp>(loc, rows, one), full);
  set(last, b.createOrFold<arith::AddIOp>(loc, tail, one), *dot.tileSteps * elementBytes);

  Value config = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(VectorType::get({kConfigBytes}, b.getI8Type()), ArrayRef<int8_t>(fixed)));
  vector::StoreOp::create(b, loc, config, memory, index(0));
  for (auto [byte, value] : open)
    memref::StoreOp::create(b, loc, arith::IndexCastOp::create(b, loc, b.getI8Type(), value), memory, index(byte));
  call("ldtilecfg", {}, makePlace(memory, index(0), {}));
}

void MatrixTiles::release() { call("tilerelease", {}); }

//===- Addresses ----------------------------------------------------------------------------===//

/// The element at `at` of `buffer`; `stride`: elements from one line to the next, null where there is one line.
MatrixTiles::Place MatrixTiles::makePlace(Value buffer, ValueRange at, Value stride) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value element = getValueOrCreateConstantIndexOp(b, loc, metadata.getConstifiedMixedOffset());
  for (auto [position, step] : llvm::zip_equal(at, metadata.getConstifiedMixedStrides())) {
    Value elements = getValueOrCreateConstantIndexOp(b, loc, step);
    element = b.createOrFold<arith::AddIOp>(loc, element, b.createOrFold<arith::MulIOp>(loc, position, elements));
  }
  Value bytes = index(getElementTypeOrSelf(buffer).getIntOrFloatBitWidth() / 8);
  auto toBytes = [&](Value elements) { return b.createOrFold<arith::MulIOp>(loc, elements, bytes); };
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  auto toNumber = [&](Value value) -> Value { return arith::IndexCastOp::create(b, loc, b.getI64Type(), value); };
  Value address = toNumber(arith::AddIOp::create(b, loc, base, toBytes(element)));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return {LLVM::IntToPtrOp::create(b, loc, pointer, address), stride ? toNumber(toBytes(stride)) : Value()};
}

MatrixTiles::Place MatrixTiles::getRowPlace(int64_t rowTile) {
  unsigned loop = *plan.unrolledLoop;
  OpOperand &operand = op->getOpOperand(dot.rows);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, operand.get());
  Value stride = index(0);
  for (auto [expr, step] : llvm::zip_equal(map.getResults(), metadata.getConstifiedMixedStrides())) {
    Value moves = index(*getStep(expr, loop, op.getNumLoops()));
    Value elements = getValueOrCreateConstantIndexOp(b, loc, step);
    stride = b.createOrFold<arith::AddIOp>(loc, stride, b.createOrFold<arith::MulIOp>(loc, moves, elements));
  }
  Value first = ivs[loop];
  ivs[loop] = b.createOrFold<arith::AddIOp>(loc, first, index(rowTile * kTileLines));
  Place place = makePlace(operand.get(), indices(operand), stride);
  ivs[loop] = first;
  return place;
}

MatrixTiles::Place MatrixTiles::getColumnPlace(int64_t columnTile) {
  int64_t column = columnTile * kTileLines;
  if (packed) {
    SmallVector<Value> at = llvm::map_to_vector(inner, [&](unsigned loop) { return ivs[loop]; });
    at.back() = arith::DivUIOp::create(b, loc, at.back(), index(dot.group));
    at.push_back(index(column * dot.group));
    return makePlace(packed, at, index(plan.lanes * dot.group));
  }
  OpOperand &operand = op->getOpOperand(dot.columns);
  SmallVector<Value> at = createGroupIndices(b, op, dot, plan.loop, ivs, column);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, operand.get());
  OpFoldResult stride = metadata.getConstifiedMixedStrides()[*getGroupDim(op, dot)];
  return makePlace(operand.get(), at, getValueOrCreateConstantIndexOp(b, loc, stride));
}

MatrixTiles::Place MatrixTiles::getSumPlace(int64_t rowTile, int64_t columnTile) {
  return makePlace(sums, ValueRange{index(rowTile * kTileLines), index(columnTile * kTileLines)}, index(plan.lanes));
}

//===- Instructions -------------------------------------------------------------------------===//

/// Emits `llvm.x86.<name>` of tile registers, which are named by their numbers, and a place in memory.
void MatrixTiles::call(StringRef name, ArrayRef<int64_t> tiles, std::optional<Place> place) {
  SmallVector<Value> operands;
  for (int64_t tile : tiles)
    operands.push_back(LLVM::ConstantOp::create(b, loc, b.getI8Type(), tile));
  if (place)
    operands.push_back(place->address);
  if (place && place->stride)
    operands.push_back(place->stride);
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86." + name), operands);
}

StringRef MatrixTiles::getProduct() const {
  if (dot.kind == DotPlan::Kind::Bf16)
    return "tdpbf16ps";
  if (dot.areRowsSigned)
    return dot.areColumnsSigned ? "tdpbssd" : "tdpbsud";
  return dot.areColumnsSigned ? "tdpbusd" : "tdpbuud";
}

/// One multiplication of each tile of rows with each of columns, with the loops at their steps.
void MatrixTiles::multiplySteps(int64_t count) {
  for (int64_t columnTile = 0; columnTile < numColumnTiles; ++columnTile)
    call("tileloadd64", {kSumTiles + columnTile}, getColumnPlace(columnTile));
  for (int64_t rowTile = 0; rowTile < count; ++rowTile) {
    int64_t row = getRowRegister(rowTile, count);
    call("tileloadd64", {row}, getRowPlace(rowTile));
    for (int64_t columnTile = 0; columnTile < numColumnTiles; ++columnTile)
      call(getProduct(), {getSumRegister(rowTile, columnTile), row, kSumTiles + columnTile});
  }
}

void MatrixTiles::emitReductions(unsigned depth, llvm::function_ref<void()> emit) {
  if (depth == inner.size())
    return emit();
  OpBuilder::InsertionGuard guard(b);
  unsigned loop = inner[depth];
  ivs[loop] = makeFor(index(0), extents[loop], loop == dot.loop ? *dot.tileSteps : 1).getInductionVar();
  emitReductions(depth + 1, emit);
}

/// `count`: tiles of rows.
void MatrixTiles::multiplyTiles(int64_t count) {
  auto forSums = [&](llvm::function_ref<void(int64_t, int64_t)> act) {
    for (int64_t rowTile = 0; rowTile < count; ++rowTile)
      for (int64_t columnTile = 0; columnTile < numColumnTiles; ++columnTile)
        act(rowTile, columnTile);
  };
  forSums([&](int64_t rowTile, int64_t columnTile) { call("tilezero", {getSumRegister(rowTile, columnTile)}); });
  emitReductions(0, [&] { multiplySteps(count); });
  forSums([&](int64_t rowTile, int64_t columnTile) {
    call("tilestored64", {getSumRegister(rowTile, columnTile)}, getSumPlace(rowTile, columnTile));
  });
}

void MatrixTiles::multiply(ArrayRef<Value> positions) {
  llvm::copy(positions, ivs.begin());
  if (std::optional<int64_t> known = getConstantIntValue(rows))
    return multiplyTiles(llvm::divideCeil(*known, kTileLines));
  OpBuilder::InsertionGuard guard(b);
  Value count = arith::CeilDivUIOp::create(b, loc, rows, index(kTileLines));
  SmallVector<int64_t> counts = llvm::to_vector(llvm::seq<int64_t>(1, numRowTiles + 1));
  auto choice = scf::IndexSwitchOp::create(b, loc, TypeRange(), count, counts, counts.size());
  for (auto [each, region] : llvm::zip_equal(counts, choice.getCaseRegions())) {
    b.createBlock(&region);
    multiplyTiles(each);
    scf::YieldOp::create(b, loc);
  }
  b.createBlock(&choice.getDefaultRegion()); // no rows
  scf::YieldOp::create(b, loc);
}

Value MatrixTiles::load(Value row) {
  auto type = VectorType::get({plan.lanes}, getElementTypeOrSelf(sums));
  return vector::LoadOp::create(b, loc, type, sums, ValueRange{row, index(0)});
}
