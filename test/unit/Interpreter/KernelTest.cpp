//===- KernelTest.cpp - One kernel alone -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InterpreterTest.h"

using namespace fusetest;

namespace {

class KernelTest : public InterpreterTest {
protected:
  KernelOp parseKernel() {
    func::FuncOp function = parse(R"(
      func.func @f(%x: tensor<4xf32> {fuse.name = "x"}, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
        %n = fuse.unary neg %x : tensor<4xf32>
        %0:2 = fuse.kernel (%a = %x, %b = %y, %c = %n) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
          %1 = fuse.unary relu %a : tensor<4xf32>
          %2 = fuse.binary add %1, %b : tensor<4xf32>
          %3 = fuse.binary mul %2, %c : tensor<4xf32>
          %4 = fuse.reduce sum %3 dimensions = [0] : tensor<4xf32> -> tensor<f32>
          fuse.yield %2, %4 : tensor<4xf32>, tensor<f32>
        }
        return %0#0, %0#1 : tensor<4xf32>, tensor<f32>
      })");
    return *function.getOps<KernelOp>().begin();
  }
  HostArray x = f32({4}, {-1, 0, 1, 2}), tens = f32({4}, {10, 10, 10, 10});
};

TEST_F(KernelTest, ByOrder) {
  auto results = evaluateKernel(parseKernel(), {x, tens, f32({4}, {1, 0, 0, 1})});
  ASSERT_TRUE(succeeded(results)) << errors;
  expectArray((*results)[0], f32({4}, {10, 10, 11, 12}));
  expectArray((*results)[1], f32({}, {22}));
}

TEST_F(KernelTest, ByName) {
  KernelOp kernel = parseKernel();
  EXPECT_EQ(getKernelInputName(kernel, 0), "x");
  EXPECT_EQ(getKernelInputName(kernel, 1), "arg1");
  EXPECT_EQ(getKernelInputName(kernel, 2), "input2");
  llvm::StringMap<HostArray> inputs;
  inputs["x"] = x;
  inputs["arg1"] = tens;
  inputs["input2"] = x;
  auto results = evaluateKernel(kernel, inputs);
  ASSERT_TRUE(succeeded(results)) << errors;
  expectArray((*results)[1], f32({}, {25}));
  inputs["z"] = x;
  EXPECT_TRUE(failed(evaluateKernel(kernel, inputs)));
  EXPECT_NE(errors.find("has no input 'z'"), std::string::npos) << errors;
}

TEST_F(KernelTest, MissingInput) {
  EXPECT_TRUE(failed(evaluateKernel(parseKernel(), {x})));
  EXPECT_NE(errors.find("input 'arg1' (#1) is missing: 'fuse.binary' reads it"), std::string::npos)
      << errors;
}

TEST_F(KernelTest, WrongLength) {
  EXPECT_TRUE(failed(evaluateKernel(parseKernel(), {x, f32({3}, {1, 2, 3}), x})));
  EXPECT_NE(errors.find("input 'arg1' (#1) is expected to be 4xf32, found 3xf32"),
            std::string::npos)
      << errors;
  EXPECT_TRUE(failed(evaluateKernel(parseKernel(), {x, x, x, x})));
  EXPECT_NE(errors.find("expected 3 inputs, found 4"), std::string::npos) << errors;
}

TEST_F(KernelTest, InsideAFunction) {
  func::FuncOp function = parseKernel()->getParentOfType<func::FuncOp>();
  SmallVector<HostArray> args = {x, tens};
  auto results = interpret(function, args);
  ASSERT_TRUE(succeeded(results)) << errors;
  expectArray((*results)[0], f32({4}, {10, 10, 11, 12}));
  expectArray((*results)[1], f32({}, {-25}));
}

} // namespace
