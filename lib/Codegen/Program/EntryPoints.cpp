//===- EntryPoints.cpp - Functions as entry points of the runtime's ABI -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "../Abi/BufferABI.h"
#include "../Kernel/BufferPlaces.h"
#include "CheckedSizes.h"
#include "RuntimeCalls.h"
#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// The three entry points of one public function.
class EntryPoints {
public:
  EntryPoints(ModuleOp module, func::FuncOp function, StringRef name, ArrayRef<EntryVariant> variants,
              const LLVMTypeConverter &converter, RuntimeCalls &calls)
      : module(module), variants(variants), function(function), converter(converter), calls(calls),
        builder(module.getContext()), loc(function.getLoc()), abi(builder, loc, converter),
        pointer(LLVM::LLVMPointerType::get(module.getContext())), name(name) {
    shapes = module.lookupSymbol<func::FuncOp>(this->name + kShapesSuffix.str());
    arena = module.lookupSymbol<func::FuncOp>(this->name + kArenaSuffix.str());
    numIns = shapes.getNumArguments();
    numOuts = function.getNumArguments() - numIns - 2; // the context, the arena
  }

  void make(ArrayRef<bool> isParameter) {
    for (Type type : function.getArgumentTypes().drop_front())
      types.push_back(::cast<MemRefType>(type));
    passPointers(function, 1);
    passPointers(shapes, 0);
    passPointers(arena, 1);
    returnOverflow(shapes);
    returnOverflow(arena);
    makeRun();
    makeQuery();
    makePrepare(isParameter);
    // Arguments will be pointers, which have no dimensions.
    for (func::FuncOp inner : {function, shapes, arena})
      for (unsigned i = 0; i < inner.getNumArguments(); ++i)
        for (StringRef name :
             {attr::kDimBounds, attr::kDimHints, attr::kDimNames, attr::kSharding})
          inner.removeArgAttr(i, name);
    function.setPrivate();
    for (func::FuncOp inner : {function, shapes, arena})
      inner->setAttr("llvm.linkage",
                     LLVM::LinkageAttr::get(module.getContext(), LLVM::Linkage::Internal));
  }

private:
  /// `i32 @fuse_<what>_<f>(ptr, …)`, ready to be filled.
  Block *begin(StringRef what, unsigned numPointers) {
    builder.setInsertionPointToEnd(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(),
                                            SmallVector<Type>(numPointers, pointer));
    auto entry = LLVM::LLVMFuncOp::create(builder, loc, ("fuse_" + what + "_" + name).str(), type);
    Block *block = entry.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    return block;
  }

  /// Whether a pointer says all of a buffer that its type does not.
  static bool isPointer(MemRefType type) {
    return type.hasStaticShape() && type.getLayout().isIdentity();
  }

  /// Such buffers become pointers, from argument `first` on: networks have hundreds of weights,
  /// each of which would be passed as three values and two more per dimension.
  void passPointers(func::FuncOp inner, unsigned first) {
    builder.setInsertionPointToStart(&inner.getBody().front());
    for (BlockArgument argument : inner.getArguments().drop_front(first)) {
      auto type = ::cast<MemRefType>(argument.getType());
      if (!isPointer(type))
        continue;
      argument.setType(pointer);
      if (argument.use_empty())
        continue;
      Value descriptor = MemRefDescriptor::fromStaticShape(builder, loc, converter, type, argument);
      Value buffer = abi.cast(descriptor, type);
      argument.replaceUsesWithIf(
          buffer, [](OpOperand &use) { return !isa<LLVM::InsertValueOp>(use.getOwner()); });
    }
    inner.setType(builder.getFunctionType(inner.getBody().front().getArgumentTypes(),
                                          inner.getResultTypes()));
  }

