//===- HostOpsTest.cpp - Host ops against NumPy's values -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

#include <vector>

#include "values.inc"

using namespace fusetest;

namespace {

HostArray f64(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  return HostArray::fromFloats(ElementType::F64, shape, values);
}

TEST_F(InterpreterTest, LogMel) {
  expectNear(runOp("fuse.log_mel %0, %1 : (tensor<2x3x32xf64>, tensor<5x9xf64>) -> tensor<2x3x5xf64>",
                   "tensor<2x3x32xf64>, tensor<5x9xf64>", "tensor<2x3x5xf64>",
                   {f64({2, 3, 32}, melSpectrum), f64({5, 9}, melFilters)}),
             f64({2, 3, 5}, melResult), 1e-13);
  // The inputs are exact in f32, and so the result is rounded once.
  expectArray(runOp("fuse.log_mel %0, %1 : (tensor<?x3x32xf32>, tensor<5x9xf32>) -> tensor<?x3x5xf32>",
                    "tensor<?x3x32xf32>, tensor<5x9xf32>", "tensor<?x3x5xf32>",
                    {f32({2, 3, 32}, melSpectrum), f32({5, 9}, melFilters)}),
              f32({2, 3, 5}, melResult));
}

TEST_F(InterpreterTest, LogMelBackward) {
  HostArray got = runOp("fuse.log_mel_backward %0, %1, %2 : (tensor<2x3x32xf64>, tensor<5x9xf64>, "
                        "tensor<2x3x5xf64>) -> tensor<2x3x32xf64>",
                        "tensor<2x3x32xf64>, tensor<5x9xf64>, tensor<2x3x5xf64>",
                        "tensor<2x3x32xf64>",
                        {f64({2, 3, 32}, melSpectrum), f64({5, 9}, melFilters),
                         f64({2, 3, 5}, melDy)});
  ASSERT_EQ(got.getNumElements(), static_cast<int64_t>(melGradient.size()));
  for (auto [i, want] : llvm::enumerate(melGradient))
    EXPECT_NEAR(got.getFloat(i), want, 1e-12 * std::abs(want)) << i;
}

// With equal energies the first mel is the loudest and takes what the quiet one does not.
TEST_F(InterpreterTest, LogMelBackwardGivesTiesToTheFirst) {
  HostArray got = runOp("fuse.log_mel_backward %0, %1, %2 : (tensor<4xf64>, tensor<3x2xf64>, "
                        "tensor<3xf64>) -> tensor<4xf64>",
                        "tensor<4xf64>, tensor<3x2xf64>, tensor<3xf64>", "tensor<4xf64>",
                        {f64({4}, {1, 1, 0, 0}), f64({3, 2}, {1, 0, 0, 1, 0, 1e-9}),
                         f64({3}, {0, 0, 4})});
  expectNear(got, f64({4}, {2 / std::log(10.0), 0, 0, 0}), 1e-15);
}

TEST_F(InterpreterTest, LogMelKeepsNan) {
  expectArray(runOp("fuse.log_mel %0, %1 : (tensor<2x4xf32>, tensor<1x2xf32>) -> tensor<2x1xf32>",
                    "tensor<2x4xf32>, tensor<1x2xf32>", "tensor<2x1xf32>",
                    {f32({2, 4}, {NaN, 0, 0, 0, 1, 0, 0, 0}), f32({1, 2}, {1, 1})}),
              f32({2, 1}, {NaN, 1}));
}

TEST_F(InterpreterTest, WelchPeaks) {
  expectNear(runOp("fuse.welch_peaks %0 k = 4 n_segments = 3 : tensor<6x32xf64> -> tensor<2x8xf64>",
                   "tensor<6x32xf64>", "tensor<2x8xf64>", {f64({6, 32}, welchEvenSpectrum)}),
             f64({2, 8}, welchEvenResult), 1e-12);
  expectNear(runOp("fuse.welch_peaks %0 k = 4 n_segments = 3 : tensor<?x18xf64> -> tensor<?x8xf64>",
                   "tensor<?x18xf64>", "tensor<?x8xf64>", {f64({6, 18}, welchOddSpectrum)}),
             f64({2, 8}, welchOddResult), 1e-12);
}

TEST_F(InterpreterTest, WelchPeaksRanksNanFirst) {
  expectArray(runOp("fuse.welch_peaks %0 k = 3 n_segments = 1 : tensor<1x8xf32> -> tensor<1x6xf32>",
                    "tensor<1x8xf32>", "tensor<1x6xf32>",
                    {f32({1, 8}, {1, NaN, 2, 0, 0, 0, 0, 0})}),
              f32({1, 6}, {1, NaN, 2, 4, 0, 1}));
}

TEST_F(InterpreterTest, WelchPeaksOfUnevenRows) {
  expectError("func.func @f(%x: tensor<?x8xf32>) -> tensor<?x2xf32> {\n"
              " %0 = fuse.welch_peaks %x k = 1 n_segments = 2 : tensor<?x8xf32> -> tensor<?x2xf32>\n"
              " return %0 : tensor<?x2xf32>\n}",
              {f32({1, 8}, {0, 0, 0, 0, 0, 0, 0, 0})},
              "expected n_segments to divide 1 rows, found 2");
}

TEST_F(InterpreterTest, HostCall) {
  StringRef text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                   " %0 = fuse.host_call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                   " return %0 : tensor<2xf32>\n}";
  expectError(text, {f32({2}, {1, 2})}, "unknown host function 'twice'");
  options.hostFunctions["twice"] = [](ArrayRef<HostArray> ins, MutableArrayRef<HostArray> outs) {
    for (int64_t i = 0; i < ins[0].getNumElements(); ++i)
      outs[0].setFloat(i, 2 * ins[0].getFloat(i));
    return llvm::Error::success();
  };
  expectArray(run(text, {f32({2}, {1, 2})}), f32({2}, {2, 4}));
  options.hostFunctions["twice"] = [](ArrayRef<HostArray>, MutableArrayRef<HostArray>) {
    return llvm::createStringError("no luck");
  };
  expectError(text, {f32({2}, {1, 2})}, "host function 'twice' failed: no luck");
}

} // namespace
