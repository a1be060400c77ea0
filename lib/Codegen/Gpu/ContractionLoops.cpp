//===- ContractionLoops.cpp - A contraction as one thread's code ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ContractionLoops.h"
#include "Alignment.h"
#include "TileProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Bytes of the widest load.
static constexpr int64_t kLoadBytes = 16;

namespace {

class ContractionLoops : IterationSpace {
public:
  ContractionLoops(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan,
                   ArrayRef<int64_t> bounds, Value thread, int64_t threads, Value initial)
      : IterationSpace(b, op, bounds), plan(plan), thread(thread), threads(threads),
        initial(initial),
        product((plan.usesTensorCores ? makeTensorProduct : makeFmaProduct)(b, loc, plan, thread)),
        lhs(makeOperand(plan.lhs, plan.m, plan.rows, plan.stagedLhs)),
        rhs(makeOperand(plan.rhs, plan.n, plan.columns, plan.stagedRhs)) {}

  void emit() {
    steps = index(1);
    for (unsigned loop : plan.k)
      steps = arith::MulIOp::create(b, loc, steps, extents[loop]);
    emitBatch(0);
  }

private:
  /// An operand and its matrix in shared memory.
  struct Operand {
    OpOperand *operand;
    ArrayRef<unsigned> lines; ///< its loops beside k
    int64_t extent;           ///< of those, at most
    Type type;                ///< that it is staged in
    Value staged;
    /// Whether memory runs along k, and how many elements are loaded at once.
    bool runsAlongSteps = false;
    int64_t chunk = 1;
  };

