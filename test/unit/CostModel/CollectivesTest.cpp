//===- CollectivesTest.cpp - What a collective takes -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Collectives.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Collectives : public ::testing::Test {
protected:
  Collectives() { context.loadDialect<FuseDialect>(); }

  /// Steps of 100 ns and 10 bytes/ns on a machine, of 1000 ns and 5 bytes/ns between machines.
  TargetAttr makeTarget(double ranksPerNode) {
    Builder builder(&context);
    auto figure = [&](StringRef key, double value) {
      return builder.getNamedAttr(key, builder.getF64FloatAttr(value));
    };
    return TargetAttr::get(&context, "cluster", TargetKind::Cpu,
                           builder.getDictionaryAttr(
                               {figure("memory_bw", 20), figure("collective_alpha_ns", 100),
                                figure("collective_beta_bw", 10), figure("network_alpha_ns", 1000),
                                figure("network_bw", 5), figure("ranks_per_node", ranksPerNode)}));
  }

  MLIRContext context;
};

TEST_F(Collectives, OnOneMachine) {
  TargetAttr target = makeTarget(8);
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllReduce, 8000, 1), 0);
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllReduce, 8000, 2), 2 * 100 + 800);
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllReduce, 8000, 4), 4 * 100 + 1200);
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllGather, 8000, 4), 2 * 100 + 600);
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllSlice, 8000, 4), 800);
}

TEST_F(Collectives, WhatFitsTheCacheIsCopiedFaster) {
  Builder builder(&context);
  NamedAttrList figures(makeTarget(8).getFigures());
  figures.set("l3_bytes", builder.getF64FloatAttr(64000));
  figures.set("collective_cache_bw", builder.getF64FloatAttr(40));
  TargetAttr target = TargetAttr::get(&context, "cluster", TargetKind::Cpu, figures.getDictionary(&context));
  // Operands and results of 4 processes: 8 times the bytes.
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllGather, 8000, 4), 2 * 100 + 150);
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllGather, 16000, 4), 2 * 100 + 1200);
  EXPECT_DOUBLE_EQ(collectiveTime(target, CollectiveKind::AllGather, 16000, 2), 100 + 200);
}

TEST_F(Collectives, AnAllReduceIsAReduceScatterAndAnAllGather) {
  for (int64_t ranks : {2, 3, 4, 8, 16}) {
    TargetAttr target = makeTarget(4);
    EXPECT_NEAR(collectiveTime(target, CollectiveKind::AllReduce, 8000, ranks),
                collectiveTime(target, CollectiveKind::ReduceScatter, 8000, ranks) +
                    collectiveTime(target, CollectiveKind::AllGather, 8000, ranks),
                1e-6)
        << ranks;
  }
}

TEST_F(Collectives, NeighboursOfAnOuterAxisAreOnOtherMachines) {
  TargetAttr target = makeTarget(4);
  double inner = collectiveTime(target, CollectiveKind::AllReduce, 8000, 4, 1);
  double outer = collectiveTime(target, CollectiveKind::AllReduce, 8000, 4, 4);
  EXPECT_DOUBLE_EQ(inner, 4 * 100 + 1200);
  // Four groups share a machine's link.
  EXPECT_DOUBLE_EQ(outer, 4 * 1000 + 1.5 * 4 * 8000 / 5);
}

TEST_F(Collectives, BytesSent) {
  EXPECT_EQ(collectiveBytesSent(CollectiveKind::AllReduce, 8000, 4), 12000);
  EXPECT_EQ(collectiveBytesSent(CollectiveKind::AllGather, 8000, 4), 6000);
  EXPECT_EQ(collectiveBytesSent(CollectiveKind::AllReduce, 8000, 1), 0);
}

} // namespace
