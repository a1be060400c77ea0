//===- StepLoop.cpp - The loop over the steps of a recurrence ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StepLoop.h"
#include "fuse/Support/ElementType.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static int64_t getBytes(MemRefType type) {
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Places do not share a line of the cache.
static int64_t getPlaceBytes(MemRefType type) { return llvm::alignTo(getBytes(type), 64); }

static bool alternates(StepRole role) {
  return role == StepRole::Last || role == StepRole::Carried;
}

int64_t mlir::fuse::getStateBytes(func::FuncOp step, StepsAttr steps) {
  int64_t bytes = 0;
  for (auto [type, argument] : llvm::zip(step.getArgumentTypes(), steps.getArguments()))
    if (alternates(argument.getRole()))
      bytes += 2 * getPlaceBytes(cast<MemRefType>(type));
  return bytes;
}

namespace {

class StepLoop {
public:
  StepLoop(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter, func::FuncOp step,
           StepsAttr steps, Value buffers, Value scratch)
      : builder(builder), loc(loc), converter(converter), abi(builder, loc, converter), step(step),
        steps(steps), buffers(buffers), scratch(scratch) {}

  void run(Value begin, Value end, Value scratchArgument, int64_t scratchBytes) {
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    for (auto [i, argument] : llvm::enumerate(steps.getArguments())) {
      bases.push_back(argument.getBuffer() < 0 ? Value()
                                               : abi.loadField(buffers, argument.getBuffer(), 0));
      places.push_back(scratchBytes);
      if (alternates(argument.getRole()))
        scratchBytes += 2 * getPlaceBytes(type(i));
    }
    zero = abi.constant(0);
    one = abi.constant(1);
    count = getCount();
    copyInitialStates(begin);
    auto blocks = scf::ForOp::create(builder, loc, begin, end, one);
    builder.setInsertionPointToStart(blocks.getBody());
    auto loop = scf::ForOp::create(builder, loc, zero, count, one);
    builder.setInsertionPointToStart(loop.getBody());
    Value time = loop.getInductionVar();
    SmallVector<Value> operands;
    for (unsigned i = 0; i < steps.getArguments().size(); ++i)
      operands.push_back(abi.cast(makeDescriptor(type(i), getData(i, time)), type(i)));
    Value block = blocks.getInductionVar();
    Value next = LLVM::AddOp::create(builder, loc, block, one);
    Type index = builder.getIndexType();
    operands.append({abi.cast(block, index), abi.cast(next, index), scratchArgument});
    func::CallOp::create(builder, loc, step, operands);
    builder.setInsertionPointAfter(blocks);
  }

private:
  MemRefType type(unsigned i) { return llvm::cast<MemRefType>(step.getArgumentTypes()[i]); }

  Value getCount() {
    if (steps.getCount() >= 0)
      return abi.constant(steps.getCount());
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    for (StepArgumentAttr argument : steps.getArguments())
      if (argument.getRole() == StepRole::Element) {
        Value sizes = abi.loadField(buffers, argument.getBuffer(), 1);
        return abi.loadEntry(sizes, 0);
      }
    llvm_unreachable("a scan has a sequence");
  }

  /// Without steps the last states are the first ones; the caller of block 0 copies them.
  void copyInitialStates(Value begin) {
    if (steps.getCount() > 0)
      return;
    Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, begin, zero);
    Value isEmpty = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, count, zero);
    auto branch = scf::IfOp::create(builder, loc,
                                    LLVM::AndOp::create(builder, loc, isFirst, isEmpty),
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (auto [i, argument] : llvm::enumerate(steps.getArguments())) {
      if (argument.getRole() != StepRole::State ||
          steps.getArguments()[argument.getNext()].getRole() != StepRole::Last)
        continue;
      LLVM::MemcpyOp::create(builder, loc, bases[argument.getNext()], bases[i],
                             abi.constant(getBytes(type(i))), /*isVolatile=*/false);
    }
  }

  Value shift(Value base, Value elements, int64_t bytes) {
    Value offset = LLVM::MulOp::create(builder, loc, elements, abi.constant(bytes));
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  /// The element of a sequence that step `time` reads or writes.
  Value getElement(unsigned i, Value time) {
    if (steps.getReverse())
      time = LLVM::SubOp::create(builder, loc, LLVM::SubOp::create(builder, loc, count, one), time);
    return shift(bases[i], time, getBytes(type(i)));
  }

  /// Which of the two places of argument `i` step `time` writes.
  Value getPlace(unsigned i, Value time) {
    Value side = LLVM::AndOp::create(builder, loc, time, one);
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value first = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), scratch,
                                      ArrayRef<LLVM::GEPArg>{abi.constant(places[i])});
    return shift(first, side, getPlaceBytes(type(i)));
  }

  Value select(LLVM::ICmpPredicate predicate, Value l, Value r, Value then, Value otherwise) {
    Value holds = LLVM::ICmpOp::create(builder, loc, predicate, l, r);
    return LLVM::SelectOp::create(builder, loc, holds, then, otherwise);
  }

  /// The first element of argument `i` in step `time`.
  Value getData(unsigned i, Value time) {
    StepArgumentAttr argument = steps.getArguments()[i];
    switch (argument.getRole()) {
    case StepRole::Whole:
      return bases[i];
    case StepRole::Element:
      return getElement(i, time);
    case StepRole::Carried:
      return getPlace(i, time);
    case StepRole::Last:
      return select(LLVM::ICmpPredicate::eq, LLVM::AddOp::create(builder, loc, time, one), count,
                    bases[i], getPlace(i, time));
    case StepRole::State: {
      unsigned next = argument.getNext();
      Value before = LLVM::SubOp::create(builder, loc, time, one);
      bool isElement = steps.getArguments()[next].getRole() == StepRole::Element;
      return select(LLVM::ICmpPredicate::eq, time, zero, bases[i],
                    isElement ? getElement(next, before) : getPlace(next, before));
    }
    }
    llvm_unreachable("unknown role");
  }

  Value makeDescriptor(MemRefType type, Value data) {
    return MemRefDescriptor::fromStaticShape(builder, loc, converter, type, data);
  }

  OpBuilder &builder;
  Location loc;
  const LLVMTypeConverter &converter;
  BufferABI abi;
  func::FuncOp step;
  StepsAttr steps;
  Value buffers, scratch;
  Value zero, one, count;
  SmallVector<Value> bases;    ///< the first element of each argument's buffer; null without one
  SmallVector<int64_t> places; ///< where in scratch the argument's two places begin
};

} // namespace

void mlir::fuse::emitStepLoop(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter,
                              func::FuncOp step, StepsAttr steps, Value buffers, Value begin,
                              Value end, Value scratch, Value scratchArgument,
                              int64_t scratchBytes) {
  StepLoop(builder, loc, converter, step, steps, buffers, scratch)
      .run(begin, end, scratchArgument, scratchBytes);
}
