//===- ReductionTest.cpp - Reductions of arrays -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

TEST_F(InterpreterTest, ReduceKinds) {
  HostArray x = f32({4}, {1, 2, 3, 4});
  auto reduce = [&](StringRef kind) {
    return runOp(("fuse.reduce " + kind + " %0 dimensions = [0] : tensor<4xf32> -> tensor<f32>").str(),
                 "tensor<4xf32>", "tensor<f32>", {x});
  };
  expectArray(reduce("sum"), f32({}, {10}));
  expectArray(reduce("max"), f32({}, {4}));
  expectArray(reduce("min"), f32({}, {1}));
  expectArray(reduce("mean"), f32({}, {2.5}));
  expectArray(reduce("prod"), f32({}, {24}));
}

TEST_F(InterpreterTest, ReduceDimensions) {
  HostArray x = i32({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expectArray(runOp("fuse.reduce sum %0 dimensions = [1] : tensor<2x3x2xi32> -> tensor<2x2xi32>",
                    "tensor<2x3x2xi32>", "tensor<2x2xi32>", {x}),
              i32({2, 2}, {6, 9, 24, 27}));
  expectArray(runOp("fuse.reduce sum %0 dimensions = [0, 2] keep_dims : tensor<2x3x2xi32> -> "
                    "tensor<1x3x1xi32>",
                    "tensor<2x3x2xi32>", "tensor<1x3x1xi32>", {x}),
              i32({1, 3, 1}, {14, 22, 30}));
  expectArray(runOp("fuse.reduce max %0 dimensions = [] : tensor<2x3x2xi32> -> tensor<2x3x2xi32>",
                    "tensor<2x3x2xi32>", "tensor<2x3x2xi32>", {x}),
              x);
}

TEST_F(InterpreterTest, ReduceOverNothing) {
  HostArray x = f32({2, 0}, {});
  auto reduce = [&](StringRef kind) {
    return runOp(
        ("fuse.reduce " + kind + " %0 dimensions = [1] : tensor<2x0xf32> -> tensor<2xf32>").str(),
        "tensor<2x0xf32>", "tensor<2xf32>", {x});
  };
  expectArray(reduce("sum"), f32({2}, {0, 0}));
  expectArray(reduce("prod"), f32({2}, {1, 1}));
  expectArray(reduce("max"), f32({2}, {-inf, -inf}));
  expectArray(reduce("min"), f32({2}, {inf, inf}));
  expectArray(reduce("mean"), f32({2}, {NaN, NaN}));
  expectArray(runOp("fuse.reduce max %0 dimensions = [0] : tensor<0xi8> -> tensor<i8>",
                    "tensor<0xi8>", "tensor<i8>", {i8({0}, {})}),
              i8({}, {-128}));
  expectArray(runOp("fuse.reduce any %0 dimensions = [0] : tensor<0xi1> -> tensor<i1>",
                    "tensor<0xi1>", "tensor<i1>", {i1({0}, {})}),
              i1({}, {0}));
  expectArray(runOp("fuse.reduce all %0 dimensions = [0] : tensor<0xi1> -> tensor<i1>",
                    "tensor<0xi1>", "tensor<i1>", {i1({0}, {})}),
              i1({}, {1}));
}

// 4096 + 4096·0.5: a sum in f16 would stay at 4096, for 0.5 is below half a unit there.
TEST_F(InterpreterTest, HalfAccumulatesInSingle) {
  SmallVector<double> values(4097, 0.5);
  values[0] = 4096;
  expectArray(runOp("fuse.reduce sum %0 dimensions = [0] : tensor<4097xf16> -> tensor<f16>",
                    "tensor<4097xf16>", "tensor<f16>", {f16({4097}, values)}),
              f16({}, {6144}));
}

TEST_F(InterpreterTest, ReduceNanAndWrapping) {
  expectArray(runOp("fuse.reduce max %0 dimensions = [0] : tensor<3xf32> -> tensor<f32>",
                    "tensor<3xf32>", "tensor<f32>", {f32({3}, {1, NaN, 3})}),
              f32({}, {NaN}));
  expectArray(runOp("fuse.reduce sum %0 dimensions = [0] : tensor<2xi8> -> tensor<i8>",
                    "tensor<2xi8>", "tensor<i8>", {i8({2}, {100, 100})}),
              i8({}, {-56}));
}

TEST_F(InterpreterTest, ArgReductions) {
  HostArray x = f32({2, 3}, {1, 3, 3, 2, NaN, NaN});
  expectArray(runOp("fuse.argmax %0 dimension = 1 : tensor<2x3xf32> -> tensor<2xi64>",
                    "tensor<2x3xf32>", "tensor<2xi64>", {x}),
              i64({2}, {1, 1}));
  expectArray(runOp("fuse.argmin %0 dimension = 0 keep_dims : tensor<2x3xf32> -> tensor<1x3xi64>",
                    "tensor<2x3xf32>", "tensor<1x3xi64>", {x}),
              i64({1, 3}, {0, 1, 1}));
  expectError("func.func @f(%x: tensor<?xf32>) -> tensor<i64> {\n"
              " %0 = fuse.argmax %x dimension = 0 : tensor<?xf32> -> tensor<i64>\n"
              " return %0 : tensor<i64>\n}",
              {f32({0}, {})}, "dimension 0 is empty");
}

} // namespace
