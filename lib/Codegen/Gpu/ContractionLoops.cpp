//===- ContractionLoops.cpp - A contraction as one thread's code ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemberLoops.h"
#include "Alignment.h"
#include "AsyncCopies.h"
#include "IterationSpace.h"
#include "StagedElement.h"
#include "TileProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class ContractionLoops : IterationSpace {
public:
  ContractionLoops(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan,
                   ArrayRef<int64_t> bounds, Value thread, int64_t threads, Value initial,
                   const StagingRoom &room)
      : IterationSpace(b, op, bounds), plan(plan), thread(thread), threads(threads),
        initial(initial),
        product(makeProduct()),
        lhs(makeOperand(plan.lhs, plan.m, plan.rows, plan.stagedLhs)),
        rhs(makeOperand(plan.rhs, plan.n, plan.columns, plan.stagedRhs)) {
    chooseStages(room);
    for (Operand *operand : {&lhs, &rhs})
      allocate(*operand);
  }

  void emit() {
    // Steps are numbered as in the largest tile: where an inner loop is partial, 64 of 128 channels within 9 taps, some of
    // the 9 * 128 have no elements. Only the outermost loop ends where its tile does.
    steps = extents[plan.k.front()];
    for (unsigned loop : ArrayRef(plan.k).drop_front())
      steps = arith::MulIOp::create(b, loc, steps, boundOf(loop));
    emitBatch(0);
  }

