//===- ElementwiseTest.cpp - Element-wise ops on arrays -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

TEST_F(InterpreterTest, UnaryKinds) {
  HostArray x = f32({5}, {-2, -1, 0, 1, 2});
  expectArray(runSame("fuse.unary relu %0", "tensor<5xf32>", {x}), f32({5}, {0, 0, 0, 1, 2}));
  expectArray(runSame("fuse.unary neg %0", "tensor<5xf32>", {x}), f32({5}, {2, 1, -0.0, -1, -2}));
  expectArray(runSame("fuse.unary abs %0", "tensor<5xf32>", {x}), f32({5}, {2, 1, 0, 1, 2}));
  expectNear(runSame("fuse.unary sigmoid %0", "tensor<5xf32>", {x}),
             f32({5}, {0.119203, 0.268941, 0.5, 0.731059, 0.880797}), 1e-6);
  expectNear(runSame("fuse.unary gelu %0 approximate = tanh", "tensor<5xf32>", {x}),
             f32({5}, {-0.0454023, -0.158808, 0, 0.841192, 1.954598}), 1e-6);
  expectArray(runSame("fuse.unary leaky_relu %0 alpha = 5.000000e-01", "tensor<5xf32>", {x}),
              f32({5}, {-1, -0.5, 0, 1, 2}));
  expectArray(runSame("fuse.unary hard_sigmoid %0 alpha = 2.500000e-01 beta = 2.500000e-01",
                      "tensor<5xf32>", {x}),
              f32({5}, {0, 0, 0.25, 0.5, 0.75}));
  expectArray(runOp("fuse.unary is_nan %0 : (tensor<3xf32>) -> tensor<3xi1>", "tensor<3xf32>",
                    "tensor<3xi1>", {f32({3}, {NaN, inf, 0})}),
              i1({3}, {1, 0, 0}));
}

TEST_F(InterpreterTest, UnaryKeepsNanAndSigns) {
  HostArray x = f32({4}, {NaN, -0.0, inf, -inf});
  expectArray(runSame("fuse.unary relu %0", "tensor<4xf32>", {x}), f32({4}, {NaN, 0.0, inf, 0}));
  expectArray(runSame("fuse.unary floor %0", "tensor<4xf32>", {x}), f32({4}, {NaN, -0.0, inf, -inf}));
  expectArray(runSame("fuse.unary sqrt %0", "tensor<4xf32>", {x}), f32({4}, {NaN, -0.0, inf, NaN}));
  expectArray(runSame("fuse.unary rsqrt %0", "tensor<4xf32>", {x}), f32({4}, {NaN, -inf, 0, NaN}));
}

TEST_F(InterpreterTest, UnaryIntegers) {
  expectArray(runSame("fuse.unary neg %0", "tensor<3xi8>", {i8({3}, {-128, 5, 0})}),
              i8({3}, {-128, -5, 0}));
  expectArray(runSame("fuse.unary bitwise_not %0", "tensor<2xi32>", {i32({2}, {0, 5})}),
              i32({2}, {-1, -6}));
  expectArray(runSame("fuse.unary logical_not %0", "tensor<2xi1>", {i1({2}, {0, 1})}),
              i1({2}, {1, 0}));
}

// np.float16(2049) is 2048; the f32 sum 2048 + 1 rounds to even.
TEST_F(InterpreterTest, HalfRoundsAtEachOp) {
  expectArray(runSame("fuse.binary add %0, %1", "tensor<2xf16>",
                      {f16({2}, {2048, 60000}), f16({2}, {1, 60000})}),
              f16({2}, {2048, inf}));
}

TEST_F(InterpreterTest, BinaryKinds) {
  HostArray x = f32({3}, {1, 2, 3}), y = f32({3}, {4, 5, 6});
  expectArray(runSame("fuse.binary add %0, %1", "tensor<3xf32>", {x, y}), f32({3}, {5, 7, 9}));
  expectArray(runSame("fuse.binary mul %0, %1", "tensor<3xf32>", {x, y}), f32({3}, {4, 10, 18}));
  expectArray(runSame("fuse.binary div %0, %1", "tensor<3xf32>", {x, y}), f32({3}, {0.25, 0.4f, 0.5}));
  expectArray(runSame("fuse.binary max %0, %1", "tensor<3xf32>",
                      {f32({3}, {NaN, -0.0, 1}), f32({3}, {1, 0.0, NaN})}),
              f32({3}, {NaN, 0.0, NaN}));
  expectArray(runSame("fuse.binary pow %0, %1", "tensor<3xf32>",
                      {f32({3}, {NaN, -8, 2}), f32({3}, {0, 0.5, 10})}),
              f32({3}, {1, NaN, 1024}));
}

