//===- StepScans.cpp - From a kernel that scans to the function of one step ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESTEPSCANS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Builds the step of one kernel's function, in its place.
class StepBuilder {
public:
  StepBuilder(func::FuncOp function, ScanOp scan)
      : function(function), scan(scan), builder(function.getContext()) {}

  LogicalResult run() {
    if (failed(collectBuffers()))
      return failure();
    entry = &region.emplaceBlock();
    builder.setInsertionPointToEnd(entry);
    addOperands();
    SmallVector<Value> yielded = cloneBody();
    if (failed(addResults(yielded)))
      return failure();
    func::ReturnOp::create(builder, scan.getLoc(), results);
    eraseDeadOps();

    function->setAttr(attr::kSteps, getSteps()); // the scan goes with the old body
    function.getBody().takeBody(region);
    unsigned firstOut = entry->getNumArguments() - results.size();
    function.setFunctionType(
        builder.getFunctionType(entry->getArgumentTypes(), ValueRange(results).getTypes()));
    SmallVector<DictionaryAttr> attributes(entry->getNumArguments(), builder.getDictionaryAttr({}));
    NamedAttribute writable = builder.getNamedAttr(
        bufferization::BufferizationDialect::kWritableAttrName, builder.getBoolAttr(true));
    for (unsigned i = firstOut; i < attributes.size(); ++i)
      attributes[i] = builder.getDictionaryAttr(writable);
    function.setAllArgAttrs(attributes);
    return success();
  }

private:
  struct Argument {
    StepRole role;
    int64_t buffer, next = -1;
  };

