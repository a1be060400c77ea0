//===- IoCostTest.cpp - The price: check values and algebra, without IR -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Properties.h"
#include "fuse/CostModel/CostModel.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Support/Saturating.h"
#include "fuse/Target/Targets.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;
using mlir::fuse::test::checkThousand;

namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Profile makeProfile(int64_t launches, int64_t syncs, int64_t output, int64_t traffic) {
  Profile profile;
  profile.kernelLaunches = launches;
  profile.syncPoints = syncs;
  profile.hostOutputBytes = output;
  profile.deviceTrafficBytes = traffic;
  return profile;
}

IoFigures makeMetal() { return {500, 5000, 200, 200, true, 1, 2000000, 1000}; }
IoFigures makeWgpu() { return {3000, 30000, 100, 40, false, 1, 25000000, 10000}; }

void expectPrice(const Benefit &benefit, const IoFigures &figures, double score, bool plain,
                 double gatedScore, bool gated) {
  IoPrice price = computePrice(benefit, figures);
  EXPECT_NEAR(price.scoreNs, score, std::abs(score) * 1e-6);
  EXPECT_NEAR(price.gatedScoreNs, gatedScore, std::abs(gatedScore) * 1e-6);
  EXPECT_EQ(price.plainFuses, plain);
  EXPECT_EQ(price.gatedFuses, gated);
}

//===- Check values -------------------------------------------------------------------------===//

TEST(IoCostTest, DenseSpectrumOrOnlyItsPeaks) {
  Benefit benefit =
      computeBenefit(makeProfile(3, 0, 33554432, 184549376), makeProfile(4, 1, 1048576, 219152384));
  EXPECT_EQ(benefit, (Benefit{-1, -1, 32505856, -34603008}));
  expectPrice(benefit, makeMetal(), 32327340.96, true, 30327340.96, true);
  expectPrice(benefit, makeWgpu(), 433616.32, true, -24566383.68, false);
}

TEST(IoCostTest, LessReadBack) {
  Benefit benefit = computeBenefit(makeProfile(2, 1, 8192, 16384), makeProfile(1, 1, 512, 16384));
  EXPECT_EQ(benefit, (Benefit{1, 0, 7680, 0}));
  expectPrice(benefit, makeMetal(), 8180, true, 8180, true);
  expectPrice(benefit, makeWgpu(), 3192, false, 3192, false);
}

TEST(IoCostTest, Chain) {
  Profile apart = makeProfile(3, 0, 4096, 24576);
  Benefit merge = computeBenefit(apart, makeProfile(2, 0, 4096, 16384));
  Benefit group = computeBenefit(apart, makeProfile(1, 0, 4096, 8192));
  expectPrice(merge, makeMetal(), 540.96, false, 540.96, false);
  expectPrice(group, makeMetal(), 1081.92, true, 1081.92, true);
  expectPrice(group, makeWgpu(), 6163.84, false, 6163.84, false);
}

/// The least gain itself is enough.
TEST(IoCostTest, Boundary) {
  IoFigures figures;
  figures.dispatchNs = 10;
  figures.minGainNs = 30;
  EXPECT_TRUE(computePrice({3, 0, 0, 0}, figures).plainFuses);
  EXPECT_FALSE(computePrice({2, 0, 0, 9}, figures).plainFuses);
  EXPECT_TRUE(computePrice({}, IoFigures()).gatedFuses);
}

/// Bandwidths below 1 byte per ns count as 1; only the readback bandwidth of the device counts.
TEST(IoCostTest, Bandwidths) {
  IoFigures figures;
  figures.memoryBw = 0;
  figures.readbackBw = 0.5;
  figures.unifiedReadbackBw = 4;
  EXPECT_EQ(computeScore({0, 0, 8, 16}, figures), 24);
  figures.unified = true;
  EXPECT_EQ(computeScore({0, 0, 8, 16}, figures), 18);
  figures.unifiedReadbackBw = 0;
  EXPECT_EQ(computeScore({0, 0, 8, 16}, figures), 24);
}

/// Waits that are saved bring no penalty back.
TEST(IoCostTest, Penalty) {
  IoFigures figures;
  figures.hostThunkPenaltyNs = 100;
  EXPECT_EQ(computeGatedScore({0, 2, 0, 0}, figures), 0);
  EXPECT_EQ(computeGatedScore({0, -2, 0, 0}, figures), -200);
  EXPECT_EQ(computeScore({0, -2, 0, 0}, figures), 0);
}