TEST_F(InterpreterTest, IntegerDivisionNeverTraps) {
  HostArray x = i32({4}, {7, -7, INT32_MIN, 5}), y = i32({4}, {0, 2, -1, -3});
  expectArray(runSame("fuse.binary div %0, %1", "tensor<4xi32>", {x, y}),
              i32({4}, {-1, -3, INT32_MIN, -1}));
  expectArray(runSame("fuse.binary rem %0, %1", "tensor<4xi32>", {x, y}),
              i32({4}, {7, -1, 0, 2}));
  expectArray(runSame("fuse.binary add %0, %1", "tensor<1xi32>",
                      {i32({1}, {INT32_MAX}), i32({1}, {1})}),
              i32({1}, {INT32_MIN}));
}

TEST_F(InterpreterTest, Broadcasting) {
  expectArray(runOp("fuse.binary add %0, %1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
                    "tensor<2x1xf32>, tensor<3xf32>", "tensor<2x3xf32>",
                    {f32({2, 1}, {10, 20}), f32({3}, {1, 2, 3})}),
              f32({2, 3}, {11, 12, 13, 21, 22, 23}));
  expectArray(runOp("fuse.binary sub %0, %1 : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>",
                    "tensor<f32>, tensor<2xf32>", "tensor<2xf32>", {f32({}, {1}), f32({2}, {1, 2})}),
              f32({2}, {0, -1}));
}

TEST_F(InterpreterTest, RankZeroAndEmpty) {
  expectArray(runSame("fuse.unary relu %0", "tensor<f32>", {f32({}, {-1})}), f32({}, {0}));
  expectArray(runSame("fuse.unary relu %0", "tensor<0x3xf32>", {f32({0, 3}, {})}), f32({0, 3}, {}));
  expectArray(runOp("fuse.binary add %0, %1 : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<0x3xf32>",
                    "tensor<0x3xf32>, tensor<1x3xf32>", "tensor<0x3xf32>",
                    {f32({0, 3}, {}), f32({1, 3}, {1, 2, 3})}),
              f32({0, 3}, {}));
}

TEST_F(InterpreterTest, Casts) {
  expectArray(runOp("fuse.cast %0 : (tensor<5xf32>) -> tensor<5xi8>", "tensor<5xf32>",
                    "tensor<5xi8>", {f32({5}, {NaN, 1.9, -1.9, 1e9, -inf})}),
              i8({5}, {0, 1, -1, 127, -128}));
  expectArray(runOp("fuse.cast %0 : (tensor<2xi32>) -> tensor<2xi8>", "tensor<2xi32>",
                    "tensor<2xi8>", {i32({2}, {300, -129})}),
              i8({2}, {44, 127}));
  expectArray(runOp("fuse.cast %0 : (tensor<3xf32>) -> tensor<3xi1>", "tensor<3xf32>",
                    "tensor<3xi1>", {f32({3}, {-0.0, 0.5, NaN})}),
              i1({3}, {0, 1, 1}));
}

TEST_F(InterpreterTest, CompareSelectClamp) {
  HostArray x = f32({3}, {1, NaN, 3}), y = f32({3}, {2, 2, 2});
  expectArray(runOp("fuse.compare lt %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
                    "tensor<3xf32>, tensor<3xf32>", "tensor<3xi1>", {x, y}),
              i1({3}, {1, 0, 0}));
  expectArray(runOp("fuse.compare ne %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
                    "tensor<3xf32>, tensor<3xf32>", "tensor<3xi1>", {x, y}),
              i1({3}, {1, 1, 1}));
  expectArray(runOp("fuse.select %0, %1, %2 : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> "
                    "tensor<3xf32>",
                    "tensor<3xi1>, tensor<3xf32>, tensor<f32>", "tensor<3xf32>",
                    {i1({3}, {1, 1, 0}), x, f32({}, {-0.0})}),
              f32({3}, {1, NaN, -0.0}));
  expectArray(runOp("fuse.clamp %0, %1, %2 : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> "
                    "tensor<3xf32>",
                    "tensor<3xf32>, tensor<f32>, tensor<f32>", "tensor<3xf32>",
                    {x, f32({}, {1.5}), f32({}, {2.5})}),
              f32({3}, {1.5, NaN, 2.5}));
}

} // namespace
