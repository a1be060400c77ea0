//===- StagedTrips.cpp - Which chunks of an operand a thread takes ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AsyncCopies.h"
#include "Alignment.h"
#include "StagedOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Of a line of the cache, which is what banks of shared memory take at once, and of the least accesses that these see
/// together.
static constexpr int64_t kBankedBytes = 128, kBankBytes = 16;
/// Lines that are stored in another order than they have.
static constexpr int64_t kLinesTogether = kBankedBytes / kBankBytes;
/// Elements that are turned at once: a sector of f32.
static constexpr int64_t kTurnedAtOnce = 8;

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
  int64_t whole = kBankedBytes / (operand.chunk * countElementBytes(getElementTypeOrSelf(operand.operand->get())));
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
StagedOperands::LineOrder StagedOperands::getLineOrder(const Operand &operand) const {
  int64_t bytes = countAtOnce(operand) * operand.chunk * countElementBytes(operand.type), each = bytes / kBankBytes;
  int64_t pitch = product->getStagedType(isLhs(operand)).getDimSize(1) * countElementBytes(operand.type);
  bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
  if (!isRun || bytes % kBankBytes != 0 || pitch % kBankBytes != 0 || !llvm::isPowerOf2_64(each) ||
      each >= kLinesTogether || countLines(operand) % kLinesTogether != 0)
    return {};
  LineOrder order{kLinesTogether / each, each / std::gcd(each, pitch / kBankBytes)};
  int64_t steps = product->getStepsTogether(isLhs(operand));
  if (!product->isStepLast(isLhs(operand)) && steps > 1 && countLines(operand) % steps == 0)
    order.steps = steps;
  return order;
}

Value StagedOperands::orderLine(const Operand &operand, Value line) {
  LineOrder order = getLineOrder(operand);
  if (order.count() > 1) {
    Value ofGroup = arith::RemUIOp::create(b, loc, line, index(order.together * order.apart));
    Value spread = arith::MulIOp::create(b, loc, arith::RemUIOp::create(b, loc, ofGroup, index(order.together)),
                                         index(order.apart));
    spread = arith::AddIOp::create(b, loc, spread, arith::DivUIOp::create(b, loc, ofGroup, index(order.together)));
    line = arith::AddIOp::create(b, loc, arith::SubIOp::create(b, loc, line, ofGroup), spread);
  }
  return order.steps > 1 ? product->getStepOfLine(isLhs(operand), line) : line;
}

/// How many lines those of a trip lie behind the ones of the first, if that is one number.
std::optional<int64_t> StagedOperands::findTripLine(const Operand &operand, int64_t trip) const {
  LineOrder order = getLineOrder(operand);
  int64_t atOnce = countAtOnce(operand), lines = threads / atOnce, first = trip * lines;
  if (threads % atOnce != 0)
    return std::nullopt;
  if (lines % order.count() == 0 || lines >= countLines(operand))
    return first;
  if (order.steps > 1 || lines % order.together != 0)
    return std::nullopt;
  int64_t ofGroup = first % order.count();
  return first - ofGroup + ofGroup % order.together * order.apart + ofGroup / order.together;
}

StagedOperands::Place StagedOperands::placeChunk(const Operand &operand, int64_t trip) {
  int64_t tripsOfLine = countTripsOfLine(operand), atOnce = countAtOnce(operand);
  int64_t first = trip / tripsOfLine * threads;
  Value number = arith::AddIOp::create(b, loc, thread, index(first));
  Value slow = orderLine(operand, arith::DivUIOp::create(b, loc, number, index(atOnce)));
  Value fast = arith::RemUIOp::create(b, loc, number, index(atOnce));
  fast = arith::AddIOp::create(b, loc, fast, index(trip % tripsOfLine * atOnce));
  fast = arith::MulIOp::create(b, loc, fast, index(operand.chunk));
  bool isWhole = first + threads <= countAll(operand);
  return {operand.runsAlongSteps ? slow : fast, operand.runsAlongSteps ? fast : slow,
          isWhole ? Value() : isBelow(number, index(countAll(operand)))};
}

