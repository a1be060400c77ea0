//===- ProgramTest.cpp - Lowered modules are compiled, loaded and run ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Session.h"

#include "LoweredPrograms.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <thread>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::test;

namespace {

class ProgramTest : public ::testing::Test {
protected:
  ProgramTest() {
    context.loadDialect<LLVM::LLVMDialect, func::FuncDialect, FuseDialect>();
    source = parseSourceString<ModuleOp>(kChainSource, &context);
    signature = *Signature::get(*findFunction(*source, ""));
  }

  llvm::Expected<std::shared_ptr<const Program>> load(const std::string &text) {
    // The attributes of lowered modules are a contract with code generation, not of the dialect.
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context, /*verifyAfterParse=*/false));
    EXPECT_TRUE(module);
    return Program::load(*module, signature);
  }

  std::string loadError(const std::string &text) {
    auto program = load(text);
    return program ? "no error" : llvm::toString(program.takeError());
  }

  std::unique_ptr<Session> start(const std::string &text) {
    auto program = load(text);
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return nullptr;
    }
    return llvm::cantFail(Session::create(*program, "f", 2));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> source;
  Signature signature;
};

std::string takeText(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST_F(ProgramTest, RunsAChainOfTwoKernels) {
  auto session = start(makeChain("kernel_a", "kernel_b",
                                 makeKernel("kernel_a", kDouble) + makeKernel("kernel_b", kExp)));
  ASSERT_TRUE(session);
  HostArray x = HostArray::fromFloats(ElementType::F32, {5}, {0, 0.5, -1, 2, INFINITY});
  ASSERT_EQ("", takeText(session->bind({{"x", x}})));
  EXPECT_EQ(20, session->getArenaBytes());
  for (int i = 1; i <= 2; ++i) {
    ASSERT_EQ("", takeText(session->run()));
    EXPECT_EQ(2 * i, session->getContext()->counters.launches);
  }
  ASSERT_EQ(1u, session->getOutputs().size());
  EXPECT_EQ("y", session->getOutputs()[0].name);
  const HostArray &y = session->getOutputs()[0].array;
  EXPECT_EQ("5xf32", y.describe());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(std::exp(2 * x.data<float>()[i]), y.data<float>()[i]);

  // Another length with the same session.
  ASSERT_EQ("", takeText(session->bind({{"x", HostArray(ElementType::F32, {0})}})));
  ASSERT_EQ("", takeText(session->run()));
  EXPECT_EQ("0xf32", session->getOutputs()[0].array.describe());
}

TEST_F(ProgramTest, CompilesEqualKernelsOnce) {
  auto program = llvm::cantFail(load(makeChain(
      "kernel_a", "kernel_b", makeKernel("kernel_a", kDouble) + makeKernel("kernel_b", kDouble))));
  EXPECT_EQ(2u, program->getNumObjects());
  ASSERT_EQ(2u, program->getKernels().size());
  EXPECT_EQ(program->getKernels()[0].run, program->getKernels()[1].run);
  EXPECT_STREQ("kernel_b", program->getKernels()[1].name);
  EXPECT_EQ(128, program->getKernels()[0].scratch_bytes);
}

TEST_F(ProgramTest, ServesSeveralThreads) {
  auto program = llvm::cantFail(load(makeChain(
      "kernel_a", "kernel_b", makeKernel("kernel_a", kDouble) + makeKernel("kernel_b", kExp))));
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto session = llvm::cantFail(Session::create(program, "f", 1));
      llvm::cantFail(session->bind({{"x", HostArray::splat(ElementType::F32, {100}, t)}}));
      for (int run = 0; run < 20; ++run) {
        llvm::cantFail(session->run());
        for (float value : session->getOutputs()[0].array.data<float>())
          wrong[t] += value != std::exp(2.0f * t);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::vector<int>(4), wrong);
}

TEST_F(ProgramTest, ReportsWhatTheProgramRefuses) {
  auto session = start(makeChain("kernel_a", "kernel_b",
                                 makeKernel("kernel_a", kDouble) + makeKernel("kernel_b", kExp)));
  ASSERT_TRUE(session);
  EXPECT_EQ("@f runs before it is bound", takeText(session->run()));
  EXPECT_EQ("@f: expected 1001 to be no more than 1000",
            takeText(session->bind({{"x", HostArray(ElementType::F32, {1001})}})));
  EXPECT_EQ("@f runs before it is bound", takeText(session->run()));
  EXPECT_EQ("input 'x': expected ?xf32, found 2xf64",
            takeText(session->bind({{"x", HostArray(ElementType::F64, {2})}})));
}

TEST_F(ProgramTest, RefusesAnUnknownFunction) {
  auto program = llvm::cantFail(load(makeChain(
      "kernel_a", "kernel_b", makeKernel("kernel_a", kDouble) + makeKernel("kernel_b", kExp))));
  auto session = Session::create(program, "g");
  ASSERT_FALSE(session);
  EXPECT_EQ("the program has no function @g", takeText(session.takeError()));
}

TEST_F(ProgramTest, ReportsMalformedModules) {
  std::string kernels = makeKernel("kernel_a", kDouble);
  EXPECT_EQ("fuse.kernels names @kernel_b, but no nested module has that name",
            loadError(makeChain("kernel_a", "kernel_b", kernels)));
  EXPECT_EQ("kernel @kernel_b: expected fuse.scratch_bytes to be an integer of at least 0",
            loadError(makeChain("kernel_a", "kernel_b",
                                kernels + makeKernel("kernel_b", kExp,
                                                     "fuse.scratch_bytes = -1 : i64"))));
  EXPECT_EQ("kernel @kernel_b: expected its module to define @kernel_b",
            loadError(makeChain("kernel_a", "kernel_b", kernels + "module @kernel_b {}")));
  EXPECT_EQ("cannot compile kernel_b: 'arith.addf' is not of the LLVM dialect",
            loadError(makeChain("kernel_a", "kernel_b",
                                kernels + makeKernel("kernel_b", "%w = arith.addf %v, %v : f32"))));
}

TEST_F(ProgramTest, ReportsMissingSymbols) {
  EXPECT_NE(std::string::npos, loadError("module {}").find("cannot load fuse_run_f: "));
  std::string text = makeChain("kernel_a", "kernel_b",
                               makeKernel("kernel_a", kDouble) + makeKernel("kernel_b", kExp));
  for (size_t at = 0; (at = text.find("@expf", at)) != std::string::npos;)
    text.replace(at, 5, "@no_such_function");
  EXPECT_NE(std::string::npos, loadError(text).find("no_such_function"));
}

} // namespace
