//===- CompiledKernel.cpp - A program ready to be timed --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledKernel.h"

#include "fuse/Execution/Compile.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/InitAll/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

static llvm::ExitOnError check("benchmark: ");

static void require(bool holds, const char *what) {
  if (!holds)
    check(llvm::createStringError(what));
}

CompiledKernel::CompiledKernel(const std::string &source, int threads) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  require(module.get() != nullptr, "the program cannot be parsed");
  FailureOr<func::FuncOp> function = findFunction(*module, "");
  require(succeeded(function), "the program has no function");
  require(succeeded(planProgram(*module, CompileOptions())) && succeeded(layoutProgram(*module)),
          "the program cannot be planned");
  FailureOr<Signature> signature = Signature::get(*function);
  require(succeeded(signature), "the function cannot be called");
  require(succeeded(lowerProgram(*module)), "the program cannot be lowered");
  session = check(Session::create(check(Program::load(*module, *signature)), signature->function,
                                  threads));
  std::vector<NamedArray> inputs;
  for (auto [i, info] : llvm::enumerate(signature->inputs))
    inputs.push_back({info.name, check(makeRandomInput(info, i))});
  check(session->bind(inputs));
  run();
  launches = session->getContext()->counters.launches;
}

void CompiledKernel::run() { check(session->run()); }
