//===- CompositeTest.cpp - Composites against NumPy -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

const HostArray x = f32({2, 4}, {1, 2, 3, 4, -1, 0, 0, 1});

TEST_F(InterpreterTest, Softmax) {
  expectNear(runSame("fuse.softmax %0 dimension = -1", "tensor<2x4xf32>", {x}),
             f32({2, 4}, {0.0320586033, 0.0871443187, 0.236882818, 0.64391426, 0.0723294881,
                          0.196611933, 0.196611933, 0.534446645}),
             1e-7);
  expectNear(runSame("fuse.softmax %0 dimension = 0", "tensor<2x4xf32>", {x}),
             f32({2, 4}, {0.880797078, 0.880797078, 0.952574127, 0.952574127, 0.119202922,
                          0.119202922, 0.0474258732, 0.0474258732}),
             1e-7);
}

TEST_F(InterpreterTest, SoftmaxOfInfinities) {
  expectArray(runSame("fuse.softmax %0 dimension = 1", "tensor<3x2xf32>",
                      {f32({3, 2}, {-inf, -inf, -inf, 5, 1, NaN})}),
              f32({3, 2}, {NaN, NaN, 0, 1, NaN, NaN}));
}

// exp(-1) = 0.3679 as f16; the sum 1.368 and the quotients are rounded in turn.
TEST_F(InterpreterTest, SoftmaxRoundsAsItsDecomposition) {
  HostArray composite =
      runSame("fuse.softmax %0 dimension = 0", "tensor<3xf16>", {f16({3}, {0, -1, -0.1})});
  HostArray pieces = run(R"(func.func @f(%x: tensor<3xf16>) -> tensor<3xf16> {
    %m = fuse.reduce max %x dimensions = [0] keep_dims : tensor<3xf16> -> tensor<1xf16>
    %d = fuse.binary sub %x, %m : (tensor<3xf16>, tensor<1xf16>) -> tensor<3xf16>
    %e = fuse.unary exp %d : tensor<3xf16>
    %s = fuse.reduce sum %e dimensions = [0] keep_dims : tensor<3xf16> -> tensor<1xf16>
    %r = fuse.binary div %e, %s : (tensor<3xf16>, tensor<1xf16>) -> tensor<3xf16>
    return %r : tensor<3xf16>
  })",
                         {f16({3}, {0, -1, -0.1})});
  expectArray(composite, pieces);
}

TEST_F(InterpreterTest, LayerNorm) {
  expectNear(runOp("fuse.layer_norm %0 dimensions = [1] epsilon = 1.000000e-05 : (tensor<2x4xf32>) -> "
                   "tensor<2x4xf32>",
                   "tensor<2x4xf32>", "tensor<2x4xf32>", {x}),
             f32({2, 4}, {-1.34163542, -0.447211807, 0.447211807, 1.34163542, -1.41419942, 0, 0,
                          1.41419942}),
             1e-6);
}

TEST_F(InterpreterTest, LayerNormScaled) {
  expectNear(runOp("fuse.layer_norm %0, %1, %2 dimensions = [1] epsilon = 1.000000e-05 : "
                   "(tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>",
                   "tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>", "tensor<2x4xf32>",
                   {x, f32({4}, {1, 2, 3, 4}), f32({4}, {0, 1, 0, -1})}),
             f32({2, 4}, {-1.34163542, 0.105576387, 1.34163542, 4.36654168, -1.41419942, 1, 0,
                          4.65679768}),
             1e-6);
}

