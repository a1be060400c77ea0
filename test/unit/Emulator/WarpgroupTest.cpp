//===- WarpgroupTest.cpp - Products of warpgroups, and what may go wrong with them --------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include "fuse/Support/ElementType.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace mlir::fuse;
using namespace mlir::fuse::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

constexpr int kRows = 64, kColumns = 16, kSteps = 16, kSums = kColumns / 2, kThreads = 128;
/// Of A, of B, and of both: lines of 128 bytes, of which the first ones have rows or steps.
constexpr int kBytesOfA = 8192, kBytes = 10240;

/// What a kernel does at places where something may be missing.
struct Steps {
  std::string proxyFence = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}";
  std::string barrier = "nvvm.barrier0";
  std::string fence = "nvvm.wgmma.fence.aligned";
  std::string before, wait = "nvvm.wgmma.wait.group.sync.aligned 0";
  std::string left = "%left", pattern = "4611686293305294848"; // 1 << 62 | 1024 / 16 << 32
};

/// `each` so many times as a thread has sums.
std::string repeat(const std::string &each) {
  std::string text = each;
  for (int i = 1; i < kSums; ++i)
    text += ", " + each;
  return text;
}

/// 128 threads put 640 pieces of 16 bytes into shared memory, multiply twice what lies there, and store their sums.
std::string makeText(const Steps &steps, bool isTurned = false, const std::string &element = "f16") {
  std::string sums = "!llvm.struct<(" + repeat("f32") + ")>";
  std::string text = R"(
    llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<2560 x i32>
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %zero = llvm.mlir.constant(0.0 : f32) : f32
      %seven = llvm.mlir.constant(7.0 : f32) : f32
)";
  for (int i = 0; i < kBytes / 16 / kThreads; ++i) {
    std::string n = std::to_string(i);
    text += "%c" + n + " = llvm.mlir.constant(" + std::to_string(i * kThreads) + " : i32) : i32\n" +
            "%p" + n + " = llvm.add %t, %c" + n + " : i32\n" +
            "%from" + n + " = llvm.getelementptr %in[%p" + n + "] : (!llvm.ptr, i32) -> !llvm.ptr, vector<4xi32>\n" +
            "%to" + n + " = llvm.getelementptr %s[%p" + n + "] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>\n" +
            "%v" + n + " = llvm.load %from" + n + " {alignment = 16 : i64} : !llvm.ptr -> vector<4xi32>\n" +
            "llvm.store %v" + n + ", %to" + n + " {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>\n";
  }
  text += steps.proxyFence + "\n" + steps.barrier + R"(
      %address = llvm.ptrtoint %s : !llvm.ptr<3> to i64
      %mask = llvm.mlir.constant(262143 : i64) : i64
      %four = llvm.mlir.constant(4 : i64) : i64
      %masked = llvm.and %address, %mask : i64
      %units = llvm.lshr %masked, %four : i64
      %pattern = llvm.mlir.constant()" + steps.pattern + R"( : i64) : i64
      %left = llvm.or %units, %pattern : i64
      %ahead = llvm.mlir.constant()" + std::to_string(kBytesOfA / 16) + R"( : i64) : i64
      %right = llvm.add %left, %ahead : i64
      %thread = llvm.zext %t : i32 to i64
      %other = llvm.add %left, %thread : i64
      %0 = llvm.mlir.poison : )" + sums + "\n";
  for (int i = 0; i < kSums; ++i)
    text += "%" + std::to_string(i + 1) + " = llvm.insertvalue %zero, %" + std::to_string(i) + "[" + std::to_string(i) +
            "] : " + sums + "\n";
  text += steps.fence + "\n";
  std::string before = "%" + std::to_string(kSums);
  for (std::string product : {"%once", "%twice"}) {
    text += product + " = nvvm.wgmma.mma_async " + steps.left + ", %right, " + before +
            ", #nvvm.shape<m = 64, n = 16, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<one>], A [<" + element +
            ">, #nvvm.wgmma_scale_in<one>, <" + (isTurned ? "col" : "row") + ">], B [<" + element +
            ">, #nvvm.wgmma_scale_in<one>, <" + (isTurned ? "row" : "col") + ">] : " + sums + " -> " + sums + "\n";
    before = product;
  }
  text += "nvvm.wgmma.commit.group.sync.aligned\n" + steps.before + "\n" + steps.wait + "\n";
  for (int i = 0; i < kSums; ++i) {
    std::string n = std::to_string(i);
    text += "%e" + n + " = llvm.extractvalue %twice[" + n + "] : " + sums + "\n" +
            "%row" + n + " = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<8 x f32>\n" +
            "%q" + n + " = llvm.getelementptr %row" + n + "[" + n + "] : (!llvm.ptr) -> !llvm.ptr, f32\n" +
            "llvm.store %e" + n + ", %q" + n + " : f32, !llvm.ptr\n";
  }
  return inModule(text + "llvm.return\n    }\n");
}

/// Where the line with `mark` is: "kernel.mlir:7:".
std::string placeOf(const std::string &text, const std::string &mark) {
  size_t at = text.find(mark);
  return "kernel.mlir:" + std::to_string(1 + std::count(text.begin(), text.begin() + at, '\n')) + ":";
}

