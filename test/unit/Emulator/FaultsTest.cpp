//===- FaultsTest.cpp - Seeded faults are found, their repaired twins are silent ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace mlir::fuse::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The kernel @k(in, out, blocks, scratch) around `body`, with what faults are made of: thread %t,
/// block %b, the element %i of all threads (t + b·threads), shared memory %s of 64 numbers.
std::string kernelOf(const std::string &body) {
  return inModule(R"(
    llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i32>
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %b = nvvm.read.ptx.sreg.ctaid.x : i32
      %n = nvvm.read.ptx.sreg.ntid.x : i32
      %bn = llvm.mul %b, %n : i32
      %i = llvm.add %bn, %t : i32
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %zero = llvm.mlir.constant(0 : i32) : i32
      %one = llvm.mlir.constant(1 : i32) : i32
      %c16 = llvm.mlir.constant(16 : i32) : i32
      %c31 = llvm.mlir.constant(31 : i32) : i32
      %c32 = llvm.mlir.constant(32 : i32) : i32
      %all = llvm.mlir.constant(-1 : i32) : i32
      %pin = llvm.getelementptr %in[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %pout = llvm.getelementptr %out[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
)" + body + R"(
      llvm.return
    }
)");
}

/// Where the line with `mark` is: "kernel.mlir:7:".
std::string placeOf(const std::string &text, const std::string &mark) {
  size_t at = text.find(mark);
  return "kernel.mlir:" + std::to_string(1 + std::count(text.begin(), text.begin() + at, '\n')) +
         ":";
}

std::string without(std::string text, const std::string &mark) {
  size_t at = text.find(mark), begin = text.rfind('\n', at), end = text.find('\n', at);
  return text.erase(begin, end - begin);
}

/// One launch of 64 threads per block on 64 numbers per block.
std::string launch(const std::string &text, LaunchOptions options = {1, 64},
                   Numbers<int32_t> *result = nullptr,
                   int32_t checks = EmulatedKernel::kAllChecks) {
  EmulatedKernel kernel(text, checks);
  EXPECT_EQ(kernel.error, "");
  // Far from each other, so that what is beside one is not beside the other.
  constexpr int64_t kGap = 1024, stride = 1;
  int64_t count = 64 * options.blocks;
  std::vector<int32_t> memory(2 * count + 3 * kGap, 7);
  int32_t *in = memory.data() + kGap, *out = in + count + kGap;
  std::fill(out, out + count, -1);
  std::string error = kernel.launch(
      {{in, &count, &stride, 1, FUSE_I32}, {out, &count, &stride, 1, FUSE_I32}}, options);
  if (result)
    result->values.assign(out, out + count);
  return error;
}

// Each thread leaves a number for its left neighbour.
const std::string kExchange = kernelOf(R"(
      %here = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %t, %here : i32, !llvm.ptr<3> // leave
      nvvm.barrier0 // between
      %next = llvm.add %t, %one : i32
      %c63 = llvm.mlir.constant(63 : i32) : i32
      %other = llvm.and %next, %c63 : i32
      %there = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %x = llvm.load %there : !llvm.ptr<3> -> i32 // take
      llvm.store %x, %pout : i32, !llvm.ptr)");

TEST(EmulatorFaults, MissingBarrier) {
  Numbers<int32_t> out(0);
  ASSERT_EQ(launch(kExchange, {2, 64}, &out), "");
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[127], 0);
  std::string faulty = without(kExchange, "// between");
  EXPECT_THAT(launch(faulty, {2, 64}),
              AllOf(HasSubstr("kernel 'k', block 0: race: thread 1 writes byte 4 of shared memory"),
                    HasSubstr(placeOf(faulty, "// leave")),
                    HasSubstr("thread 0 read at " + placeOf(faulty, "// take"))));
  // Without the check it computes something.
  EXPECT_EQ(launch(faulty, {1, 64}, nullptr, FUSE_EMULATOR_BOUNDS), "");
}

