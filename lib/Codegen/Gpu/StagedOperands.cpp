//===- StagedOperands.cpp - A product's operands in shared memory ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StagedOperands.h"
#include "Alignment.h"
#include "AsyncCopies.h"
#include "StagedElement.h"
#include "fuse/Analysis/TensorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

StagedOperands::StagedOperands(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &contraction,
                               ArrayRef<int64_t> bounds, Value thread, int64_t threads, const StagingRoom &room)
    : IterationSpace(b, op, bounds), plan(contraction), thread(thread), threads(threads), product(makeProduct()),
      lhs(makeOperand(plan.lhs, plan.m, plan.rows, plan.stagedLhs)),
      rhs(makeOperand(plan.rhs, plan.n, plan.columns, plan.stagedRhs)) {
  if (!chooseWarpgroups(room))
    chooseStages(room);
  for (Operand *operand : {&lhs, &rhs})
    allocate(*operand);
}

/// Takes a product of warpgroups, if its operands can be copied to shared memory in the pieces that these read. A remark says so,
/// or why not.
bool StagedOperands::chooseWarpgroups(const StagingRoom &room) {
  if (!plan.mayUseWarpgroups || room.mostStages < 2)
    return false;
  auto options = remark::RemarkOpts::name("warpgroups").category("fuse-distribute-members");
  auto refuse = [&](StringRef reason) {
    remark::missed(loc, options) << remark::reason("subgroups multiply a tile of {0} x {1}, by {2} threads: {3}", plan.rows,
                                                   plan.columns, threads, reason);
    return false;
  };
  std::optional<ContractionPlan> chosen = planWarpgroups(plan, threads, runsAlongSteps(plan.rhs));
  if (!chosen)
    return refuse("warpgroups have no room for its sums, or multiply too much that only fills up");
  ContractionPlan other = std::exchange(plan, *chosen);
  std::unique_ptr<TileProduct> otherProduct = std::exchange(product, makeProduct());
  Operand otherLhs = std::exchange(lhs, makeOperand(plan.lhs, plan.m, plan.rows, plan.stagedLhs));
  Operand otherRhs = std::exchange(rhs, makeOperand(plan.rhs, plan.n, plan.columns, plan.stagedRhs));
  // Buffers that begin at multiples of so many bytes may leave as many unused, each of them.
  int64_t unused = 2 * product->getAlignment();
  bool isCopied = llvm::all_of(ArrayRef<const Operand *>{&lhs, &rhs}, [&](const Operand *operand) {
    int64_t bytes = countElementBytes(operand->type);
    return canReadStaged({mayBeCopied(*operand), bytes, countCopied(*operand) * bytes});
  });
  int64_t allSteps = countPoints(plan.k, bounds);
  bool hasParts =
      haveWarpgroupParts(ShapedType::isDynamic(allSteps) ? std::nullopt : std::optional(allSteps));
  // Beside sums a thread needs about so many registers. Where there are too few for a second block, which would multiply
  // while this one waits, all of shared memory is this one's, and products of two parts follow each other.
  constexpr int64_t kOtherRegisters = 40, kRegisters = 65536;
  bool hasSecondBlock = 2 * threads * (plan.tileM * plan.tileN / kWarpgroupThreads + kOtherRegisters) <= kRegisters;
  plan.multiplied = hasSecondBlock ? 1 : 2;
  if (isCopied && hasParts)
    chooseStages({room.mostStages, room.bytes - unused, (hasSecondBlock ? room.freeBytes : room.bytes) - unused});
  if (lhs.isCopied && rhs.isCopied) {
    if (plan.stages == 2)
      plan.multiplied = 1;
    remark::passed(loc, options) << remark::reason("warpgroups multiply a tile of {0} x {1}, by {2} threads, in {3} stages of {4} "
                                                   "steps",
                                                   plan.rows, plan.columns, threads, plan.stages, plan.steps);
    return true;
  }
  plan = other;
  product = std::move(otherProduct);
  lhs = otherLhs;
  rhs = otherRhs;
  return refuse(!isCopied
                    ? "its operands are not copied in pieces of 16 bytes as they lie in memory"
                : !hasParts ? "there is one part of its operands alone"
                            : "shared memory has no room for two parts of its operands");
}

