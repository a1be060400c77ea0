//===- MathTest.cpp - Arithmetic and functions of libdevice -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace mlir::fuse::test;

namespace {

/// out[t] = op(in[t], in[t + 1]) through the lowering that kernels take.
std::vector<float> compute(const std::string &op) {
  SCOPED_TRACE(op);
  EmulatedKernel kernel(R"(
  gpu.module @device {
    gpu.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) kernel {
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i64
      %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %next = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = llvm.load %next : !llvm.ptr -> f32
      %wide = arith.extf %x : f32 to f64
)" + op + R"(
      %q = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %r, %q : f32, !llvm.ptr
      gpu.return
    }
  })");
  EXPECT_EQ(kernel.error, "");
  Numbers<float> in(33), out(32);
  for (int i = 0; i < 33; ++i)
    in[i] = 0.02f + 0.03f * i;
  EXPECT_EQ(kernel.launch({in.buffer(), out.buffer()}), "");
  return out.values;
}

void expect(const std::string &op, const std::function<float(float, float)> &expected) {
  std::vector<float> found = compute(op);
  for (int i = 0; i < 32; ++i)
    EXPECT_FLOAT_EQ(found[i], expected(0.02f + 0.03f * i, 0.02f + 0.03f * (i + 1))) << op;
}

TEST(EmulatorMath, Libdevice) {
  expect("%r = math.atan2 %x, %y : f32", [](float x, float y) { return std::atan2(x, y); });
  expect("%r = math.powf %x, %y : f32", [](float x, float y) { return std::pow(x, y); });
  expect("%r = math.exp %x : f32", [](float x, float) { return std::exp(x); });
  expect("%r = math.log10 %x : f32", [](float x, float) { return std::log10(x); });
  expect("%r = math.cbrt %x : f32", [](float x, float) { return std::cbrt(x); });
  expect("%r = math.erfc %x : f32", [](float x, float) { return std::erfc(x); });
  expect("%r = math.rsqrt %x : f32", [](float x, float) { return 1 / std::sqrt(x); });
  expect("%r = math.tanh %x : f32", [](float x, float) { return std::tanh(x); });
  expect("%r = math.expm1 %x : f32", [](float x, float) { return std::expm1(x); });
  expect("%w = math.erf %wide : f64\n%r = arith.truncf %w : f64 to f32",
         [](float x, float) { return static_cast<float>(std::erf(static_cast<double>(x))); });
  expect("%w = math.log2 %wide : f64\n%r = arith.truncf %w : f64 to f32",
         [](float x, float) { return static_cast<float>(std::log2(static_cast<double>(x))); });
}

TEST(EmulatorMath, Intrinsics) {
  expect("%r = nvvm.rcp.approx.ftz.f %x : f32", [](float x, float) { return 1 / x; });
  expect("%s = math.sqrt %x : f32\n%r = arith.addf %s, %y : f32",
         [](float x, float y) { return std::sqrt(x) + y; });
  expect("%r = math.fma %x, %y, %x : f32", [](float x, float y) { return std::fma(x, y, x); });
  expect("%r = arith.maximumf %x, %y : f32", [](float, float y) { return y; });
  // Half precision goes through the CPU's conversions.
  expect("%h = arith.truncf %x : f32 to f16\n%d = arith.addf %h, %h : f16\n"
         "%r = arith.extf %d : f16 to f32",
         [](float x, float) {
           return 2 * std::ldexp(std::nearbyint(std::ldexp(x, 11 - std::ilogb(x) - 1)),
                                 std::ilogb(x) + 1 - 11);
         });
}

} // namespace