private:
  /// An operand and its matrix in shared memory.
  struct Operand {
    OpOperand *operand;
    ArrayRef<unsigned> lines; ///< its loops beside k
    int64_t extent;           ///< of those, at most
    Type type;                ///< that it is staged in
    Value staged;             ///< all stages, one behind the other
    /// Whether memory runs along k, and how many elements are loaded at once.
    bool runsAlongSteps = false;
    int64_t chunk = 1;
    /// Whether it is copied asynchronously.
    bool isCopied = false;
  };

  bool runsAlongSteps(unsigned number) {
    return isContiguousAlong(op, op->getOpOperand(number), plan.k.back());
  }

  std::unique_ptr<TileProduct> makeProduct() {
    if (plan.usesTensorCores)
      return makeTensorProduct(b, loc, plan, thread, runsAlongSteps(plan.lhs),
                               runsAlongSteps(plan.rhs));
    return makeFmaProduct(b, loc, plan, thread);
  }

  Operand makeOperand(unsigned number, ArrayRef<unsigned> lines, int64_t extent, Type type) {
    Operand operand{&op->getOpOperand(number), lines, extent, type, {}};
    operand.runsAlongSteps = runsAlongSteps(number);
    operand.chunk = operand.runsAlongSteps ? countChunk(op, bounds, *operand.operand, plan.k.back(), plan.steps)
                                           : countChunk(op, bounds, *operand.operand, lines.back(), extent);
    return operand;
  }

  bool isLhs(const Operand &operand) const {
    return operand.operand->getOperandNumber() == plan.lhs;
  }

  /// Memory of the device that is staged as it is.
  bool mayBeCopied(const Operand &operand) const {
    Value buffer = operand.operand->get();
    if (plan.roundsToTf32 || getElementTypeOrSelf(buffer) != operand.type)
      return false;
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    return isa<BlockArgument>(buffer);
  }

  /// How many elements an asynchronous copy of the operand has; 0 where there is none. What is turned while it is staged
  /// is copied element by element.
  int64_t countCopied(const Operand &operand) {
    if (!mayBeCopied(operand) || operand.type.getIntOrFloatBitWidth() % 8 != 0)
      return 0;
    bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
    int64_t pitch = product->getStagedType(isLhs(operand)).getDimSize(1);
    int64_t chunk = isRun ? std::gcd(operand.chunk, pitch) : 1;
    return isAsyncCopySize(chunk * operand.type.getIntOrFloatBitWidth() / 8) ? chunk : 0;
  }

  void chooseStages(const StagingRoom &room) {
    int64_t copied[] = {countCopied(lhs), countCopied(rhs)};
    if (copied[0] == 0 && copied[1] == 0)
      return;
    int64_t parts = countPoints(plan.k, bounds), bytes = 0;
    if (!ShapedType::isDynamic(parts))
      parts = llvm::divideCeil(parts, plan.steps);
    for (const Operand *operand : {&lhs, &rhs}) {
      MemRefType type = product->getStagedType(isLhs(*operand));
      bytes += type.getNumElements() * static_cast<int64_t>(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    }
    plan.stages = countStages(bytes, parts, room);
    if (plan.stages == 1)
      return;
    for (auto [operand, chunk] : llvm::zip_equal(ArrayRef<Operand *>{&lhs, &rhs}, copied))
      if (chunk > 0) {
        operand->isCopied = true;
        operand->chunk = chunk;
      }
  }

  void allocate(Operand &operand) {
    MemRefType type = product->getStagedType(isLhs(operand));
    SmallVector<int64_t> shape(type.getShape());
    shape.front() *= plan.stages;
    operand.staged = memref::AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()));
  }

  /// What both operands have runs outside, one after the other.
  void emitBatch(unsigned depth) {
    if (depth == plan.batch.size())
      return emitPanels();
    unsigned loop = plan.batch[depth];
    if (bounds[loop] == 1) {
      ivs[loop] = index(0);
      return emitBatch(depth + 1);
    }
    auto nest = scf::ForOp::create(b, loc, index(0), extents[loop], index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nest.getBody()->getTerminator());
    ivs[loop] = nest.getInductionVar();
    emitBatch(depth + 1);
  }

  void emitPanels() {
    panel = index(0);
    if (plan.columns == plan.allColumns)
      return emitProduct();
    auto nest = scf::ForOp::create(b, loc, panel, index(plan.allColumns), index(plan.columns));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nest.getBody()->getTerminator());
    panel = nest.getInductionVar();
    emitProduct();
  }

  void emitProduct() { plan.stages > 1 ? emitStages() : emitOneStage(); }

  /// What a step wants of memory is loaded while the one before is multiplied.
  void emitOneStage() {
    SmallVector<TileProduct::Point> points = product->getPoints();
    SmallVector<Value> carried = loadSums(points);
    size_t numSums = carried.size();
    for (const Operand *operand : {&lhs, &rhs})
      llvm::append_range(carried, loadChunks(*operand, index(0)));
    auto loop = scf::ForOp::create(b, loc, index(0), steps, index(plan.steps), carried);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      SmallVector<Value> values = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
      ArrayRef<Value> chunks = ArrayRef(values).drop_front(numSums);
      storeChunks(lhs, index(0), chunks.take_front(countTrips(lhs)));
      storeChunks(rhs, index(0), chunks.drop_front(countTrips(lhs)));
      gpu::BarrierOp::create(b, loc);
      Value next = arith::AddIOp::create(b, loc, loop.getInductionVar(), index(plan.steps));
      SmallVector<Value> nextChunks = loadChunks(lhs, next);
      llvm::append_range(nextChunks, loadChunks(rhs, next));
      SmallVector<Value> yields = accumulate(index(0), ArrayRef(values).take_front(numSums));
      gpu::BarrierOp::create(b, loc);
      llvm::append_range(yields, nextChunks);
      scf::YieldOp::create(b, loc, yields);
    }
    storeSums(points, llvm::to_vector_of<Value>(loop.getResults().take_front(numSums)));
  }

  /// Copies for the steps behind the one that is multiplied are under way, in a stage each. What is not copied is loaded a
  /// step ahead. `s` stages:
  ///
  ///   ask for steps 0 … s - 2, a group each
  ///   for each step:
  ///     wait for its group; store what was loaded for it
  ///     barrier                                     // all have it, and are done with the step before
  ///     ask for the step s - 1 ahead, into the stage of the step before
  ///     load for the next step; multiply
  ///   barrier                                       // all are done with the last one
  void emitStages() {
    SmallVector<TileProduct::Point> points = product->getPoints();
    SmallVector<Value> carried = loadSums(points);
    size_t numSums = carried.size();
    for (int64_t stage = 0; stage + 1 < plan.stages; ++stage)
      copyStage(index(stage * plan.steps), index(stage));
    for (const Operand *operand : {&lhs, &rhs})
      llvm::append_range(carried, loadUncopied(*operand, index(0)));
    carried.push_back(index(0));
    auto loop = scf::ForOp::create(b, loc, index(0), steps, index(plan.steps), carried);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      SmallVector<Value> values = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
      Value stage = values.back();
      ArrayRef<Value> chunks = ArrayRef(values).drop_front(numSums).drop_back();
      createAsyncWait(b, loc, plan.stages - 2);
      size_t numLhs = lhs.isCopied ? 0 : countTrips(lhs);
      if (!lhs.isCopied)
        storeChunks(lhs, stage, chunks.take_front(numLhs));
      if (!rhs.isCopied)
        storeChunks(rhs, stage, chunks.drop_front(numLhs));
      gpu::BarrierOp::create(b, loc);
      Value ahead = arith::AddIOp::create(b, loc, loop.getInductionVar(),
                                          index((plan.stages - 1) * plan.steps));
      copyStage(ahead, choose(isEqual(stage, 0), index(plan.stages - 1),
                              arith::SubIOp::create(b, loc, stage, index(1))));
      Value next = arith::AddIOp::create(b, loc, loop.getInductionVar(), index(plan.steps));
      SmallVector<Value> nextChunks = loadUncopied(lhs, next);
      llvm::append_range(nextChunks, loadUncopied(rhs, next));
      SmallVector<Value> yields = accumulate(stage, ArrayRef(values).take_front(numSums));
      llvm::append_range(yields, nextChunks);
      yields.push_back(choose(isEqual(stage, plan.stages - 1), index(0),
                              arith::AddIOp::create(b, loc, stage, index(1))));
      scf::YieldOp::create(b, loc, yields);
    }
    gpu::BarrierOp::create(b, loc);
    storeSums(points, llvm::to_vector_of<Value>(loop.getResults().take_front(numSums)));
  }

  Value isEqual(Value value, int64_t number) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value, index(number));
  }
  Value choose(Value condition, Value left, Value right) {
    return arith::SelectOp::create(b, loc, condition, left, right);
  }

  SmallVector<Value> accumulate(Value stage, ArrayRef<Value> sums) {
    return product->accumulate({lhs.staged, getFirstLine(lhs, stage)},
                               {rhs.staged, getFirstLine(rhs, stage)}, sums);
  }

  /// Where a stage begins in the operand's buffer.
  Value getFirstLine(const Operand &operand, Value stage) {
    int64_t lines = product->getStagedType(isLhs(operand)).getDimSize(0);
    return arith::MulIOp::create(b, loc, stage, index(lines));
  }

  /// Asks for what is copied of the steps from `first` on, if there are any; in any case a group ends.
  void copyStage(Value first, Value stage) {
    emitIf(isBelow(first, steps), [&] {
      for (const Operand *operand : {&lhs, &rhs})
        if (operand->isCopied)
          copyChunks(*operand, first, stage);
    });
    createAsyncCommit(b, loc);
  }

  //===- Operands -----------------------------------------------------------------------------===//

  /// Chunks along the operand's memory, and how often a thread takes one.
  int64_t countInner(const Operand &operand) {
    return (operand.runsAlongSteps ? plan.steps : operand.extent) / operand.chunk;
  }
  int64_t countAll(const Operand &operand) {
    return countInner(operand) * (operand.runsAlongSteps ? operand.extent : plan.steps);
  }
  int64_t countTrips(const Operand &operand) {
    return llvm::divideCeil(countAll(operand), threads);
  }

  /// Where a thread's chunk begins. Threads are next to each other along memory.
  struct Place {
    Value line, step;
    Value exists; ///< null if for certain
  };
  Place placeChunk(const Operand &operand, int64_t trip) {
    Value number = arith::AddIOp::create(b, loc, thread, index(trip * threads));
    Value inner = index(countInner(operand));
    Value fast = arith::MulIOp::create(b, loc, arith::RemUIOp::create(b, loc, number, inner),
                                       index(operand.chunk));
    Value slow = arith::DivUIOp::create(b, loc, number, inner);
    bool isWhole = (trip + 1) * threads <= countAll(operand);
    return {operand.runsAlongSteps ? slow : fast, operand.runsAlongSteps ? fast : slow,
            isWhole ? Value() : isBelow(number, index(countAll(operand)))};
  }

  /// The thread's chunks from step `first` on; elements outside of the operand are zero.
  SmallVector<Value> loadChunks(const Operand &operand, Value first) {
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
  Value placeElement(const Operand &operand, const Place &at, Value first) {
    Value number = arith::AddIOp::create(b, loc, first, at.step);
    Value valid = isBelow(number, steps);
    valid = both(valid, isLhs(operand) ? place(operand.lines, at.line) : placeColumn(at.line));
    return both(valid, place(plan.k, number));
  }

  SmallVector<Value> loadUncopied(const Operand &operand, Value first) {
    return operand.isCopied ? SmallVector<Value>() : loadChunks(operand, first);
  }

  /// The same of chunks that are copied to `stage`. Many are so many bytes behind the first one where that is known, so
  /// that their addresses need no registers.
  void copyChunks(const Operand &operand, Value first, Value stage) {
    Value firstLine = getFirstLine(operand, stage), buffer = operand.operand->get();
    int64_t bytes = operand.type.getIntOrFloatBitWidth() / 8;
    int64_t lines = threads / countInner(operand); // between two of them, of the operand's memory
    std::optional<int64_t> stride = findTripStride(operand);
    int64_t pitch = operand.runsAlongSteps == product->isStepLast(isLhs(operand))
                        ? product->getStagedType(isLhs(operand)).getDimSize(1)
                        : 1;
    Value firstFrom, firstTo;
    for (int64_t trip = 0; trip < countTrips(operand); ++trip) {
      Place at = placeChunk(operand, trip);
      if (stride && trip == 0) {
        placeElement(operand, at, first);
        firstFrom = createGlobalAddress(b, loc, buffer, indices(*operand.operand));
        firstTo = createSharedAddress(b, loc, operand.staged, placeStaged(operand, firstLine, at.line, at.step));
      }
      emitIf(at.exists, [&] {
        Value valid = placeElement(operand, at, first), from, to;
        if (stride) {
          from = createFurther(b, loc, firstFrom, trip * lines * *stride * bytes);
          to = createFurther(b, loc, firstTo, trip * lines * pitch * bytes);
        } else {
          from = createGlobalAddress(b, loc, buffer, indices(*operand.operand));
          to = createSharedAddress(b, loc, operand.staged, placeStaged(operand, firstLine, at.line, at.step));
        }
        createAsyncCopy(b, loc, from, to, operand.chunk * bytes, valid);
      });
    }
  }

  /// How many elements lie between lines of the operand's memory, across which a thread's chunks lie; none where that is not
  /// known, or a thread's chunks lie elsewhere in their lines.
  std::optional<int64_t> findTripStride(const Operand &operand) {
    if (countTrips(operand) <= 2 || threads % countInner(operand) != 0)
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

  SmallVector<Value> placeStaged(const Operand &operand, Value firstLine, Value line, Value step) {
    bool isStepLast = product->isStepLast(isLhs(operand));
    Value slow = arith::AddIOp::create(b, loc, firstLine, isStepLast ? line : step);
    return {slow, isStepLast ? step : line};
  }

  void storeChunks(const Operand &operand, Value stage, ArrayRef<Value> chunks) {
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

  void store(const Operand &operand, Value firstLine, Value line, Value step, ArrayRef<Value> values) {
    bool isRun = operand.runsAlongSteps == product->isStepLast(isLhs(operand));
    auto at = [&](Value line, Value step) { return placeStaged(operand, firstLine, line, step); };
    if (isRun && values.size() > 1) {
      auto type = VectorType::get({static_cast<int64_t>(values.size())}, operand.type);
      Value vector = vector::FromElementsOp::create(b, loc, type, values);
      auto write = vector::StoreOp::create(b, loc, vector, operand.staged, at(line, step));
      int64_t bytes = operand.type.getIntOrFloatBitWidth() / 8;
      // Lines are multiples of four elements long, on tensor cores of 16 bytes.
      int64_t whole = plan.usesTensorCores ? kAccessBytes / bytes : 4;
      write->setAttr("alignment",
                     b.getI64IntegerAttr(bytes * std::gcd<int64_t>(values.size(), whole)));
      return;
    }
    for (auto [e, value] : llvm::enumerate(values)) {
      Value ahead = index(e);
      Value l = operand.runsAlongSteps ? line : arith::AddIOp::create(b, loc, line, ahead);
      Value s = operand.runsAlongSteps ? arith::AddIOp::create(b, loc, step, ahead) : step;
      memref::StoreOp::create(b, loc, value, operand.staged, at(l, s));
    }
  }

  //===- Sums ---------------------------------------------------------------------------------===//

  /// Whether the tile has the point at hand.
  Value placePoint(const TileProduct::Point &point) {
    Value valid;
    if (plan.paddedRows() != plan.rows)
      valid = isBelow(point.row, index(plan.rows));
    if (plan.paddedColumns() != plan.columns)
      valid = both(valid, isBelow(point.column, index(plan.columns)));
    valid = both(valid, place(plan.m, point.row));
    return both(valid, placeColumn(point.column));
  }

  /// Of the panel at hand.
  Value placeColumn(Value column) {
    if (plan.columns == plan.allColumns)
      return place(plan.n, column);
    column = arith::AddIOp::create(b, loc, panel, column);
    Value valid;
    if (plan.allColumns % plan.columns != 0)
      valid = isBelow(column, index(plan.allColumns));
    return both(valid, place(plan.n, column));
  }

  SmallVector<Value> loadSums(ArrayRef<TileProduct::Point> points) {
    if (initial)
      return SmallVector<Value>(points.size(), initial);
    OpOperand &init = *op.getDpsInitOperand(0);
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(getElementTypeOrSelf(init.get())));
    SmallVector<Value> sums;
    for (const TileProduct::Point &point : points) {
      Value valid = placePoint(point);
      llvm::append_range(sums, emitIfElse(valid, zero, [&] {
        return SmallVector<Value>{memref::LoadOp::create(b, loc, init.get(), indices(init))};
      }));
    }
    return sums;
  }

  void storeSums(ArrayRef<TileProduct::Point> points, ArrayRef<Value> sums) {
    OpOperand &init = *op.getDpsInitOperand(0);
    int64_t run = countChunk(op, bounds, init, plan.n.back(), std::gcd(product->getRun(), plan.columns));
    for (size_t i = 0; i < points.size(); i += run) {
      Value valid = placePoint(points[i]);
      emitIf(valid, [&] {
        if (run == 1)
          memref::StoreOp::create(b, loc, sums[i], init.get(), indices(init));
        else
          createChunkStore(b, loc, sums.slice(i, run), init.get(), indices(init));
      });
    }
  }

  ContractionPlan plan;
  Value thread;
  int64_t threads;
  Value initial;
  std::unique_ptr<TileProduct> product;
  Operand lhs, rhs;
  /// How many steps there are, and the first column of the panel.
  Value steps, panel;
};

} // namespace

void mlir::fuse::emitContractionLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                      const ContractionPlan &plan, ArrayRef<int64_t> bounds,
                                      Value thread, int64_t threads, Value initial,
                                      const StagingRoom &room) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ContractionLoops(rewriter, op, plan, bounds, thread, threads, initial, room).emit();
}
