//===- RequestsTest.cpp - Requests to global memory are counted ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <gtest/gtest.h>

using namespace mlir::fuse::test;

namespace {

constexpr int32_t kChecks = EmulatedKernel::kAllChecks | FUSE_EMULATOR_REQUESTS;

std::string copyWithStride(int stride) {
  return inModule(R"(
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %stride = llvm.mlir.constant()" +
                  std::to_string(stride) + R"( : i32) : i32
      %i = llvm.mul %t, %stride : i32
      %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %q = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %x = llvm.load %p : !llvm.ptr -> i32
      llvm.store %x, %q : i32, !llvm.ptr
      llvm.return
    }
)");
}

std::vector<fuse_emulator_request_count> countRequests(EmulatedKernel &kernel) {
  std::vector<fuse_emulator_request_count> counts(8);
  counts.resize(fuse_emulator_requests(kernel.getDevice(), counts.data(), 8));
  return counts;
}

TEST(EmulatorRequests, StridesCostSectors) {
  for (int stride : {1, 2, 8, 32}) {
    EmulatedKernel kernel(copyWithStride(stride), kChecks);
    Numbers<int32_t> in(64 * stride), out(64);
    // Begins at a sector, as memory of a device does.
    alignas(32) static int32_t memory[64 * 32];
    fuse_buffer source = in.buffer(), result = out.buffer();
    source.data = memory;
    alignas(32) static int32_t written[64];
    result.data = written;
    ASSERT_EQ(kernel.launch({source, result}, {1, 64}), "");
    auto counts = countRequests(kernel);
    ASSERT_EQ(counts.size(), 2u);
    EXPECT_STREQ(counts[0].kernel, "k");
    EXPECT_EQ(std::string(counts[0].site).rfind("kernel.mlir:9:", 0), 0u) << counts[0].site;
    EXPECT_EQ(counts[0].writes, 0);
    EXPECT_EQ(counts[0].requests, 2); // one per warp
    EXPECT_EQ(counts[0].bytes, 2 * 128);
    EXPECT_EQ(counts[0].ideal_sectors, 2 * 4);
    EXPECT_EQ(counts[0].sectors, 2 * std::min(4 * stride, 32));
    EXPECT_EQ(counts[1].writes, 1);
    EXPECT_EQ(counts[1].sectors, 2 * 4);
    fuse_emulator_forget_requests(kernel.getDevice());
    EXPECT_TRUE(countRequests(kernel).empty());
  }
}

TEST(EmulatorRequests, BroadcastIsOneSector) {
  EmulatedKernel kernel(copyWithStride(0), kChecks);
  alignas(32) static int32_t memory[64];
  Numbers<int32_t> in(64), out(64);
  fuse_buffer source = in.buffer();
  source.data = memory;
  ASSERT_EQ(kernel.launch({source, out.buffer()}, {1, 64}), "");
  auto counts = countRequests(kernel);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0].sectors, 2);
  EXPECT_EQ(counts[0].ideal_sectors, 2);
}

/// Lane i reads the word i * stride of shared memory, or four from there on where `isWide`.
std::string readShared(int stride, bool isWide) {
  std::string type = isWide ? "vector<4xi32>" : "i32";
  return inModule(R"(
    llvm.mlir.global internal @shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<1024 x i32>
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %stride = llvm.mlir.constant()" +
                  std::to_string(stride) + R"( : i32) : i32
      %i = llvm.mul %t, %stride : i32
      %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
      %p = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %x = llvm.load %p : !llvm.ptr<3> -> )" +
                  type + R"(
      %q = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, )" +
                  type + R"(
      llvm.store %x, %q : )" +
                  type + R"(, !llvm.ptr
      llvm.return
    }
)");
}

int64_t countRounds(int stride, bool isWide) {
  EmulatedKernel kernel(readShared(stride, isWide), kChecks);
  Numbers<int32_t> in(32), out(32 * 4);
  EXPECT_EQ(kernel.launch({in.buffer(), out.buffer()}, {1, 32}), "");
  for (const fuse_emulator_request_count &count : countRequests(kernel))
    if (count.rounds > 0) {
      EXPECT_EQ(count.requests, 0);
      EXPECT_EQ(count.ideal_rounds, isWide ? 4 : 1);
      return count.rounds;
    }
  return 0;
}

TEST(EmulatorRequests, WordsOfOneBankCostRounds) {
  EXPECT_EQ(countRounds(1, false), 1);
  EXPECT_EQ(countRounds(2, false), 2);
  EXPECT_EQ(countRounds(31, false), 1);
  // One word for all.
  EXPECT_EQ(countRounds(0, false), 1);
  // Eight lanes at once take four words each.
  EXPECT_EQ(countRounds(4, true), 4);
  EXPECT_EQ(countRounds(20, true), 4);
  EXPECT_EQ(countRounds(16, true), 16);
}

} // namespace
