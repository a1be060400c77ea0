//===- CompileProgramTest.cpp - Code from the cache is the code that was made -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CodeCache.h"
#include "fuse/Execution/Compile.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Target/Targets.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Several kernels, of which some have scratch.
constexpr const char *kSource = R"(
func.func @f(%x: tensor<40x300xf32>) -> (tensor<40x300xf32>, tensor<300x40xf32>) {
  %0 = fuse.softmax %x dimension = 1 : tensor<40x300xf32>
  %1 = fuse.transpose %x permutation = [1, 0] : tensor<40x300xf32> -> tensor<300x40xf32>
  return %0, %1 : tensor<40x300xf32>, tensor<300x40xf32>
}
func.func @g(%x: tensor<40x300xf32>) -> tensor<300x40xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<40x300xf32> -> tensor<300x40xf32>
  return %0 : tensor<300x40xf32>
})";

class CompileProgramTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-cache", folder));
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerAllFuseDialects(registry);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  CompiledObjects compile(const LoweringOptions &lowering, ObjectCompilerOptions options,
                          StringRef target = "") {
    MLIRContext context(registry);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kSource, &context);
    if (!target.empty())
      (*module)->setAttr(attr::kTarget,
                         *lookupTarget(&context, target, [&] { return module->emitError(); }));
    EXPECT_TRUE(succeeded(planProgram(*module, CompileOptions())));
    CodeCache cache(folder.str().str());
    options.cache = &cache;
    FailureOr<CompiledObjects> compiled = compileProgram(*module, lowering, options);
    EXPECT_TRUE(succeeded(compiled));
    EXPECT_EQ(cache.takeWarning(), "");
    return succeeded(compiled) ? std::move(*compiled) : CompiledObjects();
  }

  DialectRegistry registry;
  llvm::SmallString<128> folder;
};

TEST_F(CompileProgramTest, TheSecondTimeAllIsThereAndTheSame) {
  CompiledObjects cold = compile({}, {}), warm = compile({}, {});
  ASSERT_GE(cold.kernels.size(), 2u);
  EXPECT_EQ(cold.numCached, 0u);
  EXPECT_EQ(warm.numCached, warm.kernels.size());
  EXPECT_EQ(cold.objects.size(), cold.kernels.size() + 1);
  ASSERT_EQ(cold.objects.size(), warm.objects.size());
  for (size_t i = 0; i < cold.objects.size(); ++i)
    EXPECT_EQ(cold.objects[i]->getBuffer(), warm.objects[i]->getBuffer()) << i;
  for (size_t i = 0; i < cold.kernels.size(); ++i) {
    const KernelUnit &a = cold.kernels[i], &b = warm.kernels[i];
    EXPECT_EQ(std::tie(a.name, a.symbol, a.object, a.scratchBytes, a.blocks,
                       a.hasScratch),
              std::tie(b.name, b.symbol, b.object, b.scratchBytes, b.blocks,
                       b.hasScratch));
    EXPECT_TRUE(a.blocks);
  }
}

TEST_F(CompileProgramTest, WhatDecidesCodeIsPartOfTheKey) {
  compile({}, {});
  // Code is lowered for this CPU, whose features it may need.
  ObjectCompilerOptions other;
  other.cpu = getHostCpu();
  other.features = getHostFeatures();
  EXPECT_GT(compile({}, other).numCached, 0u) << "the same, by name";
  other.cpu = "generic";
  EXPECT_EQ(compile({}, other).numCached, 0u) << "the CPU";
  other.features += ",-prfchw";
  EXPECT_EQ(compile({}, other).numCached, 0u) << "its features";
  EXPECT_GT(compile({}, other).numCached, 0u);
  LoweringOptions freer;
  freer.numerics = Numerics::Reassociates;
  EXPECT_EQ(compile(freer, {}).numCached, 0u) << "numerics";
  EXPECT_EQ(compile({}, {}, "metal").numCached, 0u) << "the target that schedules are made for";
}

TEST_F(CompileProgramTest, OtherThreadsMakeTheSameCode) {
  ObjectCompilerOptions one;
  one.threads = 1;
  CompiledObjects first = compile({}, one);
  llvm::sys::fs::remove_directories(folder);
  CompiledObjects second = compile({}, {});
  EXPECT_EQ(second.numCached, 0u);
  ASSERT_EQ(first.objects.size(), second.objects.size());
  for (size_t i = 0; i < first.objects.size(); ++i)
    EXPECT_EQ(first.objects[i]->getBuffer(), second.objects[i]->getBuffer()) << i;
}
} // namespace
