//===- CompiledKernel.cpp - A program ready to be timed --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledKernel.h"

#include "fuse/Execution/Compile.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Target/TargetFile.h"
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

/// Random numbers; of a large array the same ones again and again, which are soon made.
static HostArray makeInput(ValueInfo info, uint64_t seed) {
  constexpr int64_t kRepeated = 65521;
  auto count = HostArray::computeByteSize(ElementType::I8, info.shape);
  if (info.type != ElementType::F32 || !count || *count <= kRepeated)
    return check(makeRandomInput(info, seed));
  HostArray array = check(HostArray::create(info.type, info.shape));
  info.shape = {kRepeated};
  HostArray part = check(makeRandomInput(info, seed));
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    array.data<float>()[i] = part.data<float>()[i % kRepeated];
  return array;
}

CompiledKernel::CompiledKernel(const std::string &source, int threads,
                               llvm::ArrayRef<std::vector<int64_t>> shapes, llvm::StringRef target,
                               Numerics numerics) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  require(module.get() != nullptr, "the program cannot be parsed");
  if (!target.empty())
    (*module)->setAttr(attr::kTarget, check(readTargetFile(target)).makeTarget(&context));
  FailureOr<func::FuncOp> function = findFunction(*module, "");
  require(succeeded(function), "the program has no function");
  CompileOptions planning;
  LoweringOptions lowering;
  planning.numerics = lowering.numerics = numerics;
  require(succeeded(planProgram(*module, planning)), "the program cannot be planned");
  FailureOr<Signature> signature = Signature::get(*function);
  require(succeeded(signature), "the function cannot be called");
  require(succeeded(lowerProgram(*module, lowering)), "the program cannot be lowered");
  session = check(Session::create(check(Program::load(*module, *signature)), signature->function,
                                  threads));
  std::vector<NamedArray> inputs;
  for (auto [i, info] : llvm::enumerate(signature->inputs)) {
    if (!shapes.empty())
      info.shape = llvm::to_vector<4>(shapes[i]);
    inputs.push_back({info.name, makeInput(info, i)});
  }
  check(session->bind(inputs));
  run();
  launches = session->getContext()->counters.launches;
}

void CompiledKernel::run() { check(session->run()); }
