//===- CheckValuesTest.cpp - Figures of known programs, from IR -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/IoCost.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Report/Report.h"
#include "fuse/Target/Targets.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class CheckValuesTest : public ::testing::Test {
protected:
  CheckValuesTest() {
    context.disableMultithreading();
    context.loadDialect<FuseDialect, func::FuncDialect>();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  /// The report of the one function of `text`, planned with strategy `chains`.
  FunctionReport fuse(StringRef text) {
    OwningOpRef<ModuleOp> module = parse(text);
    if (!module)
      return {};
    PassManager passes(&context);
    passes.addPass(createFuseDecompose());
    FusePlanOptions chains;
    chains.strategy = "chains";
    passes.addPass(createFusePlan(chains));
    passes.addPass(createFuseFormKernels());
    EXPECT_TRUE(succeeded(passes.run(*module)));
    Report report = computeReport(*module);
    return report.functions.empty() ? FunctionReport() : report.functions.front();
  }

  TargetAttr lookup(StringRef name) {
    return *lookupTarget(&context, name,
                         [&] { return mlir::emitError(UnknownLoc::get(&context)); });
  }

  IoPrice price(const Profile &before, const Profile &after, StringRef target) {
    return computePrice(computeBenefit(before, after), getIoFigures(lookup(target)));
  }

  MLIRContext context;
};

void expectProfile(const Profile &profile, int64_t launches, int64_t syncs, int64_t output,
                   int64_t traffic) {
  EXPECT_EQ(profile.kernelLaunches, launches);
  EXPECT_EQ(profile.syncPoints, syncs);
  EXPECT_EQ(profile.hostOutputBytes, output);
  EXPECT_EQ(profile.deviceTrafficBytes, traffic);
  EXPECT_EQ(profile.unknownValues, 0);
  EXPECT_FALSE(profile.partial);
}

constexpr StringLiteral kChain = R"mlir(
func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  return %2 : tensor<1024xf32>
})mlir";

TEST_F(CheckValuesTest, Chain) {
  FunctionReport report = fuse(kChain);
  EXPECT_EQ(report.getSummary(), "Fusion: 3 → 1 kernels (67% reduction), 8.0KB memory saved");
  expectProfile(report.before, 3, 0, 4096, 24576);
  expectProfile(report.after, 1, 0, 4096, 8192);
  EXPECT_FALSE(report.scoreNs);
  EXPECT_NEAR(price(report.before, report.after, "metal").scoreNs, 1081.92, 1e-3);
  EXPECT_TRUE(price(report.before, report.after, "metal").gatedFuses);
  EXPECT_NEAR(price(report.before, report.after, "wgpu").scoreNs, 6163.84, 1e-3);
  EXPECT_FALSE(price(report.before, report.after, "wgpu").plainFuses);
}

/// A module that names its target is priced.
TEST_F(CheckValuesTest, ScoreOfReport) {
  OwningOpRef<ModuleOp> module = parse(kChain);
  ASSERT_TRUE(module);
  (*module)->setAttr(attr::kTarget, lookup("metal"));
  Report report = computeReport(*module);
  EXPECT_EQ(report.functions.front().scoreNs, 0.0);
  EXPECT_EQ(report.functions.front().target, "metal");
}

TEST_F(CheckValuesTest, OneMerge) {
  FunctionReport report = fuse(R"mlir(
func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 {fuse.alone} : tensor<1024xf32>
  return %2 : tensor<1024xf32>
})mlir");
  IoPrice merge = price(report.before, report.after, "metal");
  EXPECT_NEAR(merge.scoreNs, 540.96, 5e-4);
  EXPECT_FALSE(merge.plainFuses);
}

TEST_F(CheckValuesTest, ReductionIsInNoChain) {
  FunctionReport report = fuse(R"mlir(
func.func @f(%x: tensor<1024xf32>) -> tensor<f32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<1024xf32> -> tensor<f32>
  %2 = fuse.unary exp %1 : tensor<f32>
  return %2 : tensor<f32>
})mlir");
  EXPECT_EQ(report.getSummary(), "Fusion: 3 → 3 kernels (0% reduction), 0.0KB memory saved");
}

TEST_F(CheckValuesTest, Diamond) {
  FunctionReport report = fuse(R"mlir(
func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary exp %0 : tensor<1024xf32>
  %2 = fuse.unary neg %0 : tensor<1024xf32>
  %3 = fuse.binary add %1, %2 : tensor<1024xf32>
  return %3 : tensor<1024xf32>
})mlir");
  EXPECT_EQ(report.getSummary(), "Fusion: 4 → 3 kernels (25% reduction), 4.0KB memory saved");
}

TEST_F(CheckValuesTest, TwoUsesByOneOp) {
  FunctionReport report = fuse(R"mlir(
func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.binary mul %0, %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  return %2 : tensor<1024xf32>
})mlir");
  EXPECT_EQ(report.originalKernels, 3);
  EXPECT_EQ(report.fusedKernels, 1);
}

