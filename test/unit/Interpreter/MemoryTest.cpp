//===- MemoryTest.cpp - Buffers, loads and stores -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

TEST_F(InterpreterTest, LoadIsASnapshot) {
  HostArray buffer = f32({2}, {1, 2});
  HostArray got = run(R"(func.func @f(%m: memref<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = fuse.load %m : memref<2xf32> -> tensor<2xf32>
    fuse.store %x, %m : tensor<2xf32>, memref<2xf32>
    %1 = fuse.load %m : memref<2xf32> -> tensor<2xf32>
    %2 = fuse.binary sub %0, %1 : tensor<2xf32>
    return %2 : tensor<2xf32>
  })",
                      {buffer, f32({2}, {10, 20})});
  expectArray(got, f32({2}, {-9, -18}));
  expectArray(buffer, f32({2}, {10, 20}));
}

// One array as tensor and as buffer: the tensor is a value and keeps its elements.
TEST_F(InterpreterTest, TensorsDoNotChange) {
  HostArray shared = f32({2}, {1, 2});
  HostArray got = run(R"(func.func @f(%x: tensor<2xf32>, %m: memref<2xf32>) -> tensor<2xf32> {
    %0 = fuse.unary neg %x : tensor<2xf32>
    fuse.store %0, %m : tensor<2xf32>, memref<2xf32>
    return %x : tensor<2xf32>
  })",
                      {shared, shared});
  expectArray(got, f32({2}, {1, 2}));
  expectArray(shared, f32({2}, {-1, -2}));
}

TEST_F(InterpreterTest, StoreOfAnotherSize) {
  expectError(R"(func.func @f(%x: tensor<?xf32>, %m: memref<?xf32>) {
    fuse.store %x, %m : tensor<?xf32>, memref<?xf32>
    return
  })",
              {f32({2}, {1, 2}), f32({3}, {0, 0, 0})},
              "shapes differ: 2xf32 stored to a buffer of 3xf32");
}

TEST_F(InterpreterTest, OtherBuffersAreRefused) {
  context.allowUnregisteredDialects();
  expectError(R"(func.func @f() -> tensor<2xf32> {
    %m = "test.alloc"() : () -> memref<2xf32>
    %0 = fuse.load %m : memref<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
              {}, "'test.alloc' op cannot be interpreted");
}

} // namespace