//===- The figures of a target, and models on them ------------------------------------------===//

class IoCostTargetTest : public ::testing::Test {
protected:
  IoCostTargetTest() { context.loadDialect<FuseDialect>(); }
  TargetAttr lookup(StringRef name) {
    return *lookupTarget(&context, name,
                         [&] { return mlir::emitError(UnknownLoc::get(&context)); });
  }
  MLIRContext context;
};

TEST_F(IoCostTargetTest, Figures) {
  IoFigures cpu; // in round numbers
  cpu.dispatchNs = 1000;
  cpu.memoryBw = 16;
  for (auto [name, want] :
       {std::pair("metal", makeMetal()), {"wgpu", makeWgpu()}, {"default", cpu}}) {
    IoFigures got = getIoFigures(lookup(name));
    EXPECT_EQ(got.dispatchNs, want.dispatchNs) << name;
    EXPECT_EQ(got.roundtripNs, want.roundtripNs) << name;
    EXPECT_EQ(got.memoryBw, want.memoryBw) << name;
    EXPECT_EQ(got.readbackBw, want.readbackBw) << name;
    EXPECT_EQ(got.unified, want.unified) << name;
    EXPECT_EQ(got.unifiedReadbackBw, want.unifiedReadbackBw) << name;
    EXPECT_EQ(got.hostThunkPenaltyNs, want.hostThunkPenaltyNs) << name;
    EXPECT_EQ(got.minGainNs, want.minGainNs) << name;
  }
}

TEST_F(IoCostTargetTest, EveryNamedModelExists) {
  for (StringRef name : getCostModelNames()) {
    std::unique_ptr<CostModel> model = createCostModel(name, lookup("metal"));
    ASSERT_TRUE(model);
    EXPECT_EQ(model->getName(), name);
    EXPECT_EQ(model->getMinGainNs(), 1000);
  }
  EXPECT_TRUE(llvm::is_contained(getCostModelNames(), "io"));
  EXPECT_FALSE(createCostModel("oracle", lookup("metal")));
}

/// A group is judged as a whole: its merges one by one are too little, and it is enough.
TEST_F(IoCostTargetTest, GroupOfLaunches) {
  std::unique_ptr<CostModel> model = createCostModel("io", lookup("metal"));
  LaunchFacts op, chain;
  op.trafficBytes = chain.trafficBytes = 8192;
  double merge = model->scoreMerge({1, 0, 0, 8192});
  EXPECT_NEAR(merge, 540.96, 1e-4);
  EXPECT_FALSE(model->isWorthwhile(merge));
  double group = model->scoreGroup({op, op, op}, chain);
  EXPECT_NEAR(group, 1081.92, 1e-3);
  EXPECT_TRUE(model->isWorthwhile(group));
  EXPECT_NEAR(model->estimateNs(op), 540.96, 1e-4);
  EXPECT_NEAR(model->CostModel::scoreGroup({op, op, op}, chain), group, 1e-6);
}

//===- Algebra ------------------------------------------------------------------------------===//

/// Any int64_t, extremes and small numbers often.
rc::Gen<int64_t> anyInteger() {
  return rc::gen::oneOf(
      rc::gen::inRange<int64_t>(-1000, 1000), rc::gen::arbitrary<int64_t>(),
      rc::gen::elementOf(std::vector<int64_t>{kLeast, kLeast + 1, -1, 0, 1, kMost}),
      rc::gen::inRange(kLeast, kMost));
}

rc::Gen<int64_t> anyCount() {
  return rc::gen::map(anyInteger(),
                      [](int64_t value) { return value < 0 ? subSaturating(0, value) : value; });
}

Profile anyProfile() { return makeProfile(*anyCount(), *anyCount(), *anyCount(), *anyCount()); }

Benefit anyBenefit() { return {*anyInteger(), *anyInteger(), *anyInteger(), *anyInteger()}; }

/// What the verifier of `#fuse.target` lets through: finite and not negative.
double anyFigure() {
  return *rc::gen::oneOf(
      rc::gen::element(0.0, 0.5, 1.0, 200.0, std::numeric_limits<double>::max(),
                       std::numeric_limits<double>::denorm_min()),
      rc::gen::map(rc::gen::inRange(0, 100000000), [](int value) { return value / 16.0; }));
}