bool StagedOperands::runsAlongSteps(unsigned number) {
  return isContiguousAlong(op, op->getOpOperand(number), plan.k.back());
}

std::unique_ptr<TileProduct> StagedOperands::makeProduct() {
  if (plan.usesWarpgroups)
    return makeWarpgroupProduct(b, loc, plan, thread, runsAlongSteps(plan.lhs), runsAlongSteps(plan.rhs));
  if (plan.usesTensorCores)
    return makeTensorProduct(b, loc, plan, thread, runsAlongSteps(plan.lhs), runsAlongSteps(plan.rhs));
  return makeFmaProduct(b, loc, plan, thread);
}

StagedOperands::Operand StagedOperands::makeOperand(unsigned number, ArrayRef<unsigned> lines, int64_t extent,
                                                    Type type) {
  Operand operand{&op->getOpOperand(number), lines, extent, type};
  operand.runsAlongSteps = runsAlongSteps(number);
  operand.chunk = operand.runsAlongSteps ? countChunk(op, bounds, *operand.operand, plan.k.back(), plan.steps)
                                         : countChunk(op, bounds, *operand.operand, lines.back(), extent);
  return operand;
}

/// Memory of the device that is staged as it is.
bool StagedOperands::mayBeCopied(const Operand &operand) const {
  Value buffer = operand.operand->get();
  if (plan.roundsToTf32 || getElementTypeOrSelf(buffer) != operand.type)
    return false;
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return isa<BlockArgument>(buffer);
}

/// How many elements an asynchronous copy of the operand has; 0 where there is none. What is turned while it is staged
/// is copied element by element.
int64_t StagedOperands::countCopied(const Operand &operand) const {
  if (!mayBeCopied(operand) || operand.type.getIntOrFloatBitWidth() % 8 != 0)
    return 0;
  bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
  int64_t pitch = product->getStagedType(isLhs(operand)).getDimSize(1);
  int64_t chunk = isRun ? std::gcd(operand.chunk, pitch) : 1;
  return isAsyncCopySize(chunk * countElementBytes(operand.type)) ? chunk : 0;
}

int64_t StagedOperands::countStageBytes() const {
  int64_t bytes = 0;
  for (const Operand *operand : {&lhs, &rhs}) {
    MemRefType type = product->getStagedType(isLhs(*operand));
    bytes += type.getNumElements() * countElementBytes(type.getElementType());
  }
  return bytes;
}

void StagedOperands::chooseStages(const StagingRoom &room) {
  int64_t copied[] = {countCopied(lhs), countCopied(rhs)};
  bool mayCopy = room.mostStages > 1;
  // Beside sums a thread has registers for so much of a part that passes them.
  auto countCarried = [&] {
    int64_t registers = 0;
    for (auto [operand, chunk] : llvm::zip_equal(ArrayRef<Operand *>{&lhs, &rhs}, copied))
      if (chunk == 0 || !mayCopy)
        registers += countTrips(*operand) *
                     llvm::divideCeil(operand->chunk * countElementBytes(getElementTypeOrSelf(operand->operand->get())), 4);
    return registers;
  };
  if (plan.usesTensorCores && plan.steps > getFewestTensorSteps(countElementBytes(plan.stagedLhs)) &&
      countCarried() > kMostCarried) {
    plan.steps /= 2;
    for (Operand *operand : {&lhs, &rhs})
      operand->chunk = std::gcd(operand->chunk, operand->runsAlongSteps ? plan.steps : operand->extent);
  }
  if (copied[0] == 0 && copied[1] == 0)
    return;
  // What passes registers has as many as a part of the least length needs.
  plan.chooseStages([&] { return countStageBytes(); }, countPoints(plan.k, bounds),
                    /*mayBeLonger=*/copied[0] > 0 && copied[1] > 0 && plan.multiplied == 1, room);
  if (plan.stages == 1)
    return;
  for (auto [operand, chunk] : llvm::zip_equal(ArrayRef<Operand *>{&lhs, &rhs}, copied))
    if (chunk > 0) {
      operand->isCopied = true;
      operand->chunk = chunk;
    }
}

