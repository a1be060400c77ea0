//===- run-functions.cpp - Plans, compiles and runs all functions of a file ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   run-functions PROGRAM.mlir INPUTS.npz OUTPUTS.npz [--emulator]
//
// With --emulator as kernels of a GPU. One process and one compilation for hundreds of small
// functions. Each takes its inputs by name from the one archive; its first result is written as an
// array of the function's name. Prints a line per function: its name, how many kernels it has, how
// many launches the runtime counted.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Backend.h"
#include "fuse/Execution/Session.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Report/Report.h"
#include "fuse/Support/Npz.h"
#include "fuse/Target/Targets.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fuse;

static int fail(const llvm::Twine &text) {
  llvm::errs() << "run-functions: " << text << "\n";
  return 1;
}

static int run(MLIRContext &context, StringRef path, const Backend &backend,
               ArrayRef<NamedArray> given, std::vector<NamedArray> &outputs) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, ParserConfig(&context));
  if (!module)
    return fail("cannot parse " + path);
  ObjectCompilerOptions objects;
  objects.backend = &backend;
  if (backend.hasDevice()) {
    auto target = lookupTarget(&context, "sm_80", [&] { return module->emitError(); });
    if (failed(target))
      return 1;
    (*module)->setAttr(attr::kTarget, *target);
  }
  CompileOptions planning;
  LoweringOptions lowering;
  planning.numerics = lowering.numerics = Numerics::Reassociates;
  planning.backend = lowering.backend = &backend;
  if (failed(planProgram(*module, planning)))
    return fail("cannot plan");
  Report report = computeReport(*module);
  std::vector<Signature> signatures;
  for (const FunctionReport &function : report.functions) {
    auto signature = Signature::get(module->lookupSymbol<func::FuncOp>(function.name));
    if (failed(signature))
      return 1;
    signatures.push_back(std::move(*signature));
  }
  if (failed(lowerProgram(*module, lowering)))
    return fail("cannot lower");
  auto program = Program::load(*module, signatures, objects);
  if (!program)
    return fail(llvm::toString(program.takeError()));
  for (auto [signature, figures] : llvm::zip_equal(signatures, report.functions)) {
    std::vector<NamedArray> inputs;
    for (const ValueInfo &info : signature.inputs)
      for (const NamedArray &array : given)
        if (array.name == info.name)
          inputs.push_back(array);
    auto session = Session::create(*program, signature.function, 2);
    if (!session)
      return fail(llvm::toString(session.takeError()));
    if (llvm::Error error = (*session)->bind(inputs))
      return fail(llvm::toString(std::move(error)));
    if (llvm::Error error = (*session)->run())
      return fail(llvm::toString(std::move(error)));
    outputs.push_back({signature.function, (*session)->getOutputs()[0].array.clone()});
    llvm::outs() << signature.function << "\t" << figures.fusedKernels << "\t"
                 << (*session)->getContext()->counters.launches << "\n";
  }
  return 0;
}

int main(int argc, char **argv) {
  bool isEmulated = argc == 5 && StringRef(argv[4]) == "--emulator";
  if (argc != 4 && !isEmulated) {
    llvm::errs() << "usage: run-functions PROGRAM.mlir INPUTS.npz OUTPUTS.npz [--emulator]\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry);
  auto given = readNpz(argv[2]);
  if (!given)
    return fail(llvm::toString(given.takeError()));
  std::vector<NamedArray> outputs;
  const Backend &backend = *findBackend(isEmulated ? "emulator" : "cpu");
  if (int status = run(context, argv[1], backend, *given, outputs))
    return status;
  if (llvm::Error error = writeNpz(argv[3], outputs))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
