//===- KernelABI.cpp - Wrappers of a kernel's functions for the runtime ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferABI.h"
#include "fuse/Codegen/Abi/Passes.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Support/ElementType.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKERNELABI
#include "fuse/Codegen/Abi/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

//===- The loop over the steps of a recurrence ----------------------------------------------===//
//
// A kernel whose function is one step (`fuse.steps`) runs all steps of a block before the next block:
//
//   for block in [begin, end):
//     for t in [0, T):
//       step(arguments of t, block, block + 1, scratch)
//
// Arguments differ from step to step in the place of their first element alone. A state that no
// output holds alternates between two places behind the thread's other scratch.
//
//===----------------------------------------------------------------------------------------===//

static int64_t getBytes(MemRefType type) {
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Places do not share a line of the cache.
static int64_t getPlaceBytes(MemRefType type) { return llvm::alignTo(getBytes(type), 64); }

static bool alternates(StepRole role) {
  return role == StepRole::Last || role == StepRole::Carried;
}

/// Bytes of scratch that the states of `step` take, behind what it has of its own.
static int64_t getStateBytes(func::FuncOp step, StepsAttr steps) {
  int64_t bytes = 0;
  for (auto [type, argument] : llvm::zip(step.getArgumentTypes(), steps.getArguments()))
    if (alternates(argument.getRole()))
      bytes += 2 * getPlaceBytes(cast<MemRefType>(type));
  return bytes;
}

namespace {

/// The extents of a step's argument: those of its buffer, without the leading one of a sequence.
SmallVector<Value> getSizes(BufferABI &abi, Value buffers, StepArgumentAttr argument, MemRefType type) {
  SmallVector<Value> sizes;
  Value dims = type.hasStaticShape() ? Value() : abi.loadField(buffers, argument.getBuffer(), 1);
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    sizes.push_back(ShapedType::isDynamic(extent) ? abi.loadEntry(dims, dim + (argument.getRole() == StepRole::Element))
                                                  : abi.constant(extent));
  return sizes;
}

class StepLoop {
public:
  StepLoop(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter, func::FuncOp step,
           StepsAttr steps, Value buffers, Value scratch)
      : builder(builder), loc(loc), abi(builder, loc, converter), step(step),
        steps(steps), buffers(buffers), scratch(scratch) {}

  void run(Value begin, Value end, Value scratchArgument, int64_t scratchBytes) {
    for (auto [i, argument] : llvm::enumerate(steps.getArguments())) {
      bases.push_back(argument.getBuffer() < 0 ? Value()
                                               : abi.loadField(buffers, argument.getBuffer(), 0));
      places.push_back(scratchBytes);
      sizes.push_back(getSizes(abi, buffers, argument, type(i)));
      Value bytes = abi.constant(llvm::divideCeil(type(i).getElementTypeBitWidth(), 8));
      for (Value size : sizes.back())
        bytes = LLVM::MulOp::create(builder, loc, bytes, size);
      elementBytes.push_back(bytes);
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
      operands.push_back(abi.cast(abi.makeDescriptor(type(i), sizes[i], getData(i, time)), type(i)));
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

  Value shift(Value base, Value elements, Value bytes) {
    Value offset = LLVM::MulOp::create(builder, loc, elements, bytes);
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  /// The element of a sequence that step `time` reads or writes.
  Value getElement(unsigned i, Value time) {
    if (steps.getReverse())
      time = LLVM::SubOp::create(builder, loc, LLVM::SubOp::create(builder, loc, count, one), time);
    return shift(bases[i], time, elementBytes[i]);
  }

  /// Which of the two places of argument `i` step `time` writes.
  Value getPlace(unsigned i, Value time) {
    Value side = LLVM::AndOp::create(builder, loc, time, one);
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value first = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), scratch,
                                      ArrayRef<LLVM::GEPArg>{abi.constant(places[i])});
    return shift(first, side, abi.constant(getPlaceBytes(type(i))));
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

  OpBuilder &builder;
  Location loc;
  BufferABI abi;
  func::FuncOp step;
  StepsAttr steps;
  Value buffers, scratch;
  Value zero, one, count;
  SmallVector<Value> bases;    ///< the first element of each argument's buffer; null without one
  SmallVector<SmallVector<Value>> sizes; ///< of each argument
  SmallVector<Value> elementBytes;       ///< of all elements of each argument
  SmallVector<int64_t> places; ///< where in scratch the argument's two places begin
};

} // namespace

//===- Wrappers -----------------------------------------------------------------------------===//

namespace {

struct KernelABI : fuse::impl::FuseKernelABIBase<KernelABI> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration()) {
        if (failed(checkSignature(function)))
          return signalPassFailure();
        wrap(function);
      }
  }

  /// `(buffers…) -> index`, or `(buffers…, index, index, memref<?xi8>)`; buffers are row-major.
  LogicalResult checkSignature(func::FuncOp function) {
    ArrayRef<Type> types = function.getArgumentTypes();
    bool isRight = function.getNumResults() == 1 && function.getResultTypes().front().isIndex();
    if (function.getNumResults() == 0 && types.size() >= 3) {
      auto scratch = dyn_cast<MemRefType>(types.back());
      isRight = scratch && scratch.getRank() == 1 && scratch.getElementType().isInteger(8) &&
                types[types.size() - 3].isIndex() && types[types.size() - 2].isIndex();
      types = types.drop_back(3);
    }
    isRight &= llvm::all_of(types, [](Type type) {
      auto buffer = dyn_cast<MemRefType>(type);
      return buffer && buffer.getLayout().isIdentity();
    });
    if (isRight)
      return success();
    return function.emitError() << "expected a kernel's function, (buffers…, index, index, "
                                   "memref<?xi8>) -> () or (buffers…) -> index, found "
                                << function.getFunctionType();
  }

  /// `@k` becomes `@k_body`, called by a new `llvm.func @k`.
  void wrap(func::FuncOp function) {
    MLIRContext *context = &getContext();
    OpBuilder builder(context);
    Location loc = function.getLoc();
    LLVMTypeConverter converter(context);
    auto pointer = LLVM::LLVMPointerType::get(context);
    auto i64 = builder.getI64Type();
    bool isCount = function.getNumResults() == 1;

    std::string name = function.getName().str();
    function.setName(name + "_body");
    function.setPrivate();
    function->setAttr("llvm.linkage",
                      LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    function->setAttr("passthrough", builder.getStrArrayAttr({"alwaysinline"}));

    builder.setInsertionPointToEnd(getOperation().getBody());
    auto type = isCount ? LLVM::LLVMFunctionType::get(i64, {pointer})
                        : LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                                      {pointer, i64, i64, pointer});
    auto wrapper = LLVM::LLVMFuncOp::create(builder, loc, name, type);
    Block *entry = wrapper.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    BufferABI abi(builder, loc, converter);

    auto steps = function->getAttrOfType<StepsAttr>(attr::kSteps);
    if (steps && !isCount) {
      wrapStep(builder, converter, function, steps, entry);
      LLVM::ReturnOp::create(builder, loc, ValueRange{});
      return;
    }
    SmallVector<Value> operands;
    unsigned number = 0, numIndices = 0;
    for (Type argument : function.getArgumentTypes()) {
      auto memref = dyn_cast<MemRefType>(argument);
      if (!memref) {
        operands.push_back(abi.cast(entry->getArgument(1 + numIndices++), argument));
        continue;
      }
      if (!isCount && number + numIndices + 1 == function.getNumArguments()) {
        operands.push_back(abi.cast(abi.makeBytes(entry->getArgument(3), memref), memref));
        continue;
      }
      // A step's shapes are static; where its arrays begin is not asked here.
      Value descriptor;
      if (steps)
        descriptor = abi.makeDescriptor(
            memref, getSizes(abi, entry->getArgument(0), steps.getArguments()[number++], memref),
            LLVM::ZeroOp::create(builder, loc, pointer));
      else
        descriptor = abi.loadDescriptor(entry->getArgument(0), number++, memref);
      operands.push_back(abi.cast(descriptor, memref));
    }
    auto call = func::CallOp::create(builder, loc, function, operands);
    if (isCount)
      LLVM::ReturnOp::create(builder, loc, abi.cast(call.getResult(0), i64));
    else
      LLVM::ReturnOp::create(builder, loc, ValueRange{});
  }

  /// The kernel's function as a loop over its steps. Their states lie behind the step's scratch.
  void wrapStep(OpBuilder &builder, const LLVMTypeConverter &converter, func::FuncOp function,
                StepsAttr steps, Block *entry) {
    Location loc = function.getLoc();
    auto bytes = getOperation()->getAttrOfType<IntegerAttr>(attr::kScratchBytes);
    int64_t own = bytes ? llvm::alignTo(bytes.getInt(), 64) : 0;
    auto type = llvm::cast<MemRefType>(function.getArgumentTypes().back());
    Value scratch = entry->getArgument(3);
    BufferABI abi(builder, loc, converter);
    Value argument = abi.cast(abi.makeBytes(scratch, type), type);
    StepLoop(builder, loc, converter, function, steps, entry->getArgument(0), scratch)
        .run(entry->getArgument(1), entry->getArgument(2), argument, own);
    getOperation()->setAttr(attr::kScratchBytes,
                            builder.getI64IntegerAttr(own + getStateBytes(function, steps)));
  }
};

} // namespace