void StagedOperands::allocate(Operand &operand) {
  MemRefType type = product->getStagedType(isLhs(operand));
  SmallVector<int64_t> shape(type.getShape());
  shape.front() *= plan.stages;
  IntegerAttr alignment = product->getAlignment() > 1 ? b.getI64IntegerAttr(product->getAlignment()) : IntegerAttr();
  operand.staged = memref::AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()), alignment);
}

Value StagedOperands::getFirstLine(const Operand &operand, Value stage) {
  int64_t lines = product->getStagedType(isLhs(operand)).getDimSize(0);
  return arith::MulIOp::create(b, loc, stage, index(lines));
}

//===- Chunks -------------------------------------------------------------------------------===//

SmallVector<Value> StagedOperands::loadChunks(const Operand &operand, Value first) {
  Value buffer = operand.operand->get();
  Type chunkType = getElementTypeOrSelf(buffer);
  if (operand.chunk > 1)
    chunkType = VectorType::get({operand.chunk}, chunkType);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(chunkType));
  auto load = [&](Value from, ValueRange at) -> SmallVector<Value> {
    if (operand.chunk == 1)
      return {memref::LoadOp::create(b, loc, from, at)};
    return {createChunkLoad(b, loc, from, at, operand.chunk)};
  };
  int64_t bytes = countElementBytes(getElementTypeOrSelf(buffer));
  std::optional<TripLines> lines = findTripLines(operand);
  SmallVector<TripBegin> begins = lines ? beginTrips(operand, *lines, first) : SmallVector<TripBegin>();
  // Where the stride is a number, instructions hold what lies between the trips; else an address leads to the next one.
  SmallVector<Value> froms;
  for (const TripBegin &begin : begins)
    if (!begin.element)
      froms.push_back({});
    else
      froms.push_back(lines->stride ? createElementPointer(b, loc, buffer, begin.element)
                                    : createViewFrom(b, loc, buffer, begin.element));
  SmallVector<Value> chunks;
  for (int64_t trip = 0; trip < countTrips(operand); ++trip) {
    Place at = placeChunk(operand, trip);
    if (!lines) {
      Value valid = both(at.exists, placeElement(operand, at, first));
      llvm::append_range(chunks, emitIfElse(valid, zero, [&] { return load(buffer, indices(*operand.operand)); }));
      continue;
    }
    int64_t along = trip % countTripsOfLine(operand), line = trip / countTripsOfLine(operand);
    const TripBegin &begin = begins[along];
    Value valid = both(at.exists, createTripCheck(*lines, begin, line));
    if (line > 0 && lines->stride && begin.element)
      froms[along] = createBehind(b, loc, froms[along], createTripStep(*lines, line), bytes);
    Value from = froms[begin.base];
    llvm::append_range(chunks, emitIfElse(valid, zero, [&]() -> SmallVector<Value> {
      if (!lines->stride)
        return load(from, ValueRange{index(begin.ahead + lines->behind[line] * lines->knownStride)});
      return {LLVM::LoadOp::create(b, loc, chunkType, createFurther(b, loc, from, begin.ahead * bytes),
                                   static_cast<unsigned>(operand.chunk * bytes))};
    }));
  }
  return chunks;
}