IoFigures anyFigures() {
  return {anyFigure(), anyFigure(), anyFigure(), anyFigure(), *rc::gen::arbitrary<bool>(),
          anyFigure(), anyFigure(), anyFigure()};
}

Benefit negate(const Benefit &benefit) {
  return {subSaturating(0, benefit.launchesSaved), subSaturating(0, benefit.syncPointsSaved),
          subSaturating(0, benefit.hostReadbackBytesSaved),
          subSaturating(0, benefit.deviceTrafficBytesSaved)};
}

TEST(IoCostPropertiesTest, BenefitIsAntisymmetric) {
  checkThousand([] {
    Profile a = anyProfile(), b = anyProfile();
    RC_ASSERT(computeBenefit(a, b) == negate(computeBenefit(b, a)));
    RC_ASSERT(computeBenefit(a, a) == Benefit());
  });
}

TEST(IoCostPropertiesTest, ScoreIsAntisymmetric) {
  checkThousand([] {
    Profile a = anyProfile(), b = anyProfile();
    IoFigures figures = anyFigures();
    RC_ASSERT(computeScore(computeBenefit(a, b), figures) ==
              -computeScore(computeBenefit(b, a), figures));
  });
}

TEST(IoCostPropertiesTest, ScoreIsMonotone) {
  checkThousand([] {
    Benefit benefit = anyBenefit();
    IoFigures figures = anyFigures();
    int64_t more = *anyCount();
    for (int64_t Benefit::*saving :
         {&Benefit::launchesSaved, &Benefit::syncPointsSaved, &Benefit::hostReadbackBytesSaved,
          &Benefit::deviceTrafficBytesSaved}) {
      Benefit better = benefit;
      better.*saving = subSaturating(benefit.*saving, -more);
      RC_ASSERT(computeScore(better, figures) >= computeScore(benefit, figures));
      RC_ASSERT(computeGatedScore(better, figures) >= computeGatedScore(benefit, figures));
    }
  });
}

/// Not only is it no less: where the figures are a device's, a saving that can be seen raises it.
TEST(IoCostPropertiesTest, SavingsCount) {
  checkThousand([] {
    IoFigures figures = *rc::gen::element(0, 1) ? makeMetal() : makeWgpu();
    auto saving = [] { return *rc::gen::inRange<int64_t>(-1000000, 1000000); };
    Benefit benefit{saving(), saving(), saving(), saving()};
    for (int64_t Benefit::*each :
         {&Benefit::launchesSaved, &Benefit::syncPointsSaved, &Benefit::hostReadbackBytesSaved,
          &Benefit::deviceTrafficBytesSaved}) {
      Benefit better = benefit;
      ++(better.*each);
      RC_ASSERT(computeScore(better, figures) > computeScore(benefit, figures));
      RC_ASSERT(computeGatedScore(better, figures) > computeGatedScore(benefit, figures));
    }
  });
}

TEST(IoCostPropertiesTest, GateOnlyTakesAway) {
  checkThousand([] {
    Benefit benefit = anyBenefit();
    IoFigures figures = anyFigures();
    IoPrice price = computePrice(benefit, figures);
    RC_ASSERT(price.gatedScoreNs <= price.scoreNs);
    RC_ASSERT(!price.gatedFuses || price.plainFuses);
    if (benefit.syncPointsSaved >= 0)
      RC_ASSERT(price.gatedScoreNs == price.scoreNs);
  });
}

/// Prices stay finite at the extremes.
TEST(IoCostPropertiesTest, NothingOverflows) {
  checkThousand([] {
    IoPrice price = computePrice(anyBenefit(), anyFigures());
    RC_ASSERT(std::isfinite(price.scoreNs));
    RC_ASSERT(std::isfinite(price.gatedScoreNs));
  });
}

/// So do the figures of profiles that are added up.
TEST(IoCostPropertiesTest, ProfilesSaturate) {
  checkThousand([] {
    Profile first = anyProfile(), second = anyProfile(), sum = first, reverse = second;
    sum += second;
    reverse += first;
    RC_ASSERT(sum == reverse);
    RC_ASSERT(sum.deviceTrafficBytes >= first.deviceTrafficBytes);
    RC_ASSERT(first.times(2) == (Profile(first) += first));
  });
}

} // namespace