// As above within a warp.
const std::string kWarpExchange = kernelOf(R"(
      %here = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %t, %here : i32, !llvm.ptr<3> // leave
      nvvm.bar.warp.sync %all : i32 // between
      %other = llvm.xor %t, %one : i32
      %there = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %x = llvm.load %there : !llvm.ptr<3> -> i32 // take
      llvm.store %x, %pout : i32, !llvm.ptr)");

TEST(EmulatorFaults, MissingWarpBarrier) {
  EXPECT_EQ(launch(kWarpExchange), "");
  std::string faulty = without(kWarpExchange, "// between");
  EXPECT_THAT(launch(faulty), AllOf(HasSubstr("race: thread 1 writes byte 4 of shared memory"),
                                    HasSubstr(placeOf(faulty, "// take"))));
}

TEST(EmulatorFaults, AWarpBarrierOrdersNoOtherWarp) {
  std::string faulty = kWarpExchange;
  // The neighbour is now in the other warp.
  faulty.replace(faulty.find("llvm.xor %t, %one"), 17, "llvm.xor %t, %c32");
  EXPECT_THAT(launch(faulty), AllOf(HasSubstr("race: thread 32 writes byte 128 of shared memory"),
                                    HasSubstr("thread 0 read")));
}

TEST(EmulatorFaults, SharedMemoryRace) {
  std::string faulty = kernelOf("llvm.store %t, %s : i32, !llvm.ptr<3> // all");
  std::string place = placeOf(faulty, "// all");
  EXPECT_THAT(launch(faulty),
              AllOf(HasSubstr("race: thread 1 writes byte 0 of shared memory at " + place),
                    HasSubstr("thread 0 wrote at " + place)));
  EXPECT_EQ(launch(kernelOf(R"(
      %isFirst = llvm.icmp "eq" %t, %zero : i32
      llvm.cond_br %isFirst, ^one, ^rest
    ^one:
      llvm.store %t, %s : i32, !llvm.ptr<3>
      llvm.br ^rest
    ^rest:)")),
            "");
}

TEST(EmulatorFaults, GlobalMemoryRace) {
  // Every block writes the same numbers.
  std::string faulty = kernelOf(R"(
      %p = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %i, %p : i32, !llvm.ptr // here)");
  EXPECT_THAT(launch(faulty, {2, 64}),
              AllOf(HasSubstr("block 1: race: thread 0 writes byte 0 of argument 1 at " +
                              placeOf(faulty, "// here")),
                    HasSubstr("thread 0 of block 0 wrote")));
  EXPECT_THAT(launch(faulty, {40, 64, 0, 0, 0, 4}), HasSubstr("race: thread"));
  EXPECT_EQ(launch(kernelOf("llvm.store %i, %pout : i32, !llvm.ptr"), {40, 64, 0, 0, 0, 4}), "");
}

TEST(EmulatorFaults, NeighboursAreNoRace) {
  // Bytes of one word, in shared memory and in an argument of words.
  for (const char *place : {"%s", "%out"})
    for (const char *type : {"i8", "i16"}) {
      std::string space = place[1] == 's' ? "!llvm.ptr<3>" : "!llvm.ptr";
      EXPECT_EQ(launch(kernelOf(std::string("%p = llvm.getelementptr ") + place + "[%t] : (" +
                                space + ", i32) -> " + space + ", " + type + "\n" +
                                "%v = llvm.trunc %t : i32 to " + type + "\n" +
                                "llvm.store %v, %p : " + type + ", " + space)),
                "");
    }
}

TEST(EmulatorFaults, VectorsRaceWithTheirElements) {
  std::string faulty = kernelOf(R"(
      %c4 = llvm.mlir.constant(4 : i32) : i32
      %isFirst = llvm.icmp "eq" %t, %zero : i32
      %p = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.cond_br %isFirst, ^vector, ^number
    ^vector:
      %v = llvm.mlir.constant(dense<0> : vector<4xi32>) : vector<4xi32>
      llvm.store %v, %s : vector<4xi32>, !llvm.ptr<3> // vector
      llvm.br ^rest
    ^number:
      llvm.store %t, %p : i32, !llvm.ptr<3> // number
      llvm.br ^rest
    ^rest:)");
  EXPECT_THAT(launch(faulty),
              AllOf(HasSubstr("race: thread 1 writes byte 4 of shared memory at " +
                              placeOf(faulty, "// number")),
                    HasSubstr("thread 0 wrote at " + placeOf(faulty, "// vector"))));
}

TEST(EmulatorFaults, MaskedAccessesTouchWhatTheMaskSays) {
  // The last thread's vector goes beyond the end; its mask does not.
  auto masked = [](int lanes) {
    return kernelOf(R"(
      %iota = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi32>) : vector<4xi32>
      %count = llvm.mlir.constant(dense<)" +
                    std::to_string(lanes) + R"(> : vector<4xi32>) : vector<4xi32>
      %mask = llvm.icmp "ult" %iota, %count : vector<4xi32>
      %zeros = llvm.mlir.constant(dense<0> : vector<4xi32>) : vector<4xi32>
      %c3 = llvm.mlir.constant(3 : i32) : i32
      %j = llvm.mul %t, %c3 : i32
      %p = llvm.getelementptr %in[%j] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %q = llvm.getelementptr %out[%j] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %x = llvm.intr.masked.load %p, %mask, %zeros {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
      llvm.intr.masked.store %x, %q, %mask {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr)");
  };
  auto run = [&](int lanes) {
    EmulatedKernel kernel(masked(lanes));
    EXPECT_EQ(kernel.error, "");
    Numbers<int32_t> in(192, 7), out(192, -1);
    std::string error = kernel.launch({in.buffer(), out.buffer()}, {1, 64});
    EXPECT_TRUE(!error.empty() || out[191] == 7);
    return error;
  };
  EXPECT_EQ(run(3), "");
  EXPECT_THAT(run(4), testing::AnyOf(HasSubstr("race"), HasSubstr("out of bounds")));
}

TEST(EmulatorFaults, DivergentBarrier) {
  std::string faulty = kernelOf(R"(
      %isLow = llvm.icmp "ult" %t, %c16 : i32
      llvm.cond_br %isLow, ^low, ^rest
    ^low:
      nvvm.barrier0 // some
      llvm.br ^rest
    ^rest:)");
  EXPECT_THAT(launch(faulty),
              AllOf(HasSubstr("kernel 'k', block 0: divergent barrier: thread 16 has ended"),
                    HasSubstr(placeOf(faulty, "// some"))));
  // The hardware counts threads that have ended.
  EXPECT_EQ(launch(faulty, {1, 64}, nullptr, 0), "");
  EXPECT_EQ(launch(kernelOf("nvvm.barrier0")), "");
}

TEST(EmulatorFaults, TwoBarriers) {
  std::string faulty = kernelOf(R"(
      %isLow = llvm.icmp "ult" %t, %c16 : i32
      llvm.cond_br %isLow, ^low, ^high
    ^low:
      nvvm.barrier0 // low
      llvm.br ^rest
    ^high:
      nvvm.barrier0 // high
      llvm.br ^rest
    ^rest:)");
  EXPECT_THAT(launch(faulty), AllOf(HasSubstr("divergent barrier: thread 16 waits at " +
                                              placeOf(faulty, "// high")),
                                    HasSubstr("others wait at " + placeOf(faulty, "// low"))));
}

TEST(EmulatorFaults, BarrierAgainstShuffle) {
  std::string faulty = kernelOf(R"(
      %isLow = llvm.icmp "ult" %t, %c16 : i32
      llvm.cond_br %isLow, ^low, ^high
    ^low:
      nvvm.barrier0 // barrier
      llvm.br ^rest
    ^high:
      %x = nvvm.shfl.sync bfly %all, %t, %one, %c31 : i32 -> i32 // shuffle
      llvm.br ^rest
    ^rest:)");
  // Nobody can go on: that is found without being asked for.
  for (int32_t checks : {0, EmulatedKernel::kAllChecks})
    EXPECT_THAT(
        launch(faulty, {1, 32}, nullptr, checks),
        AllOf(HasSubstr("divergent barrier: threads wait for each other"),
              HasSubstr("thread 0 and 15 more: at barrier 0, " + placeOf(faulty, "// barrier")),
              HasSubstr("thread 16 and 15 more: at the shuffle with mask 0xffffffff, " +
                        placeOf(faulty, "// shuffle"))));
}

TEST(EmulatorFaults, MasksDisagree) {
  EXPECT_THAT(launch(kernelOf(R"(
      %bit = llvm.shl %one, %t : i32
      %two = llvm.mlir.constant(3 : i32) : i32
      %mask = llvm.or %bit, %two : i32
      %x = nvvm.shfl.sync idx %mask, %t, %zero, %c31 : i32 -> i32)"),
                     {1, 32}),
              HasSubstr("shuffle"));
  EXPECT_THAT(launch(kernelOf("nvvm.bar.warp.sync %one : i32"), {1, 32}),
              HasSubstr("thread 1, lane 1, calls the warp barrier at kernel.mlir:"));
}

TEST(EmulatorFaults, OutOfBounds) {
  std::string good = kernelOf(R"(
      %x = llvm.load %pin : !llvm.ptr -> i32
      llvm.store %x, %pout : i32, !llvm.ptr)");
  EXPECT_EQ(launch(good, {3, 64}), "");

  std::string behind = kernelOf(R"(
      %p = llvm.getelementptr %pin[1] : (!llvm.ptr) -> !llvm.ptr, i32
      %x = llvm.load %p : !llvm.ptr -> i32 // here
      llvm.store %x, %pout : i32, !llvm.ptr)");
  EXPECT_THAT(launch(behind, {3, 64}),
              AllOf(HasSubstr("kernel 'k', block 2: access out of bounds: thread 63 reads 4 bytes"),
                    HasSubstr(placeOf(behind, "// here")),
                    HasSubstr("0 bytes behind the end of argument 0, which has 768 bytes")));

  std::string before = kernelOf(R"(
      %p = llvm.getelementptr %pout[-2] : (!llvm.ptr) -> !llvm.ptr, i32
      llvm.store %t, %p : i32, !llvm.ptr // here)");
  EXPECT_THAT(launch(before),
              AllOf(HasSubstr("thread 0 writes 4 bytes at " + placeOf(before, "// here")),
                    HasSubstr("8 bytes before argument 1, which has 256 bytes")));

  // Half of it is inside.
  std::string wide = kernelOf(R"(
      %x = llvm.load %pin {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32> // here
      llvm.store %zero, %pout : i32, !llvm.ptr)");
  EXPECT_THAT(launch(wide),
              AllOf(HasSubstr("thread 61 reads 16 bytes at " + placeOf(wide, "// here")),
                    HasSubstr("from byte 244 of argument 0 on, which has 256 bytes")));
  EXPECT_THAT(launch(kernelOf(R"(
      %null = llvm.mlir.zero : !llvm.ptr
      llvm.store %zero, %null : i32, !llvm.ptr)")),
              HasSubstr("thread 0 writes 4 bytes"));
}

TEST(EmulatorFaults, OutOfSharedMemory) {
  std::string text = kernelOf(R"(
      %p = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %q = llvm.getelementptr %p[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      llvm.store %t, %q : i32, !llvm.ptr<3> // here)");
  EXPECT_THAT(launch(text),
              AllOf(HasSubstr("access out of bounds: thread 0 writes 4 bytes at " +
                              placeOf(text, "// here")),
                    HasSubstr("0 bytes behind the end of shared memory, which has 256 bytes")));
  // Dynamic shared memory follows.
  EXPECT_EQ(launch(text, {1, 64, 256}), "");
  EXPECT_THAT(launch(text, {1, 64, 252}), HasSubstr("thread 63 writes 4 bytes"));
}

TEST(EmulatorFaults, ScratchHasItsOwnBounds) {
  std::string text = kernelOf(R"(
      %p = llvm.getelementptr %scratch[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %t, %p : i32, !llvm.ptr)");
  EXPECT_EQ(launch(text, {3, 64, 0, 256}), "");
  EXPECT_THAT(launch(text, {3, 64, 0, 192}), HasSubstr("behind the end of scratch"));
}

TEST(EmulatorFaults, OwnStackIsNobodyElses) {
  EXPECT_EQ(launch(kernelOf(R"(
      %slots = llvm.alloca %c16 x i32 : (i32) -> !llvm.ptr
      %which = llvm.urem %t, %c16 : i32
      %p = llvm.getelementptr %slots[%which] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %t, %p : i32, !llvm.ptr
      nvvm.barrier0
      %x = llvm.load %p : !llvm.ptr -> i32
      llvm.store %x, %pout : i32, !llvm.ptr)")),
            "");
}

TEST(EmulatorFaults, SharedMemoryStartsWithoutNumbers) {
  Numbers<int32_t> out(0);
  ASSERT_EQ(launch(kernelOf(R"(
      %p = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %x = llvm.load %p : !llvm.ptr<3> -> i32
      llvm.store %zero, %p : i32, !llvm.ptr<3>
      llvm.store %x, %pout : i32, !llvm.ptr)"),
                   {2, 64}, &out),
            "");
  EXPECT_EQ(out[5], -1);
  EXPECT_EQ(out[64 + 5], -1);
}

TEST(EmulatorFaults, WithoutChecksGuardsAreFound) {
  EmulatedKernel kernel(kernelOf(R"(
      %p = llvm.getelementptr %pout[1] : (!llvm.ptr) -> !llvm.ptr, i32
      llvm.store %t, %p : i32, !llvm.ptr)"),
                        0, {/*checkAccesses=*/false});
  ASSERT_EQ(kernel.error, "");
  fuse_context *context = fuse_context_create(1);
  void *memory = nullptr;
  ASSERT_EQ(kernel.getDevice()->allocate(kernel.getDevice(), context, 256, &memory), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  int64_t size = 64, stride = 1;
  fuse_buffer buffer = {memory, &size, &stride, 1, FUSE_I32};
  EXPECT_THAT(kernel.launch({buffer, buffer}, {1, 64}),
              HasSubstr("something wrote to byte 256 of memory that has 256 bytes"));
  kernel.getDevice()->release(kernel.getDevice(), context, memory);
  fuse_context_destroy(context);
}

TEST(EmulatorFaults, AfterAFaultLaunchesWork) {
  EmulatedKernel kernel(kExchange);
  Numbers<int32_t> in(64), small(60), out(64);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(kernel.launch({in.buffer(), small.buffer()}, {1, 64}), HasSubstr("out of bounds"));
    EXPECT_EQ(kernel.launch({in.buffer(), out.buffer()}, {1, 64}), "");
  }
}

TEST(EmulatorFaults, Trap) {
  EXPECT_THAT(launch(kernelOf("\"llvm.intr.trap\"() : () -> () // here")),
              HasSubstr("thread 0 at kernel.mlir:"));
}

TEST(EmulatorFaults, UnknownCodeIsRefused) {
  EXPECT_THAT(EmulatedKernel(kernelOf("nvvm.cluster.arrive")).error,
              AllOf(HasSubstr("@k: the emulator does not know the intrinsic"),
                    HasSubstr("llvm.nvvm.barrier.cluster.arrive")));
  EXPECT_THAT(EmulatedKernel(kernelOf(R"(
      %x = llvm.inline_asm "mov.u32 $0, %smid;", "=r" : () -> i32)"))
                  .error,
              HasSubstr("the emulator does not run inline assembly, found \"mov.u32"));
  EXPECT_THAT(EmulatedKernel(inModule(R"(
    llvm.func @__nv_normcdfinv(f64) -> f64
    llvm.func @k(%p: !llvm.ptr, %x: f64) attributes {gpu.kernel, nvvm.kernel} {
      %y = llvm.call @__nv_normcdfinv(%x) : (f64) -> f64
      llvm.store %y, %p : f64, !llvm.ptr
      llvm.return
    })"))
                  .error,
              HasSubstr("does not know the function __nv_normcdfinv"));
}

} // namespace
