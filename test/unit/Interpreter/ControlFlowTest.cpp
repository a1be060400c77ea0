//===- ControlFlowTest.cpp - Constants, calls, branches, loops, launches -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

TEST_F(InterpreterTest, Constants) {
  expectArray(run(R"(func.func @f() -> tensor<2x2xf32> {
    %0 = arith.constant dense<[[1.0, -0.0], [0x7F800000, 2.5]]> : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })",
                  {}),
              f32({2, 2}, {1, -0.0, inf, 2.5}));
  expectArray(run(R"(func.func @f() -> tensor<3xi1> {
    %0 = arith.constant dense<true> : tensor<3xi1>
    return %0 : tensor<3xi1>
  })",
                  {}),
              i1({3}, {1, 1, 1}));
  expectArray(run(R"(func.func @f() -> tensor<2xf32> {
    %0 = arith.constant dense_resource<w> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  {-# dialect_resources: {builtin: {w: "0x040000000000803F00000040"}} #-})",
                  {}),
              f32({2}, {1, 2}));
}

TEST_F(InterpreterTest, Call) {
  expectArray(run(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = fuse.unary neg %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                  {f32({2}, {1, 2})}),
              f32({2}, {-1, -2}));
  expectError(R"(func.func @f() {
    call @f() : () -> ()
    return
  })",
              {}, "calls nest deeper than 200");
}

TEST_F(InterpreterTest, Branch) {
  StringRef text = R"(func.func @f(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %p = tensor.extract %c[] : tensor<i1>
    %0 = scf.if %p -> tensor<2xf32> {
      %1 = fuse.unary neg %x : tensor<2xf32>
      scf.yield %1 : tensor<2xf32>
    } else {
      scf.yield %x : tensor<2xf32>
    }
    return %0 : tensor<2xf32>
  })";
  expectArray(run(text, {i1({}, {1}), f32({2}, {1, 2})}), f32({2}, {-1, -2}));
  expectArray(run(text, {i1({}, {0}), f32({2}, {1, 2})}), f32({2}, {1, 2}));
}

TEST_F(InterpreterTest, Loop) {
  expectArray(run(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %b = arith.constant 0 : index
    %e = arith.constant 5 : index
    %s = arith.constant 2 : index
    %0 = scf.for %i = %b to %e step %s iter_args(%a = %x) -> tensor<2xf32> {
      %1 = fuse.binary add %a, %a : tensor<2xf32>
      scf.yield %1 : tensor<2xf32>
    }
    return %0 : tensor<2xf32>
  })",
                  {f32({2}, {1, 2})}),
              f32({2}, {8, 16}));
}

TEST_F(InterpreterTest, Launch) {
  HostArray y = f32({2}, {0, 0});
  expectArray(run(R"(func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = fuse.launch @k ins(%x : tensor<2xf32>) outs(%y : tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  module @k {
    func.func private @k(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %0 = fuse.unary neg %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  })",
                  {f32({2}, {1, 2}), y}),
              f32({2}, {-1, -2}));
}

TEST_F(InterpreterTest, LaunchHost) {
  StringRef text = R"(func.func @f(%s: tensor<1x8xf32>, %y: tensor<1x2xf32>, %m: memref<1x2xf32>) -> tensor<1x2xf32> {
    %0 = fuse.launch_host "welch_peaks" [1, 1] pure ins(%s : tensor<1x8xf32>) outs(%y : tensor<1x2xf32>) -> tensor<1x2xf32>
    fuse.launch_host "welch_peaks" [1, 1] ins(%s : tensor<1x8xf32>) outs(%m : memref<1x2xf32>)
    return %0 : tensor<1x2xf32>
  })";
  HostArray spectrum = f32({1, 8}, {0, 3, 0, 0, 0, 0, 0, 0}), buffer = f32({1, 2}, {0, 0});
  expectArray(run(text, {spectrum, f32({1, 2}, {0, 0}), buffer}), f32({1, 2}, {1, 18}));
  expectArray(buffer, f32({1, 2}, {1, 18}));
}

} // namespace
