//===- Recurrences.cpp - Recurrent networks -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Recurrences.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

namespace {

/// Layers of one or two directions, whose states are listed layer by layer.
class RecurrenceImporter {
public:
  RecurrenceImporter(Node &n, Cell cell, StringRef activation)
      : n(n), b(n.b), cell(cell), gates(countGates(cell)), activations(getActivations(cell, activation)) {}

  LogicalResult run() {
    Value x = n.tensor("input");
    SmallVector<Value> weights = n.tensors("params"), states = getStates();
    bool hasBiases = n.getBool("has_biases", true), isBatchFirst = n.getBool("batch_first", false);
    int64_t layers = n.getInt("num_layers", 1), directions = n.getBool("bidirectional", false) ? 2 : 1;
    if (n.getBool("train", false) && n.getFloat("dropout", 0) != 0 && layers > 1)
      return n.fail("dropout of training is not supported: it draws random numbers");
    size_t each = hasBiases ? 4 : 2;
    if (n.hasFailed())
      return failure();
    if (layers < 1 || weights.size() != each * layers * directions)
      return n.fail("expected " + Twine(each) + " weights for each of " + Twine(layers) + " layers and " +
                    Twine(directions) + " directions, found " + Twine(weights.size()) +
                    "; those with a projection are not supported");
    bool hasBatch = b.rankOf(x) == 3;
    if (b.rankOf(x) != 3 && b.rankOf(x) != 2)
      return n.fail("expected sequences of rank 2 or 3");
    if (!hasBatch)
      x = b.insertUnitDims(x, {1});
    else if (isBatchFirst)
      x = b.swap(x, 0, 1);
    if (b.shapeOf(x)[0] == 0)
      return n.fail("expected at least one step");
    for (Value &state : states) {
      if (b.rankOf(state) == 2 && !hasBatch)
        state = b.insertUnitDims(state, {1});
      if (b.rankOf(state) != 3 || b.shapeOf(state)[0] != layers * directions)
        return n.fail("expected a state for each of " + Twine(layers * directions) + " layers and directions");
    }
    SmallVector<Value> lastHidden, lastCell;
    for (int64_t layer = 0; layer < layers; ++layer) {
      SmallVector<Value> sides;
      for (int64_t direction = 0; direction < directions; ++direction) {
        int64_t place = layer * directions + direction;
        ArrayRef<Value> own = ArrayRef(weights).slice(place * each, each);
        if (llvm::is_contained(own, Value()) || b.rankOf(own[0]) != 2 || b.rankOf(own[1]) != 2 ||
            b.shapeOf(own[1])[0] != gates * b.shapeOf(own[1])[1] || b.shapeOf(own[0]).back() != b.shapeOf(x).back() ||
            b.shapeOf(own[0])[0] != b.shapeOf(own[1])[0])
          return n.fail("expected weights for " + Twine(gates) + " gates");
        hidden = b.shapeOf(own[1])[1];
        Recurrence recurrence(n, cell, hidden, x, Value(), options());
        if (recurrence.unrolls() && failed(n.takeUnrolled(b.shapeOf(x)[0])))
          return failure();
        Value cellState = cell == Cell::Lstm ? takeState(states[1], place) : Value();
        auto made = recurrence.run(getWeights(own, hasBiases), takeState(states[0], place), cellState, direction == 1);
        if (n.hasFailed())
          return failure();
        sides.push_back(made.outputs);
        lastHidden.push_back(b.insertUnitDims(made.hidden, {0}));
        if (cell == Cell::Lstm)
          lastCell.push_back(b.insertUnitDims(made.cell, {0}));
      }
      x = b.concat(sides, 2);
    }
    n.setResult(0, !hasBatch ? drop(x, 1) : isBatchFirst ? b.swap(x, 0, 1) : x);
    Value all = b.concat(lastHidden, 0);
    n.setResult(1, hasBatch ? all : drop(all, 1));
    if (cell == Cell::Lstm) {
      Value cells = b.concat(lastCell, 0);
      n.setResult(2, hasBatch ? cells : drop(cells, 1));
    }
    return success();
  }

private:
  static SmallVector<Activation> getActivations(Cell cell, StringRef activation) {
    if (cell == Cell::Rnn)
      return {{activation.str()}};
    if (cell == Cell::Gru)
      return {{"sigmoid"}, {"tanh"}};
    return {{"sigmoid"}, {"tanh"}, {"tanh"}};
  }

  RecurrenceOptions options() const {
    RecurrenceOptions made;
    made.resetsAfter = true;
    return made;
  }

  /// An LSTM has two states in a list, others one.
  SmallVector<Value> getStates() {
    if (cell != Cell::Lstm)
      return {n.tensor("hx")};
    SmallVector<Value> list = n.tensors("hx");
    if (list.size() != 2 || llvm::is_contained(list, Value()))
      (void)n.fail("expected two states");
    return list;
  }

  Value drop(Value x, int64_t dim) {
    SmallVector<AffineExpr> extents = n.getExtents(x);
    extents.erase(extents.begin() + dim);
    return n.reshape(x, extents);
  }

  Value takeState(Value states, int64_t place) { return drop(b.slice(states, 0, place, 1), 0); }

  /// PyTorch's gates are input, forget, cell, output, and reset, update, new.
  Value order(Value rows) {
    static constexpr int64_t kLstm[] = {0, 3, 1, 2}, kGru[] = {1, 0, 2}, kRnn[] = {0};
    ArrayRef<int64_t> places = cell == Cell::Lstm  ? ArrayRef<int64_t>(kLstm)
                               : cell == Cell::Gru ? ArrayRef<int64_t>(kGru)
                                                   : ArrayRef<int64_t>(kRnn);
    SmallVector<Value> parts;
    for (int64_t place : places)
      parts.push_back(b.slice(rows, 0, place * hidden, hidden));
    return b.concat(parts, 0);
  }

  RecurrentWeights getWeights(ArrayRef<Value> own, bool hasBiases) {
    RecurrentWeights w;
    w.inputs = order(own[0]);
    w.recurrent.push_back(order(own[1]));
    if (hasBiases) {
      w.inputBias = order(own[2]);
      w.recurrentBias = order(own[3]);
    }
    w.activations = activations;
    return w;
  }

  Node &n;
  FuseBuilder &b;
  Cell cell;
  int64_t gates, hidden = 0;
  SmallVector<Activation> activations;
};

} // namespace

void mlir::fuse::torch::addRecurrenceOps(OpTable &table) {
  table.add("lstm.input", "input", [](Node &n) { return RecurrenceImporter(n, Cell::Lstm, "").run(); });
  table.add("gru.input", "input hx", [](Node &n) { return RecurrenceImporter(n, Cell::Gru, "").run(); });
  table.add("rnn_tanh.input", "input hx", [](Node &n) { return RecurrenceImporter(n, Cell::Rnn, "tanh").run(); });
  table.add("rnn_relu.input", "input hx", [](Node &n) { return RecurrenceImporter(n, Cell::Rnn, "relu").run(); });
}
