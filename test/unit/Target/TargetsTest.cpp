//===- TargetsTest.cpp - Known devices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Target/Targets.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class TargetsTest : public ::testing::Test {
protected:
  TargetsTest() { context.loadDialect<FuseDialect>(); }

  FailureOr<TargetAttr> lookup(StringRef name) {
    return lookupTarget(&context, name, [&] { return mlir::emitError(UnknownLoc::get(&context)); });
  }

  MLIRContext context;
};

TEST_F(TargetsTest, Figures) {
  struct Want {
    const char *name;
    TargetKind kind;
    double dispatch, roundtrip, memory, readback, unified, unifiedReadback, penalty, minGain;
  };
  for (const Want &want :
       {Want{"metal", TargetKind::Gpu, 500, 5000, 200, 200, 1, 1, 2000000, 1000},
        Want{"wgpu", TargetKind::Gpu, 3000, 30000, 100, 40, 0, 1, 25000000, 10000}}) {
    FailureOr<TargetAttr> target = lookup(want.name);
    ASSERT_TRUE(succeeded(target)) << want.name;
    EXPECT_EQ(target->getName(), want.name);
    EXPECT_EQ(target->getKind(), want.kind);
    EXPECT_EQ(target->getFigure("dispatch_ns"), want.dispatch);
    EXPECT_EQ(target->getFigure("roundtrip_ns"), want.roundtrip);
    EXPECT_EQ(target->getFigure("memory_bw"), want.memory);
    EXPECT_EQ(target->getFigure("readback_bw"), want.readback);
    EXPECT_EQ(target->getFigure("unified"), want.unified);
    EXPECT_EQ(target->getFigure("unified_readback_bw"), want.unifiedReadback);
    EXPECT_EQ(target->getFigure("host_thunk_penalty_ns"), want.penalty);
    EXPECT_EQ(target->getFigure("min_gain_ns"), want.minGain);
  }
}

TEST_F(TargetsTest, DefaultIsTheDefault) {
  FailureOr<TargetAttr> target = lookup("default");
  ASSERT_TRUE(succeeded(target));
  EXPECT_EQ(*target, TargetAttr::getDefault(&context));
  EXPECT_EQ(target->getFigure("min_gain_ns"), 0);
}

/// Every row of the table passes the attribute's verifier.
TEST_F(TargetsTest, AllAreValid) {
  EXPECT_GE(getTargetNames().size(), 6u);
  for (StringRef name : getTargetNames()) {
    FailureOr<TargetAttr> target = lookup(name);
    ASSERT_TRUE(succeeded(target));
    EXPECT_TRUE(
        succeeded(TargetAttr::verify([&] { return mlir::emitError(UnknownLoc::get(&context)); },
                                     target->getName(), target->getKind(), target->getFigures())));
  }
}

TEST_F(TargetsTest, EachFigureHasASource) {
  for (StringRef name : getTargetNames())
    for (const KnownFigure &figure : getKnownFigures(name))
      EXPECT_FALSE(figure.source.empty()) << name.str() << ": " << figure.key.str();
  EXPECT_EQ(lookup("sm_80")->getFigure("memory_bw"), 1555);
  EXPECT_EQ(lookup("sm_90")->getFigure("max_threads"), 132);
  EXPECT_EQ(lookup("sm_90")->getFigure("warpgroup_size"), 0);
  EXPECT_EQ(lookup("sm_90a")->getFigure("warpgroup_size"), 128);
  EXPECT_EQ(lookup("sm_90a")->getFigure("max_threads"), 132);
  EXPECT_EQ(lookup("gfx942")->getFigure("subgroup_size"), 64);
  EXPECT_TRUE(getKnownFigures("abacus").empty());
}

TEST_F(TargetsTest, Unknown) {
  std::string text;
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { text = diagnostic.str(); });
  EXPECT_TRUE(failed(lookup("Metal")));
  EXPECT_EQ(text,
            "unknown target: expected default, metal, wgpu, sm_80, sm_90, sm_90a or gfx942, found 'Metal'");
}

} // namespace
