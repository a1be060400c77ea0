//===- Loops.cpp - Loops that count -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// lax.scan and lax.fori_loop become a stablehlo.while with a counter among its values:
//
//   while(%xs, %i = 0, %state, %ys) cond { %i < 10 } do {
//     %x = dynamic_slice %xs[%i, 0], sizes = [1, 8]
//     %next, %y = … %x, %state
//     return %xs, %i + 1, %next, dynamic_update_slice(%ys, %y, [%i, 0])
//   }
//
// which is a fuse.scan. Its states are the values that are neither counters, nor the same in each step, nor buffers
// that steps write one element of, such as %ys. What a step reads at the counter's place is a sequence. The counter
// itself is an expression while the body is imported, so that %i, or 9 − %i of a loop that runs from the end, is known
// as such wherever it is read.
//
//===----------------------------------------------------------------------------------------===//

#include "Loops.h"
#include "../GraphImporter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

/// Constants of this many elements are part of the body.
static constexpr int64_t kMostInlined = 16;

/// Steps of a loop within a loop.
static constexpr int64_t kMostUnrolled = 256;

namespace {
class WhileImporter {
public:
  explicit WhileImporter(Node &n)
      : n(n), b(n.b), importer(n.getImporter()), op(n.getOperation()), count(n.getNumOperands()) {}

  LogicalResult run();

private:
  enum class Role { State, Counter, Same, Buffer };

  LogicalResult check();
  /// The number that each step adds to a value; none where it does something else.
  std::optional<int64_t> findStep(unsigned i);
  /// Whether the one reader of a value, and of what is made of it, writes an element of it, which the loop then gives
  /// back.
  bool isBuffer(unsigned i);
  LogicalResult findSteps();
  /// In the body of another loop, where no scan can be: the body once for each step.
  LogicalResult unroll();
  LogicalResult importBody(bool hasBuffers);
  LogicalResult build(SmallVectorImpl<ModelValue> &results);
  /// What the body reads from outside.
  FailureOr<SmallVector<Value>> findInvariants();
  ModelValue makeCounterValue(unsigned i, AffineExpr at);

  Node &n;
  FuseBuilder &b;
  GraphImporter &importer;
  Operation *op;
  unsigned count;
  Block *condition = nullptr, *body = nullptr;
  SmallVector<Role> roles;
  SmallVector<int64_t> increments; ///< of counters
  Loop loop;
  llvm::DenseMap<unsigned, Value> states; ///< arguments of the loop's block
  SmallVector<Value> firstStates;
};
} // namespace

LogicalResult WhileImporter::check() {
  if (op->getNumRegions() != 2 || !op->getRegion(0).hasOneBlock() || !op->getRegion(1).hasOneBlock())
    return n.fail("expected a condition and a body of one block each");
  condition = &op->getRegion(0).front();
  body = &op->getRegion(1).front();
  bool fits = n.getNumResults() == count && !condition->empty() && !body->empty() &&
              condition->back().getNumOperands() == 1 && body->back().getNumOperands() == count;
  for (Block *block : {condition, body})
    fits &= block->getArgumentTypes() == op->getOperandTypes();
  if (!fits || op->getResultTypes() != op->getOperandTypes() || body->back().getOperandTypes() != op->getOperandTypes())
    return n.fail("expected a condition and a body of the loop's values");
  for (const ModelValue &value : n.getOperands())
    if (!value.type)
      return n.fail("expected tensors as the loop's values");
  return success();
}

std::optional<int64_t> WhileImporter::findStep(unsigned i) {
  const ModelValue &first = n.getOperand(i);
  if (!first.numbers || first.type.getRank() != 0 || first.type.getElementType().isInteger(1))
    return std::nullopt;
  Operation *sum = body->back().getOperand(i).getDefiningOp();
  if (!sum || sum->getName().getStringRef() != "stablehlo.add" || sum->getNumOperands() != 2)
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    if (sum->getOperand(side) != body->getArgument(i))
      continue;
    Operation *constant = sum->getOperand(1 - side).getDefiningOp();
    auto number = constant && constant->getName().getStringRef() == "stablehlo.constant"
                      ? constant->getAttrOfType<DenseIntElementsAttr>("value")
                      : DenseIntElementsAttr();
    if (number && number.isSplat() && number.getElementType().getIntOrFloatBitWidth() <= 64)
      return number.getSplatValue<APInt>().getSExtValue();
  }
  return std::nullopt;
}

