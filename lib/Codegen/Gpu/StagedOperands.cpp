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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Of a line of the cache, which is what banks of shared memory take at once, and of the least accesses that these see
/// together.
static constexpr int64_t kLineBytes = 128, kBankBytes = 16;
/// Lines that are stored in another order than they have.
static constexpr int64_t kLinesTogether = kLineBytes / kBankBytes;
/// Registers of a part's elements on their way to shared memory, above which tensor cores' parts are half as long if they have
/// more steps than this.
static constexpr int64_t kMostCarried = 32, kFewestSteps = 16;
/// Elements that are turned at once: a sector of f32.
static constexpr int64_t kTurnedAtOnce = 8;

static int64_t countBytes(Type element) {
  return static_cast<int64_t>(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

StagedOperands::StagedOperands(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &contraction,
                               ArrayRef<int64_t> bounds, Value thread, int64_t threads, const StagingRoom &room)
    : IterationSpace(b, op, bounds), plan(contraction), thread(thread), threads(threads), product(makeProduct()),
      lhs(makeOperand(plan.lhs, plan.m, plan.rows, plan.stagedLhs)),
      rhs(makeOperand(plan.rhs, plan.n, plan.columns, plan.stagedRhs)) {
  chooseStages(room);
  for (Operand *operand : {&lhs, &rhs})
    allocate(*operand);
}

bool StagedOperands::runsAlongSteps(unsigned number) {
  return isContiguousAlong(op, op->getOpOperand(number), plan.k.back());
}

std::unique_ptr<TileProduct> StagedOperands::makeProduct() {
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
  return isAsyncCopySize(chunk * countBytes(operand.type)) ? chunk : 0;
}

int64_t StagedOperands::countStageBytes() const {
  int64_t bytes = 0;
  for (const Operand *operand : {&lhs, &rhs}) {
    MemRefType type = product->getStagedType(isLhs(*operand));
    bytes += type.getNumElements() * countBytes(type.getElementType());
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
                     llvm::divideCeil(operand->chunk * countBytes(getElementTypeOrSelf(operand->operand->get())), 4);
    return registers;
  };
  if (plan.usesTensorCores && plan.steps > kFewestSteps && countCarried() > kMostCarried) {
    plan.steps /= 2;
    for (Operand *operand : {&lhs, &rhs})
      operand->chunk = std::gcd(operand->chunk, operand->runsAlongSteps ? plan.steps : operand->extent);
  }
  if (copied[0] == 0 && copied[1] == 0)
    return;
  // What passes registers has as many as a part of the least length needs.
  plan.chooseStages([&] { return countStageBytes(); }, countPoints(plan.k, bounds),
                    /*mayBeLonger=*/copied[0] > 0 && copied[1] > 0, room);
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
  operand.staged = memref::AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()));
}

Value StagedOperands::getFirstLine(const Operand &operand, Value stage) {
  int64_t lines = product->getStagedType(isLhs(operand)).getDimSize(0);
  return arith::MulIOp::create(b, loc, stage, index(lines));
}

//===- Chunks -------------------------------------------------------------------------------===//

/// Chunks along the operand's memory.
int64_t StagedOperands::countInner(const Operand &operand) const {
  return (operand.runsAlongSteps ? plan.steps : operand.extent) / operand.chunk;
}

int64_t StagedOperands::countLines(const Operand &operand) const {
  return operand.runsAlongSteps ? operand.extent : plan.steps;
}

/// How many of them neighbouring threads take at once: what lies in whole lines of the cache, if threads then have as much to
/// do each. The first that a thread takes are those of one line of memory: instructions hold as a number how many bytes lie
/// between them, if these are few.
int64_t StagedOperands::countAtOnce(const Operand &operand) const {
  int64_t inner = countInner(operand);
  int64_t whole = kLineBytes / (operand.chunk * countBytes(getElementTypeOrSelf(operand.operand->get())));
  // What is turned goes to a line of shared memory each, which begin four banks behind each other.
  if (operand.runsAlongSteps != product->isStepLast(isLhs(operand)))
    whole = kTurnedAtOnce / operand.chunk;
  for (int64_t atOnce = whole; atOnce > 0 && atOnce < inner; atOnce *= 2)
    if (inner % atOnce == 0 && atOnce * countLines(operand) % threads == 0)
      return atOnce;
  return inner;
}

int64_t StagedOperands::countTripsOfLine(const Operand &operand) const {
  return countInner(operand) / countAtOnce(operand);
}

/// Of all lines, what is taken at once.
int64_t StagedOperands::countAll(const Operand &operand) const {
  return countAtOnce(operand) * countLines(operand);
}

