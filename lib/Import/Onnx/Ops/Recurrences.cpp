//===- Recurrences.cpp - Recurrent cells -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Recurrences.h"
#include "Quantized.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

class RecurrenceImporter {
public:
  /// `isQuantized`: ONNX Runtime's DynamicQuantizeLSTM, whose weights are bytes, and transposed.
  RecurrenceImporter(Node &n, Cell cell, bool isQuantized = false)
      : n(n), b(n.b), cell(cell), isQuantized(isQuantized), gates(countGates(cell)) {}

  LogicalResult run();

private:
  LogicalResult readShapes();
  LogicalResult readActivations();
  RecurrentWeights getWeights(int64_t direction);
  /// The initial state of operand `i`, [B, H]; null if it is zero.
  Value getInitial(size_t i, int64_t direction);
  Value takeGate(Value x, int64_t gate, int64_t count = 1) {
    return x ? b.slice(x, b.rankOf(x) - 1, gate * hidden, count * hidden) : x;
  }
  Value dropDim(Value x, int64_t dim) {
    SmallVector<int64_t> shape(b.shapeOf(x));
    shape.erase(shape.begin() + dim);
    return b.reshape(x, shape);
  }

  Node &n;
  FuseBuilder &b;
  Cell cell;
  bool isQuantized;
  int64_t gates;
  int64_t directions = 1, steps = 0, hidden = 0;
  bool isBatchFirst = false, isReverse = false;
  std::vector<Activation> activations; ///< of all directions
  RecurrenceOptions options;
  SmallVector<Value> outputs; ///< [T, B, H] of each direction
  SmallVector<Value> lastHidden, lastCell;
};

} // namespace

LogicalResult RecurrenceImporter::readShapes() {
  std::string direction = n.getString("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return n.fail("expected direction = forward, reverse or bidirectional, found '" + direction +
                  "'");
  directions = direction == "bidirectional" ? 2 : 1;
  isReverse = direction == "reverse";
  isBatchFirst = n.getInt("layout", 0) == 1;
  for (size_t i : {0, 1, 2})
    if (n.getRank(i) != 3)
      return n.fail("expected a sequence and weights of rank 3, found rank " + Twine(n.getRank(i)));
  int64_t rows = isQuantized ? 2 : 1, columns = 3 - rows;
  hidden = n.getShape(2)[columns];
  if (int64_t stated = n.getInt("hidden_size", hidden); stated != hidden)
    return n.fail("expected recurrent weights for hidden_size = " + Twine(stated) + ", found them for " +
                  describeExtent(hidden) + " elements");
  steps = n.getShape(0)[isBatchFirst ? 1 : 0];
  for (size_t i : {1, 2})
    if (n.getShape(i)[0] != directions || n.getShape(i)[rows] != gates * hidden || hidden < 1)
      return n.fail("expected weights for " + Twine(directions) + " directions and " +
                    Twine(gates) + " gates of " + describeExtent(hidden) + " elements");
  if (n.getShape(1)[columns] != n.getShape(0)[2])
    return n.fail("expected weights for inputs of " + describeExtent(n.getShape(0)[2]) +
                  " elements, found them for " + describeExtent(n.getShape(1)[columns]));
  // For each direction, or for each of its columns.
  static constexpr const char *kParameters[] = {"W_scale", "W_zero_point", "R_scale", "R_zero_point"};
  for (size_t i = 0; i < std::size(kParameters) && isQuantized; ++i)
    if (failed(checkShape(n, 8 + i, kParameters[i], {{directions}, {directions, 1}, {directions, gates * hidden}})))
      return failure();
  if (isQuantized && (failed(getQuantized(n, 1, 9, "W")) || failed(getQuantized(n, 2, 11, "R"))))
    return failure();
  auto hasShape = [&](size_t i, ArrayRef<int64_t> shape) {
    return !n.hasInput(i) || n.getShape(i) == shape;
  };
  if (!hasShape(3, {directions, 2 * gates * hidden}) || !hasShape(7, {directions, 3 * hidden}))
    return n.fail("expected biases and peepholes for " + Twine(directions) + " directions of " +
                  Twine(hidden) + " elements");
  for (size_t i : {5, 6})
    if (n.hasInput(i) && (n.getRank(i) != 3 || n.getShape(i)[isBatchFirst ? 1 : 0] != directions))
      return n.fail("expected initial states for " + Twine(directions) + " directions");
  return failure(n.hasFailed());
}