bool WhileImporter::isBuffer(unsigned i) {
  // Through calls: the value, as the argument of a block, and where its successor goes.
  SmallVector<func::CallOp> calls;
  Value value = body->getArgument(i);
  constexpr unsigned kMostUses = 256;
  bool isWritten = false;
  for (unsigned uses = 0; uses < kMostUses; ++uses) {
    if (!value.hasOneUse())
      return false;
    OpOperand &use = *value.getUses().begin();
    Operation *user = use.getOwner();
    unsigned place = use.getOperandNumber();
    StringRef name = user->getName().getStringRef();
    if (auto call = dyn_cast<func::CallOp>(user)) {
      func::FuncOp callee = importer.findFunction(call.getCallee());
      if (!callee || callee.isExternal() || place >= callee.getNumArguments())
        return false;
      calls.push_back(call);
      value = callee.getArgument(place);
    } else if (name == "stablehlo.dynamic_update_slice" && place == 0 && !isWritten && user->getNumResults() == 1) {
      isWritten = true;
      value = user->getResult(0);
    } else if (name == "func.return" && !calls.empty()) {
      func::CallOp call = calls.pop_back_val();
      if (place >= call.getNumResults())
        return false;
      value = call.getResult(place);
    } else {
      return user == &body->back() && place == i && isWritten && calls.empty();
    }
  }
  return false;
}

ModelValue WhileImporter::makeCounterValue(unsigned i, AffineExpr at) {
  ModelValue value;
  value.type = n.getOperand(i).type;
  value.numbers = {simplifyExtent(n.getOperand(i).numbers->front() + at * increments[i])};
  return value;
}

LogicalResult WhileImporter::findSteps() {
  // The condition is of counters and of what is the same in each step.
  SmallVector<ModelValue> arguments;
  for (unsigned i = 0; i < count; ++i) {
    ModelValue &value = arguments.emplace_back();
    value.type = n.getOperand(i).type;
    if (roles[i] == Role::Counter)
      value = makeCounterValue(i, loop.counter);
    else if (roles[i] == Role::Same)
      value = n.getOperand(i);
  }
  std::optional<Condition> holds;
  SmallVector<AffineExpr> known;
  {
    // Whatever is said of it, the loop does not count.
    ScopedDiagnosticHandler handler(b.getContext(), [](Diagnostic &) { return success(); });
    size_t nodes = importer.countNodes();
    OpBuilder::InsertionGuard guard(b.getBuilder());
    b.getBuilder().setInsertionPointToStart(&importer.makeRegion().emplaceBlock());
    auto results = importer.importBlock(*condition, arguments, importer.getScope());
    importer.dropNodes(nodes);
    if (succeeded(results)) {
      holds = results->front().condition;
      known = results->front().numbers.value_or(SmallVector<AffineExpr>());
    }
  }
  if (known.size() == 1 && known[0] == n.getConstant(0)) {
    loop.steps = n.getConstant(0);
    return success();
  }
  AffineExpr steps;
  if (holds) {
    auto [predicate, left, right] = *holds;
    if (predicate == ComparePredicate::Gt || predicate == ComparePredicate::Ge)
      std::swap(left, right);
    bool isEqual = predicate == ComparePredicate::Le || predicate == ComparePredicate::Ge;
    if (predicate != ComparePredicate::Eq && predicate != ComparePredicate::Ne)
      steps = simplifyExtent(right - left + loop.counter + (isEqual ? 1 : 0));
  }
  bool depends = !steps;
  if (steps)
    steps.walk([&](AffineExpr part) { depends |= part == loop.counter; });
  if (depends)
    return n.fail("expected a loop that counts to a number that is known before it");
  if (auto number = dyn_cast<AffineConstantExpr>(steps))
    steps = n.getConstant(std::max<int64_t>(0, number.getValue()));
  else
    n.assumeAtLeast(steps, n.getConstant(0));
  loop.steps = steps;
  return success();
}