int64_t StagedOperands::countTrips(const Operand &operand) const {
  return llvm::divideCeil(countAll(operand), threads) * countTripsOfLine(operand);
}

/// Lines of less than 128 bytes are stored several at once. In shared memory the n th line begins n * pitch times 16 bytes
/// behind the first one, modulo 128. Those that are stored at once are so many lines apart that the next one begins where
/// the one before ends, or at another multiple of its length.
Value StagedOperands::spreadLines(const Operand &operand, Value line) {
  int64_t bytes = countAtOnce(operand) * operand.chunk * countBytes(operand.type), each = bytes / kBankBytes;
  int64_t pitch = product->getStagedType(isLhs(operand)).getDimSize(1) * countBytes(operand.type);
  bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
  if (!isRun || bytes % kBankBytes != 0 || pitch % kBankBytes != 0 || !llvm::isPowerOf2_64(each) ||
      each >= kLinesTogether || countLines(operand) % kLinesTogether != 0)
    return line;
  int64_t together = kLinesTogether / each, apart = each / std::gcd(each, pitch / kBankBytes);
  Value ofGroup = arith::RemUIOp::create(b, loc, line, index(together * apart));
  Value spread = arith::MulIOp::create(b, loc, arith::RemUIOp::create(b, loc, ofGroup, index(together)), index(apart));
  spread = arith::AddIOp::create(b, loc, spread, arith::DivUIOp::create(b, loc, ofGroup, index(together)));
  line = arith::AddIOp::create(b, loc, arith::SubIOp::create(b, loc, line, ofGroup), spread);
  bool isStep = !product->isStepLast(isLhs(operand));
  return isStep && countLines(operand) % product->getStepsTogether(isLhs(operand)) == 0
             ? product->getStepOfLine(isLhs(operand), line)
             : line;
}

StagedOperands::Place StagedOperands::placeChunk(const Operand &operand, int64_t trip) {
  int64_t tripsOfLine = countTripsOfLine(operand), atOnce = countAtOnce(operand);
  int64_t first = trip / tripsOfLine * threads;
  Value number = arith::AddIOp::create(b, loc, thread, index(first));
  Value slow = spreadLines(operand, arith::DivUIOp::create(b, loc, number, index(atOnce)));
  Value fast = arith::RemUIOp::create(b, loc, number, index(atOnce));
  fast = arith::AddIOp::create(b, loc, fast, index(trip % tripsOfLine * atOnce));
  fast = arith::MulIOp::create(b, loc, fast, index(operand.chunk));
  bool isWhole = first + threads <= countAll(operand);
  return {operand.runsAlongSteps ? slow : fast, operand.runsAlongSteps ? fast : slow,
          isWhole ? Value() : isBelow(number, index(countAll(operand)))};
}

SmallVector<Value> StagedOperands::loadChunks(const Operand &operand, Value first) {
  Type chunkType = getElementTypeOrSelf(operand.operand->get());
  if (operand.chunk > 1)
    chunkType = VectorType::get({operand.chunk}, chunkType);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(chunkType));
  SmallVector<Value> chunks;
  for (int64_t trip = 0; trip < countTrips(operand); ++trip) {
    Place at = placeChunk(operand, trip);
    Value valid = both(at.exists, placeElement(operand, at, first));
    llvm::append_range(chunks, emitIfElse(valid, zero, [&]() -> SmallVector<Value> {
      Value buffer = operand.operand->get();
      SmallVector<Value> position = indices(*operand.operand);
      if (operand.chunk == 1)
        return {memref::LoadOp::create(b, loc, buffer, position)};
      return {createChunkLoad(b, loc, buffer, position, operand.chunk)};
    }));
  }
  return chunks;
}

/// Puts the loops at a place of the steps from `first` on; returns whether the tile has it.
Value StagedOperands::placeElement(const Operand &operand, const Place &at, Value first) {
  Value number = arith::AddIOp::create(b, loc, first, at.step);
  Value valid = isBelow(number, steps);
  valid = both(valid, isLhs(operand) ? place(operand.lines, at.line) : placeColumn(at.line));
  return both(valid, place(plan.k, number));
}

Value StagedOperands::placeColumn(Value column) {
  if (plan.columns == plan.allColumns)
    return place(plan.n, column);
  column = arith::AddIOp::create(b, loc, panel, column);
  Value valid;
  if (plan.allColumns % plan.columns != 0)
    valid = isBelow(column, index(plan.allColumns));
  return both(valid, place(plan.n, column));
}