  /// The buffers of the scan's states and sequences, and of those of its results that are returned.
  LogicalResult collectBuffers() {
    for (Operation &op : function.front().without_terminator())
      if (llvm::any_of(op.getOperands(), [&](Value v) { return v.getDefiningOp() == scan; }))
        return op.emitOpError() << "reads a result of a scan in the kernel of the scan; expected the "
                                   "scan in a kernel of its own";
    numOuts = function.getNumResults();
    numIns = function.getNumArguments() - numOuts;
    bufferOf.assign(scan.getNumResults(), -1);
    for (auto [i, value] : llvm::enumerate(function.front().getTerminator()->getOperands())) {
      auto result = dyn_cast<OpResult>(value);
      if (!result || result.getOwner() != scan || bufferOf[result.getResultNumber()] >= 0)
        return scan.emitOpError() << "expected a kernel that returns results of its scan, each once";
      bufferOf[result.getResultNumber()] = numIns + i;
    }
    for (Value value : llvm::concat<Value>(SmallVector<Value>(scan.getStates()),
                                           SmallVector<Value>(scan.getSequences()))) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getArgNumber() >= numIns)
        return scan.emitOpError() << "expected states and sequences that are operands of its kernel";
    }
    return success();
  }

  Value add(Type type, Argument argument) {
    arguments.push_back(argument);
    return entry->addArgument(type, scan.getLoc());
  }

  /// States and elements are the body's; other operands are the same in each step.
  void addOperands() {
    auto bufferOfOperand = [](Value value) -> int64_t {
      return cast<BlockArgument>(value).getArgNumber();
    };
    Block::BlockArgListType inner = scan.getBody().getArguments();
    for (auto [i, state] : llvm::enumerate(scan.getStates()))
      mapping.map(inner[i], add(state.getType(), {StepRole::State, bufferOfOperand(state)}));
    inner = inner.drop_front(scan.getNumStates());
    for (auto [i, sequence] : llvm::enumerate(scan.getSequences()))
      mapping.map(inner[i], add(inner[i].getType(), {StepRole::Element, bufferOfOperand(sequence)}));
    inner = inner.drop_front(scan.getSequences().size());
    for (BlockArgument argument : function.getArguments().take_front(numIns))
      if (llvm::any_of(argument.getUses(), [&](OpOperand &use) {
            return use.getOwner() != scan ||
                   use.getOperandNumber() >= scan.getNumStates() + scan.getSequences().size();
          }))
        mapping.map(argument, add(argument.getType(), {StepRole::Whole, argument.getArgNumber()}));
    for (Operation &op : function.front().without_terminator())
      if (&op != scan)
        builder.clone(op, mapping);
    for (auto [argument, value] : llvm::zip_equal(inner, scan.getInvariants()))
      mapping.map(argument, mapping.lookup(value));
  }

  SmallVector<Value> cloneBody() {
    for (Operation &op : scan.getBlock()->without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(scan.getYield().getResults(),
                               [&](Value value) { return mapping.lookup(value); });
  }

  /// A state that leaves with its last value goes on there, another one in an output that holds it;
  /// one that has neither has memory of the thread.
  LogicalResult addResults(ArrayRef<Value> yielded) {
    SmallVector<int64_t> argumentOf(yielded.size(), -1);
    auto addResult = [&](unsigned i, StepRole role) {
      argumentOf[i] = arguments.size();
      add(yielded[i].getType(), {role, bufferOf[i]});
      Value value = yielded[i];
      Operation *def = value.getDefiningOp();
      bool isComputed = def && !def->hasTrait<OpTrait::ConstantLike>();
      if (!isComputed || llvm::is_contained(results, value))
        value = CopyOp::create(builder, scan.getLoc(), value.getType(), value);
      results.push_back(value);
    };
    for (unsigned i = scan.getNumStates(); i < yielded.size(); ++i)
      if (bufferOf[i] >= 0)
        addResult(i, StepRole::Element);
    for (unsigned state = 0; state < scan.getNumStates(); ++state) {
      std::optional<unsigned> output = findOutput(state);
      bool isOpen = !cast<RankedTensorType>(yielded[state].getType()).hasStaticShape();
      if (isOpen && (!output || bufferOf[state] >= 0)) {
        scan.emitOpError() << "has state #" << state << " of unknown size " << yielded[state].getType()
                           << "; expected another result of the kernel with its values, and no use of its last one";
        return failure();
      }
      if (!output || bufferOf[state] >= 0)
        addResult(state, bufferOf[state] >= 0 ? StepRole::Last : StepRole::Carried);
      // Its own argument where it has one: without a step, that is what the first state goes to.
      arguments[state].next = argumentOf[argumentOf[state] >= 0 ? state : *output];
    }
    return success();
  }

  /// The first returned output whose elements are the state's next values.
  std::optional<unsigned> findOutput(unsigned state) {
    OperandRange yielded = scan.getYield().getResults();
    for (unsigned i = scan.getNumStates(); i < yielded.size(); ++i)
      if (yielded[i] == yielded[state] && bufferOf[i] >= 0)
        return i;
    return std::nullopt;
  }

  /// What only results are computed from that nobody reads.
  void eraseDeadOps() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*entry)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  StepsAttr getSteps() {
    MLIRContext *context = function.getContext();
    int64_t count = scan.getNumSteps();
    SmallVector<StepArgumentAttr> all;
    for (const Argument &argument : arguments)
      all.push_back(StepArgumentAttr::get(context, argument.role, argument.buffer, argument.next));
    return StepsAttr::get(context, ShapedType::isDynamic(count) ? -1 : count, scan.getReverse(), all);
  }

  func::FuncOp function;
  ScanOp scan;
  OpBuilder builder;
  Region region;
  Block *entry = nullptr;
  IRMapping mapping;
  unsigned numIns = 0, numOuts = 0;
  /// For each result of the scan the buffer that it is returned in, or -1.
  SmallVector<int64_t> bufferOf;
  SmallVector<Argument> arguments;
  SmallVector<Value> results;
};

struct StepScans : fuse::impl::FuseStepScansBase<StepScans> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      auto scans = llvm::to_vector(function.getOps<ScanOp>());
      if (scans.size() > 1) {
        scans[1].emitOpError() << "is the second scan of a kernel; expected one";
        return signalPassFailure();
      }
      if (!scans.empty() && failed(StepBuilder(function, scans.front()).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
