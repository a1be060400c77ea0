//===- Recurrences.h - Recurrent cells as loops over time -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_RECURRENCES_H
#define FUSE_IMPORT_COMMON_RECURRENCES_H

#include "OpContext.h"

#include <string>

namespace mlir::fuse::importer {

/// The part of a node that is computed again and again.
enum class Cell { Rnn, Gru, Lstm };

/// How many parts the rows of a cell's weights have.
inline int64_t countGates(Cell cell) { return cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 3 : 4; }

/// An activation by its name in lower case (`tanh`, `relu`, `sigmoid`, `affine`, `scaledtanh`, `softsign`, `softplus`,
/// `leakyrelu`, `elu`, `hardsigmoid`, `thresholdedrelu`), with its parameters.
struct Activation {
  std::string name;
  double alpha = 0, beta = 0;
};

/// Applies an activation to each element.
Value activate(FuseBuilder &b, const Activation &activation, Value x);

/// What a cell has for one direction. Gates of a GRU: update, reset, hidden; of an LSTM: input, output, forget, cell.
struct RecurrentWeights {
  Value inputs; ///< [gates · H, I]
  /// [gates · H, H] for the gates whose products with the state are one.
  SmallVector<Value, 2> recurrent;
  Value inputBias, recurrentBias;   ///< [gates · H], or null
  /// Of quantized weights, which are bytes [I, gates · H] and [H, gates · H]; else null. Inputs, and the state in each
  /// step, are quantized by their largest and least element. Zero points may be null for 0.
  Value inputScale, inputZero, recurrentScale, recurrentZero;
  Value recurrentSums = {}; ///< of the columns of quantized weights; made once for all steps
  Value peepholes;                  ///< [3 · H], or null
  ArrayRef<Activation> activations; ///< of the gates, of the new state, of an LSTM's output
};

struct RecurrenceOptions {
  std::optional<double> clip; ///< of the sums in front of activations
  bool resetsAfter = false;   ///< of a GRU: the reset gate is a factor of the product with the state
  bool couplesGates = false;  ///< of an LSTM: what is not taken from the input is kept
};

/// Builds all steps of a cell in one direction after the other.
class Recurrence {
public:
  /// `sequences` [T, B, I] with a static T of at least 1, or an open one; `lengths` [B], or null where all steps count.
  Recurrence(OpContext &n, Cell cell, int64_t hidden, Value sequences, Value lengths, const RecurrenceOptions &options)
      : n(n), b(n.b), cell(cell), hidden(hidden), steps(b.shapeOf(sequences)[0]), sequences(sequences),
        lengthOf(lengths), options(options) {}

  struct Results {
    Value outputs;      ///< [T, B, H], in order of time
    Value hidden, cell; ///< the last states, [B, H]
  };

  /// The first states are [B, H], or null where they are zero. Nothing but the failure of `n` tells of one.
  Results run(RecurrentWeights w, Value firstHidden, Value firstCell, bool runsBack);

  /// Whether steps are built one by one: a few of a batch of unknown size.
  bool unrolls() {
    constexpr int64_t kFewSteps = 8;
    return ShapedType::isDynamic(b.shapeOf(sequences)[1]) && !ShapedType::isDynamic(steps) && steps <= kFewSteps;
  }

private:
  /// Of a gate: its sum is clipped before, where the options ask for that.
  Value activate(const Activation &activation, Value x);
  Value apply(const Activation &activation, Value x) { return importer::activate(b, activation, x); }
  void unroll(const RecurrentWeights &w, Value projected, bool runsBack);
  void scan(RecurrentWeights w, Value projected, bool runsBack);
  void step(const RecurrentWeights &w, Value projected);
  void stepRnn(const RecurrentWeights &w, Value projected);
  void stepGru(const RecurrentWeights &w, Value projected);
  void stepLstm(const RecurrentWeights &w, Value projected);
  /// x · Wᵀ, or, where these are quantized, x · W.
  Value multiply(Value x, Value weights, Value scale, Value zero, Value sums = {});
  /// The same of the state for some of the gates; null while the state is zero.
  Value recur(const RecurrentWeights &w, Value x, Value rows) {
    // What is quantized together does not depend on sequences that have ended.
    if (x && isRead && w.recurrentScale)
      x = b.select(isRead, x, b.scalarLike(0, x));
    return x ? multiply(x, rows, w.recurrentScale, w.recurrentZero, w.recurrentSums) : x;
  }
  Value addIf(Value x, Value y) { return !x ? y : !y ? x : b.add(x, y); }
  Value takeGate(Value x, int64_t gate, int64_t count = 1) {
    return x ? b.slice(x, b.rankOf(x) - 1, gate * hidden, count * hidden) : x;
  }
  /// `x` where the step belongs to the sequence, else `otherwise`, or zero where that is null.
  Value keep(Value isWithin, Value x, Value otherwise) {
    return isWithin ? b.select(isWithin, x, otherwise ? otherwise : b.scalarLike(0, x)) : x;
  }
  /// A scan takes its states from memory.
  Value copy(Value x) { return CopyOp::create(b.getBuilder(), x.getType(), x); }
  Value dropDim(Value x, int64_t dim) {
    SmallVector<int64_t> shape(b.shapeOf(x));
    shape.erase(shape.begin() + dim);
    return b.reshape(x, shape);
  }

  OpContext &n;
  FuseBuilder &b;
  Cell cell;
  int64_t hidden, steps;
  Value sequences, lengthOf;
  RecurrenceOptions options;
  Value output, hiddenState, cellState; ///< states: [B, H] each; null while it is zero
  Value isRead;                         ///< [B, 1]: sequences that had a step before this one; null for all
};

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_RECURRENCES_H
