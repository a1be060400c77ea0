//===- WarpTest.cpp - Functions that the lanes of a warp call together --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

using namespace mlir::fuse::test;

namespace {

/// out[lane] = what `body` makes of %x = in[lane] and %lane, as %y.
std::string textOf(const std::string &body) {
  return inModule(R"(
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %pin = llvm.getelementptr %in[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %pout = llvm.getelementptr %out[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %x = llvm.load %pin : !llvm.ptr -> i32
      %f = llvm.load %pin : !llvm.ptr -> f32
      %all = llvm.mlir.constant(-1 : i32) : i32
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c3 = llvm.mlir.constant(3 : i32) : i32
      %c31 = llvm.mlir.constant(31 : i32) : i32
      %c40 = llvm.mlir.constant(40 : i32) : i32
      %quarter = llvm.mlir.constant(6175 : i32) : i32 // segments of 8, to their end
      %quarterUp = llvm.mlir.constant(6144 : i32) : i32 // and to their beginning
      %isOdd = llvm.trunc %x : i32 to i1
)" + body + R"(
      llvm.store %y, %pout : i32, !llvm.ptr
      llvm.return
    }
)");
}

int32_t numberOf(int lane) { return lane * 37 % 101 - 20; }
bool isOdd(int lane) { return numberOf(lane) & 1; }

void expect(const std::string &body, const std::function<int32_t(int)> &expected) {
  SCOPED_TRACE(body);
  EmulatedKernel kernel(textOf(body));
  ASSERT_EQ(kernel.error, "");
  Numbers<int32_t> in(32), out(32);
  for (int lane = 0; lane < 32; ++lane)
    in[lane] = numberOf(lane);
  ASSERT_EQ(kernel.launch({in.buffer(), out.buffer()}), "");
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], expected(lane)) << "lane " << lane;
}

TEST(EmulatorWarps, Shuffle) {
  expect("%y = nvvm.shfl.sync idx %all, %x, %c3, %c31 : i32 -> i32",
         [](int) { return numberOf(3); });
  expect("%y = nvvm.shfl.sync idx %all, %x, %x, %c31 : i32 -> i32",
         [](int lane) { return numberOf(numberOf(lane) & 31); });
  expect("%y = nvvm.shfl.sync bfly %all, %x, %c3, %c31 : i32 -> i32",
         [](int lane) { return numberOf(lane ^ 3); });
  // Lanes whose source is outside keep their own.
  expect("%y = nvvm.shfl.sync down %all, %x, %c3, %c31 : i32 -> i32",
         [](int lane) { return numberOf(lane + 3 < 32 ? lane + 3 : lane); });
  expect("%y = nvvm.shfl.sync up %all, %x, %c3, %c0 : i32 -> i32",
         [](int lane) { return numberOf(lane >= 3 ? lane - 3 : lane); });
}

TEST(EmulatorWarps, ShuffleInSegments) {
  expect("%y = nvvm.shfl.sync idx %all, %x, %c3, %quarter : i32 -> i32",
         [](int lane) { return numberOf(lane / 8 * 8 + 3); });
  expect("%y = nvvm.shfl.sync down %all, %x, %c3, %quarter : i32 -> i32",
         [](int lane) { return numberOf(lane % 8 + 3 < 8 ? lane + 3 : lane); });
  expect("%y = nvvm.shfl.sync up %all, %x, %c3, %quarterUp : i32 -> i32",
         [](int lane) { return numberOf(lane % 8 >= 3 ? lane - 3 : lane); });
}

TEST(EmulatorWarps, ShuffleSaysWhetherItsSourceIsInside) {
  expect(R"(
      %r = nvvm.shfl.sync down %all, %f, %c3, %c31 {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
      %v = llvm.extractvalue %r[0] : !llvm.struct<(f32, i1)>
      %p = llvm.extractvalue %r[1] : !llvm.struct<(f32, i1)>
      %bits = llvm.bitcast %v : f32 to i32
      %y = llvm.select %p, %bits, %all : i1, i32)",
         [](int lane) { return lane < 29 ? numberOf(lane + 3) : -1; });
}

TEST(EmulatorWarps, ShuffleAmongSome) {
  // The lower half and the upper half, each on its own.
  expect(R"(
      %c16 = llvm.mlir.constant(16 : i32) : i32
      %low = llvm.mlir.constant(65535 : i32) : i32
      %isLow = llvm.icmp "ult" %lane, %c16 : i32
      llvm.cond_br %isLow, ^low, ^high
    ^low:
      %a = nvvm.shfl.sync bfly %low, %x, %c1, %c31 : i32 -> i32
      %b = nvvm.shfl.sync bfly %low, %a, %c3, %c31 : i32 -> i32
      llvm.br ^end(%b : i32)
    ^high:
      %notLow = llvm.xor %low, %all : i32
      %c = nvvm.shfl.sync bfly %notLow, %x, %c3, %c31 : i32 -> i32
      llvm.br ^end(%c : i32)
    ^end(%y: i32):)",
         [](int lane) { return numberOf(lane < 16 ? lane ^ 2 : lane ^ 3); });
}

TEST(EmulatorWarps, Vote) {
  int32_t ballot = 0;
  for (int lane = 0; lane < 32; ++lane)
    ballot |= static_cast<int32_t>(static_cast<uint32_t>(isOdd(lane)) << lane);
  expect("%y = nvvm.vote.sync ballot %all, %isOdd -> i32", [=](int) { return ballot; });
  for (auto [mode, expected] : {std::pair("any", 1), {"all", 0}, {"uni", 0}})
    expect("%v = nvvm.vote.sync " + std::string(mode) +
               " %all, %isOdd -> i1\n %y = llvm.zext %v : i1 to i32",
           [expected = expected](int) { return expected; });
}

TEST(EmulatorWarps, Reduce) {
  std::vector<int32_t> numbers;
  for (int lane = 0; lane < 32; ++lane)
    numbers.push_back(numberOf(lane));
  auto expectAll = [](const std::string &kind, int32_t result) {
    expect("%y = nvvm.redux.sync " + kind + " %x, %all : i32 -> i32", [=](int) { return result; });
  };
  auto fold = [&](auto combine) {
    int32_t result = numbers[0];
    for (size_t i = 1; i < numbers.size(); ++i)
      result = combine(result, numbers[i]);
    return result;
  };
  auto asUnsigned = [](int32_t a, int32_t b) {
    return static_cast<uint32_t>(a) < static_cast<uint32_t>(b);
  };
  expectAll("add", fold(std::plus<int32_t>()));
  expectAll("and", fold(std::bit_and<int32_t>()));
  expectAll("or", fold(std::bit_or<int32_t>()));
  expectAll("xor", fold(std::bit_xor<int32_t>()));
  expectAll("min", *std::min_element(numbers.begin(), numbers.end()));
  expectAll("max", *std::max_element(numbers.begin(), numbers.end()));
  expectAll("umin", *std::min_element(numbers.begin(), numbers.end(), asUnsigned));
  expectAll("umax", *std::max_element(numbers.begin(), numbers.end(), asUnsigned));
}

TEST(EmulatorWarps, KnowTheirLanes) {
  expect("%y = nvvm.read.ptx.sreg.lanemask.lt : i32",
         [](int lane) { return static_cast<int32_t>((1u << lane) - 1); });
  expect("%y = nvvm.read.ptx.sreg.lanemask.ge : i32",
         [](int lane) { return static_cast<int32_t>(~0u << lane); });
}

} // namespace