/// The thread's copies of a trip are so many bytes behind those of the first one where that is known, so that a thread has
/// one address of either side. A stage is so many bytes behind the first one.
void StagedOperands::copyChunks(const Operand &operand, Value first, Value stage) {
  Value buffer = operand.operand->get();
  int64_t bytes = countElementBytes(operand.type);
  MemRefType stageType = product->getStagedType(isLhs(operand));
  Value behind = arith::MulIOp::create(b, loc, stage, index(stageType.getNumElements() * bytes));
  bool isEven = isStagedEvenly(operand);
  bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
  int64_t atOnce = countAtOnce(operand), tripsOfLine = countTripsOfLine(operand);
  auto createTo = [&](const Place &at) {
    Value to = createSharedAddress(b, loc, operand.staged, placeStaged(operand, index(0), at.line, at.step));
    return createBehind(b, loc, to, behind);
  };
  Value firstTo = isEven ? createTo(placeChunk(operand, 0)) : Value();
  std::optional<TripLines> lines = findTripLines(operand);
  SmallVector<TripBegin> begins = lines ? beginTrips(operand, *lines, first) : SmallVector<TripBegin>();
  SmallVector<Value> addresses; // of the last trip
  for (const TripBegin &begin : begins)
    addresses.push_back(begin.element ? createElementAddress(b, loc, buffer, begin.element) : Value());
  for (int64_t trip = 0; trip < countTrips(operand); ++trip) {
    Place at = placeChunk(operand, trip);
    int64_t along = trip % tripsOfLine, line = trip / tripsOfLine;
    if (lines && line > 0 && lines->stride && addresses[along])
      addresses[along] = createBehind(b, loc, addresses[along], createTripStep(*lines, line), bytes);
    emitIf(at.exists, [&] {
      Value valid = lines ? createTripCheck(*lines, begins[along], line) : placeElement(operand, at, first);
      Value from;
      if (lines)
        from = createFurther(b, loc, addresses[begins[along].base],
                             (begins[along].ahead + lines->behind[line] * lines->knownStride) * bytes);
      else
        from = createElementAddress(b, loc, buffer, createElementNumber(b, loc, buffer, indices(*operand.operand)));
      int64_t across = findTripLine(operand, line).value_or(0), inLine = along * atOnce * operand.chunk;
      int64_t ahead = isRun ? product->getDistance(isLhs(operand), across, inLine)
                            : product->getDistance(isLhs(operand), inLine, across);
      Value to = isEven ? createFurther(b, loc, firstTo, ahead * bytes) : createTo(at);
      createAsyncCopy(b, loc, from, to, operand.chunk * bytes, valid);
    });
  }
}

SmallVector<Value> StagedOperands::placeStaged(const Operand &operand, Value firstLine, Value line, Value step) {
  bool isStepLast = product->isStepLast(isLhs(operand));
  Value slow = isStepLast ? line : product->getLineOfStep(isLhs(operand), step);
  std::array<Value, 2> at = product->placeInStage(isLhs(operand), slow, isStepLast ? step : line);
  return {arith::AddIOp::create(b, loc, firstLine, at[0]), at[1]};
}

void StagedOperands::storeChunks(const Operand &operand, Value stage, ArrayRef<Value> chunks) {
  Value firstLine = getFirstLine(operand, stage);
  for (auto [trip, chunk] : llvm::enumerate(chunks)) {
    Place at = placeChunk(operand, trip);
    SmallVector<Value> values = {chunk};
    if (operand.chunk > 1)
      values = createElements(b, loc, chunk);
    for (Value &value : values)
      value = createStagedElement(b, loc, op, plan, *operand.operand, value);
    emitIf(at.exists, [&] { store(operand, firstLine, at.line, at.step, values); });
  }
}

void StagedOperands::store(const Operand &operand, Value firstLine, Value line, Value step, ArrayRef<Value> values) {
  bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
  auto at = [&](Value line, Value step) { return placeStaged(operand, firstLine, line, step); };
  if (isRun && values.size() > 1) {
    auto type = VectorType::get({static_cast<int64_t>(values.size())}, operand.type);
    Value vector = vector::FromElementsOp::create(b, loc, type, values);
    auto write = vector::StoreOp::create(b, loc, vector, operand.staged, at(line, step));
    int64_t bytes = countElementBytes(operand.type);
    // Lines are multiples of four elements long, on tensor cores of 16 bytes.
    int64_t whole = plan.usesTensorCores ? kAccessBytes / bytes : 4;
    write->setAttr("alignment", b.getI64IntegerAttr(bytes * std::gcd<int64_t>(values.size(), whole)));
    return;
  }
  for (auto [e, value] : llvm::enumerate(values)) {
    Value ahead = index(e);
    Value l = operand.runsAlongSteps ? line : arith::AddIOp::create(b, loc, line, ahead);
    Value s = operand.runsAlongSteps ? arith::AddIOp::create(b, loc, step, ahead) : step;
    memref::StoreOp::create(b, loc, value, operand.staged, at(l, s));
  }
}
