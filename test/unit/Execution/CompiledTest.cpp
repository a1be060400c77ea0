//===- CompiledTest.cpp - Launches are those reported; threads share a program ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledPrograms.h"
#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace mlir::fuse;
using namespace mlir::fuse::test;

namespace {

void expectReportedLaunches(const Compiled &compiled) {
  for (int32_t threads : {1, 2}) {
    std::unique_ptr<Session> session = start(compiled, threads);
    for (int64_t run = 1; run <= 3; ++run) {
      EXPECT_EQ("", runAndCompare(*session, compiled));
      const fuse_counters &counters = session->getContext()->counters;
      // Host ops are launches of the report's, and calls of the runtime's.
      EXPECT_EQ(run * compiled.fusedKernels, counters.launches + counters.host_calls);
      EXPECT_EQ(run * compiled.hostCalls, counters.host_calls);
      // Each of the programs returns what a kernel computes, too.
      EXPECT_EQ(run * (compiled.hostCalls + 1), counters.waits);
    }
  }
}

TEST(Compiled, LaunchesAreThoseReported) {
  for (const NamedSource &source : kSources)
    for (bool fusion : {true, false}) {
      SCOPED_TRACE(std::string(source.name) + (fusion ? ", fused" : ", unfused"));
      expectReportedLaunches(compile(source.text, fusion));
    }
}

TEST(Compiled, FusionSavesLaunches) {
  EXPECT_EQ(1, compile(kSources[0].text, true).fusedKernels);
  EXPECT_EQ(3, compile(kSources[0].text, false).fusedKernels);
  EXPECT_EQ(1, compile(kSources[1].text, true).fusedKernels);
}

TEST(Compiled, LaunchesOfTheDigitsAreThoseReported) {
  for (bool fusion : {true, false})
    expectReportedLaunches(compileFile("examples/digits/digits.mlir", fusion));
}

// Four threads with a session each, of which every one spreads its kernels over two more.
TEST(Compiled, FourThreadsRunOneProgram) {
  for (const NamedSource &source : kSources) {
    SCOPED_TRACE(source.name);
    Compiled compiled = compile(source.text);
    std::vector<std::string> errors(4);
    std::vector<std::thread> threads;
    std::atomic<int> waiting{4};
    for (std::string &error : errors)
      threads.emplace_back([&] {
        std::unique_ptr<Session> session = start(compiled, 2);
        --waiting; // all begin at once
        while (waiting)
          std::this_thread::yield();
        for (int run = 0; run < 25 && error.empty(); ++run)
          error = runAndCompare(*session, compiled);
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(std::vector<std::string>(4), errors);
  }
}

} // namespace
