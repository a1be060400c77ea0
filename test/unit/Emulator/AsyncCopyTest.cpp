//===- AsyncCopyTest.cpp - Copies to shared memory that are waited for --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace mlir::fuse::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// Where the line with `mark` is: "kernel.mlir:7:".
std::string placeOf(const std::string &text, const std::string &mark) {
  size_t at = text.find(mark);
  return "kernel.mlir:" + std::to_string(1 + std::count(text.begin(), text.begin() + at, '\n')) +
         ":";
}

/// Two groups of copies of 16 bytes per thread; takes from the first after `wait`.
std::string copyText(const std::string &wait, const std::string &barrier = "nvvm.barrier0",
                     const std::string &size = "") {
  return inModule(R"(
    llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i32>
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %global = llvm.addrspacecast %in : !llvm.ptr to !llvm.ptr<1>
      %four = llvm.mlir.constant(4 : i32) : i32
      %first = llvm.mul %t, %four : i32
      %to = llvm.getelementptr %s[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %from = llvm.getelementptr %global[%first] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %size = llvm.mlir.constant(8 : i32) : i32
      nvvm.cp.async.shared.global %to, %from, 16, cache = cg)" +
                  std::string(size.empty() ? " : !llvm.ptr<3>, !llvm.ptr<1>"
                                           : ", %size : !llvm.ptr<3>, !llvm.ptr<1>, i32") +
                  R"(
      nvvm.cp.async.commit.group
      %to2 = llvm.getelementptr %to[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %from2 = llvm.getelementptr %from[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      nvvm.cp.async.shared.global %to2, %from2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.commit.group
)" + std::string(wait) +
                  "\n" + barrier +
                  R"(
      %c4 = llvm.mlir.constant(4 : i32) : i32
      %c127 = llvm.mlir.constant(127 : i32) : i32
      %next = llvm.add %first, %c4 : i32
      %other = llvm.and %next, %c127 : i32
      %p = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %x = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
      %q = llvm.getelementptr %out[%first] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %x, %q {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr
      llvm.return
    })");
}

std::string launch(const std::string &text, Numbers<int32_t> &out) {
  EmulatedKernel kernel(text);
  EXPECT_EQ(kernel.error, "");
  Numbers<int32_t> in(256);
  std::iota(in.values.begin(), in.values.end(), 0);
  return kernel.launch({in.buffer(), out.buffer()});
}

TEST(EmulatorAsyncCopies, ArriveWithTheWait) {
  for (const char *wait : {"nvvm.cp.async.wait.group 1", "nvvm.cp.async.wait.group 0"}) {
    Numbers<int32_t> out(128);
    ASSERT_EQ(launch(copyText(wait), out), "");
    for (int i = 0; i < 128; ++i)
      EXPECT_EQ(out[i], (i + 4) % 128);
  }
}

TEST(EmulatorAsyncCopies, ShowThatNobodyWaited) {
  // Two groups may be under way still: each thread reads what another one copies.
  Numbers<int32_t> out(128);
  std::string text = copyText("nvvm.cp.async.wait.group 2");
  EXPECT_THAT(launch(text, out),
              AllOf(HasSubstr("copy under way: thread "), HasSubstr("reads byte "),
                    HasSubstr("of shared memory at " + placeOf(text, "%x = llvm.load")),
                    HasSubstr("copies at " + placeOf(text, "%from, 16"))));
  EXPECT_THAT(launch(copyText("nvvm.cp.async.wait.group 0", ""), out), HasSubstr("race"));
}

TEST(EmulatorAsyncCopies, OwnCopiesAreWaitedForAsWell) {
  // The thread that copies reads its own bytes.
  std::string text = copyText("nvvm.cp.async.wait.group 2", "nvvm.barrier0");
  size_t at = text.find("%s[%other]");
  text.replace(at, 10, "%s[%first]");
  Numbers<int32_t> out(128);
  EXPECT_THAT(launch(text, out), HasSubstr("copy under way: thread 31 reads byte 496 "));
}

TEST(EmulatorAsyncCopies, StagesAreNotUsedAgainTooEarly) {
  // The second group goes where the first one is under way to.
  std::string text = copyText("nvvm.cp.async.wait.group 0");
  size_t at = text.find("%to[128]");
  text.replace(at, 8, "%to[0]");
  Numbers<int32_t> out(128);
  EXPECT_THAT(launch(text, out), AllOf(HasSubstr("copy under way: thread 0 writes byte 0 "),
                                       HasSubstr("memory at " + placeOf(text, "%from2, 16")),
                                       HasSubstr("copies at " + placeOf(text, "%from, 16"))));
}

TEST(EmulatorAsyncCopies, ArriveAsTheSeedSays) {
  // Without checks it is told by the bytes alone. Some have arrived, others have not.
  auto read = [](uint64_t seed) {
    EmulatedKernel kernel(copyText("nvvm.cp.async.wait.group 2"), 0, {/*checkAccesses=*/false});
    EXPECT_EQ(kernel.error, "");
    fuse_emulator_set_seed(kernel.getDevice(), seed);
    Numbers<int32_t> in(256), out(128);
    std::iota(in.values.begin(), in.values.end(), 0);
    EXPECT_EQ(kernel.launch({in.buffer(), out.buffer()}), "");
    return out.values;
  };
  std::vector<int32_t> first = read(1), second = read(2);
  EXPECT_EQ(first, read(1));
  EXPECT_NE(first, second);
  EXPECT_THAT(first, testing::Contains(-1));
  EXPECT_THAT(first, testing::Contains(testing::Ge(0)));
}

TEST(EmulatorAsyncCopies, FillWithZero) {
  Numbers<int32_t> out(128);
  ASSERT_EQ(launch(copyText("nvvm.cp.async.wait.group 0", "nvvm.barrier0", "%size"), out), "");
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(out[1], 5);
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[3], 0);
}

} // namespace
