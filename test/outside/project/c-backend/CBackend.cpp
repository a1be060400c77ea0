//===- CBackend.cpp - Kernels as C text ---------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CBackend.h"

#include "PrintKernel.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class CBackend : public Backend {
public:
  StringRef getName() const override { return "c"; }
  StringRef getDescription() const override { return "C text, to be read"; }

  /// None: kernels are printed as they were planned.
  void buildLoweringPipeline(OpPassManager &passes, TargetAttr target,
                             const LoweringOptions &options) const override {}

  llvm::Expected<CompiledObjects>
  compileObjects(ModuleOp program, const ObjectCompilerOptions &options) const override {
    CompiledObjects result;
    result.backend = this;
    result.objects.emplace_back(); // of the main module, which nothing is made of
    llvm::Error error = llvm::Error::success();
    program.walk([&](KernelOp kernel) {
      KernelUnit unit;
      unit.name = unit.symbol = "kernel_" + std::to_string(result.kernels.size());
      unit.object = result.objects.size();
      auto text = printKernel(kernel, unit.name);
      if (!text) {
        error = llvm::joinErrors(std::move(error), text.takeError());
        return WalkResult::interrupt();
      }
      result.objects.emplace_back();
      result.images[unit.object].text = std::move(*text);
      result.kernels.push_back(std::move(unit));
      return WalkResult::advance();
    });
    if (error)
      return std::move(error);
    return std::move(result);
  }
  StringRef getTextStage() const override { return "c"; }

  RunPlace getRunPlace() const override { return RunPlace::Nowhere; }
};
} // namespace

std::unique_ptr<Backend> createCBackend() { return std::make_unique<CBackend>(); }