TEST_F(CheckValuesTest, Buffers) {
  FunctionReport report = fuse(R"mlir(
func.func @f(%m: memref<1024xf32>, %out: memref<1024xf32>) {
  %x = fuse.load %m : memref<1024xf32> -> tensor<1024xf32>
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  fuse.store %2, %out : tensor<1024xf32>, memref<1024xf32>
  return
})mlir");
  EXPECT_EQ(report.getSummary(), "Fusion: 5 → 3 kernels (40% reduction), 8.0KB memory saved");
  ASSERT_EQ(report.kernels.size(), 3u);
  EXPECT_EQ(report.kernels[1].buffersEliminated, 1);
}

TEST_F(CheckValuesTest, Empty) {
  FunctionReport report =
      fuse("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }");
  EXPECT_EQ(report.getSummary(), "Fusion: 0 → 0 kernels (0% reduction), 0.0KB memory saved");
}

/// conv2d → batch_norm → relu, kept together by hand; the parameters are read by the kernel.
TEST_F(CheckValuesTest, ConvBatchNormRelu) {
  FunctionReport report = fuse(R"mlir(
!image = tensor<1x64x56x56xf32>
!channel = tensor<64xf32>
func.func @f(%x: !image, %w: tensor<64x64x3x3xf32>, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (!image, tensor<64x64x3x3xf32>) -> !image
  %1 = fuse.batch_norm %0, %s, %o, %m, %v epsilon = 1.0e-05 feature_dimension = 1 {fuse.together = "k"} : (!image, !channel, !channel, !channel, !channel) -> !image
  %2 = fuse.unary relu %1 {fuse.together = "k"} : !image
  return %2 : !image
})mlir");
  expectProfile(report.before, 3, 0, 802816, 4965376);
  expectProfile(report.after, 1, 0, 802816, 1754112);
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].trafficBytes, 1754112);
  EXPECT_EQ(report.kernels[0].memorySavedBytes, 1605632);
  EXPECT_EQ(report.kernels[0].inputs, 6);
}

/// The same with the batch norm in the weights: the bias remains.
TEST_F(CheckValuesTest, FoldedConvRelu) {
  FunctionReport report = fuse(R"mlir(
!image = tensor<1x64x56x56xf32>
func.func @f(%x: !image, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>) -> !image {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (!image, tensor<64x64x3x3xf32>, tensor<64xf32>) -> !image
  %1 = fuse.unary relu %0 {fuse.together = "k"} : !image
  return %1 : !image
})mlir");
  expectProfile(report.after, 1, 0, 802816, 1753344);
}

//===- The gate over rewrites ---------------------------------------------------------------===//

TEST_F(CheckValuesTest, DenseSpectrumOrOnlyItsPeaks) {
  OwningOpRef<ModuleOp> module = parse(R"mlir(
!dense = tensor<8192x1024xf32>
func.func @dense(%s: tensor<8192x1024xf16>) -> !dense {
  %0 = fuse.cast %s : (tensor<8192x1024xf16>) -> !dense
  %1 = fuse.unary abs %0 : !dense
  %2 = fuse.unary sqrt %1 : !dense
  return %2 : !dense
}
func.func @peaks(%s: tensor<8192x1024xf16>) -> (!dense, tensor<8192x32xf32>) {
  %0 = fuse.cast %s : (tensor<8192x1024xf16>) -> !dense
  %1 = fuse.unary abs %0 : !dense
  %2 = fuse.unary sqrt %1 : !dense
  %3 = fuse.welch_peaks %2 k = 16 n_segments = 1 : !dense -> tensor<8192x32xf32>
  return %2, %3 : !dense, tensor<8192x32xf32>
})mlir");
  ASSERT_TRUE(module);
  auto functions = llvm::to_vector(module->getOps<FunctionOpInterface>());
  Profile before = computeProfile(functions[0]);
  // The host reads the peaks only.
  int64_t peaks = 1;
  Profile after = computeProfile(functions[1], ProfileView::AsFormed, ArrayRef<int64_t>(peaks));
  expectProfile(before, 3, 0, 33554432, 184549376);
  expectProfile(after, 4, 1, 1048576, 219152384);
  IoPrice metal = price(before, after, "metal"), wgpu = price(before, after, "wgpu");
  EXPECT_NEAR(metal.scoreNs, 32327340.96, 32);
  EXPECT_NEAR(metal.gatedScoreNs, 30327340.96, 30);
  EXPECT_TRUE(metal.plainFuses && metal.gatedFuses);
  EXPECT_NEAR(wgpu.scoreNs, 433616.32, 0.4);
  EXPECT_NEAR(wgpu.gatedScoreNs, -24566383.68, 24);
  EXPECT_TRUE(wgpu.plainFuses && !wgpu.gatedFuses);
}

/// What was recorded before decomposition counts, but for the outputs that are chosen.
TEST_F(CheckValuesTest, WrittenProfile) {
  OwningOpRef<ModuleOp> module = parse(R"mlir(
func.func @f(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0 = fuse.softmax %x dimension = -1 : tensor<4x8xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
})mlir");
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(createFuseDecompose());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  FunctionOpInterface function = *module->getOps<FunctionOpInterface>().begin();
  expectProfile(computeWrittenProfile(function), 2, 0, 144, 400);
  int64_t sum = 1;
  expectProfile(computeWrittenProfile(function, ArrayRef<int64_t>(sum)), 2, 0, 16, 400);
  // Not recorded: the primitives of one composite are one launch.
  function->removeAttr(attr::kWritten);
  expectProfile(computeWrittenProfile(function), 2, 0, 144, 400);
}

} // namespace
