//===- StagedOperands.h - A product's operands in shared memory -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_STAGEDOPERANDS_H
#define FUSE_LIB_CODEGEN_GPU_STAGEDOPERANDS_H

#include "IterationSpace.h"
#include "TileProduct.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {

/// Of an element in shared memory: whole bytes.
inline int64_t countElementBytes(Type element) {
  return static_cast<int64_t>(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

/// The loops of a contraction, and how its operands come to shared memory.
class StagedOperands : protected IterationSpace {
protected:
  /// Chooses how many stages there are, and how long, and allocates them.
  StagedOperands(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan, ArrayRef<int64_t> bounds,
                 Value thread, int64_t threads, const StagingRoom &room);

  /// An operand and its matrix in shared memory.
  struct Operand {
    OpOperand *operand;
    ArrayRef<unsigned> lines; ///< its loops beside k
    int64_t extent;           ///< of those, at most
    Type type;                ///< that it is staged in
    Value staged = {};        ///< all stages, one behind the other
    /// Whether memory runs along k, and how many elements are loaded at once.
    bool runsAlongSteps = false;
    int64_t chunk = 1;
    /// Whether it is copied asynchronously.
    bool isCopied = false;
  };

  bool isLhs(const Operand &operand) const { return operand.operand->getOperandNumber() == plan.lhs; }

  /// Where a stage begins in the operand's buffer.
  Value getFirstLine(const Operand &operand, Value stage);

  /// How often a thread takes a chunk of the operand.
  int64_t countTrips(const Operand &operand) const;

  /// The thread's chunks from step `first` on; elements outside of the operand are zero.
  SmallVector<Value> loadChunks(const Operand &operand, Value first);
  SmallVector<Value> loadUncopied(const Operand &operand, Value first) {
    return operand.isCopied ? SmallVector<Value>() : loadChunks(operand, first);
  }
  /// Puts them into a stage.
  void storeChunks(const Operand &operand, Value stage, ArrayRef<Value> chunks);
  /// Asks for copies of the chunks from step `first` on to a stage.
  void copyChunks(const Operand &operand, Value first, Value stage);

  /// Puts the loops at a column of the panel at hand; returns whether the tile has it.
  Value placeColumn(Value column);

  ContractionPlan plan;
  Value thread;
  int64_t threads;
  std::unique_ptr<TileProduct> product;
  Operand lhs, rhs;
  /// How many steps there are, and the first column of the panel.
  Value steps, panel;

private:
  bool runsAlongSteps(unsigned number);
  std::unique_ptr<TileProduct> makeProduct();
  Operand makeOperand(unsigned number, ArrayRef<unsigned> lines, int64_t extent, Type type);
  bool mayBeCopied(const Operand &operand) const;
  int64_t countCopied(const Operand &operand) const;
  int64_t countStageBytes() const;
  bool chooseWarpgroups(const StagingRoom &room);
  void chooseStages(const StagingRoom &room);
  void allocate(Operand &operand);

  int64_t countInner(const Operand &operand) const;
  int64_t countLines(const Operand &operand) const;
  int64_t countAtOnce(const Operand &operand) const;
  int64_t countTripsOfLine(const Operand &operand) const;
  int64_t countAll(const Operand &operand) const;
  /// Where a thread's chunk begins. Threads are next to each other along memory.
  struct Place {
    Value line, step;
    Value exists; ///< null if for certain
  };
  /// Lines that threads take in another order than they lie in: of `together` one behind the other each lies `apart` lines
  /// behind the one before. Then steps may be lines of others (see getStepOfLine).
  struct LineOrder {
    int64_t together = 1, apart = 1, steps = 1;
    /// After so many lines the order begins again.
    int64_t count() const { return std::max(together * apart, steps); }
  };
  LineOrder getLineOrder(const Operand &operand) const;
  Value orderLine(const Operand &operand, Value line);
  Place placeChunk(const Operand &operand, int64_t trip);
  Value placeElement(const Operand &operand, const Place &at, Value first);
  bool isLineOneLoop(const Operand &operand) const;
  bool hasEvenTrips(const Operand &operand) const;
  bool hasEvenTrips(const Operand &operand, int64_t period) const;
  bool isStagedEvenly(const Operand &operand) const;

  /// The lines of each trip lie so many behind those of the first.
  struct TripLines {
    unsigned loop; ///< that runs across them
    SmallVector<int64_t> behind;
    /// How many elements lie between neighbours: a number, or else a value.
    int64_t knownStride = 0;
    Value stride = {};
  };
  /// What a thread takes first of each of the chunks that it has in a line.
  struct TripBegin {
    Value valid; ///< whether the tile has it
    /// How many lines the tile has from there on, at most as many as it may ever have; null for all.
    Value left;
    /// The number of its element, or which of the chunks it lies `ahead` of, in elements.
    Value element;
    int64_t base = 0, ahead = 0;
  };
  std::optional<int64_t> findTripLine(const Operand &operand, int64_t trip) const;
  std::optional<TripLines> findTripLines(const Operand &operand);
  Value createStride(const Operand &operand, unsigned loop);
  SmallVector<TripBegin> beginTrips(const Operand &operand, const TripLines &lines, Value first);
  Value createTripStep(const TripLines &lines, int64_t trip);
  Value createTripCheck(const TripLines &lines, const TripBegin &begin, int64_t trip);
  bool hasWholeParts();
  SmallVector<Value> placeStaged(const Operand &operand, Value firstLine, Value line, Value step);
  void store(const Operand &operand, Value firstLine, Value line, Value step, ArrayRef<Value> values);
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_STAGEDOPERANDS_H
