//===- Program.cpp - Compiled programs, loaded -----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Program.h"

#include "../MachineCode/NativeCode.h"
#include "RuntimeSymbols.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace mlir;
using namespace mlir::fuse;

struct Program::Loader {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Program::Program() = default;
Program::~Program() = default;

const ProgramEntry *Program::lookup(StringRef function) const {
  for (const ProgramEntry &entry : entries)
    if (entry.signature.function == function)
      return &entry;
  return nullptr;
}

llvm::Expected<std::shared_ptr<const Program>>
Program::load(ModuleOp lowered, ArrayRef<Signature> signatures,
              const ObjectCompilerOptions &options) {
  auto compiled = compileObjects(lowered, options);
  if (!compiled)
    return compiled.takeError();
  return load(std::move(*compiled), signatures);
}

static llvm::Error defineRuntime(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : getRuntimeSymbols())
    symbols[jit.mangleAndIntern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

template <typename Fn>
static llvm::Error find(llvm::orc::LLJIT &jit, const Twine &name, Fn &function) {
  auto address = jit.lookup(name.str());
  if (!address)
    return llvm::createStringError("cannot load " + name +
                                   ": " + llvm::toString(address.takeError()));
  function = address->toPtr<Fn>();
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const Program>>
Program::load(CompiledObjects compiled, ArrayRef<Signature> signatures) {
  initializeNativeTarget();
  // Missing symbols come back as errors of the lookup; what ORC reports beside that names them.
  std::string report;
  // Objects only: no IR is compiled here, nor are there constructors that a platform would run.
  llvm::orc::LLJITBuilder builder;
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  auto jit = builder.create();
  if (!jit)
    return jit.takeError();
  (*jit)->getExecutionSession().setErrorReporter([&report](llvm::Error error) {
    report += (report.empty() ? "" : "; ") + llvm::toString(std::move(error));
  });
  auto fail = [&](llvm::Error error) {
    std::string text = llvm::toString(std::move(error));
    return llvm::createStringError(report.empty() ? text : text + " (" + report + ")");
  };
  if (llvm::Error error = defineRuntime(**jit))
    return fail(std::move(error));
  std::shared_ptr<Program> program(new Program());
  program->numObjects = compiled.objects.size();
  program->backend = compiled.backend;
  program->images = std::move(compiled.images);
  for (std::unique_ptr<llvm::MemoryBuffer> &object : compiled.objects)
    if (!object)
      continue;
    else if (llvm::Error error = (*jit)->addObjectFile(std::move(object)))
      return fail(std::move(error));

  program->units = std::move(compiled.kernels);
  for (const KernelUnit &unit : program->units) {
    fuse_kernel kernel = {};
    kernel.name = unit.name.c_str();
    kernel.scratch_bytes = unit.scratchBytes;
    if (unit.device) {
      fuse_device_kernel &device = program->deviceKernels.emplace_back();
      device.entry = unit.symbol.c_str();
      if (auto image = program->images.find(unit.object); image != program->images.end()) {
        const std::string &code = image->second.getImage();
        device.image = code.data();
        device.image_bytes = static_cast<int64_t>(code.size());
      } else if (llvm::Error error = find(**jit, unit.symbol, device.emulated)) {
        return fail(std::move(error));
      }
      device.threads = unit.device->threads;
      device.shared_bytes = unit.device->sharedBytes;
      device.most_blocks = unit.device->mostBlocks;
      device.params = unit.device->params.data();
      device.num_params = static_cast<int64_t>(unit.device->params.size());
      kernel.device = &device;
    } else if (llvm::Error error = find(**jit, unit.symbol, kernel.run)) {
      return fail(std::move(error));
    }
    if (llvm::Error error = find(**jit, unit.getHostSymbol() + "_count", kernel.count))
      return fail(std::move(error));
    if (unit.hasScratch)
      if (llvm::Error error = find(**jit, unit.getHostSymbol() + "_scratch", kernel.scratch))
        return fail(std::move(error));
    program->kernels.push_back(kernel);
  }
  for (const Signature &signature : signatures) {
    ProgramEntry entry;
    entry.signature = signature;
    if (llvm::Error error = find(**jit, "fuse_run_" + signature.function, entry.run))
      return fail(std::move(error));
    if (llvm::Error error = find(**jit, "fuse_query_" + signature.function, entry.query))
      return fail(std::move(error));
    if (llvm::Error error = find(**jit, "fuse_prepare_" + signature.function, entry.prepare))
      return fail(std::move(error));
    program->entries.push_back(std::move(entry));
  }
  // `report` dies with this function.
  (*jit)->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  program->loader = std::make_unique<Loader>();
  program->loader->jit = std::move(*jit);
  return program;
}