/// Puts an element of a matrix whose memory begins at `begin` where products find it: pieces of 16 bytes are permuted by
/// the number of their line.
void put(Numbers<uint16_t> &memory, int begin, int slow, int fast, uint16_t value) {
  int piece = fast / 8 ^ slow % 8;
  memory[begin / 2 + slow * 64 + piece * 8 + fast % 8] = value;
}

std::string launch(const std::string &text, Numbers<float> &out, Numbers<uint16_t> &in, uint64_t seed = 0) {
  EmulatedKernel kernel(text);
  EXPECT_EQ(kernel.error, "");
  fuse_emulator_set_seed(kernel.getDevice(), seed);
  LaunchOptions options;
  options.threads = kThreads;
  return kernel.launch({in.buffer(), out.buffer()}, options);
}

std::string launch(const std::string &text) {
  Numbers<float> out(kThreads * kSums);
  Numbers<uint16_t> in(kBytes / 2);
  return launch(text, out, in);
}

TEST(EmulatorWarpgroups, Multiply) {
  std::mt19937 random(5);
  for (bool isBF16 : {false, true})
    for (bool isTurned : {false, true})
      for (uint64_t seed : {0, 1}) {
        double a[kRows][kSteps], b[kSteps][kColumns];
        Numbers<uint16_t> in(kBytes / 2);
        auto draw = [&](double &value) {
          value = static_cast<int>(random() % 33) - 16;
          return isBF16 ? encodeBF16(value) : encodeF16(value);
        };
        for (int step = 0; step < kSteps; ++step) {
          for (int row = 0; row < kRows; ++row)
            put(in, 0, isTurned ? step : row, isTurned ? row : step, draw(a[row][step]));
          for (int column = 0; column < kColumns; ++column)
            put(in, kBytesOfA, isTurned ? step : column, isTurned ? column : step, draw(b[step][column]));
        }
        Numbers<float> out(kThreads * kSums);
        ASSERT_EQ(launch(makeText({}, isTurned, isBF16 ? "bf16" : "f16"), out, in, seed), "");
        for (int thread = 0; thread < kThreads; ++thread)
          for (int i = 0; i < kSums; ++i) {
            int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + thread % 4 * 2 + i % 2;
            double sum = 0;
            for (int step = 0; step < kSteps; ++step)
              sum += 2 * a[row][step] * b[step][column];
            ASSERT_EQ(out[thread * kSums + i], sum) << "row " << row << ", column " << column << ", turned " << isTurned;
          }
      }
}

TEST(EmulatorWarpgroups, ReadWhatIsWrittenForThem) {
  Steps steps;
  steps.proxyFence = "";
  std::string text = makeText(steps);
  EXPECT_THAT(launch(text), AllOf(HasSubstr("missing proxy fence: the product at " + placeOf(text, "%once = ")),
                                  HasSubstr("wrote at " + placeOf(text, "llvm.store %v0"))));
  steps = Steps();
  steps.barrier = "";
  EXPECT_THAT(launch(makeText(steps)), HasSubstr("race: "));
}

TEST(EmulatorWarpgroups, SumsAreWaitedFor) {
  for (const char *wait : {"", "nvvm.wgmma.wait.group.sync.aligned 1"}) {
    Steps steps;
    steps.wait = wait;
    std::string text = makeText(steps);
    EXPECT_THAT(launch(text), AllOf(HasSubstr(" takes sums at " + placeOf(text, "llvm.store %e0")),
                                    HasSubstr("the product at " + placeOf(text, "%twice = "))));
  }
}

TEST(EmulatorWarpgroups, OperandsStayUntilTheWait) {
  Steps steps;
  steps.before = "llvm.store %v0, %to0 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>";
  std::string text = makeText(steps);
  size_t at = text.find(steps.before), again = text.find(steps.before, at + 1);
  std::string second = "kernel.mlir:" + std::to_string(1 + std::count(text.begin(), text.begin() + again, '\n')) + ":";
  EXPECT_THAT(launch(text), AllOf(HasSubstr("product under way: thread "), HasSubstr(" of shared memory at " + second),
                                  HasSubstr(" at " + placeOf(text, "%twice = "))));
  // Behind the wait others may still read.
  steps.wait += "\n" + steps.before;
  steps.before = "";
  EXPECT_THAT(launch(makeText(steps)), HasSubstr("race: "));
}

TEST(EmulatorWarpgroups, BeginWithAFence) {
  Steps steps;
  steps.fence = "";
  std::string text = makeText(steps);
  EXPECT_THAT(launch(text), HasSubstr(" comes to the product at " + placeOf(text, "%once = ")));
}

TEST(EmulatorWarpgroups, ReadOneMatrixTogether) {
  Steps steps;
  steps.left = "%other";
  EXPECT_THAT(launch(makeText(steps)), HasSubstr("lanes of a warp disagree: threads "));
  steps = Steps();
  steps.pattern = "274877906944"; // pieces as they are
  EXPECT_THAT(launch(makeText(steps)), HasSubstr("expected a descriptor of a matrix whose pieces are permuted"));
}

TEST(EmulatorWarpgroups, OtherAssemblyIsRefused) {
  Steps steps;
  steps.before = R"(llvm.inline_asm has_side_effects "bar.sync 1;", "" : () -> ())";
  EXPECT_THAT(EmulatedKernel(makeText(steps)).error, HasSubstr("does not run inline assembly, found \"bar.sync 1;\""));
}

} // namespace
