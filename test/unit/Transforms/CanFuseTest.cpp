//===- CanFuseTest.cpp - Pairs of ops, and whether they may share a kernel -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Transforms/CanFuse.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A program; its ops marked `p` and `c` are asked about.
struct Pair {
  const char *name;
  Barrier barrier;
  const char *arguments;
  const char *body;
};

const char *const kConv = R"(%0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1]
    padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {p} :
    (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  %1 = fuse.batch_norm %0, %v, %v, %v, %v epsilon = 1.0e-05 feature_dimension = 1 {c} :
    (tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    -> tensor<1x64x56x56xf32>)";

const char *const kConvArguments =
    "%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %v: tensor<64xf32>";
const char *const kMatrix = "%x: tensor<128x256xf32>, %w: tensor<256x512xf32>, "
                            "%b: tensor<512xf32>, %y: tensor<128x512xf32>, %i: i1";

const Pair kPairs[] = {
    {"conv2d and batch_norm", Barrier::None, kConvArguments, kConv},
    {"batch_norm and relu", Barrier::None, kConvArguments, R"(
  %1 = fuse.batch_norm %x, %v, %v, %v, %v epsilon = 1.0e-05 feature_dimension = 1 {p} :
    (tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    -> tensor<1x64x56x56xf32>
  %2 = fuse.unary relu %1 {c} : tensor<1x64x56x56xf32>)"},
    {"matmul and add", Barrier::None, kMatrix, R"(
  %0 = fuse.matmul %x, %w {p} : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %1 = fuse.binary add %b, %0 {c} : (tensor<512xf32>, tensor<128x512xf32>) -> tensor<128x512xf32>)"},
    {"add and relu", Barrier::None, kMatrix, R"(
  %0 = fuse.binary add %y, %y {p} : tensor<128x512xf32>
  %1 = fuse.unary relu %0 {c} : tensor<128x512xf32>)"},
    {"add and gelu", Barrier::None, kMatrix, R"(
  %0 = fuse.binary add %y, %b {p} : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %1 = fuse.unary gelu %0 approximate = none {c} : tensor<128x512xf32>)"},
    {"through a view", Barrier::None, kMatrix, R"(
  %0 = fuse.unary exp %y {p} : tensor<128x512xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<128x512xf32> -> tensor<512x128xf32>
  %2 = fuse.unary neg %1 {c} : tensor<512x128xf32>)"},
    {"softmax and a reduction", Barrier::None, kMatrix, R"(
  %0 = fuse.softmax %y dimension = 1 {p} : tensor<128x512xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] {c} : tensor<128x512xf32> -> tensor<128xf32>)"},
    {"a composite with a mark", Barrier::KeptAlone, kMatrix, R"(
  %0 = fuse.softmax %y dimension = 1 {p, fuse.alone} : tensor<128x512xf32>
  %1 = fuse.unary neg %0 {c} : tensor<128x512xf32>)"},
    {"a host op", Barrier::HostOp, kMatrix, R"(
  %0 = fuse.unary neg %y {p} : tensor<128x512xf32>
  %1 = fuse.host_call @h(%0) pure {c} : (tensor<128x512xf32>) -> tensor<128x512xf32>)"},
    {"an op of another dialect", Barrier::ForeignOp, kMatrix, R"(
  %0 = arith.addf %y, %y {p} : tensor<128x512xf32>
  %1 = fuse.unary neg %0 {c} : tensor<128x512xf32>)"},
    {"no edge", Barrier::NoEdge, kMatrix, R"(
  %0 = fuse.unary neg %y {p} : tensor<128x512xf32>
  %1 = fuse.unary abs %y {c} : tensor<128x512xf32>)"},
    {"fixed to another kernel", Barrier::KeptTogether, kMatrix, R"(
  %0 = fuse.unary neg %y {p} : tensor<128x512xf32>
  %1 = fuse.unary abs %0 {c, fuse.closed, fuse.together = "t"} : tensor<128x512xf32>)"},
    {"an op between", Barrier::Cycle, kMatrix, R"(
  %0 = fuse.unary neg %y {p} : tensor<128x512xf32>
  %1 = fuse.host_call @h(%0) pure : (tensor<128x512xf32>) -> tensor<128x512xf32>
  %2 = fuse.binary add %0, %1 {c} : tensor<128x512xf32>)"},
    {"another block", Barrier::OtherBlock, kMatrix, R"(
  %0 = fuse.unary neg %y {p} : tensor<128x512xf32>
  %1 = scf.if %i -> tensor<128x512xf32> {
    %2 = fuse.unary abs %0 {c} : tensor<128x512xf32>
    scf.yield %2 : tensor<128x512xf32>
  } else {
    scf.yield %y : tensor<128x512xf32>
  })"},
    {"too few blocks", Barrier::TooFewBlocks, kMatrix, R"(
  %0 = fuse.unary exp %y {p} : tensor<128x512xf32>
  %1 = fuse.reduce sum %0 dimensions = [0, 1] {c} : tensor<128x512xf32> -> tensor<f32>)"},
    {"a small product again in each block", Barrier::Recomputation,
     "%a: tensor<16x4096xf32>, %b: tensor<4096x16xf32>, %z: tensor<16x65536xf32>", R"(
  %0 = fuse.matmul %a, %b {p} : (tensor<16x4096xf32>, tensor<4096x16xf32>) -> tensor<16x16xf32>
  %1 = fuse.matmul %0, %z {c} : (tensor<16x16xf32>, tensor<16x65536xf32>) -> tensor<16x65536xf32>)"},
    {"a sum over all, once for all blocks of a thread", Barrier::None, kMatrix, R"(
  %0 = fuse.reduce sum %y dimensions = [0, 1] {p} : tensor<128x512xf32> -> tensor<f32>
  %1 = fuse.binary sub %y, %0 {c} : (tensor<128x512xf32>, tensor<f32>) -> tensor<128x512xf32>)"},
};

TEST(CanFuseTest, Pairs) {
  MLIRContext context;
  context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect, scf::SCFDialect>();
  for (const Pair &pair : kPairs) {
    SCOPED_TRACE(pair.name);
    std::string text = std::string("func.func @f(") + pair.arguments + ") {\n" + pair.body +
                       "\n  return\n}\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    Operation *producer = nullptr, *consumer = nullptr;
    module->walk([&](Operation *op) {
      if (op->hasAttr("p"))
        producer = op;
      if (op->hasAttr("c"))
        consumer = op;
    });
    ASSERT_TRUE(producer && consumer);
    std::string before, after;
    llvm::raw_string_ostream(before) << *module;
    Legality legality = canFuse(producer, consumer);
    llvm::raw_string_ostream(after) << *module;
    EXPECT_EQ(legality.barrier, pair.barrier)
        << stringifyBarrier(legality.barrier).str() << ": " << legality.reason;
    EXPECT_EQ(!legality, !legality.reason.empty());
    EXPECT_EQ(before, after);
  }
}

} // namespace
