//===- RandomInputsTest.cpp - Inputs from a seed ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/RandomInputs.h"

#include "fuse/IR/FuseDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

HostArray make(const std::string &name, ElementType type, ArrayRef<int64_t> shape, uint64_t seed,
               std::optional<int64_t> extent = std::nullopt) {
  ValueInfo info;
  info.name = name;
  info.type = type;
  info.shape.assign(shape.begin(), shape.end());
  return llvm::cantFail(makeRandomInput(info, seed, extent));
}

TEST(RandomInputsTest, FloatsAreNormal) {
  HostArray x = make("x", ElementType::F64, {20000}, 1);
  double sum = 0, squares = 0;
  for (double value : x.data<double>()) {
    sum += value;
    squares += value * value;
  }
  EXPECT_LT(std::fabs(sum / 20000), 0.03);
  EXPECT_LT(std::fabs(squares / 20000 - 1), 0.05);
}

TEST(RandomInputsTest, DependOnSeedAndNameOnly) {
  EXPECT_EQ(make("x", ElementType::F32, {9}, 1).data<float>(),
            make("x", ElementType::F32, {9}, 1).data<float>());
  EXPECT_NE(make("x", ElementType::F32, {9}, 1).data<float>(),
            make("y", ElementType::F32, {9}, 1).data<float>());
  EXPECT_NE(make("x", ElementType::F32, {9}, 1).data<float>(),
            make("x", ElementType::F32, {9}, 2).data<float>());
}

TEST(RandomInputsTest, KeepToTheRanges) {
  for (ElementType type : getElementTypes()) {
    if (isFloatElement(type))
      continue;
    HostArray x = make("x", type, {500}, 3);
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < 500; ++i) {
      low = std::min(low, x.getInt(i));
      high = std::max(high, x.getInt(i));
    }
    EXPECT_EQ(isSignedElement(type) ? -8 : 0, low);
    EXPECT_EQ(type == ElementType::I1 ? 1 : isSignedElement(type) ? 8 : 16, high);
  }
  HostArray x = make("x", ElementType::I32, {ShapedType::kDynamic, 4}, 3, 2);
  EXPECT_EQ("13x4xi32", x.describe());
  for (int32_t value : x.data<int32_t>())
    EXPECT_TRUE(value == 0 || value == 1);
}

TEST(RandomInputsTest, FindIndexInputs) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, FuseDialect>();
  auto module = parseSourceString<ModuleOp>(R"mlir(
    func.func @f(%table: tensor<9x4xf32>, %i: tensor<6xi32>) -> tensor<3x2x4xf32> {
      %j = fuse.reshape %i : tensor<6xi32> -> tensor<3x2xi32>
      %y = fuse.gather %table, %j dimension = 0
        : (tensor<9x4xf32>, tensor<3x2xi32>) -> tensor<3x2x4xf32>
      return %y : tensor<3x2x4xf32>
    })mlir", &context);
  ASSERT_TRUE(module);
  auto func = *findFunction(*module, "");
  EXPECT_EQ(std::nullopt, getIndexExtent(func.getArgument(0)));
  EXPECT_EQ(9, getIndexExtent(func.getArgument(1)));
}

} // namespace