LogicalResult RecurrenceImporter::readActivations() {
  std::vector<std::string> names = n.getStrings("activations");
  const std::vector<std::string> defaults =
      cell == Cell::Rnn   ? std::vector<std::string>{"Tanh"}
      : cell == Cell::Gru ? std::vector<std::string>{"Sigmoid", "Tanh"}
                          : std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"};
  if (names.empty())
    for (int64_t i = 0; i < directions; ++i)
      llvm::append_range(names, defaults);
  if (names.size() != defaults.size() * directions)
    return n.fail("expected " + Twine(defaults.size() * directions) + " activations, found " +
                  Twine(names.size()));
  SmallVector<double> alphas = n.getFloats("activation_alpha"),
                      betas = n.getFloats("activation_beta");
  size_t nextAlpha = 0, nextBeta = 0;
  for (const std::string &given : names) {
    std::string name = StringRef(given).lower();
    struct Known {
      const char *name;
      std::optional<double> alpha, beta;
    };
    static const Known table[] = {
        {"relu", {}, {}},          {"tanh", {}, {}},      {"sigmoid", {}, {}},
        {"affine", 1, 0},          {"leakyrelu", 0.01, {}}, {"thresholdedrelu", 1, {}},
        {"scaledtanh", 1, 1},      {"hardsigmoid", 0.2, 0.5}, {"elu", 1, {}},
        {"softsign", {}, {}},      {"softplus", {}, {}}};
    const Known *known = llvm::find_if(table, [&](const Known &each) { return each.name == name; });
    if (known == std::end(table))
      return n.fail("the activation '" + given + "' is not supported");
    // Parameters are listed for those activations that have them.
    auto take = [](std::optional<double> fallback, ArrayRef<double> list, size_t &next) {
      if (!fallback)
        return 0.0;
      return next < list.size() ? list[next++] : *fallback;
    };
    activations.push_back(
        {name, take(known->alpha, alphas, nextAlpha), take(known->beta, betas, nextBeta)});
  }
  return success();
}

RecurrentWeights RecurrenceImporter::getWeights(int64_t direction) {
  auto take = [&](size_t i) {
    return n.hasInput(i) ? dropDim(b.slice(n.getInput(i), 0, direction, 1), 0) : Value();
  };
  RecurrentWeights w;
  w.inputs = take(1);
  Value recurrent = take(2);
  if (isQuantized) {
    auto takeScale = [&](size_t i) {
      Value scale = take(i);
      return b.rankOf(scale) == 1 && b.shapeOf(scale)[0] == 1 ? b.reshape(scale, ArrayRef<int64_t>{}) : scale;
    };
    w.inputScale = takeScale(8);
    w.recurrentScale = takeScale(10);
    w.inputZero = mayDiffer(n, 9) ? takeScale(9) : Value();
    w.recurrentZero = mayDiffer(n, 11) ? takeScale(11) : Value();
    w.recurrent.push_back(recurrent);
  }
  bool isGated = cell == Cell::Gru && !options.resetsAfter;
  auto takeRows = [&](int64_t gate, int64_t count) {
    w.recurrent.push_back(b.slice(recurrent, 0, gate * hidden, count * hidden));
  };
  // The reset gate stands between the state and the last product.
  if (!isQuantized)
    takeRows(0, isGated ? 2 : gates);
  if (isGated)
    takeRows(2, 1);
  if (Value biases = take(3)) {
    w.inputBias = takeGate(biases, 0, gates);
    w.recurrentBias = takeGate(biases, gates, gates);
  }
  w.peepholes = take(7);
  size_t each = activations.size() / directions;
  w.activations = ArrayRef(activations).slice(direction * each, each);
  return w;
}

Value RecurrenceImporter::getInitial(size_t i, int64_t direction) {
  if (!n.hasInput(i))
    return {};
  int64_t axis = isBatchFirst ? 1 : 0;
  return dropDim(b.slice(n.getInput(i), axis, direction, 1), axis);
}

