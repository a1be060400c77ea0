//===- ThreadsTest.cpp - Threads, blocks and warps on the emulator ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir::fuse::test;

namespace {

TEST(EmulatorThreads, HaveIds) {
  EmulatedKernel kernel(inModule(R"(
    llvm.func @k(%out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x range <i32, 0, 96> : i32
      %b = nvvm.read.ptx.sreg.ctaid.x : i32
      %n = nvvm.read.ptx.sreg.ntid.x : i32
      %g = nvvm.read.ptx.sreg.nctaid.x : i32
      %l = nvvm.read.ptx.sreg.laneid : i32
      %w = nvvm.read.ptx.sreg.warpid : i32
      %y = nvvm.read.ptx.sreg.tid.y : i32
      %bn = llvm.mul %b, %n : i32
      %i = llvm.add %bn, %t : i32
      %p = llvm.getelementptr %out[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %c100 = llvm.mlir.constant(100 : i32) : i32
      %a1 = llvm.mul %t, %c100 : i32
      %a2 = llvm.add %a1, %l : i32
      %a3 = llvm.mul %a2, %c100 : i32
      %a4 = llvm.add %a3, %w : i32
      %a5 = llvm.mul %a4, %c100 : i32
      %a6 = llvm.add %a5, %b : i32
      %a7 = llvm.add %a6, %y : i32
      %a8 = llvm.mul %g, %c100 : i32
      %a9 = llvm.add %a7, %a8 : i32
      llvm.store %a9, %p : i32, !llvm.ptr
      llvm.return
    }
  )"));
  ASSERT_EQ(kernel.error, "");
  Numbers<int32_t> out(5 * 96);
  for (int32_t workers : {1, 3}) {
    std::fill(out.values.begin(), out.values.end(), -1);
    ASSERT_EQ(kernel.launch({out.buffer()}, {5, 96, 0, 0, 0, workers}), "");
    for (int b = 0; b < 5; ++b)
      for (int t = 0; t < 96; ++t)
        ASSERT_EQ(out[b * 96 + t], ((t * 100 + t % 32) * 100 + t / 32) * 100 + b + 500);
  }
}

// A sum by a grid-stride loop, shuffles and shared memory, from the dialects that fuse-to-gpu uses.
const char *const kSum = R"(
  gpu.module @device {
    llvm.mlir.global internal @partial() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
    gpu.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) kernel {
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %n = gpu.block_dim x
      %g = gpu.grid_dim x
      %lane = gpu.lane_id
      %c0 = arith.constant 0 : index
      %c5 = arith.constant 5 : index
      %c32 = arith.constant 32 : index
      %count = arith.index_cast %blocks : i64 to index
      %s0 = llvm.mlir.addressof @partial : !llvm.ptr<3>
      scf.for %block = %b to %count step %g {
        %first = arith.muli %block, %n : index
        %i = arith.addi %first, %t : index
        %i64 = arith.index_cast %i : index to i64
        %p = llvm.getelementptr %in[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %x = llvm.load %p : !llvm.ptr -> f32
        %w = arith.constant 32 : i32
        %d16 = arith.constant 16 : i32
        %d8 = arith.constant 8 : i32
        %d4 = arith.constant 4 : i32
        %d2 = arith.constant 2 : i32
        %d1 = arith.constant 1 : i32
        %y16, %v16 = gpu.shuffle xor %x, %d16, %w : f32
        %x16 = arith.addf %x, %y16 : f32
        %y8, %v8 = gpu.shuffle xor %x16, %d8, %w : f32
        %x8 = arith.addf %x16, %y8 : f32
        %y4, %v4 = gpu.shuffle down %x8, %d4, %w : f32
        %x4 = arith.addf %x8, %y4 : f32
        %y2, %v2 = gpu.shuffle down %x4, %d2, %w : f32
        %x2 = arith.addf %x4, %y2 : f32
        %y1, %v1 = gpu.shuffle down %x2, %d1, %w : f32
        %x1 = arith.addf %x2, %y1 : f32
        %isFirst = arith.cmpi eq, %lane, %c0 : index
        scf.if %isFirst {
          %warp = arith.shrui %t, %c5 : index
          %warp64 = arith.index_cast %warp : index to i64
          %q = llvm.getelementptr %s0[%warp64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
          llvm.store %x1, %q : f32, !llvm.ptr<3>
        }
        gpu.barrier
        %isThread0 = arith.cmpi eq, %t, %c0 : index
        scf.if %isThread0 {
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %warps = arith.divui %n, %c32 : index
          %sum = scf.for %j = %c0 to %warps step %c1 iter_args(%so = %zero) -> f32 {
            %j64 = arith.index_cast %j : index to i64
            %q = llvm.getelementptr %s0[%j64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
            %v = llvm.load %q : !llvm.ptr<3> -> f32
            %r = arith.addf %so, %v : f32
            scf.yield %r : f32
          }
          %block64 = arith.index_cast %block : index to i64
          %q = llvm.getelementptr %out[%block64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %sum, %q : f32, !llvm.ptr
        }
        gpu.barrier
      }
      gpu.return
    }
  })";

TEST(EmulatorThreads, ReduceABlock) {
  EmulatedKernel kernel(kSum);
  ASSERT_EQ(kernel.error, "");
  EXPECT_EQ(kernel.getStaticShared(), 128);
  Numbers<float> in(10 * 256), out(10, -1.0f);
  std::iota(in.values.begin(), in.values.end(), 0.0f);
  // Ten blocks of work by a grid of four.
  ASSERT_EQ(kernel.launch({in.buffer(), out.buffer()}, {10, 256, 0, 0, 4, 2}), "");
  for (int b = 0; b < 10; ++b)
    EXPECT_EQ(out[b], 256.0f * 255 / 2 + 256.0f * 256 * b) << b;
}

// Two halves of a block, each with a barrier of its own.
TEST(EmulatorThreads, MeetAtNumberedBarriers) {
  auto textOf = [](const std::string &count) {
    return inModule(R"(
    llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i32>
    llvm.func @k(%out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c2 = llvm.mlir.constant(2 : i32) : i32
      %c32 = llvm.mlir.constant(32 : i32) : i32
      %c64 = llvm.mlir.constant(64 : i32) : i32
      %count = llvm.mlir.constant()" +
                    count + R"( : i32) : i32
      %here = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %t, %here : i32, !llvm.ptr<3>
      %isLow = llvm.icmp "ult" %t, %c64 : i32
      llvm.cond_br %isLow, ^low, ^high
    ^low:
      nvvm.barrier id = %c1 number_of_threads = %count
      llvm.br ^rest
    ^high:
      nvvm.barrier id = %c2 number_of_threads = %count
      llvm.br ^rest
    ^rest:
      %other = llvm.xor %t, %c32 : i32
      %there = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %x = llvm.load %there : !llvm.ptr<3> -> i32
      %p = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %x, %p : i32, !llvm.ptr
      llvm.return
    }
)");
  };
  EmulatedKernel kernel(textOf("64"));
  ASSERT_EQ(kernel.error, "");
  Numbers<int32_t> out(128);
  ASSERT_EQ(kernel.launch({out.buffer()}, {1, 128}), "");
  for (int t = 0; t < 128; ++t)
    EXPECT_EQ(out[t], t ^ 32);
  // More than can come.
  EXPECT_NE(
      EmulatedKernel(textOf("96")).launch({out.buffer()}, {1, 128}).find("wait for each other"),
      std::string::npos);
}

} // namespace
