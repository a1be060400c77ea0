//===- WindowTest.cpp - Convolution and pooling against NumPy -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

HostArray counting(ArrayRef<int64_t> shape, double first) {
  HostArray array(ElementType::F32, shape);
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    array.setFloat(i, first + i);
  return array;
}

TEST_F(InterpreterTest, ConvOfChannels) {
  expectArray(runOp("fuse.conv2d %0, %1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] "
                    "groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<2x2x2x2xf32>) -> "
                    "tensor<1x2x3x3xf32>",
                    "tensor<1x2x4x4xf32>, tensor<2x2x2x2xf32>", "tensor<1x2x3x3xf32>",
                    {counting({1, 2, 4, 4}, 0), counting({2, 2, 2, 2}, -7)}),
              f32({1, 2, 3, 3}, {-148, -176, -204, -260, -288, -316, -372, -400, -428,
                                 524, 560, 596, 668, 704, 740, 812, 848, 884}));
}

TEST_F(InterpreterTest, ConvWithEverything) {
  expectArray(runOp("fuse.conv2d %0, %1, %2 strides = [2, 1] dilations = [1, 2] "
                    "padding = [1, 0, 0, 1] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, "
                    "tensor<2x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2x3xf32>",
                    "tensor<1x2x4x4xf32>, tensor<2x2x2x2xf32>, tensor<2xf32>",
                    "tensor<1x2x2x3xf32>",
                    {counting({1, 2, 4, 4}, 0), counting({2, 2, 2, 2}, -7), f32({2}, {10, -10})}),
              f32({1, 2, 2, 3},
                  {-14, -24, -18, -262, -290, -174, 254, 276, 122, 678, 714, 318}));
}

// The same convolution in the other layout.
TEST_F(InterpreterTest, ConvOfLastChannels) {
  HostArray x = f32({1, 4, 4, 2},
                    {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                     8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31});
  HostArray w = f32({2, 2, 2, 2}, {-7, 1, -3, 5, -6, 2, -2, 6, -5, 3, -1, 7, -4, 4, 0, 8});
  expectArray(runOp("fuse.conv2d %0, %1, %2 strides = [2, 1] dilations = [1, 2] "
                    "padding = [1, 0, 0, 1] groups = 1 layout = nhwc_hwcf : (tensor<1x4x4x2xf32>, "
                    "tensor<2x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x3x2xf32>",
                    "tensor<1x4x4x2xf32>, tensor<2x2x2x2xf32>, tensor<2xf32>",
                    "tensor<1x2x3x2xf32>", {x, w, f32({2}, {10, -10})}),
              f32({1, 2, 3, 2},
                  {-14, 254, -24, 276, -18, 122, -262, 678, -290, 714, -174, 318}));
}

TEST_F(InterpreterTest, ConvOfGroups) {
  expectArray(runOp("fuse.conv2d %0, %1 strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] "
                    "groups = 2 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<4x1x2x2xf32>) -> "
                    "tensor<1x4x2x2xf32>",
                    "tensor<1x2x4x4xf32>, tensor<4x1x2x2xf32>", "tensor<1x4x2x2xf32>",
                    {counting({1, 2, 4, 4}, 0), counting({4, 1, 2, 2}, -7)}),
              f32({1, 4, 2, 2}, {-46, -90, -222, -266, -6, -18, -54, -66,
                                 194, 214, 274, 294, 490, 542, 698, 750}));
}

TEST_F(InterpreterTest, ConvOfIntegers) {
  expectArray(runOp("fuse.conv2d %0, %1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] "
                    "groups = 1 layout = nchw_fchw : (tensor<1x1x1x2xi8>, tensor<1x1x1x2xi8>) -> "
                    "tensor<1x1x1x1xi32>",
                    "tensor<1x1x1x2xi8>, tensor<1x1x1x2xi8>", "tensor<1x1x1x1xi32>",
                    {i8({1, 1, 1, 2}, {100, -128}), i8({1, 1, 1, 2}, {100, -128})}),
              i32({1, 1, 1, 1}, {26384}));
}

TEST_F(InterpreterTest, WindowTooLarge) {
  expectError("func.func @f(%x: tensor<1x1x?x4xf32>) -> tensor<1x1x?x4xf32> {\n"
              " %0 = fuse.max_pool2d %x kernel = [3, 1] strides = [1, 1] dilations = [2, 1] "
              "padding = [0, 0, 1, 0] layout = nchw_fchw : tensor<1x1x?x4xf32> -> tensor<1x1x?x4xf32>\n"
              " return %0 : tensor<1x1x?x4xf32>\n}",
              {counting({1, 1, 2, 4}, 0)},
              "a window of 3 with dilation 2 does not fit in the padded extent 3");
}

TEST_F(InterpreterTest, MaxPool) {
  std::string op = "fuse.max_pool2d %0 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] "
                   "padding = [1, 1, 0, 0] layout = nchw_fchw : tensor<1x1x3x3xf32> -> "
                   "tensor<1x1x2x2xf32>";
  expectArray(runOp(op, "tensor<1x1x3x3xf32>", "tensor<1x1x2x2xf32>",
                    {f32({1, 1, 3, 3}, {-1, -2, -3, -4, NaN, -6, -7, -8, -9})}),
              f32({1, 1, 2, 2}, {-1, -2, -4, NaN}));
  // Windows of padding alone.
  expectArray(runOp("fuse.max_pool2d %0 kernel = [1, 1] strides = [1, 1] dilations = [1, 1] "
                    "padding = [1, 0, 0, 0] layout = nhwc_hwcf : tensor<1x1x1x2xi8> -> "
                    "tensor<1x2x1x2xi8>",
                    "tensor<1x1x1x2xi8>", "tensor<1x2x1x2xi8>", {i8({1, 1, 1, 2}, {3, 4})}),
              i8({1, 2, 1, 2}, {-128, -128, 3, 4}));
}

TEST_F(InterpreterTest, AvgPool) {
  auto pool = [&](StringRef mode) {
    return runOp(("fuse.avg_pool2d %0 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = "
                  "[1, 1, 0, 0] layout = nchw_fchw" + mode +
                  " : tensor<1x1x3x3xf32> -> tensor<1x1x2x2xf32>")
                     .str(),
                 "tensor<1x1x3x3xf32>", "tensor<1x1x2x2xf32>", {counting({1, 1, 3, 3}, 1)});
  };
  expectArray(pool(""), f32({1, 1, 2, 2}, {1, 2.5, 5.5, 7}));
  expectArray(pool(" count_include_pad"), f32({1, 1, 2, 2}, {0.25, 1.25, 2.75, 7}));
}

} // namespace
