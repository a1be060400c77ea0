//===- Recurrences.cpp - Recurrent cells as loops over time -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// All inputs are projected by one product; what follows is the body of a `fuse.scan` over time. A few
// steps of a batch of unknown size are built one by one instead. A state that nobody gave is zero there, and its products are left out.
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

/// An activation by name, with its parameters.
struct Activation {
  std::string name;
  double alpha = 0, beta = 0;
};

/// What an operator has for each direction, taken out of operands that hold both.
struct Weights {
  Value inputs;                         ///< [gates · H, I]
  /// [gates · H, H] for the gates whose products with the state are one.
  SmallVector<Value, 2> recurrent;
  Value inputBias, recurrentBias;       ///< [gates · H], or null
  Value peepholes;                      ///< [3 · H], or null
  ArrayRef<Activation> activations;
};

class RecurrenceImporter {
public:
  enum class Cell { Rnn, Gru, Lstm };

  RecurrenceImporter(Node &n, Cell cell)
      : n(n), b(n.b), cell(cell), gates(cell == Cell::Rnn   ? 1
                                        : cell == Cell::Gru ? 3
                                                            : 4) {}

  LogicalResult run();

private:
  LogicalResult readShapes();
  LogicalResult readActivations();
  /// Of a gate: its sum is clipped before, where the node asks for that.
  Value activate(const Activation &activation, Value x);
  Value apply(const Activation &activation, Value x);
  Weights getWeights(int64_t direction);
  /// The initial state of operand `i`, [B, H]; null if it is zero.
  Value getInitial(size_t i, int64_t direction);
  /// Builds all steps of one direction; outputs in order of time.
  void runDirection(int64_t direction);
  /// Whether steps are built one by one: a few of a batch of unknown size.
  bool unrolls() {
    constexpr int64_t kFewSteps = 8;
    return ShapedType::isDynamic(b.shapeOf(sequences)[1]) && !ShapedType::isDynamic(steps) && steps <= kFewSteps;
  }
  void unroll(const Weights &w, Value projected, bool runsBack);
  void scan(Weights w, Value projected, bool runsBack);
  void step(const Weights &w, Value projected);
  void stepRnn(const Weights &w, Value projected);
  void stepGru(const Weights &w, Value projected);
  void stepLstm(const Weights &w, Value projected);
  /// state · Rᵀ for some of the gates; null while the state is zero.
  Value recur(Value x, Value rows) {
    return x ? b.matmul(x, rows, false, /*transposeRhs=*/true) : x;
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

  Node &n;
  FuseBuilder &b;
  Cell cell;
  int64_t gates;
  int64_t directions = 1, steps = 0, hidden = 0;
  bool isBatchFirst = false, isReverse = false;
  std::vector<Activation> activations; ///< of all directions
  Value sequences;                     ///< [T, B, I]
  Value hiddenState, cellState;        ///< [B, H] each; null while it is zero
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
  hidden = n.getShape(2)[2];
  if (int64_t stated = n.getInt("hidden_size", hidden); stated != hidden)
    return n.fail("expected recurrent weights for hidden_size = " + Twine(stated) + ", found them for " +
                  describeExtent(hidden) + " elements");
  steps = n.getShape(0)[isBatchFirst ? 1 : 0];
  for (size_t i : {1, 2})
    if (n.getShape(i)[0] != directions || n.getShape(i)[1] != gates * hidden || hidden < 1)
      return n.fail("expected weights for " + Twine(directions) + " directions and " +
                    Twine(gates) + " gates of " + describeExtent(hidden) + " elements");
  if (n.getShape(1)[2] != n.getShape(0)[2])
    return n.fail("expected weights for inputs of " + describeExtent(n.getShape(0)[2]) +
                  " elements, found them for " + describeExtent(n.getShape(1)[2]));
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

Value RecurrenceImporter::activate(const Activation &activation, Value x) {
  if (n.hasAttribute("clip")) {
    double bound = n.getFloat("clip", 0);
    x = b.clamp(x, b.scalarLike(-bound, x), b.scalarLike(bound, x));
  }
  return apply(activation, x);
}

Value RecurrenceImporter::apply(const Activation &activation, Value x) {
  StringRef name = activation.name;
  if (name == "relu")
    return b.unary(UnaryKind::Relu, x);
  if (name == "tanh")
    return b.unary(UnaryKind::Tanh, x);
  if (name == "sigmoid")
    return b.unary(UnaryKind::Sigmoid, x);
  if (name == "softplus")
    return b.unary(UnaryKind::Softplus, x);
  if (name == "affine")
    return b.add(b.mul(x, activation.alpha), activation.beta);
  if (name == "scaledtanh")
    return b.mul(b.unary(UnaryKind::Tanh, b.mul(x, activation.beta)), activation.alpha);
  if (name == "softsign")
    return b.div(x, b.add(b.unary(UnaryKind::Abs, x), 1.0));
  if (name == "leakyrelu")
    return b.unary(UnaryKind::LeakyRelu, x, activation.alpha);
  if (name == "elu")
    return b.unary(UnaryKind::Elu, x, activation.alpha);
  if (name == "hardsigmoid")
    return b.unary(UnaryKind::HardSigmoid, x, activation.alpha, activation.beta);
  Value isLarge = b.compare(ComparePredicate::Gt, x, activation.alpha);
  return b.select(isLarge, x, b.scalarLike(0, x));
}

Weights RecurrenceImporter::getWeights(int64_t direction) {
  auto take = [&](size_t i) {
    return n.hasInput(i) ? dropDim(b.slice(n.getInput(i), 0, direction, 1), 0) : Value();
  };
  Weights w;
  w.inputs = take(1);
  Value recurrent = take(2);
  bool isGated = cell == Cell::Gru && !n.getInt("linear_before_reset", 0);
  auto takeRows = [&](int64_t gate, int64_t count) {
    w.recurrent.push_back(b.slice(recurrent, 0, gate * hidden, count * hidden));
  };
  // The reset gate stands between the state and the last product.
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

void RecurrenceImporter::stepRnn(const Weights &w, Value projected) {
  hiddenState = activate(w.activations[0], addIf(projected, recur(hiddenState, w.recurrent[0])));
}

/// The gates are update, reset and hidden.
void RecurrenceImporter::stepGru(const Weights &w, Value projected) {
  bool resetsAfter = n.getInt("linear_before_reset", 0);
  Value bias = takeGate(w.recurrentBias, 2);
  Value both = recur(hiddenState, w.recurrent[0]);
  Value sums = addIf(takeGate(projected, 0, 2), takeGate(both, 0, 2));
  Value update = activate(w.activations[0], takeGate(sums, 0));
  Value reset = activate(w.activations[0], takeGate(sums, 1));
  Value inner;
  if (resetsAfter) {
    inner = addIf(takeGate(both, 2), bias);
    inner = inner ? b.mul(reset, inner) : inner;
  } else {
    inner = addIf(recur(hiddenState ? b.mul(reset, hiddenState) : Value(), w.recurrent[1]), bias);
  }
  Value next = activate(w.activations[1], addIf(takeGate(projected, 2), inner));
  Value fresh = b.mul(b.sub(b.scalarLike(1, update), update), next);
  hiddenState = hiddenState ? b.add(fresh, b.mul(update, hiddenState)) : fresh;
}

/// The gates are input, output, forget and cell.
void RecurrenceImporter::stepLstm(const Weights &w, Value projected) {
  Value sums = addIf(projected, recur(hiddenState, w.recurrent[0]));
  auto peep = [&](int64_t gate, Value state) {
    return w.peepholes && state ? b.mul(takeGate(w.peepholes, gate), state) : Value();
  };
  auto gate = [&](int64_t i, Value state) {
    return activate(w.activations[0], addIf(takeGate(sums, i), peep(i, state)));
  };
  Value input = gate(0, cellState);
  Value fresh = b.mul(input, activate(w.activations[1], takeGate(sums, 3)));
  Value next = fresh;
  if (cellState) {
    Value forget = n.getInt("input_forget", 0) ? b.sub(b.scalarLike(1, input), input)
                                               : gate(2, cellState);
    next = b.add(b.mul(forget, cellState), fresh);
  }
  cellState = next;
  // The cell itself is not clipped: so does ONNX Runtime.
  hiddenState = b.mul(gate(1, cellState), apply(w.activations[2], cellState));
}

void RecurrenceImporter::step(const Weights &w, Value projected) {
  if (cell == Cell::Rnn)
    stepRnn(w, projected);
  else if (cell == Cell::Gru)
    stepGru(w, projected);
  else
    stepLstm(w, projected);
}

void RecurrenceImporter::unroll(const Weights &w, Value projected, bool runsBack) {
  SmallVector<Value> made(steps);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t time = runsBack ? steps - 1 - i : i;
    Value oldHidden = hiddenState, oldCell = cellState;
    step(w, dropDim(b.slice(projected, 0, time, 1), 0));
    Value isWithin;
    if (n.hasInput(4)) {
      Value lengths = b.insertUnitDims(n.getInput(4), {1});
      isWithin = b.compare(ComparePredicate::Gt, lengths, double(time));
    }
    made[time] = b.insertUnitDims(keep(isWithin, hiddenState, Value()), {0});
    hiddenState = keep(isWithin, hiddenState, oldHidden);
    if (cell == Cell::Lstm)
      cellState = keep(isWithin, cellState, oldCell);
  }
  outputs.push_back(b.concat(made, 0));
}

void RecurrenceImporter::scan(Weights w, Value projected, bool runsBack) {
  int64_t batch = b.shapeOf(projected)[1];
  bool isOpen = ShapedType::isDynamic(batch);
  RankedTensorType stateType = b.makeType({batch, hidden}, b.elementOf(projected));
  auto getZeros = [&]() {
    if (!isOpen)
      return b.splat(0, stateType);
    OpFoldResult extents[] = {n.getSize(n.getExtents(projected)[1]), b.getBuilder().getIndexAttr(hidden)};
    return copy(b.broadcastTo(b.scalar(0, stateType.getElementType()), extents));
  };
  bool hasCell = cell == Cell::Lstm;
  SmallVector<Value> states, sequences{projected}, invariants;
  for (Value state : {hiddenState, hasCell ? cellState : hiddenState})
    states.push_back(state ? state : getZeros());
  states.resize(hasCell ? 2 : 1);
  bool hasLengths = n.hasInput(4);
  if (hasLengths) {
    // The time of each step, beside the length that each sequence has.
    Type element = n.getElementType(4);
    if (ShapedType::isDynamic(steps)) {
      sequences.push_back(b.iota(n.getSize(n.getExtents(projected)[0]), 0, element));
    } else {
      HostArray times(*toElementType(element), {steps});
      for (int64_t time = 0; time < steps; ++time)
        times.setInt(time, time);
      sequences.push_back(b.constant(times));
    }
    invariants.push_back(b.insertUnitDims(n.getInput(4), {1}));
  }
  SmallVector<Value *> shared;
  for (Value &value : w.recurrent)
    shared.push_back(&value);
  for (Value *value : {&w.recurrentBias, &w.peepholes})
    if (*value)
      shared.push_back(value);
  for (Value *value : shared)
    invariants.push_back(*value);

  SmallVector<Type> types(states.size(), stateType);
  types.push_back(b.makeType({b.shapeOf(projected)[0], batch, hidden}, b.elementOf(projected)));
  // States of unknown size go on in results that have their values in each step.
  bool addsHidden = isOpen && hasLengths, addsCell = isOpen && hasCell;
  types.append(unsigned(addsHidden) + unsigned(addsCell), types.back());
  if (n.hasFailed() || b.hasFailed())
    return;
  auto op = ScanOp::create(b.getBuilder(), types, states, sequences, invariants, runsBack);
  {
    OpBuilder::InsertionGuard guard(b.getBuilder());
    Block *body = op.getBlock();
    b.getBuilder().setInsertionPointToStart(body);
    Block::BlockArgListType arguments = body->getArguments();
    Value oldHidden = arguments[0], oldCell = hasCell ? arguments[1] : Value();
    hiddenState = oldHidden;
    cellState = oldCell;
    arguments = arguments.drop_front(states.size());
    Value now = arguments[0], time = hasLengths ? arguments[1] : Value();
    arguments = arguments.drop_front(sequences.size());
    Value lengths = hasLengths ? arguments[0] : Value();
    for (auto [value, argument] : llvm::zip_equal(shared, arguments.drop_front(hasLengths)))
      *value = argument;
    step(w, now);
    Value isWithin = hasLengths ? b.compare(ComparePredicate::Gt, lengths, time) : Value();
    Value made = keep(isWithin, hiddenState, Value());
    SmallVector<Value> yielded{keep(isWithin, hiddenState, oldHidden)};
    if (hasCell)
      yielded.push_back(keep(isWithin, cellState, oldCell));
    yielded.push_back(made);
    if (addsHidden)
      yielded.push_back(yielded[0]);
    if (addsCell)
      yielded.push_back(yielded[1]);
    YieldOp::create(b.getBuilder(), yielded);
  }
  hiddenState = op.getResult(0);
  cellState = hasCell ? op.getResult(1) : Value();
  unsigned made = states.size();
  outputs.push_back(op.getResult(made));
  if (!isOpen)
    return;
  // The last of all values; without a step the first state.
  auto takeLast = [&](Value state, Value values) {
    Value first = b.insertUnitDims(state, {0});
    bool isKnown = !ShapedType::isDynamic(steps);
    Value all = isKnown ? values : b.concat(runsBack ? ValueRange{values, first} : ValueRange{first, values}, 0);
    AffineExpr last = n.getExtents(all)[0] - 1, one = n.getConstant(1);
    return dropDim(b.slice(all, 0, n.getSize(runsBack ? n.getConstant(0) : last), n.getSize(one)), 0);
  };
  hiddenState = takeLast(states[0], op.getResult(made + addsHidden));
  if (hasCell)
    cellState = takeLast(states[1], op.getResult(made + addsHidden + addsCell));
}

void RecurrenceImporter::runDirection(int64_t direction) {
  Weights w = getWeights(direction);
  hiddenState = getInitial(5, direction);
  cellState = cell == Cell::Lstm ? getInitial(6, direction) : Value();
  Value projected = b.matmul(sequences, w.inputs, false, /*transposeRhs=*/true);
  projected = addIf(projected, w.inputBias);
  // A GRU's last bias of the state stands behind its reset.
  if (w.recurrentBias && cell != Cell::Gru)
    projected = b.add(projected, w.recurrentBias);
  if (w.recurrentBias && cell == Cell::Gru) {
    Value none = b.splat(0, b.makeType({hidden}, b.elementOf(projected)));
    projected = b.add(projected, b.concat({takeGate(w.recurrentBias, 0, 2), none}, 0));
  }
  if (cell != Cell::Gru)
    w.recurrentBias = {};
  bool runsBack = isReverse || direction == 1;
  if (unrolls())
    unroll(w, projected, runsBack);
  else
    scan(w, projected, runsBack);
  lastHidden.push_back(hiddenState);
  lastCell.push_back(cellState);
}

LogicalResult RecurrenceImporter::run() {
  if (failed(readShapes()) || failed(readActivations()))
    return failure();
  sequences = n.getInput(0);
  if (isBatchFirst)
    sequences = b.swap(sequences, 0, 1);
  if (steps == 0)
    return n.fail("expected at least one step");
  if (unrolls() && failed(n.takeUnrolled(steps * directions)))
    return failure();
  for (int64_t direction = 0; direction < directions; ++direction)
    runDirection(direction);
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
  using Cell = RecurrenceImporter::Cell;
  table.add("RNN", 3, 6, [](Node &n) { return RecurrenceImporter(n, Cell::Rnn).run(); });
  table.add("GRU", 3, 6, [](Node &n) { return RecurrenceImporter(n, Cell::Gru).run(); });
  table.add("LSTM", 3, 8, [](Node &n) { return RecurrenceImporter(n, Cell::Lstm).run(); });
}