  void appendBuffers(SmallVectorImpl<Value> &operands, Value buffers, unsigned first,
                     unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      MemRefType type = types[first + i];
      operands.push_back(isPointer(type) ? abi.loadField(buffers, i, 0)
                                         : abi.cast(abi.loadDescriptor(buffers, i, type), type));
    }
  }

  std::string nameOf(int64_t argument) {
    if (auto given = function.getArgAttrOfType<StringAttr>(argument + 1, attr::kName))
      return given.getValue().str();
    return "arg" + std::to_string(argument);
  }

  /// As messages call it: "dimension 0 (batch) of 'x'".
  std::string nameDim(int64_t argument, int64_t dim) {
    return describeDim(function, argument + 1, dim) + " of '" + nameOf(argument) + "'";
  }

  /// Calls of a variant's sizes are the variant's, which checks what else must hold.
  void runVariant(StringRef what, Block *entry) {
    for (const EntryVariant &variant : variants) {
      Value fits = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), true);
      for (auto [argument, dim, least, most] : variant.dims) {
        Value extent = extentOf(entry->getArgument(1), argument, dim);
        // One comparison without signs: a size below the least one is far above the greatest.
        Value above = LLVM::SubOp::create(builder, loc, extent, abi.constant(least));
        Value fitsHere = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ule, above, abi.constant(most - least));
        fits = LLVM::AndOp::create(builder, loc, fits, fitsHere);
      }
      leaveIf(fits, [&] {
        std::string symbol = ("fuse_" + what + "_" + variant.name).str();
        return LLVM::CallOp::create(builder, loc, builder.getI32Type(), symbol, entry->getArguments()).getResult();
      });
    }
  }

  Value extentOf(Value ins, int64_t argument, int64_t dim) {
    Value sizes = abi.loadField(ins, argument, 1);
    return abi.loadEntry(sizes, dim);
  }

  /// Kernels read and write row-major buffers; what else a caller passes is an error.
  void checkOrder(Value context, Value buffers, unsigned first, unsigned count) {
    if (count == 0)
      return;
    std::string names;
    for (unsigned i = 0; i < count; ++i) {
      names += StringRef(first + i < numIns ? nameOf(i) : "result " + std::to_string(i))
                   .split('\0')
                   .first;
      names += '\0';
    }
    returnIfFailed(
        calls.call(builder, loc, "fuse_expect_row_major",
                   {context, calls.getString(builder, loc, names), buffers, abi.constant(count)}));
  }

  /// Indices lie within what they index, or the entry point ends with the runtime's status.
  void checkIndices(Value context, Value ins) {
    auto bounds = function->getAttrOfType<DenseI64ArrayAttr>(attr::kIndexBounds);
    if (!bounds)
      return;
    ArrayRef<int64_t> list = bounds.asArrayRef();
    for (unsigned i = 0; i + 3 < list.size(); i += 4) {
      Value extent = list[i + 1] < 0 ? extentOf(ins, list[i + 2], list[i + 3])
                                     : abi.constant(list[i + 1]);
      Value text = calls.getString(builder, loc, nameOf(list[i]));
      returnIfFailed(calls.call(builder, loc, "fuse_expect_indices",
                                {context, text, abi.field(ins, list[i], 0), extent}));
    }
  }

  /// Multiples of dimensions are equal where reshapes make them meet.
  void checkScaledDims(Value context, Value ins) {
    auto sides = function->getAttrOfType<DenseI64ArrayAttr>(attr::kScaledDims);
    if (!sides)
      return;
    auto multiply = [&](Value extent, int64_t factor) -> Value {
      return LLVM::MulOp::create(builder, loc, extent, abi.constant(factor));
    };
    auto describe = [&](int64_t argument, int64_t dim, int64_t factor) {
      std::string text = nameDim(argument, dim);
      return factor == 1 ? text : std::to_string(factor) + " times " + text;
    };
    ArrayRef<int64_t> list = sides.asArrayRef();
    for (; list.size() >= 6; list = list.drop_front(6)) {
      std::string text = describe(list[0], list[1], list[2]) + " is {}, expected {}";
      Value want;
      if (list[3] < 0) {
        want = abi.constant(list[4] * list[5]);
      } else {
        want = multiply(extentOf(ins, list[3], list[4]), list[5]);
        text += ", as " + describe(list[3], list[4], list[5]);
      }
      expectEqual(context, text, multiply(extentOf(ins, list[0], list[1]), list[2]), want);
    }
  }

  /// No dimension exceeds the bound that its argument states.
  void checkBounds(Value context, Value ins) {
    for (unsigned i = 0; i < numIns; ++i) {
      auto bounds = function.getArgAttrOfType<DenseI64ArrayAttr>(1 + i, attr::kDimBounds);
      if (!bounds)
        continue;
      MemRefType type = types[i];
      for (auto [dim, bound] : llvm::enumerate(bounds.asArrayRef())) {
        if (bound < 0 || !type.isDynamicDim(dim))
          continue;
        std::string text = nameDim(i, dim) + " is {}, above its bound of {}";
        returnIfFailed(calls.call(builder, loc, "fuse_expect_at_most",
                                  {context, calls.getString(builder, loc, text),
                                   extentOf(ins, i, dim), abi.constant(bound)}));
      }
    }
  }

  /// The bytes of each input are a number.
  void checkBytes(Value context, Value ins) {
    for (unsigned i = 0; i < numIns; ++i) {
      if (types[i].hasStaticShape())
        continue;
      Value bytes = abi.constant(getElementBytes(types[i])), overflowed;
      for (int64_t dim = 0; dim < types[i].getRank(); ++dim)
        bytes = multiplyChecked(builder, loc, bytes, extentOf(ins, i, dim), overflowed);
      failIfTooLarge(context, overflowed, "'" + nameOf(i) + "' is an array");
    }
  }

  /// Equal dimensions are equal, or the entry point ends with the runtime's status.
  void checkDims(Value context, Value ins) {
    checkBounds(context, ins);
    checkScaledDims(context, ins);
    auto pairs = function->getAttrOfType<DenseI64ArrayAttr>(attr::kEqualDims);
    if (!pairs)
      return;
    auto extent = [&](int64_t argument, int64_t dim) { return extentOf(ins, argument, dim); };
    ArrayRef<int64_t> list = pairs.asArrayRef();
    for (unsigned i = 0; i + 3 < list.size(); i += 4) {
      std::string text = nameDim(list[i], list[i + 1]) + " is {}, expected {}";
      if (list[i + 2] >= 0)
        text += ", as " + nameDim(list[i + 2], list[i + 3]);
      Value want = list[i + 2] < 0 ? abi.constant(list[i + 3]) : extent(list[i + 2], list[i + 3]);
      expectEqual(context, text, extent(list[i], list[i + 1]), want);
    }
  }

  /// What the runtime says when `got` is not `want` is the entry point's error.
  void expectEqual(Value context, StringRef text, Value got, Value want) {
    Value status = calls.call(builder, loc, "fuse_expect_equal",
                              {context, calls.getString(builder, loc, text), got, want});
    returnIfFailed(status);
  }

  void returnIfFailed(Value status) {
    Value failed =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, status, abi.constant32(0));
    leaveIf(failed, [&] { return status; });
  }

  /// Where `condition`, an i1, holds, the entry point ends with the status that `makeStatus` builds.
  void leaveIf(Value condition, llvm::function_ref<Value()> makeStatus) {
    Block *block = builder.getInsertionBlock();
    Block *next = block->splitBlock(builder.getInsertionPoint());
    Block *exit = builder.createBlock(next);
    LLVM::ReturnOp::create(builder, loc, makeStatus());
    builder.setInsertionPointToEnd(block);
    LLVM::CondBrOp::create(builder, loc, condition, exit, next);
    builder.setInsertionPointToStart(next);
  }

  /// Ends the entry point where `overflowed`, an i1 or null: sizes that follow from the inputs' are too large.
  void failIfTooLarge(Value context, Value overflowed, std::string text = "the sizes of the inputs make an array") {
    if (overflowed)
      failIf(context, overflowed, text + " of 2^63 bytes or more, expected less");
  }

  /// Ends the entry point with a text where `condition`, an i1, holds.
  void failIf(Value context, Value condition, StringRef text) {
    leaveIf(condition, [&] {
      return calls.call(builder, loc, "fuse_fail", {context, calls.getString(builder, loc, text)});
    });
  }

  /// The results' dynamic extents, after the checks that stand behind them.
  ValueRange callShapes(Value context, ValueRange operands) {
    auto call = func::CallOp::create(builder, loc, shapes, operands);
    failIfTooLarge(context, call.getResults().back());
    auto checks = shapes->getAttrOfType<ArrayAttr>(kShapeChecks);
    ValueRange results = call.getResults().drop_back();
    if (!checks)
      return results;
    ValueRange extents = results.drop_back(2 * checks.size());
    ValueRange checked = results.drop_front(extents.size());
    for (auto [i, text] : llvm::enumerate(checks.getAsRange<StringAttr>())) {
      Value got = abi.cast(checked[2 * i], builder.getI64Type()), want = abi.cast(checked[2 * i + 1], builder.getI64Type());
      if (text.getValue().contains("{}")) // for the numbers
        expectEqual(context, text, got, want);
      else
        failIf(context, LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, got, want), text);
    }
    return extents;
  }

  void makeRun() {
    Block *entry = begin("run", 4);
    Value context = entry->getArgument(0), ins = entry->getArgument(1),
          outs = entry->getArgument(2), memory = entry->getArgument(3);
    runVariant("run", entry);
    checkDims(context, ins);
    checkIndices(context, ins);
    checkOrder(context, ins, 0, numIns);
    checkOrder(context, outs, numIns, numOuts);
    SmallVector<Value> operands = {context};
    appendBuffers(operands, ins, 0, numIns);
    if (shapes->hasAttr(kShapeChecks))
      callShapes(context, ArrayRef(operands).drop_front());
    appendBuffers(operands, outs, numIns, numOuts);
    MemRefType bytes = types.back();
    operands.push_back(abi.cast(abi.makeBytes(memory, bytes), bytes));
    auto call = func::CallOp::create(builder, loc, function, operands);
    returnIfFailed(call.getResult(0));
    readBack(context, outs);
    LLVM::ReturnOp::create(builder, loc, abi.constant32(0));
  }

  /// Results that were computed go to the caller, who reads them once the device has done its work.
  void readBack(Value context, Value outs) {
    if (auto results = function->getAttrOfType<DenseI64ArrayAttr>(kReadBack))
      for (int64_t result : results.asArrayRef())
        returnIfFailed(
            calls.call(builder, loc, "fuse_read_back", {context, abi.field(outs, result, 0)}));
    if (function->hasAttr(kWaitsAtEnd))
      returnIfFailed(calls.call(builder, loc, "fuse_wait", context));
    function->removeAttr(kReadBack);
    function->removeAttr(kWaitsAtEnd);
  }

  void makeQuery() {
    Block *entry = begin("query", 4);
    Value context = entry->getArgument(0), ins = entry->getArgument(1),
          outs = entry->getArgument(2), bytes = entry->getArgument(3);
    runVariant("query", entry);
    checkDims(context, ins);
    checkBytes(context, ins);
    SmallVector<Value> operands;
    appendBuffers(operands, ins, 0, numIns);
    ValueRange extents = callShapes(context, operands);
    unsigned next = 0;
    Value overflowed;
    for (unsigned i = 0; i < numOuts; ++i) {
      MemRefType type = types[numIns + i];
      Value sizes = abi.loadField(outs, i, 1);
      Value strides = abi.loadField(outs, i, 2);
      SmallVector<Value> shape;
      for (int64_t extent : type.getShape())
        shape.push_back(ShapedType::isDynamic(extent)
                            ? abi.cast(extents[next++], builder.getI64Type())
                            : abi.constant(extent));
      Value stride = abi.constant(1);
      for (unsigned dim = type.getRank(); dim-- > 0;) {
        abi.store(shape[dim], abi.entry(sizes, dim));
        abi.store(stride, abi.entry(strides, dim));
        stride = multiplyChecked(builder, loc, stride, shape[dim], overflowed);
      }
      if (!type.hasStaticShape())
        multiplyChecked(builder, loc, stride, abi.constant(getElementBytes(type)), overflowed);
    }
    failIfTooLarge(context, overflowed);
    SmallVector<Value> all = {context};
    llvm::append_range(all, operands);
    appendBuffers(all, outs, numIns, numOuts);
    auto total = func::CallOp::create(builder, loc, arena, all);
    failIfTooLarge(context, total.getResult(1));
    abi.store(abi.cast(total.getResult(0), builder.getI64Type()), bytes);
    LLVM::ReturnOp::create(builder, loc, abi.constant32(0));
  }

  /// Parameters that are given stay as they are; behind them stands what the function named by
  /// `fuse.prepare` computes from them.
  void makePrepare(ArrayRef<bool> isParameter) {
    Block *entry = begin("prepare", 3);
    if (int64_t count = llvm::count(isParameter, true))
      LLVM::MemcpyOp::create(builder, loc, entry->getArgument(2), entry->getArgument(1),
                             abi.constant(count * BufferABI::kBufferBytes), /*isVolatile=*/false);
    if (auto callee = function->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare)) {
      auto addressOf = [&](StringRef what) {
        std::string symbol = ("fuse_" + what + "_" + callee.getValue()).str();
        return LLVM::AddressOfOp::create(builder, loc, pointer, symbol);
      };
      Value rest = abi.field(entry->getArgument(2), llvm::count(isParameter, true), 0);
      Value query = addressOf("query"), run = addressOf("run");
      returnIfFailed(calls.call(builder, loc, "fuse_prepare",
                                {entry->getArgument(0), query, run, entry->getArgument(1), rest}));
      function->removeAttr(attr::kPrepare);
    }
    LLVM::ReturnOp::create(builder, loc, abi.constant32(0));
  }

  ModuleOp module;
  ArrayRef<EntryVariant> variants;
  func::FuncOp function, shapes, arena;
  SmallVector<MemRefType> types; // of the function's arguments behind the context
  const LLVMTypeConverter &converter;
  RuntimeCalls &calls;
  OpBuilder builder;
  Location loc;
  BufferABI abi;
  Type pointer;
  std::string name;
  unsigned numIns, numOuts;
};

} // namespace

void mlir::fuse::makeEntryPoints(ModuleOp module, func::FuncOp function, StringRef name, ArrayRef<EntryVariant> variants,
                                 ArrayRef<bool> isParameter, const LLVMTypeConverter &converter, RuntimeCalls &calls) {
  EntryPoints(module, function, name, variants, converter, calls).make(isParameter);
}
