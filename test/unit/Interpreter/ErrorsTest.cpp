//===- ErrorsTest.cpp - Wrong arguments and sizes that do not agree -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

constexpr StringRef identity = "func.func @f(%x: tensor<2x?xf32> {fuse.name = \"x\"}) -> tensor<2x?xf32> {\n"
                               " return %x : tensor<2x?xf32>\n}";

TEST_F(InterpreterTest, ArgumentCount) {
  expectError(identity, {}, "expected 1 arguments, found 0");
}

TEST_F(InterpreterTest, ArgumentShape) {
  expectError(identity, {f32({3, 2}, {0, 0, 0, 0, 0, 0})},
              "argument #0 ('x'): expected 2x?xf32, found 3x2xf32");
  expectError(identity, {f32({2}, {0, 0})}, "expected 2x?xf32, found 2xf32");
}

TEST_F(InterpreterTest, ArgumentType) {
  expectError(identity, {i32({2, 1}, {0, 0})}, "expected 2x?xf32, found 2x1xi32");
  expectError(identity, {HostArray()}, "expected 2x?xf32, found no array");
}

TEST_F(InterpreterTest, DynamicDimensionsAreEqual) {
  StringRef text = "func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
                   " %0 = fuse.binary add %x, %y : tensor<?xf32>\n return %0 : tensor<?xf32>\n}";
  expectArray(run(text, {f32({2}, {1, 2}), f32({2}, {3, 4})}), f32({2}, {4, 6}));
  expectError(text, {f32({2}, {1, 2}), f32({1}, {3})},
              "extents of result dimension 0 differ: 2 in operand #0 (2xf32) and 1 in operand #1 (1xf32)");
  expectError(text, {f32({1}, {1}), f32({2}, {3, 4})}, "differ: 1 in operand #0");
}

TEST_F(InterpreterTest, StaticOneBroadcastsAgainstDynamic) {
  StringRef text = "func.func @f(%x: tensor<?x2xf32>, %y: tensor<1x2xf32>) -> tensor<?x2xf32> {\n"
                   " %0 = fuse.binary add %x, %y : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>\n"
                   " return %0 : tensor<?x2xf32>\n}";
  expectArray(run(text, {f32({2, 2}, {1, 2, 3, 4}), f32({1, 2}, {10, 20})}),
              f32({2, 2}, {11, 22, 13, 24}));
  expectArray(run(text, {f32({0, 2}, {}), f32({1, 2}, {10, 20})}), f32({0, 2}, {}));
}

TEST_F(InterpreterTest, DynamicContraction) {
  StringRef text = "func.func @f(%x: tensor<2x?xf32>, %y: tensor<?x1xf32>) -> tensor<2x1xf32> {\n"
                   " %0 = fuse.matmul %x, %y : (tensor<2x?xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>\n"
                   " return %0 : tensor<2x1xf32>\n}";
  expectArray(run(text, {f32({2, 2}, {1, 2, 3, 4}), f32({2, 1}, {1, 1})}), f32({2, 1}, {3, 7}));
  expectError(text, {f32({2, 2}, {1, 2, 3, 4}), f32({3, 1}, {1, 1, 1})},
              "contracted extents differ: 2 and 3");
}

// A static extent in the result where the operand is dynamic is a claim that is checked.
TEST_F(InterpreterTest, DeclaredExtents) {
  expectError("func.func @f(%x: tensor<?xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {\n"
              " %0 = fuse.binary add %x, %y : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
              " return %0 : tensor<3xf32>\n}",
              {f32({2}, {1, 2}), f32({3}, {1, 2, 3})}, "2 in operand #0 (2xf32) and 3 in operand #1");
}

TEST_F(InterpreterTest, FunctionsWithoutABody) {
  expectError("func.func private @f()", {}, "has no body to interpret");
}

} // namespace
