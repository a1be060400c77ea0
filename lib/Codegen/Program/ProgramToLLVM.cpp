//===- ProgramToLLVM.cpp - Pass fuse-program-to-llvm --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "RuntimeCalls.h"
#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Variants.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPROGRAMTOLLVM
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

using VariantMap = llvm::StringMap<SmallVector<EntryVariant>>;

/// The variants of each function, while functions have the names that symbols refer to.
FailureOr<VariantMap> collectVariants(ModuleOp module) {
  VariantMap map;
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<SmallVector<func::FuncOp>> variants = getVariants(function);
    if (failed(variants))
      return failure();
    for (func::FuncOp variant : *variants) {
      if (!variant.isPublic())
        return variant.emitError("expected a public function, as it is a variant of one");
      FailureOr<SmallVector<VariantDim>> dims = getVariantDims(variant);
      if (failed(dims))
        return failure();
      map[function.getName()].push_back({variant.getName().str(), std::move(*dims)});
    }
    function->removeAttr(attr::kVariants);
  }
  return map;
}

/// Fails at the first op of a program that still is on tensors.
LogicalResult verifyBuffers(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  WalkResult walked = function.walk([&](Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), isTensor) && llvm::none_of(op->getResultTypes(), isTensor))
      return WalkResult::advance();
    op->emitError() << "expected buffers, which one-shot-bufferize makes, found a tensor";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

struct ProgramToLLVM : fuse::impl::FuseProgramToLLVMBase<ProgramToLLVM> {
  using FuseProgramToLLVMBase::FuseProgramToLLVMBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context);
    OpBuilder builder(context);

    llvm::StringMap<int64_t> numbers;
    SmallVector<Attribute> names;
    module.walk([&](LaunchOp launch) {
      if (numbers.try_emplace(launch.getKernel(), names.size()).second)
        names.push_back(launch.getKernelAttr().getAttr());
    });
    module->setAttr(attr::kKernels, builder.getArrayAttr(names));

    RuntimeCalls calls(module, converter, numbers, onDevice);
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.isPublic())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      for (StringRef suffix : {kShapesSuffix, kArenaSuffix})
        if (!module.lookupSymbol<func::FuncOp>((function.getName() + suffix).str())) {
          function.emitError() << "expected a function @" << function.getName() << suffix
                               << ", which fuse-lower-program and fuse-plan-arena make";
          return signalPassFailure();
        }
    for (func::FuncOp function : functions)
      if (failed(verifyBuffers(function)))
        return signalPassFailure();
    FailureOr<VariantMap> variants = collectVariants(module);
    if (failed(variants))
      return signalPassFailure();
    // No name of the program's reaches the linker but as part of its entries'.
    SmallVector<std::string> functionNames;
    for (func::FuncOp function : functions) {
      functionNames.push_back(function.getName().str());
      function.setName(functionNames.back() + kBodySuffix.str());
    }
    for (auto [function, name] : llvm::zip_equal(functions, functionNames)) {
      SmallVector<int64_t> launches;
      function.walk<WalkOrder::PreOrder>(
          [&](LaunchOp launch) { launches.push_back(numbers.lookup(launch.getKernel())); });
      function->setAttr(attr::kLaunches, builder.getDenseI64ArrayAttr(launches));
      SmallVector<bool> isParameter;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        isParameter.push_back(function.getArgAttr(i, attr::kParam) &&
                              !function.getArgAttr(i, attr::kPrepared));
      auto arena = module.lookupSymbol<func::FuncOp>(name + kArenaSuffix.str());
      auto pointer = LLVM::LLVMPointerType::get(context);
      for (func::FuncOp withContext : {function, arena})
        (void)withContext.insertArgument(0, pointer, {}, function.getLoc());
      function.walk([&](func::ReturnOp ret) {
        OpBuilder atEnd(ret);
        ret->setOperands(Value(LLVM::ConstantOp::create(atEnd, ret.getLoc(), atEnd.getI32Type(), 0)));
      });
      function.setType(
          builder.getFunctionType(function.getArgumentTypes(), {builder.getI32Type()}));
      if (failed(calls.lower(function)))
        return signalPassFailure();
      makeEntryPoints(module, function, name, (*variants)[name], isParameter, converter, calls);
    }
  }
};

} // namespace
