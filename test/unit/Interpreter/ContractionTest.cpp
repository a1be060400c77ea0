//===- ContractionTest.cpp - Matrix products against NumPy -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

const HostArray a = f32({2, 3}, {1, 2, 3, 4, 5, 6});
const HostArray b = f32({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
const HostArray product = f32({2, 4}, {38, 44, 50, 56, 83, 98, 113, 128});

HostArray transposed(const HostArray &x) {
  int64_t rows = x.getShape()[0], columns = x.getShape()[1];
  HostArray y(x.getElementType(), {columns, rows});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      y.set(j * rows + i, x.get(i * columns + j));
  return y;
}

TEST_F(InterpreterTest, MatmulTransposes) {
  expectArray(runOp("fuse.matmul %0, %1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
                    "tensor<2x3xf32>, tensor<3x4xf32>", "tensor<2x4xf32>", {a, b}),
              product);
  expectArray(runOp("fuse.matmul %0, %1 transpose_lhs : (tensor<3x2xf32>, tensor<3x4xf32>) -> "
                    "tensor<2x4xf32>",
                    "tensor<3x2xf32>, tensor<3x4xf32>", "tensor<2x4xf32>", {transposed(a), b}),
              product);
  expectArray(runOp("fuse.matmul %0, %1 transpose_lhs transpose_rhs : (tensor<3x2xf32>, "
                    "tensor<4x3xf32>) -> tensor<2x4xf32>",
                    "tensor<3x2xf32>, tensor<4x3xf32>", "tensor<2x4xf32>",
                    {transposed(a), transposed(b)}),
              product);
}

TEST_F(InterpreterTest, MatmulBatches) {
  // [2, 1] batches of [1, 2] against [3] of [2, 1].
  expectArray(runOp("fuse.matmul %0, %1 : (tensor<2x1x1x2xf32>, tensor<3x2x1xf32>) -> "
                    "tensor<2x3x1x1xf32>",
                    "tensor<2x1x1x2xf32>, tensor<3x2x1xf32>", "tensor<2x3x1x1xf32>",
                    {f32({2, 1, 1, 2}, {1, 2, 3, 4}), f32({3, 2, 1}, {1, 0, 0, 1, 1, 1})}),
              f32({2, 3, 1, 1}, {1, 2, 3, 3, 4, 7}));
}

TEST_F(InterpreterTest, MatmulOfNothing) {
  expectArray(runOp("fuse.matmul %0, %1 : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>",
                    "tensor<2x0xf32>, tensor<0x2xf32>", "tensor<2x2xf32>",
                    {f32({2, 0}, {}), f32({0, 2}, {})}),
              f32({2, 2}, {0, 0, 0, 0}));
  expectArray(runOp("fuse.matmul %0, %1 : (tensor<0x3xf32>, tensor<3x4xf32>) -> tensor<0x4xf32>",
                    "tensor<0x3xf32>, tensor<3x4xf32>", "tensor<0x4xf32>", {f32({0, 3}, {}), b}),
              f32({0, 4}, {}));
}

TEST_F(InterpreterTest, MatmulAccumulators) {
  HostArray x = i8({1, 2}, {100, 100}), y = i8({2, 1}, {100, 100});
  expectArray(runOp("fuse.matmul %0, %1 : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi32>",
                    "tensor<1x2xi8>, tensor<2x1xi8>", "tensor<1x1xi32>", {x, y}),
              i32({1, 1}, {20000}));
  expectArray(runOp("fuse.matmul %0, %1 : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi8>",
                    "tensor<1x2xi8>, tensor<2x1xi8>", "tensor<1x1xi8>", {x, y}),
              i8({1, 1}, {32}));
  // 2048 + 1 + 1 in f16 would stay at 2048.
  expectArray(runOp("fuse.matmul %0, %1 : (tensor<1x3xf16>, tensor<3x1xf16>) -> tensor<1x1xf16>",
                    "tensor<1x3xf16>, tensor<3x1xf16>", "tensor<1x1xf16>",
                    {f16({1, 3}, {2048, 1, 1}), f16({3, 1}, {1, 1, 1})}),
              f16({1, 1}, {2050}));
}

TEST_F(InterpreterTest, MatmulInfinities) {
  HostArray y = runOp("fuse.matmul %0, %1 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>",
                      "tensor<1x2xf32>, tensor<2x2xf32>", "tensor<1x2xf32>",
                      {f32({1, 2}, {inf, 0}), f32({2, 2}, {1, 0, inf, 2})});
  expectArray(y, f32({1, 2}, {NaN, NaN}));
}

} // namespace