/// Puts the loops at a place of the steps from `first` on; returns whether the tile has it.
Value StagedOperands::placeElement(const Operand &operand, const Place &at, Value first) {
  Value number = arith::AddIOp::create(b, loc, first, at.step);
  Value valid = isBelow(hasWholeParts() ? first : number, steps);
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

/// Whether the lines of each trip lie as many behind those of the first one for all threads, in memory.
bool StagedOperands::hasEvenTrips(const Operand &operand) const {
  return hasEvenTrips(operand, product->getPeriod());
}

/// And whether chunks are staged in them where they are in those of the first: where steps are staged in lines of others, only
/// whole blocks of steps lie alike.
bool StagedOperands::isStagedEvenly(const Operand &operand) const {
  bool ordersSteps = !operand.runsAlongSteps && !product->isStepLast(isLhs(operand));
  int64_t together = ordersSteps ? product->getStepsTogether(isLhs(operand)) : 1;
  return hasEvenTrips(operand, std::lcm(product->getPeriod(), together));
}

bool StagedOperands::hasEvenTrips(const Operand &operand, int64_t period) const {
  if (countTrips(operand) < 2)
    return false;
  int64_t trips = countTrips(operand) / countTripsOfLine(operand);
  return llvm::all_of(llvm::seq<int64_t>(0, trips), [&](int64_t trip) {
    std::optional<int64_t> line = findTripLine(operand, trip);
    return line && *line % period == 0;
  });
}

/// Whether one loop runs along the operand's memory, so that elements follow each other in all of a line.
bool StagedOperands::isLineOneLoop(const Operand &operand) const {
  ArrayRef<unsigned> along = operand.runsAlongSteps ? ArrayRef<unsigned>(plan.k) : operand.lines;
  return llvm::count_if(along, [&](unsigned loop) { return bounds[loop] != 1; }) <= 1;
}

//===- Trips that follow from the first one -------------------------------------------------===//

/// The loop across which a thread's trips lie, if it is one alone, and how far these lie apart.
std::optional<StagedOperands::TripLines> StagedOperands::findTripLines(const Operand &operand) {
  if (!hasEvenTrips(operand))
    return std::nullopt;
  SmallVector<unsigned> loops;
  for (unsigned loop : operand.runsAlongSteps ? operand.lines : ArrayRef<unsigned>(plan.k))
    if (bounds[loop] != 1)
      loops.push_back(loop);
  if (loops.size() != 1)
    return std::nullopt;
  TripLines lines{loops.front()};
  for (int64_t trip = 0, trips = countTrips(operand) / countTripsOfLine(operand); trip < trips; ++trip)
    lines.behind.push_back(*findTripLine(operand, trip));
  lines.stride = createStride(operand, lines.loop);
  if (!lines.stride)
    return std::nullopt;
  // What instructions hold has 32 bits.
  std::optional<int64_t> known = getConstantIntValue(lines.stride);
  if (known && *known < std::numeric_limits<int32_t>::max() / (countLines(operand) + threads) / 8) {
    lines.knownStride = *known;
    lines.stride = {};
  }
  return lines;
}

/// How many elements lie between those that `loop` takes one after the other; null where that is no one number.
Value StagedOperands::createStride(const Operand &operand, unsigned loop) {
  if (std::optional<int64_t> known = getStride(op, *operand.operand, loop))
    return index(*known);
  Value buffer = operand.operand->get(), stride;
  for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(operand.operand).getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (stride || expr != getAffineDimExpr(loop, op.getContext()))
      return {};
    stride = memref::ExtractStridedMetadataOp::create(b, loc, buffer).getStrides()[dim];
  }
  return stride;
}

/// A thread's chunks of its first lines, for the steps from `first` on. The other trips' elements lie as many lines behind,
/// and the tile has those that lie in fewer lines than it has left there. So a trip costs one comparison with a number, and
/// needs no register while others are under way: neither its address nor whether the tile has it is kept.
SmallVector<StagedOperands::TripBegin> StagedOperands::beginTrips(const Operand &operand, const TripLines &lines,
                                                                 Value first) {
  SmallVector<TripBegin> begins;
  int64_t most = lines.behind.back() + 1;
  for (int64_t along = 0; along < countTripsOfLine(operand); ++along) {
    TripBegin begin;
    begin.valid = placeElement(operand, placeChunk(operand, along), first);
    if (along > 0 && isLineOneLoop(operand)) {
      begin.base = 0;
      begin.ahead = along * countAtOnce(operand) * operand.chunk;
    } else {
      begin.base = along;
      begin.element = createElementNumber(b, loc, operand.operand->get(), indices(*operand.operand));
    }
    auto limit = [&](Value end) {
      Value left = arith::SubIOp::create(b, loc, end, ivs[lines.loop]);
      left = arith::MinUIOp::create(b, loc, left, index(most));
      begin.left = begin.left ? Value(arith::MinUIOp::create(b, loc, begin.left, left)) : left;
    };
    if (operand.runsAlongSteps) {
      if (isPartial(lines.loop))
        limit(extents[lines.loop]);
      else if (!isLhs(operand) && plan.allColumns % plan.columns != 0)
        limit(index(plan.allColumns));
    } else if (!hasWholeParts()) {
      limit(steps);
      if (isPartial(lines.loop))
        limit(extents[lines.loop]);
    }
    if (begin.left)
      begin.left = arith::SelectOp::create(b, loc, begin.valid, begin.left, index(0));
    begins.push_back(begin);
  }
  return begins;
}

/// How many elements lie between a trip's and that of the one before, where that is no number.
Value StagedOperands::createTripStep(const TripLines &lines, int64_t trip) {
  return arith::MulIOp::create(b, loc, lines.stride, index(lines.behind[trip] - lines.behind[trip - 1]));
}

/// Whether the tile has the chunk so many trips behind one of the first.
Value StagedOperands::createTripCheck(const TripLines &lines, const TripBegin &begin, int64_t trip) {
  return begin.left && trip > 0 ? isBelow(index(lines.behind[trip]), begin.left) : begin.valid;
}

/// Whether there are steps for all of each part.
bool StagedOperands::hasWholeParts() {
  int64_t all = countPoints(plan.k, bounds);
  return !ShapedType::isDynamic(all) && all % plan.steps == 0 &&
         llvm::none_of(plan.k, [&](unsigned loop) { return isPartial(loop); });
}
