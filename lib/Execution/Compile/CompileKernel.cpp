//===- CompileKernel.cpp - One kernel from its ops to its object -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompileKernel.h"

#include "../MachineCode/LlvmCode.h"
#include "../MachineCode/NativeCode.h"
#include "KernelUnits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::fuse;

/// In front of the object: three numbers of 64 bits.
static constexpr size_t kNumbers = 3, kNumberBytes = 8;
static constexpr int64_t kHasScratch = 1;

std::string KernelCode::encode() const {
  int64_t flags = unit.hasScratch ? kHasScratch : 0;
  std::string bytes;
  for (int64_t number : {unit.scratchBytes, unit.blocks.value_or(-1), flags}) {
    char place[kNumberBytes];
    llvm::support::endian::write64le(place, static_cast<uint64_t>(number));
    bytes.append(place, kNumberBytes);
  }
  return bytes + object->getBuffer().str();
}

KernelCode KernelCode::decode(StringRef bytes, StringRef name) {
  auto number = [&](size_t i) {
    return static_cast<int64_t>(llvm::support::endian::read64le(bytes.data() + i * kNumberBytes));
  };
  KernelCode code;
  code.unit.name = name.str();
  code.unit.scratchBytes = number(0);
  if (number(1) >= 0)
    code.unit.blocks = number(1);
  code.unit.hasScratch = number(2) & kHasScratch;
  code.object =
      llvm::MemoryBuffer::getMemBufferCopy(bytes.drop_front(kNumbers * kNumberBytes), name);
  return code;
}

static DialectRegistry addTranslation(const DialectRegistry &registry) {
  DialectRegistry all;
  registry.appendTo(all);
  registerHostTranslation(all);
  return all;
}

KernelCompiler::KernelCompiler(const DialectRegistry &registry, const LoweringOptions &lowering,
                               const ObjectCompilerOptions &options)
    : options(options), context(addTranslation(registry), MLIRContext::Threading::DISABLED),
      handler(&context,
              [this](Diagnostic &diagnostic) {
                if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
                  errors += (errors.empty() ? "" : "; ") + diagnostic.str();
                return success();
              }),
      passes(&context, ModuleOp::getOperationName()) {
  FuseToLLVMOptions pipeline;
  setOptions(pipeline, lowering);
  buildKernelToLLVMPipeline(passes, pipeline);
  context.loadDialect<LLVM::LLVMDialect>();
}

llvm::Expected<KernelCode> KernelCompiler::compile(StringRef bytecode, StringRef name) {
  errors.clear();
  auto fail = [&] { return llvm::createStringError("cannot compile " + name + ": " + errors); };
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytecode, &context);
  if (!module || failed(passes.run(*module)))
    return fail();
  if (llvm::Error error = checkLowered(*module, name))
    return error;
  auto unit = describeKernel(*module, name);
  if (!unit)
    return unit.takeError();
  if (!machine) {
    auto made = makeTargetMachine(options);
    if (!made)
      return made.takeError();
    machine = std::move(*made);
  }
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*module, llvmContext, name);
  if (!translated)
    return fail();
  auto object = compileCode(*translated, *machine, name);
  if (!object)
    return object.takeError();
  return KernelCode{std::move(*unit), std::move(*object)};
}
