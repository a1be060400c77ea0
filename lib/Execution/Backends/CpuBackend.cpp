//===- CpuBackend.cpp - Code of this CPU ----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Compile/CompileKernel.h"
#include "../MachineCode/NativeCode.h"
#include "Backends.h"
#include "fuse/Execution/CpuLevel.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::setOptions(FuseToLLVMOptions &pipeline, const LoweringOptions &options) {
  CpuVectors vectors =
      findCpuLevel(options.cpu.empty() ? StringRef(kNativeCpu) : StringRef(options.cpu))->vectors;
  pipeline.vectorBytes = vectors.bytes;
  pipeline.registers = vectors.registers;
  pipeline.fma = vectors.hasFma;
  pipeline.hasScaling = vectors.hasScaling;
  pipeline.permutedLanes = vectors.permutedLanes;
  pipeline.int8Dot = vectors.hasInt8Dot;
  pipeline.int16Dot = vectors.hasInt16Dot;
  pipeline.bf16Dot = vectors.hasBf16Dot && options.numerics >= Numerics::ReducedPrecision;
  pipeline.int8Tiles = vectors.hasInt8Tiles;
  pipeline.bf16Tiles = vectors.hasBf16Tiles && options.numerics >= Numerics::Folds;
  pipeline.stream = options.numerics != Numerics::Exact;
  pipeline.roundOnce = options.numerics >= Numerics::Folds;
  pipeline.bf16Convert = vectors.hasBf16Dot && options.numerics >= Numerics::Folds;
  pipeline.scaledSums = options.numerics >= Numerics::Folds;
  pipeline.flushExp = options.numerics >= Numerics::Folds;
}

namespace {
class CpuBackend : public Backend {
public:
  StringRef getName() const override { return "cpu"; }
  StringRef getDescription() const override { return "this CPU"; }

  bool usesCpuLevels() const override { return true; }
  bool usesSchedules() const override { return true; }
  bool assignsLayouts() const override { return true; }

  void buildLoweringPipeline(OpPassManager &passes, TargetAttr target,
                             const LoweringOptions &options) const override {
    FuseToLLVMOptions pipeline;
    setOptions(pipeline, options);
    pipeline.schedules = options.schedules;
    pipeline.threads = options.threads;
    buildFuseToLLVMPipeline(passes, pipeline);
  }

  FailureOr<CompiledObjects> compileProgram(ModuleOp program, const LoweringOptions &lowering,
                                            const ObjectCompilerOptions &options) const override {
    return compileKernelsApart(program, lowering, options);
  }
  bool cachesCode() const override { return true; }

  llvm::Expected<UnitCode> compileKernel(StringRef bytecode, StringRef name, StringRef from,
                                         const ObjectCompilerOptions &options) const override {
    auto object = compileNative(bytecode, name, from, name, options);
    if (!object)
      return object.takeError();
    return UnitCode{std::move(*object), {}};
  }

  RunPlace getRunPlace() const override { return RunPlace::ThisCpu; }
  bool canBundle() const override { return true; }
};
} // namespace

std::unique_ptr<Backend> mlir::fuse::createCpuBackend() { return std::make_unique<CpuBackend>(); }