LogicalResult WhileImporter::importBody(bool hasBuffers) {
  ImplicitLocOpBuilder &builder = b.getBuilder();
  Type index = builder.getI64Type();
  loop.sequences.clear();
  loop.buffers.clear();
  states.clear();
  firstStates.clear();
  for (unsigned i = 0; i < count; ++i) {
    if (roles[i] == Role::State || roles[i] == Role::Buffer)
      roles[i] = hasBuffers && isBuffer(i) ? Role::Buffer : Role::State;
    if (roles[i] == Role::State)
      firstStates.push_back(n.tensor(i));
  }
  if (n.hasFailed())
    return failure();
  loop.block = &importer.makeRegion().emplaceBlock();
  SmallVector<ModelValue> arguments;
  unsigned state = 0;
  for (unsigned i = 0; i < count; ++i) {
    ModelValue value;
    value.type = n.getOperand(i).type;
    if (roles[i] == Role::Counter) {
      value = makeCounterValue(i, loop.counter);
    } else if (roles[i] == Role::Same) {
      value = n.getOperand(i);
    } else if (roles[i] == Role::Buffer) {
      value.buffer = i;
      value.extents = n.getExtentsOf(i);
    } else {
      value.tensor = states[i] = loop.block->addArgument(firstStates[state++].getType(), b.getLoc());
    }
    arguments.push_back(std::move(value));
  }
  loop.number = loop.block->addArgument(RankedTensorType::get({}, index), b.getLoc());
  SmallVector<ModelValue> results;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.block);
    Loop *outer = std::exchange(importer.loop, &loop);
    FailureOr<SmallVector<ModelValue>> made = importer.importBlock(*body, arguments, importer.getScope());
    LogicalResult yielded = failure();
    if (succeeded(made)) {
      results = *made;
      // States are whole; of buffers there is an element.
      yielded = success();
      SmallVector<Value> values;
      for (unsigned i = 0; i < count; ++i) {
        ModelValue &result = results[i];
        if (roles[i] == Role::Buffer && result.buffer != i)
          yielded = n.fail("expected a loop's buffer to be written in each step");
        if (roles[i] == Role::State)
          (void)n.expand(result);
        if (roles[i] == Role::State && !n.hasFailed() && result.tensor.getType() != states[i].getType())
          yielded = n.fail("expected states that keep their types, found " + describe(states[i].getType()) + " and " +
                           describe(result.tensor.getType()));
      }
    }
    importer.loop = outer;
    if (failed(made) || failed(yielded) || n.hasFailed())
      return failure();
  }
  return build(results);
}

FailureOr<SmallVector<Value>> WhileImporter::findInvariants() {
  llvm::SetVector<Value> outside;
  Operation *strange = nullptr;
  loop.block->walk([&](Operation *inner) {
    bool isOwn = isa_and_nonnull<FuseDialect>(inner->getDialect()) || isa<arith::ConstantOp>(inner);
    if (!isOwn && !strange)
      strange = inner;
    for (Value operand : inner->getOperands()) {
      Region *region = operand.getParentRegion();
      bool isInside = loop.block->getParent()->isAncestor(region);
      if (!isInside)
        outside.insert(operand);
    }
  });
  if (strange)
    return n.fail("expected a body whose extents are known before the loop, found '" +
                  strange->getName().getStringRef() + "'");
  SmallVector<Value> invariants;
  ImplicitLocOpBuilder &builder = b.getBuilder();
  for (Value value : outside) {
    if (!isa<RankedTensorType>(value.getType()))
      return n.fail("expected a body that needs no extents of open dimensions");
    DenseElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant)) && constant.getNumElements() <= kMostInlined) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.block);
      Value own = arith::ConstantOp::create(builder, constant);
      value.replaceUsesWithIf(
          own, [&](OpOperand &use) { return loop.block->getParent()->isAncestor(use.getOwner()->getParentRegion()); });
      continue;
    }
    invariants.push_back(value);
  }
  return invariants;
}

