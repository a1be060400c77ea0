//===- outside-c.cpp - A backend of one's own ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// usage: outside-c FILE: plans a program, compiles it for the backend "c", prints its kernels.
//
//===----------------------------------------------------------------------------------------===//

#include "CBackend.h"
#include "fuse/InitAll/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fuse;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  llvm::ExitOnError check("outside-c: ");
  check(registerBackend(createCBackend()));
  // A name is given once.
  llvm::errs() << llvm::toString(registerBackend(createCBackend())) << "\n";
  for (const Backend *backend : getBackends())
    llvm::errs() << backend->getName() << ": " << backend->getDescription() << "\n";

  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  registerAllFuseDialects(registry);
  MLIRContext context(registry);
  auto program = parseSourceFile<ModuleOp>(argv[1], &context);
  CompileOptions planning;
  LoweringOptions lowering;
  planning.backend = lowering.backend = findBackend("c");
  if (!program || failed(planProgram(*program, planning)))
    return 1;
  FailureOr<CompiledObjects> compiled = compileProgram(*program, lowering);
  if (failed(compiled))
    return 1;
  for (const KernelUnit &kernel : compiled->kernels)
    llvm::outs() << compiled->images.at(kernel.object).getImage();
  return 0;
}
