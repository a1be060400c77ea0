//===- CompiledAllocationTest.cpp - A second run of a compiled program allocates nothing -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MallocCount.h"
#include "CompiledPrograms.h"
#include "gtest/gtest.h"

using namespace mlir::fuse;
using namespace mlir::fuse::test;

static void expectNoAllocation(const Compiled &compiled) {
  for (int32_t threads : {1, 2}) {
    int64_t atFirst = allocations;
    std::unique_ptr<Session> session = start(compiled, threads);
    ASSERT_GT(allocations, atFirst) << "the replaced malloc is not in use";
    ASSERT_EQ("", runAndCompare(*session, compiled));
    // The second run, and many after it.
    int64_t before = allocations;
    bool failed = false;
    for (int i = 0; i < 20; ++i)
      failed |= static_cast<bool>(session->run());
    EXPECT_EQ(before, allocations) << threads << " threads";
    EXPECT_FALSE(failed);
  }
}

TEST(CompiledAllocation, SecondRunAllocatesNothing) {
  for (const NamedSource &source : kSources)
    for (bool fusion : {true, false}) {
      SCOPED_TRACE(std::string(source.name) + (fusion ? ", fused" : ", unfused"));
      expectNoAllocation(compile(source.text, fusion));
    }
}

TEST(CompiledAllocation, NorDoLoops) {
  expectNoAllocation(compile(R"(func.func @loop(%x: tensor<50xf32>) -> tensor<50xf32> {
    %begin = arith.constant 0 : index
    %end = arith.constant 5 : index
    %step = arith.constant 1 : index
    %0 = scf.for %i = %begin to %end step %step iter_args(%a = %x) -> tensor<50xf32> {
      %1 = fuse.softmax %a dimension = 0 : tensor<50xf32>
      %2 = fuse.binary add %1, %x : tensor<50xf32>
      scf.yield %2 : tensor<50xf32>
    }
    return %0 : tensor<50xf32>
  })"));
}

// Scratch for rows whose length only the call tells grows once.
TEST(CompiledAllocation, NorDoDynamicRows) {
  expectNoAllocation(compile(R"(func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = fuse.softmax %x dimension = 1 : tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  })"));
}

TEST(CompiledAllocation, NorDoTheDigits) {
  expectNoAllocation(compileFile("examples/digits/digits.mlir"));
}