/// Each sequence of x [T, B, I] backwards; what is behind its length stays.
static Value reverseSequences(Node &n, Value x, Value lengths) {
  FuseBuilder &b = n.b;
  Type index = b.getBuilder().getI64Type();
  AffineExpr one = n.getConstant(1);
  SmallVector<AffineExpr> extents = n.getExtents(x);
  Value time = b.iota(n.getSizes({extents[0], one}), 0, index), length = b.cast(lengths, index);
  Value mirrored = b.sub(b.sub(length, time), 1);
  Value from = b.select(b.compare(ComparePredicate::Ge, mirrored, 0.0), mirrored, time);
  Value line = b.iota(n.getSizes({one, extents[1]}), 1, index);
  Value place = b.add(b.mul(from, n.getNumber(extents[1], index)), line);
  Value rows = n.reshape(x, {n.getProduct({extents[0], extents[1]}), extents[2]});
  return b.gather(rows, place, 0);
}

LogicalResult RecurrenceImporter::run() {
  if (failed(readShapes()) || failed(readActivations()))
    return failure();
  if (steps == 0)
    return n.fail("expected at least one step");
  if (n.hasAttribute("clip"))
    options.clip = n.getFloat("clip", 0);
  options.resetsAfter = n.getInt("linear_before_reset", 0);
  options.couplesGates = n.getInt("input_forget", 0);
  Value sequences = n.getInput(0), lengths = n.hasInput(4) ? n.getInput(4) : Value();
  if (isBatchFirst)
    sequences = b.swap(sequences, 0, 1);
  if (Recurrence(n, cell, hidden, sequences, lengths, options).unrolls() && failed(n.takeUnrolled(steps * directions)))
    return failure();
  for (int64_t direction = 0; direction < directions; ++direction) {
    Value firstCell = cell == Cell::Lstm ? getInitial(6, direction) : Value();
    bool runsBack = isReverse || direction == 1;
    // All sequences are quantized together, each from its own end.
    bool turns = runsBack && isQuantized && lengths;
    Value turned = turns ? reverseSequences(n, sequences, lengths) : sequences;
    Recurrence recurrence(n, cell, hidden, turned, lengths, options);
    Recurrence::Results made =
        recurrence.run(getWeights(direction), getInitial(5, direction), firstCell, runsBack && !turns);
    if (turns)
      made.outputs = reverseSequences(n, made.outputs, lengths);
    outputs.push_back(made.outputs);
    lastHidden.push_back(made.hidden);
    lastCell.push_back(made.cell);
  }
  if (n.hasFailed())
    return failure();

  int64_t axis = isBatchFirst ? 1 : 0;
  auto join = [&](ArrayRef<Value> parts, int64_t dim) {
    SmallVector<Value> all;
    for (Value part : parts)
      all.push_back(b.insertUnitDims(part, {dim}));
    return b.concat(all, dim);
  };
  if (n.wantsOutput(0)) {
    SmallVector<Value> sides;
    for (Value each : outputs)
      sides.push_back(isBatchFirst ? b.swap(each, 0, 1) : each);
    // [T, D, B, H], or [B, T, D, H].
    n.setResult(0, join(sides, isBatchFirst ? 2 : 1));
  }
  if (n.wantsOutput(1))
    n.setResult(1, join(lastHidden, axis));
  if (n.wantsOutput(2))
    n.setResult(2, join(lastCell, axis));
  return success();
}

void mlir::fuse::onnx::addRecurrenceOps(OpTable &table) {
  table.add("RNN", 3, 6, [](Node &n) { return RecurrenceImporter(n, Cell::Rnn).run(); });
  table.add("GRU", 3, 6, [](Node &n) { return RecurrenceImporter(n, Cell::Gru).run(); });
  table.add("LSTM", 3, 8, [](Node &n) { return RecurrenceImporter(n, Cell::Lstm).run(); });
  table
      .add("com.microsoft.DynamicQuantizeLSTM", 12, 12,
           [](Node &n) { return RecurrenceImporter(n, Cell::Lstm, /*isQuantized=*/true).run(); })
      .optionalInputs = {3, 4, 5, 6, 7};
}
