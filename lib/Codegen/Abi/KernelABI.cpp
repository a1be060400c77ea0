//===- KernelABI.cpp - Wrappers of a kernel's functions for the runtime ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferABI.h"
#include "StepLoop.h"
#include "fuse/Codegen/Abi/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKERNELABI
#include "fuse/Codegen/Abi/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

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
      Value descriptor = steps ? Value(MemRefDescriptor::fromStaticShape(
                                     builder, loc, converter, memref,
                                     LLVM::ZeroOp::create(builder, loc, pointer)))
                               : abi.loadDescriptor(entry->getArgument(0), number++, memref);
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
    emitStepLoop(builder, loc, converter, function, steps, entry->getArgument(0),
                 entry->getArgument(1), entry->getArgument(2), scratch, argument, own);
    getOperation()->setAttr(attr::kScratchBytes,
                            builder.getI64IntegerAttr(own + getStateBytes(function, steps)));
  }
};

} // namespace
