//===- MovementTest.cpp - Views and data movement -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

HostArray counting(ArrayRef<int64_t> shape) {
  HostArray array(ElementType::I32, shape);
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    array.setInt(i, i);
  return array;
}

TEST_F(InterpreterTest, Views) {
  HostArray x = counting({2, 3});
  expectArray(runOp("fuse.reshape %0 : tensor<2x3xi32> -> tensor<3x2xi32>", "tensor<2x3xi32>",
                    "tensor<3x2xi32>", {x}),
              counting({3, 2}));
  expectArray(runOp("fuse.transpose %0 permutation = [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>",
                    "tensor<2x3xi32>", "tensor<3x2xi32>", {x}),
              i32({3, 2}, {0, 3, 1, 4, 2, 5}));
  expectArray(runOp("fuse.slice %0 offsets = [1, 0] sizes = [1, 2] strides = [1, 2] : "
                    "tensor<2x3xi32> -> tensor<1x2xi32>",
                    "tensor<2x3xi32>", "tensor<1x2xi32>", {x}),
              i32({1, 2}, {3, 5}));
  expectArray(runOp("fuse.broadcast %0 dimensions = [1] : tensor<2xi32> -> tensor<2x3xi32>",
                    "tensor<2xi32>", "tensor<2x3xi32>", {counting({2})}),
              i32({2, 3}, {0, 0, 0, 1, 1, 1}));
  expectArray(runOp("fuse.copy %0 : tensor<2x3xi32>", "tensor<2x3xi32>", "tensor<2x3xi32>", {x}), x);
}

// np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)[:, :, 1]
TEST_F(InterpreterTest, TransposeOfThree) {
  HostArray y = runOp("fuse.transpose %0 permutation = [2, 0, 1] : tensor<2x3x4xi32> -> "
                      "tensor<4x2x3xi32>",
                      "tensor<2x3x4xi32>", "tensor<4x2x3xi32>", {counting({2, 3, 4})});
  expectArray(y, i32({4, 2, 3}, {0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21,
                                 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}));
}

TEST_F(InterpreterTest, DynamicReshape) {
  expectArray(runOp("fuse.reshape %0 : tensor<?x4xi32> -> tensor<?x2xi32>", "tensor<?x4xi32>",
                    "tensor<?x2xi32>", {counting({3, 4})}),
              counting({6, 2}));
  expectError("func.func @f(%x: tensor<?xf32>) -> tensor<?x2xf32> {\n"
              " %0 = fuse.reshape %x : tensor<?xf32> -> tensor<?x2xf32>\n"
              " return %0 : tensor<?x2xf32>\n}",
              {f32({3}, {1, 2, 3})}, "expected ?x2, found 3xf32 of 3 elements");
}

TEST_F(InterpreterTest, ConcatAndPad) {
  expectArray(runOp("fuse.concat %0, %1 dimension = 1 : (tensor<2x1xi32>, tensor<2x2xi32>) -> "
                    "tensor<2x3xi32>",
                    "tensor<2x1xi32>, tensor<2x2xi32>", "tensor<2x3xi32>",
                    {i32({2, 1}, {8, 9}), counting({2, 2})}),
              i32({2, 3}, {8, 0, 1, 9, 2, 3}));
  expectArray(runOp("fuse.pad %0 low = [1, -1] high = [0, 2] value = 7 : i32 : tensor<2x3xi32> -> "
                    "tensor<3x4xi32>",
                    "tensor<2x3xi32>", "tensor<3x4xi32>", {counting({2, 3})}),
              i32({3, 4}, {7, 7, 7, 7, 1, 2, 7, 7, 4, 5, 7, 7}));
  expectArray(runOp("fuse.pad %0 low = [-3] high = [1] value = 0xFF800000 : f32 : tensor<3xf32> -> "
                    "tensor<1xf32>",
                    "tensor<3xf32>", "tensor<1xf32>", {f32({3}, {1, 2, 3})}),
              f32({1}, {-inf}));
}

TEST_F(InterpreterTest, Gather) {
  expectArray(runOp("fuse.gather %0, %1 dimension = 1 : (tensor<2x3xi32>, tensor<2xi64>) -> "
                    "tensor<2x2xi32>",
                    "tensor<2x3xi32>, tensor<2xi64>", "tensor<2x2xi32>",
                    {counting({2, 3}), i64({2}, {-1, 0})}),
              i32({2, 2}, {2, 0, 5, 3}));
  expectArray(runOp("fuse.gather %0, %1 dimension = 0 : (tensor<3x2xi32>, tensor<2x1xi32>) -> "
                    "tensor<2x1x2xi32>",
                    "tensor<3x2xi32>, tensor<2x1xi32>", "tensor<2x1x2xi32>",
                    {counting({3, 2}), i32({2, 1}, {2, 1})}),
              i32({2, 1, 2}, {4, 5, 2, 3}));
}

TEST_F(InterpreterTest, GatherOutOfRange) {
  expectError("func.func @f(%x: tensor<3xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {\n"
              " %0 = fuse.gather %x, %i dimension = 0 : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>\n"
              " return %0 : tensor<2xf32>\n}",
              {f32({3}, {1, 2, 3}), i64({2}, {0, 3})},
              "index 3 (element 1 of indices 2xi64) is outside [-3, 3) of dimension 0 of 3xf32");
}

TEST_F(InterpreterTest, IotaAndResize) {
  expectArray(runOp("fuse.iota dimension = 0 : tensor<3x2xi32>", "", "tensor<3x2xi32>", {}),
              i32({3, 2}, {0, 0, 1, 1, 2, 2}));
  // 2049 is no f16; 130 wraps in i8.
  EXPECT_EQ(runOp("fuse.iota dimension = 0 : tensor<2050xf16>", "", "tensor<2050xf16>", {})
                .getFloat(2049),
            2048.0);
  EXPECT_EQ(runOp("fuse.iota dimension = 0 : tensor<131xi8>", "", "tensor<131xi8>", {}).getInt(130),
            -126);
  expectArray(runOp("fuse.resize_nearest %0 : tensor<2x3xi32> -> tensor<4x2xi32>",
                    "tensor<2x3xi32>", "tensor<4x2xi32>", {counting({2, 3})}),
              i32({4, 2}, {0, 1, 0, 1, 3, 4, 3, 4}));
}

} // namespace
