//===- Recurrences.cpp - Recurrent cells as loops over time -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// All inputs are projected by one product; what follows is the body of a `fuse.scan` over time. A few
// steps of a batch of unknown size are built one by one instead. A state that nobody gave is zero there, and its
// products are left out.
//
//===----------------------------------------------------------------------------------------===//

#include "Recurrences.h"
#include "IntegerProducts.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

Value Recurrence::activate(const Activation &activation, Value x) {
  if (options.clip) {
    double bound = *options.clip;
    x = b.clamp(x, b.scalarLike(-bound, x), b.scalarLike(bound, x));
  }
  return apply(activation, x);
}

Value mlir::fuse::importer::activate(FuseBuilder &b, const Activation &activation, Value x) {
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

Value Recurrence::multiply(Value x, Value weights, Value scale, Value zero, Value sums) {
  if (!scale)
    return b.matmul(x, weights, false, /*transposeRhs=*/true);
  DynamicallyQuantized made = quantizeDynamically(b, x);
  Value sum = multiplyIntegers(n, {made.value, made.zero, {}}, {weights, zero, {}, sums});
  return b.mul(b.cast(sum, b.elementOf(x)), b.mul(made.scale, scale));
}

void Recurrence::stepRnn(const RecurrentWeights &w, Value projected) {
  hiddenState = activate(w.activations[0], addIf(projected, recur(w, hiddenState, w.recurrent[0])));
}

/// The gates are update, reset and hidden.
void Recurrence::stepGru(const RecurrentWeights &w, Value projected) {
  bool resetsAfter = options.resetsAfter;
  Value bias = takeGate(w.recurrentBias, 2);
  Value both = recur(w, hiddenState, w.recurrent[0]);
  Value sums = addIf(takeGate(projected, 0, 2), takeGate(both, 0, 2));
  Value update = activate(w.activations[0], takeGate(sums, 0));
  Value reset = activate(w.activations[0], takeGate(sums, 1));
  Value inner;
  if (resetsAfter) {
    inner = addIf(takeGate(both, 2), bias);
    inner = inner ? b.mul(reset, inner) : inner;
  } else {
    inner = addIf(recur(w, hiddenState ? b.mul(reset, hiddenState) : Value(), w.recurrent[1]), bias);
  }
  Value next = activate(w.activations[1], addIf(takeGate(projected, 2), inner));
  Value fresh = b.mul(b.sub(b.scalarLike(1, update), update), next);
  hiddenState = hiddenState ? b.add(fresh, b.mul(update, hiddenState)) : fresh;
}

/// The gates are input, output, forget and cell.
void Recurrence::stepLstm(const RecurrentWeights &w, Value projected) {
  Value sums = addIf(projected, recur(w, hiddenState, w.recurrent[0]));
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
    Value forget = options.couplesGates ? b.sub(b.scalarLike(1, input), input) : gate(2, cellState);
    next = b.add(b.mul(forget, cellState), fresh);
  }
  cellState = next;
  // The cell itself is not clipped: so does ONNX Runtime.
  hiddenState = b.mul(gate(1, cellState), apply(w.activations[2], cellState));
}

void Recurrence::step(const RecurrentWeights &w, Value projected) {
  if (cell == Cell::Rnn)
    stepRnn(w, projected);
  else if (cell == Cell::Gru)
    stepGru(w, projected);
  else
    stepLstm(w, projected);
}

void Recurrence::unroll(const RecurrentWeights &w, Value projected, bool runsBack) {
  SmallVector<Value> made(steps);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t time = runsBack ? steps - 1 - i : i;
    Value oldHidden = hiddenState, oldCell = cellState;
    if (lengthOf)
      isRead = b.compare(ComparePredicate::Ge, b.insertUnitDims(lengthOf, {1}), double(time));
    step(w, dropDim(b.slice(projected, 0, time, 1), 0));
    Value isWithin;
    if (lengthOf) {
      Value lengths = b.insertUnitDims(lengthOf, {1});
      isWithin = b.compare(ComparePredicate::Gt, lengths, double(time));
    }
    made[time] = b.insertUnitDims(keep(isWithin, hiddenState, Value()), {0});
    hiddenState = keep(isWithin, hiddenState, oldHidden);
    if (cell == Cell::Lstm)
      cellState = keep(isWithin, cellState, oldCell);
  }
  output = b.concat(made, 0);
}

void Recurrence::scan(RecurrentWeights w, Value projected, bool runsBack) {
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
  bool hasLengths = static_cast<bool>(lengthOf);
  if (hasLengths) {
    // The time of each step, beside the length that each sequence has.
    Type element = b.elementOf(lengthOf);
    if (ShapedType::isDynamic(steps)) {
      sequences.push_back(b.iota(n.getSize(n.getExtents(projected)[0]), 0, element));
    } else {
      HostArray times(*toElementType(element), {steps});
      for (int64_t time = 0; time < steps; ++time)
        times.setInt(time, time);
      sequences.push_back(b.constant(times));
    }
    invariants.push_back(b.insertUnitDims(lengthOf, {1}));
  }
  SmallVector<Value *> shared;
  for (Value &value : w.recurrent)
    shared.push_back(&value);
  for (Value *value : {&w.recurrentBias, &w.peepholes, &w.recurrentScale, &w.recurrentZero, &w.recurrentSums})
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
    isRead = hasLengths ? b.compare(ComparePredicate::Ge, lengths, time) : Value();
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
  output = op.getResult(made);
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

Recurrence::Results Recurrence::run(RecurrentWeights w, Value firstHidden, Value firstCell, bool runsBack) {
  hiddenState = firstHidden;
  cellState = cell == Cell::Lstm ? firstCell : Value();
  if (w.inputScale && lengthOf) {
    // Steps that no sequence has are none of what is quantized together.
    Type index = b.getBuilder().getI64Type();
    AffineExpr one = n.getConstant(1);
    Value time = b.iota(n.getSizes({n.getExtents(sequences)[0], one, one}), 0, index);
    Value most = b.reduce(ReduceKind::Max, b.cast(lengthOf, index), {0}, /*keepDims=*/false);
    sequences = b.select(b.compare(ComparePredicate::Lt, time, most), sequences, b.scalarLike(0, sequences));
  }
  if (w.recurrentScale)
    w.recurrentSums = sumColumns(b, w.recurrent[0]);
  Value projected = multiply(sequences, w.inputs, w.inputScale, w.inputZero);
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
  if (unrolls())
    unroll(w, projected, runsBack);
  else
    scan(w, projected, runsBack);
  return {output, hiddenState, cellState};
}
