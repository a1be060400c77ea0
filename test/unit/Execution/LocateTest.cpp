//===- LocateTest.cpp - Which kernel computed something else --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Locate.h"

#include "fuse/IR/FuseDialect.h"
#include "fuse/Interpreter/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

// y = 1000 · (x − 1), two values of one kernel, and what comes of them.
constexpr const char *kSource = R"(
func.func @f(%x: tensor<4xf32>, %one: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  %a:2 = fuse.kernel (%i = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = fuse.unary neg %i : tensor<4xf32>
    %1 = fuse.unary abs %i : tensor<4xf32>
    fuse.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  %b = fuse.kernel (%i = %a#1, %j = %one) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %k = arith.constant dense<1.0e+03> : tensor<4xf32>
    %0 = fuse.binary sub %i, %j : tensor<4xf32>
    %1 = fuse.binary mul %0, %k : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  %c = fuse.kernel (%i = %b) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = fuse.unary neg %i : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  fuse.store %x, %m : tensor<4xf32>, memref<4xf32>
  return %c : tensor<4xf32>
})";

class LocateTest : public ::testing::Test {
protected:
  LocateTest() {
    context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect>();
    module = parseSourceString<ModuleOp>(kSource, &context);
    function = *module->getOps<func::FuncOp>().begin();
    kept = keepKernelResults(function);
    args = {HostArray::fromFloats(ElementType::F32, {4}, {1, 2, 3, 4}),
            HostArray::splat(ElementType::F32, {4}, 1), HostArray(ElementType::F32, {4})};
    ran = run(args);
  }

  /// All kernels' results.
  llvm::DenseMap<Value, HostArray> run(SmallVector<HostArray> arguments) {
    arguments[2] = arguments[2].clone();
    auto results = interpret(function, arguments);
    llvm::DenseMap<Value, HostArray> values;
    for (const KeptResults::Kept &value : kept.values)
      values[value.value] = (*results)[value.output].clone();
    return values;
  }

  LocatedDifference locate() {
    return *locateDifference(function, args, ran, [](ElementType) { return Tolerance{0, 0.01}; });
  }

  /// A result of a kernel as it is said to have been computed.
  HostArray &get(size_t i) { return ran[kept.values[i].value]; }
  KernelOp getKernel(size_t i) { return cast<KernelOp>(kept.values[i].value.getDefiningOp()); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  KeptResults kept;
  SmallVector<HostArray> args;
  llvm::DenseMap<Value, HostArray> ran;
};

} // namespace

TEST_F(LocateTest, KeepsEachResultOnce) {
  ASSERT_EQ(kept.values.size(), 4u);
  EXPECT_EQ(function.getNumResults(), 4u);
  EXPECT_EQ(kept.values[3].output, 0u) << "what is returned already";
  EXPECT_EQ(kept.values[0].output, 1u);
  EXPECT_EQ(kept.nestedKernels + kept.silentKernels, 0);
  EXPECT_TRUE(succeeded(module->verify()));
}

TEST_F(LocateTest, AllAgree) {
  LocatedDifference located = locate();
  EXPECT_FALSE(located.difference);
  ASSERT_EQ(located.results.size(), 4u);
  EXPECT_EQ(located.results[0].getFloat(3), -3000);
  EXPECT_EQ(args[2].getFloat(0), 0) << "buffers are not written";
}

TEST_F(LocateTest, NamesTheFirstWrongArray) {
  get(2).setFloat(1, 1500);
  get(2).setFloat(2, 2000.5);
  get(3).setFloat(0, 77);
  LocatedDifference located = locate();
  ASSERT_TRUE(located.difference);
  const KernelDifference &difference = *located.difference;
  EXPECT_EQ(difference.kernel, getKernel(2));
  EXPECT_EQ(difference.result, 0u);
  EXPECT_EQ(difference.comparison.wrong, 2);
  EXPECT_EQ(difference.comparison.worst, 1);
  EXPECT_EQ(difference.comparison.got, 1500);
  EXPECT_EQ(difference.comparison.want, 1000);
  EXPECT_EQ(difference.shape, (SmallVector<int64_t>{4}));
  EXPECT_TRUE(difference.isAlone);
}

TEST_F(LocateTest, NamesTheResult) {
  get(1).setFloat(3, 5);
  LocatedDifference located = locate();
  ASSERT_TRUE(located.difference);
  EXPECT_EQ(located.difference->kernel, getKernel(0));
  EXPECT_EQ(located.difference->result, 1u);
  EXPECT_EQ(located.difference->comparison.worst, 3);
}

TEST_F(LocateTest, SaysWhereSmallDifferencesHaveGrown) {
  // Within the tolerance in the first kernel, a thousand times as much in the second.
  SmallVector<HostArray> close = args;
  close[0] = HostArray::fromFloats(ElementType::F32, {4}, {1.005, 2, 3, 4});
  ran = run(close);
  LocatedDifference located = locate();
  ASSERT_TRUE(located.difference);
  EXPECT_EQ(located.difference->kernel, getKernel(2));
  EXPECT_EQ(located.difference->comparison.worst, 0);
  EXPECT_FALSE(located.difference->isAlone);
}

TEST_F(LocateTest, MeasuresHowErrorsGrow) {
  // 0.005 of 2.7 in the first kernel, none of its own; then 5 of 1871.
  SmallVector<HostArray> close = args;
  close[0] = HostArray::fromFloats(ElementType::F32, {4}, {1.005, 2, 3, 4});
  ran = run(close);
  // As if the first kernel had computed it from 1.
  auto errors = measureKernelErrors(function, args, ran,
                                    [](ElementType) { return Tolerance{0, 0.01}; });
  ASSERT_TRUE(succeeded(errors));
  EXPECT_FALSE(errors->difference);
  ASSERT_EQ(errors->alone.size(), 3u);
  EXPECT_NEAR(errors->alone[0], 0.005 / std::sqrt(7.5), 1e-6);
  EXPECT_EQ(errors->alone[1], 0);
  EXPECT_EQ(errors->alone[2], 0);
  ASSERT_EQ(errors->grown.size(), 3u);
  EXPECT_NEAR(errors->grown[1], 5 / std::sqrt(3.5e6), 1e-6);
  EXPECT_EQ(errors->grown[2], errors->grown[1]);
  EXPECT_NEAR(errors->resultsOfRan[0].getFloat(0), -5, 1e-3);
  EXPECT_EQ(errors->results[0].getFloat(0), 0);
}

TEST_F(LocateTest, NamesWhatIsWrongOnItsOwnOperands) {
  get(1).setFloat(0, 1.005); // grows in the second kernel, which is right
  get(2).setFloat(0, 5);
  get(3).setFloat(0, 77);
  auto errors = measureKernelErrors(function, args, ran,
                                    [](ElementType) { return Tolerance{0, 0.01}; });
  ASSERT_TRUE(succeeded(errors));
  ASSERT_TRUE(errors->difference);
  EXPECT_EQ(errors->difference->kernel, getKernel(3));
  EXPECT_TRUE(errors->difference->isAlone);
  EXPECT_NEAR(errors->difference->comparison.want, -5, 1e-3);
}

TEST_F(LocateTest, AnArrayOfAnotherShapeIsAnError) {
  get(2) = HostArray(ElementType::F32, {5});
  std::string text;
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { text = diagnostic.str(); });
  EXPECT_TRUE(failed(locateDifference(function, args, ran, getDefaultTolerance)));
  EXPECT_NE(text.find("result 0"), std::string::npos) << text;
}