LogicalResult WhileImporter::build(SmallVectorImpl<ModelValue> &results) {
  ImplicitLocOpBuilder &builder = b.getBuilder();
  // What steps yield: states, elements of buffers, and states of open extents once more, as fuse.scan wants it.
  SmallVector<Value> yielded;
  SmallVector<Type> types;
  for (unsigned i = 0; i < count; ++i)
    if (roles[i] == Role::State) {
      yielded.push_back(results[i].tensor);
      types.push_back(results[i].tensor.getType());
    }
  size_t numStates = yielded.size();
  SmallVector<std::pair<unsigned, Loop::Writes>> buffers;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.block);
    for (unsigned i = 0; i < count; ++i) {
      if (roles[i] != Role::Buffer)
        continue;
      buffers.push_back({i, loop.buffers[i]});
      SmallVector<int64_t> shape(b.shapeOf(results[i].tensor));
      shape.erase(shape.begin() + buffers.back().second.dim);
      yielded.push_back(b.reshape(results[i].tensor, shape));
    }
    if (n.hasFailed())
      return failure();
    for (size_t i = 0; i < numStates; ++i)
      if (!b.typeOf(yielded[i]).hasStaticShape())
        yielded.push_back(yielded[i]);
  }
  for (Value each : ArrayRef(yielded).drop_front(numStates)) {
    SmallVector<int64_t> shape = {getStaticExtent(loop.steps)};
    llvm::append_range(shape, b.shapeOf(each));
    types.push_back(b.makeType(shape, b.elementOf(each)));
  }
  FailureOr<SmallVector<Value>> invariants = findInvariants();
  if (failed(invariants))
    return failure();

  // One direction for all; what runs the other way is turned around.
  bool runsBack = !loop.sequences.empty() || !buffers.empty();
  for (const Loop::Sequence &each : loop.sequences)
    runsBack &= each.runsBack;
  for (auto &[i, writes] : buffers)
    runsBack &= writes.runsBack;
  auto turn = [&](Value x, int64_t dim) -> Value {
    if (ShapedType::isDynamic(b.shapeOf(x)[dim]) || failed(n.takeListed(b.shapeOf(x)[dim])))
      return (void)n.fail("expected a loop of one direction, or a number of steps that is known"), x;
    return b.reverse(x, dim);
  };
  SmallVector<Value> sequences, elements, first;
  for (const Loop::Sequence &each : loop.sequences) {
    sequences.push_back(each.runsBack == runsBack ? each.tensor : turn(each.tensor, 0));
    elements.push_back(each.element);
  }
  if (!loop.number.use_empty() || sequences.empty()) {
    Value numbers = b.iota(n.getSizes({loop.steps}), 0, builder.getI64Type());
    if (runsBack)
      numbers = b.sub(n.getNumber(loop.steps - 1, builder.getI64Type()), numbers);
    sequences.push_back(numbers);
    elements.push_back(loop.number);
  }
  for (Value state : firstStates) // a scan takes its states from memory
    first.push_back(CopyOp::create(builder, state.getType(), state));
  if (n.hasFailed() || b.hasFailed())
    return failure();
  auto scan = ScanOp::create(builder, types, first, sequences, *invariants, runsBack);
  Block *block = scan.getBlock();
  block->getOperations().splice(block->end(), loop.block->getOperations());
  unsigned argument = 0;
  for (unsigned i = 0; i < count; ++i)
    if (roles[i] == Role::State) {
      if (results[i].tensor == states[i]) // as another value's next one
        yielded[argument] = block->getArgument(argument);
      for (Value &value : yielded)
        if (value == states[i])
          value = block->getArgument(argument);
      states[i].replaceAllUsesWith(block->getArgument(argument++));
    }
  auto replace = [&](Value own, Value other) {
    for (Value &value : yielded)
      if (value == own)
        value = other;
    own.replaceAllUsesWith(other);
  };
  for (Value element : elements)
    replace(element, block->getArgument(argument++));
  for (Value &value : yielded) // what a step gives as it is from outside
    if (auto *at = llvm::find(*invariants, value); at != invariants->end())
      value = block->getArgument(argument + (at - invariants->begin()));
  for (Value value : *invariants) {
    Value own = block->getArgument(argument++);
    value.replaceUsesWithIf(
        own, [&](OpOperand &use) { return scan.getBody().isAncestor(use.getOwner()->getParentRegion()); });
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    YieldOp::create(builder, yielded);
  }

  unsigned next = 0;
  for (unsigned i = 0; i < count; ++i)
    if (roles[i] == Role::State && failed(n.setResult(i, scan.getResult(next++))))
      return failure();
  for (auto [i, writes] : buffers) {
    Value all = scan.getResult(next++);
    SmallVector<int64_t> order;
    for (int64_t dim = 1; dim < b.rankOf(all); ++dim)
      order.push_back(dim);
    order.insert(order.begin() + writes.dim, 0);
    all = b.transpose(all, order);
    if (failed(n.setResult(i, writes.runsBack == runsBack ? all : turn(all, writes.dim))))
      return failure();
  }
  return n.hasFailed() ? failure() : success();
}