  Operand makeOperand(unsigned number, ArrayRef<unsigned> lines, int64_t extent, Type type) {
    Operand operand{&op->getOpOperand(number), lines, extent, type, {}};
    operand.staged = memref::AllocOp::create(b, loc, product->getStagedType(number == plan.lhs));
    operand.runsAlongSteps = isContiguousAlong(op, *operand.operand, plan.k.back());
    unsigned loop = operand.runsAlongSteps ? plan.k.back() : lines.back();
    if (!isContiguousAlong(op, *operand.operand, loop) || ShapedType::isDynamic(bounds[loop]))
      return operand;
    // Chunks begin and end with the loop, with what is staged, and with a partial tile.
    int64_t divisor = std::gcd(bounds[loop], getAlignment(op, *operand.operand, loop));
    divisor = std::gcd(divisor, operand.runsAlongSteps ? plan.steps : extent);
    AffineMap map = op.getMatchingIndexingMap(operand.operand);
    divisor = std::gcd(divisor, getExtentDivisor(operand.operand->get(), map.getNumResults() - 1));
    int64_t bytes = getElementTypeOrSelf(operand.operand->get()).getIntOrFloatBitWidth() / 8;
    operand.chunk = std::gcd(divisor, std::max<int64_t>(1, kLoadBytes / bytes));
    return operand;
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

  void emitProduct() {
    SmallVector<TileProduct::Point> points = product->getPoints();
    auto loop = scf::ForOp::create(b, loc, index(0), steps, index(plan.steps), loadSums(points));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      first = loop.getInductionVar();
      stage(lhs);
      stage(rhs);
      gpu::BarrierOp::create(b, loc);
      SmallVector<Value> sums = product->accumulate(
          lhs.staged, rhs.staged, llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
      gpu::BarrierOp::create(b, loc);
      scf::YieldOp::create(b, loc, sums);
    }
    storeSums(points, llvm::to_vector_of<Value>(loop.getResults()));
  }

  //===- Operands -----------------------------------------------------------------------------===//

  /// Elements outside of the operand are zero. Threads are next to each other along memory.
  void stage(const Operand &operand) {
    int64_t lines = operand.extent, depth = plan.steps;
    int64_t inner = (operand.runsAlongSteps ? depth : lines) / operand.chunk;
    int64_t chunks = inner * (operand.runsAlongSteps ? lines : depth);
    auto loop = scf::ForOp::create(b, loc, index(0), index(llvm::divideCeil(chunks, threads)),
                                   index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value number = arith::AddIOp::create(
        b, loc, thread,
        arith::MulIOp::create(b, loc, loop.getInductionVar(), index(threads)));
    emitIf(chunks % threads == 0 ? Value() : isBelow(number, index(chunks)), [&] {
      Value fast = arith::MulIOp::create(
          b, loc, arith::RemUIOp::create(b, loc, number, index(inner)), index(operand.chunk));
      Value slow = arith::DivUIOp::create(b, loc, number, index(inner));
      Value line = operand.runsAlongSteps ? slow : fast;
      Value step = operand.runsAlongSteps ? fast : slow;
      store(operand, line, step, loadChunk(operand, line, step));
    });
  }

  SmallVector<Value> loadChunk(const Operand &operand, Value line, Value step) {
    Value valid = operand.operand->getOperandNumber() == plan.rhs ? placeColumn(line)
                                                                  : place(operand.lines, line);
    Value number = arith::AddIOp::create(b, loc, first, step);
    int64_t all = 1;
    for (unsigned loop : plan.k)
      all = ShapedType::isDynamic(ranges[loop]) || all == 0 ? 0 : all * ranges[loop];
    if (all == 0 || all % plan.steps != 0)
      valid = both(valid, isBelow(number, steps));
    valid = both(valid, place(plan.k, number));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(operand.type));
    return emitIfElse(valid, SmallVector<Value>(operand.chunk, zero), [&] {
      SmallVector<Value> values;
      auto type = cast<MemRefType>(operand.operand->get().getType());
      SmallVector<Value> at = indices(*operand.operand);
      if (operand.chunk == 1) {
        values.push_back(memref::LoadOp::create(b, loc, operand.operand->get(), at));
      } else {
        auto vector = VectorType::get({operand.chunk}, type.getElementType());
        auto load = vector::LoadOp::create(b, loc, vector, operand.operand->get(), at);
        load->setAttr("alignment", b.getI64IntegerAttr(operand.chunk *
                                                       type.getElementTypeBitWidth() / 8));
        for (int64_t e = 0; e < operand.chunk; ++e)
          values.push_back(
              vector::ExtractOp::create(b, loc, load.getResult(), ArrayRef<int64_t>{e}));
      }
      for (Value &value : values)
        value = castToStaged(operand, value);
      return values;
    });
  }

  /// Through the casts in front of the product, where it takes another type.
  Value castToStaged(const Operand &operand, Value value) {
    if (value.getType() == operand.type)
      return value;
    BlockArgument argument = op.getMatchingBlockArgument(operand.operand);
    SmallVector<Operation *> casts;
    for (Value from : plan.multiply->getOperands()) {
      SmallVector<Operation *> chain;
      while (Operation *def = from.getDefiningOp()) {
        chain.push_back(def);
        from = def->getOperand(0);
      }
      if (from == argument)
        casts = chain;
    }
    IRMapping known;
    known.map(argument, value);
    for (Operation *cast : llvm::reverse(casts))
      value = b.clone(*cast, known)->getResult(0);
    return value;
  }

  void store(const Operand &operand, Value line, Value step, ArrayRef<Value> values) {
    bool isRun = operand.runsAlongSteps == product->isStepLast();
    auto at = [&](Value line, Value step) {
      return product->isStepLast() ? SmallVector<Value>{line, step}
                                   : SmallVector<Value>{step, line};
    };
    if (isRun && values.size() > 1) {
      auto type = VectorType::get({static_cast<int64_t>(values.size())}, operand.type);
      Value vector = vector::FromElementsOp::create(b, loc, type, values);
      auto write = vector::StoreOp::create(b, loc, vector, operand.staged, at(line, step));
      int64_t bytes = operand.type.getIntOrFloatBitWidth() / 8;
      // Lines are padded to multiples of 16 bytes, or of four elements.
      write->setAttr("alignment",
                     b.getI64IntegerAttr(bytes * std::gcd<int64_t>(values.size(), 4)));
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
    for (auto [point, sum] : llvm::zip_equal(points, sums)) {
      Value valid = placePoint(point), value = sum;
      emitIf(valid,
             [&] { memref::StoreOp::create(b, loc, value, init.get(), indices(init)); });
    }
  }

  const ContractionPlan &plan;
  Value thread;
  int64_t threads;
  Value initial;
  std::unique_ptr<TileProduct> product;
  Operand lhs, rhs;
  /// How many steps there are, the first of those at hand, and the first column of the panel.
  Value steps, first, panel;
};

} // namespace

void mlir::fuse::emitContractionLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                      const ContractionPlan &plan, ArrayRef<int64_t> bounds,
                                      Value thread, int64_t threads, Value initial) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ContractionLoops(rewriter, op, plan, bounds, thread, threads, initial).emit();
}