TEST_F(InterpreterTest, BatchNorm) {
  std::string vectors = "tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>";
  expectNear(runOp("fuse.batch_norm %0, %1, %2, %3, %4 epsilon = 0.000000e+00 feature_dimension = 1 "
                   ": (tensor<1x2x2x2xf32>, " + vectors + ") -> tensor<1x2x2x2xf32>",
                   "tensor<1x2x2x2xf32>, " + vectors, "tensor<1x2x2x2xf32>",
                   {f32({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), f32({2}, {2, 0.5}),
                    f32({2}, {1, -1}), f32({2}, {1, 6}), f32({2}, {4, 0.25})}),
             f32({1, 2, 2, 2}, {0, 1, 2, 3, -3, -2, -1, 0}), 0);
}

const HostArray query = f32({1, 2, 2, 2}, {-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75});
const HostArray key = f32({1, 2, 3, 2}, {-0.5, -0.375, -0.25, -0.125, 0, 0.125, 0.25, 0.375, 0.5,
                                         0.625, 0.75, 0.875});
const HostArray value = f32({1, 2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
const std::string attentionTypes =
    "tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>";

TEST_F(InterpreterTest, Attention) {
  auto attend = [&](StringRef mode, StringRef maskType, ArrayRef<HostArray> mask) {
    std::string types = attentionTypes + maskType.str();
    SmallVector<HostArray> args = {query, key, value};
    args.append(mask.begin(), mask.end());
    std::string operands = mask.empty() ? "%0, %1, %2" : "%0, %1, %2, %3";
    return runOp("fuse.attention " + operands + " scale = 5.000000e-01" + mode.str() + " : (" +
                     types + ") -> tensor<1x2x2x2xf32>",
                 types, "tensor<1x2x2x2xf32>", args);
  };
  expectNear(attend("", "", {}),
             f32({1, 2, 2, 2}, {1.71063559, 2.71063559, 1.87518276, 2.87518276, 8.04165989,
                                9.04165989, 8.20749008, 9.20749008}),
             2e-6);
  expectNear(attend(" causal", "", {}),
             f32({1, 2, 2, 2}, {0, 1, 0.953159302, 1.9531593, 6, 7, 7.07796644, 8.07796644}), 2e-6);
  // The second row has no key at all.
  expectNear(attend("", ", tensor<2x3xi1>", {i1({2, 3}, {1, 0, 1, 0, 0, 0})}),
             f32({1, 2, 2, 2}, {1.56934732, 2.56934732, NaN, NaN, 8.06247966, 9.06247966, NaN, NaN}),
             2e-6);
  expectNear(attend("", ", tensor<2x3xf32>", {f32({2, 3}, {0, -1, 0.5, 1, 0, 0})}),
             f32({1, 2, 2, 2}, {2.05465415, 3.05465415, 1.15238742, 2.15238742, 8.48175321,
                                9.48175321, 7.48557951, 8.48557951}),
             2e-6);
}

TEST_F(InterpreterTest, GroupedAttention) {
  HostArray heads(ElementType::F32, {1, 4, 2, 2});
  for (int64_t i = 0; i < 16; ++i)
    heads.setFloat(i, i / 8.0 - 1);
  std::string types = "tensor<1x4x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>";
  expectNear(runOp("fuse.attention %0, %1, %2 scale = 5.000000e-01 : (" + types +
                       ") -> tensor<1x4x2x2xf32>",
                   types, "tensor<1x4x2x2xf32>", {heads, key, value}),
             f32({1, 4, 2, 2}, {1.69032739, 2.69032739, 1.77195446, 2.77195446, 1.85445668,
                                2.85445668, 1.93752288, 2.93752288, 8.02083249, 9.02083249,
                                8.10406084, 9.10406084, 8.18688466, 9.18688466, 8.26898741,
                                9.26898741}),
             2e-6);
  HostArray mask(ElementType::F32, {4, 2, 3});
  for (int64_t i = 0; i < 24; ++i)
    mask.setFloat(i, (i % 5 - 2) * 0.5);
  HostArray want = f32({1, 4, 2, 2}, {2.35006454, 3.35006454, 1.33889749, 2.33889749, 2.50801121,
                                      3.50801121, 0.803816578, 1.80381658, 8.6586916, 9.6586916,
                                      8.73078614, 9.73078614, 7.55882124, 8.55882124, 8.86769842,
                                      9.86769842});
  expectNear(runOp("fuse.attention %0, %1, %2, %3 scale = 5.000000e-01 : (" + types +
                       ", tensor<4x2x3xf32>) -> tensor<1x4x2x2xf32>",
                   types + ", tensor<4x2x3xf32>", "tensor<1x4x2x2xf32>", {heads, key, value, mask}),
             want, 2e-6);
  // The same with what may be dynamic.
  std::string dynamic = "tensor<1x4x?x2xf32>, tensor<1x2x?x2xf32>, tensor<1x2x?x2xf32>, "
                        "tensor<4x2x?xf32>";
  expectNear(runOp("fuse.attention %0, %1, %2, %3 scale = 5.000000e-01 : (" + dynamic +
                       ") -> tensor<1x4x?x2xf32>",
                   dynamic, "tensor<1x4x?x2xf32>", {heads, key, value, mask}),
             want, 2e-6);
}

TEST_F(InterpreterTest, DynamicExtentsOfOneDoNotBroadcast) {
  expectError("func.func @f(%x: tensor<2x4xf32>, %s: tensor<?xf32>) -> tensor<2x4xf32> {\n"
              " %0 = fuse.layer_norm %x, %s dimensions = [1] epsilon = 1.000000e-05 : "
              "(tensor<2x4xf32>, tensor<?xf32>) -> tensor<2x4xf32>\n return %0 : tensor<2x4xf32>\n}",
              {x, f32({1}, {1})}, "4 in operand #0 (2x4xf32) and 1 in operand #1 (1xf32)");
  errors.clear();
  expectError("func.func @f(%q: tensor<1x1x2x1xf32>, %m: tensor<?x2xf32>) -> tensor<1x1x2x1xf32> {\n"
              " %0 = fuse.attention %q, %q, %q, %m scale = 1.000000e+00 : (tensor<1x1x2x1xf32>, "
              "tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<?x2xf32>) -> tensor<1x1x2x1xf32>\n"
              " return %0 : tensor<1x1x2x1xf32>\n}",
              {f32({1, 1, 2, 1}, {1, 2}), f32({1, 2}, {0, 0})},
              "extents of scores and mask differ: 2 and 1");
}

} // namespace