/// The thread's copies of a trip are so many bytes behind those of the first one where that is known, so that a thread has
/// one address of either side. A stage is so many bytes behind the first one.
void StagedOperands::copyChunks(const Operand &operand, Value first, Value stage) {
  Value buffer = operand.operand->get();
  int64_t bytes = countBytes(operand.type);
  MemRefType stageType = product->getStagedType(isLhs(operand));
  Value behind = arith::MulIOp::create(b, loc, stage, index(stageType.getNumElements() * bytes));
  std::optional<int64_t> stride = findTripStride(operand);
  bool isEven = hasEvenTrips(operand);
  bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
  int64_t pitch = isRun ? stageType.getDimSize(1) : 1, run = isRun ? 1 : stageType.getDimSize(1);
  int64_t atOnce = countAtOnce(operand), tripsOfLine = countTripsOfLine(operand);
  Value firstTo;
  SmallVector<Value> firstFrom; // of the chunks that a thread takes of one line
  auto createFrom = [&] { return createGlobalAddress(b, loc, buffer, indices(*operand.operand)); };
  auto createTo = [&](const Place &at) {
    Value to = createSharedAddress(b, loc, operand.staged, placeStaged(operand, index(0), at.line, at.step));
    return createBehind(b, loc, to, behind);
  };
  if (isEven)
    firstTo = createTo(placeChunk(operand, 0));
  for (int64_t trip = 0; stride && trip < tripsOfLine; ++trip) {
    if (trip > 0 && isLineOneLoop(operand)) {
      firstFrom.push_back(createFurther(b, loc, firstFrom.front(), trip * atOnce * operand.chunk * bytes));
      continue;
    }
    placeElement(operand, placeChunk(operand, trip), first);
    firstFrom.push_back(createFrom());
  }
  for (int64_t trip = 0; trip < countTrips(operand); ++trip) {
    Place at = placeChunk(operand, trip);
    emitIf(at.exists, [&] {
      Value valid = placeElement(operand, at, first);
      // Of the operand's memory, and along them.
      int64_t lines = trip / tripsOfLine * (threads / atOnce), along = trip % tripsOfLine * atOnce * operand.chunk;
      Value from = stride ? createFurther(b, loc, firstFrom[trip % tripsOfLine], lines * *stride * bytes) : createFrom();
      Value to = isEven ? createFurther(b, loc, firstTo, (lines * pitch + along * run) * bytes) : createTo(at);
      createAsyncCopy(b, loc, from, to, operand.chunk * bytes, valid);
    });
  }
}

/// Whether the lines of each trip are as many behind those of the one before, and chunks lie in them where they did.
bool StagedOperands::hasEvenTrips(const Operand &operand) const {
  if (countTrips(operand) < 2 || threads % countAtOnce(operand) != 0)
    return false;
  // Blocks of lines that are numbered otherwise stay whole.
  int64_t lines = threads / countAtOnce(operand);
  int64_t together = std::max(kLinesTogether, product->getStepsTogether(isLhs(operand)));
  return lines % together == 0 || lines >= countLines(operand);
}

/// Whether one loop runs along the operand's memory, so that elements follow each other in all of a line.
bool StagedOperands::isLineOneLoop(const Operand &operand) const {
  ArrayRef<unsigned> along = operand.runsAlongSteps ? ArrayRef<unsigned>(plan.k) : operand.lines;
  return llvm::count_if(along, [&](unsigned loop) { return bounds[loop] != 1; }) <= 1;
}

/// How many elements lie between lines of the operand's memory, across which a thread's chunks lie; none where that is not
/// known.
std::optional<int64_t> StagedOperands::findTripStride(const Operand &operand) {
  if (!hasEvenTrips(operand))
    return std::nullopt;
  SmallVector<unsigned> loops;
  for (unsigned loop : operand.runsAlongSteps ? operand.lines : ArrayRef<unsigned>(plan.k))
    if (bounds[loop] != 1)
      loops.push_back(loop);
  if (loops.size() != 1)
    return std::nullopt;
  std::optional<int64_t> stride = getStride(op, *operand.operand, loops.front());
  // What instructions hold has 32 bits.
  int64_t most = stride.value_or(0) * countTrips(operand) * threads * 8;
  return most < std::numeric_limits<int32_t>::max() ? stride : std::nullopt;
}

SmallVector<Value> StagedOperands::placeStaged(const Operand &operand, Value firstLine, Value line, Value step) {
  bool isStepLast = product->isStepLast(isLhs(operand));
  Value slow = isStepLast ? line : product->getLineOfStep(isLhs(operand), step);
  slow = arith::AddIOp::create(b, loc, firstLine, slow);
  return {slow, isStepLast ? step : line};
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
    int64_t bytes = countBytes(operand.type);
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