LogicalResult WhileImporter::unroll() {
  auto steps = dyn_cast<AffineConstantExpr>(loop.steps);
  if (!steps || steps.getValue() > kMostUnrolled)
    return n.fail("expected a loop within a loop to have at most " + Twine(kMostUnrolled) +
                  " steps, whose number is known before the program runs");
  if (failed(n.takeUnrolled(steps.getValue())))
    return failure();
  SmallVector<ModelValue> values(n.getOperands());
  for (int64_t step = 0; step < steps.getValue(); ++step) {
    for (unsigned i = 0; i < count; ++i)
      if (roles[i] == Role::Counter)
        values[i] = makeCounterValue(i, n.getConstant(step));
    FailureOr<SmallVector<ModelValue>> made = importer.importBlock(*body, values, importer.getScope());
    if (failed(made))
      return failure();
    values = *made;
  }
  for (unsigned i = 0; i < count; ++i)
    if (roles[i] == Role::State)
      (void)n.setValue(i, values[i]);
  return success();
}

LogicalResult WhileImporter::run() {
  if (failed(check()))
    return failure();
  loop.counter = importer.makeCounter();
  increments.assign(count, 0);
  bool computes = false;
  for (unsigned i = 0; i < count; ++i) {
    if (body->back().getOperand(i) == body->getArgument(i)) {
      roles.push_back(Role::Same);
    } else if (std::optional<int64_t> step = findStep(i)) {
      roles.push_back(Role::Counter);
      increments[i] = *step;
    } else {
      roles.push_back(Role::State);
      computes = true;
    }
  }
  if (failed(findSteps()))
    return failure();
  for (unsigned i = 0; i < count; ++i) {
    if (roles[i] == Role::Counter)
      (void)n.setValue(i, makeCounterValue(i, loop.steps));
    else if (roles[i] == Role::Same || loop.steps == n.getConstant(0))
      (void)n.setValue(i, n.getOperand(i));
  }
  if (!computes || loop.steps == n.getConstant(0))
    return success();
  if (importer.loop)
    return unroll();
  bool mayHaveBuffers = false;
  for (unsigned i = 0; i < count; ++i)
    mayHaveBuffers |= roles[i] == Role::State && isBuffer(i);
  if (mayHaveBuffers) {
    // Where a buffer is not written at the counter's place, it is a state.
    size_t nodes = importer.countNodes();
    ScopedDiagnosticHandler handler(b.getContext(), [](Diagnostic &) { return success(); });
    if (succeeded(importBody(/*hasBuffers=*/true)))
      return success();
    importer.dropNodes(nodes);
    n.forgive();
  }
  return importBody(/*hasBuffers=*/false);
}

LogicalResult mlir::fuse::stablehlo::importWhile(Node &n) { return WhileImporter(n).run(); }
