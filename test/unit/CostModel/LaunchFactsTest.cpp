//===- LaunchFactsTest.cpp - What blocks compute and read again -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/CostModel.h"
#include "fuse/Target/Targets.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "fuse/IR/FuseDialect.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr auto parallel = utils::IteratorType::parallel;
constexpr auto reduction = utils::IteratorType::reduction;

/// A product of rows (value 100, m x k) with a weight (value 101, k x n), 1 flop per point.
Member makeProduct(int64_t m, int64_t n, int64_t k) {
  Member member;
  member.isFusable = member.hasResult = true;
  member.pattern = OpPattern::Contraction;
  member.extents = {m, n, k};
  member.iterators = {parallel, parallel, reduction};
  member.writes = {0, 1};
  member.resultBytes = 4 * m * n;
  member.elementBytes = member.resultElementBytes = 4;
  member.flopsPerPoint = 1;
  auto read = [&](unsigned value, std::initializer_list<unsigned> loops, int64_t bytes) {
    MemberRead entry;
    entry.value = value;
    entry.producer = FusionGraph::kNone;
    entry.bytes = bytes;
    entry.elementBytes = 4;
    for (unsigned loop : loops) {
      PositionAccess position;
      position.digits.push_back({loop, 1, member.extents[loop]});
      entry.positions.push_back(position);
    }
    member.reads.push_back(entry);
  };
  read(100, {0, 2}, 4 * m * k);
  read(101, {2, 1}, 4 * k * n);
  return member;
}

/// A core that keeps so many bytes from one block to the next.
CacheFacts keeps(int64_t bytes) {
  CacheFacts caches;
  caches.ownBytes = 2 * bytes;
  return caches;
}

TEST(LaunchFactsTest, EachOperandOnceAndTheResult) {
  MemberTable table({makeProduct(64, 32, 16)});
  LaunchFacts facts = computeLaunchFacts(table, computeGroupDomain(table, {0}), {64, 32}, keeps(0));
  EXPECT_EQ(facts.trafficBytes, 4 * (64 * 16 + 16 * 32 + 64 * 32));
  EXPECT_EQ(facts.blocks, 1);
  EXPECT_EQ(facts.flops, 64 * 32 * 16);
  EXPECT_EQ(facts.repeatedFlops, 0);
  EXPECT_EQ(facts.rereadBytes, 0);
}

// Tiles of 16 rows by 8 columns: each of 4 row tiles reads the weight, each of 4 column tiles the rows.
TEST(LaunchFactsTest, BlocksReadWhatTheyShareAgain) {
  MemberTable table({makeProduct(64, 32, 16)});
  LaunchFacts facts = computeLaunchFacts(table, computeGroupDomain(table, {0}), {16, 8}, keeps(0));
  EXPECT_EQ(facts.blocks, 16);
  EXPECT_EQ(facts.reusedBytes, 4 * (64 * 16 + 16 * 32));
  EXPECT_EQ(facts.rereadBytes, 3 * 4 * (64 * 16 + 16 * 32));
}

// A block reads 8 columns of the weight, 512 bytes: a core that keeps as many does not read again.
TEST(LaunchFactsTest, WhatStaysNearTheCoreIsNotReadAgain) {
  MemberTable table({makeProduct(64, 32, 16)});
  LaunchFacts facts =
      computeLaunchFacts(table, computeGroupDomain(table, {0}), {16, 8}, keeps(512));
  EXPECT_EQ(facts.reusedBytes, 4 * 64 * 16);
  EXPECT_EQ(facts.rereadBytes, 3 * 4 * 64 * 16);
}

/// A vector along loop `loop` of a 64 x 32 matrix, 10 flops per element, and its sum with the
/// matrix.
std::pair<Member, Member> makeVectorAndSum(unsigned loop) {
  Member vector, sum;
  vector.isFusable = vector.hasResult = sum.isFusable = sum.hasResult = true;
  sum.extents = {64, 32};
  sum.iterators = {parallel, parallel};
  sum.writes = {0, 1};
  sum.flopsPerPoint = 1;
  sum.value = 1;
  vector.extents = {sum.extents[loop]};
  vector.iterators = {parallel};
  vector.writes = {0};
  vector.flopsPerPoint = 10;
  auto makeRead = [&](unsigned value, unsigned producer, unsigned along) {
    MemberRead read;
    read.value = value;
    read.producer = producer;
    read.bytes = 4 * sum.extents[loop];
    PositionAccess position;
    position.digits.push_back({along, 1, sum.extents[loop]});
    read.positions = {position};
    return read;
  };
  vector.reads.push_back(makeRead(100, FusionGraph::kNone, 0));
  sum.reads.push_back(makeRead(0, 0, loop));
  return {vector, sum};
}

// A vector that is computed and added to each row: once for each row tile.
TEST(LaunchFactsTest, BlocksComputeReplicatedMembersAgain) {
  auto [vector, sum] = makeVectorAndSum(1);
  MemberTable table({vector, sum});
  LaunchFacts facts =
      computeLaunchFacts(table, computeGroupDomain(table, {0, 1}), {16, 32}, keeps(0));
  EXPECT_EQ(facts.repeatedFlops, 3 * 320);
  EXPECT_EQ(facts.flops, 4 * 320 + 64 * 32);
}

// A value of each row, added along the row: neighbours along the last dim share it.
TEST(LaunchFactsTest, NeighboursShareWhatLacksTheLastDims) {
  auto [vector, sum] = makeVectorAndSum(0);
  MemberTable table({vector, sum});
  GroupDomain domain = computeGroupDomain(table, {0, 1});
  // Four tiles of rows, four of columns, two ranges: one begins within a tile of rows.
  LaunchFacts facts = computeLaunchFacts(table, domain, {16, 8}, keeps(0), std::nullopt, 2);
  EXPECT_EQ(facts.repeatedFlops, 160);
  EXPECT_EQ(facts.rereadBytes, 4 * 64);
  LaunchFacts alone = computeLaunchFacts(table, domain, {16, 8}, keeps(0), std::nullopt, 16);
  EXPECT_EQ(alone.repeatedFlops, 3 * 640);
  EXPECT_EQ(alone.rereadBytes, 3 * 4 * 64);
}

// Eight rows are computed together: fewer use what they load less.
TEST(LaunchFactsTest, FewRowsLoseLoads) {
  MemberTable table({makeProduct(64, 32, 16)});
  GroupDomain domain = computeGroupDomain(table, {0});
  auto compute = [&](int64_t rows) {
    return computeLaunchFacts(table, domain, {rows, 32}, keeps(0), 0);
  };
  constexpr int64_t kProduct = 64 * 32 * 16;
  EXPECT_EQ(compute(8).lostFlops, 0);
  EXPECT_EQ(compute(4).lostFlops, kProduct / 40 * 4);
  EXPECT_EQ(compute(4).flops, kProduct + kProduct / 40 * 4);
  EXPECT_EQ(compute(4).productFlops, compute(4).flops);
  EXPECT_GT(compute(1).lostFlops, compute(2).lostFlops);
}

// Tensor cores take tiles of eight rows and eight columns, whatever a block's other dims are.
TEST(LaunchFactsTest, TensorCoresTakeTilesOfEightByEight) {
  Member product = makeProduct(64, 32, 16);
  product.tensors = {TensorElement::Short, {0}, {1}};
  MemberTable shorts({product});
  product.tensors.element = TensorElement::F32;
  MemberTable singles({product});
  auto compute = [&](const MemberTable &table, int64_t rows, int64_t columns) {
    return computeLaunchFacts(table, computeGroupDomain(table, {0}), {rows, columns}, keeps(0), 0);
  };
  constexpr int64_t kProduct = 64 * 32 * 16;
  EXPECT_EQ(compute(shorts, 8, 8).shortTensorFlops, kProduct);
  EXPECT_EQ(compute(shorts, 8, 8).f32TensorFlops, 0);
  EXPECT_EQ(compute(singles, 8, 8).f32TensorFlops, kProduct);
  EXPECT_EQ(compute(shorts, 7, 32).shortTensorFlops, 0);
  EXPECT_EQ(compute(shorts, 64, 7).shortTensorFlops, 0);
  EXPECT_EQ(compute(shorts, 128, 128).shortTensorFlops, kProduct);
}

// Warpgroups take f16 that is copied from memory in pieces of 16 bytes, in tiles that have room, and more than one part.
TEST(LaunchFactsTest, WarpgroupsTakeWhatCodeCopiesForThem) {
  auto count = [&](Member product, int64_t rows, int64_t columns, int64_t threads) {
    MemberTable table({std::move(product)});
    return computeLaunchFacts(table, computeGroupDomain(table, {0}), {rows, columns}, keeps(0), 0, kBlockRanges, 0, threads)
        .warpgroupFlops;
  };
  auto make = [](int64_t m, int64_t n, int64_t k, TensorElement element = TensorElement::Short) {
    Member product = makeProduct(m, n, k);
    product.tensors = {element, {0}, {1}};
    for (MemberRead &read : product.reads)
      read.elementBytes = 2;
    return product;
  };
  Member product = make(512, 512, 128);
  constexpr int64_t kProduct = 512 * 512 * 128;
  EXPECT_EQ(count(product, 128, 128, 128), kProduct);
  EXPECT_EQ(count(product, 128, 256, 256), kProduct);
  EXPECT_EQ(count(product, 128, 128, 0), 0);   // not on this target
  EXPECT_EQ(count(product, 128, 128, 64), 0);  // no warpgroup
  EXPECT_EQ(count(product, 16, 128, 128), 0);  // 48 of 64 rows fill up
  EXPECT_EQ(count(product, 128, 100, 128), 0); // tiles begin within pieces
  EXPECT_EQ(count(make(512, 512, 64), 128, 128, 128), 0);
  EXPECT_EQ(count(make(512, 500, 128), 128, 128, 128), 0);
  EXPECT_EQ(count(make(512, 512, 128, TensorElement::F32), 128, 128, 128), 0);
  product.reads[1].elementBytes = 4; // cast on the way
  EXPECT_EQ(count(product, 128, 128, 128), 0);
}

// What blocks of few rows lose is lost to bytes as well.
TEST(LaunchFactsTest, ProductsOfBytesAreCounted) {
  Member product = makeProduct(64, 32, 16);
  product.tensors = {TensorElement::Byte, {0}, {1}};
  MemberTable bytes({product}), floats({makeProduct(64, 32, 16)});
  auto compute = [&](const MemberTable &table) {
    return computeLaunchFacts(table, computeGroupDomain(table, {0}), {4, 32}, keeps(0), 0);
  };
  EXPECT_EQ(compute(bytes).byteFlops, compute(bytes).productFlops);
  EXPECT_EQ(compute(bytes).shortTensorFlops + compute(bytes).f32TensorFlops, 0);
  EXPECT_EQ(compute(floats).byteFlops, 0);
  // Tensor cores take tiles with as many rows as those of halves have.
  EXPECT_EQ(compute(bytes).byteTensorFlops, 0);
  LaunchFacts large =
      computeLaunchFacts(bytes, computeGroupDomain(bytes, {0}), {8, 32}, keeps(0), 0);
  EXPECT_EQ(large.byteTensorFlops, large.byteFlops);
  EXPECT_EQ(large.shortTensorFlops + large.f32TensorFlops, 0);
}

// 4 KB and 2 KB from outside and 8 KB for outside: one round of the program.
TEST(LaunchFactsTest, WhatComesRoundOnceARunIsWhereThatFits) {
  Member product = makeProduct(64, 32, 16);
  product.escapes = true;
  MemberTable table({product});
  CacheFacts caches;
  constexpr int64_t kBytes = 4 * (64 * 16 + 16 * 32 + 64 * 32);
  caches.programBytes = kBytes;
  auto compute = [&] {
    return computeLaunchFacts(table, computeGroupDomain(table, {0}), {64, 32}, caches);
  };
  caches.ownBytes = 8 * kBytes;
  EXPECT_NEAR(compute().nearBytes, kBytes, 0.01 * kBytes);
  caches.ownBytes = 0;
  EXPECT_NEAR(compute().cachedBytes, kBytes, 3);
  caches.sharedBytes = kBytes;
  EXPECT_NEAR(compute().cachedBytes, 0.29 * kBytes, 0.01 * kBytes);
  EXPECT_NEAR(compute().farBytes, 0.71 * kBytes, 0.01 * kBytes);
  caches.sharedBytes = 0;
  EXPECT_EQ(compute().farBytes, kBytes);
  EXPECT_EQ(compute().trafficBytes, kBytes);
}

// Its reader follows: a value between two launches is still there.
TEST(LaunchFactsTest, ValuesBetweenLaunchesAreClose) {
  Member first = makeProduct(64, 32, 16), second = makeProduct(64, 8, 32);
  first.value = 7;
  second.escapes = true;
  second.reads[0].value = 7;
  second.reads[0].producer = 0;
  MemberTable table({first, second});
  CacheFacts caches;
  caches.programBytes = 1 << 30;
  caches.sharedBytes = 8 * 4 * 64 * 32;
  LaunchFacts facts = computeLaunchFacts(table, computeGroupDomain(table, {1}), {64, 8}, caches);
  EXPECT_NEAR(facts.cachedBytes, 4 * 64 * 32, 0.02 * 4 * 64 * 32);
  EXPECT_NEAR(facts.farBytes, 4 * (32 * 8 + 64 * 8), 0.03 * 4 * 64 * 32);
  EXPECT_NEAR(facts.farWrittenBytes, 4 * 64 * 8, 2);
}

TEST(SharedTilesTest, Counting) {
  EXPECT_EQ(countComputing({}, {}, 2), 1);
  EXPECT_EQ(countComputing({8}, {true}, 2), 8);
  EXPECT_EQ(countComputing({8}, {false}, 2), 2);
  EXPECT_EQ(countComputing({8, 4}, {true, false}, 2), 9);
  EXPECT_EQ(countComputing({8, 4}, {false, true}, 2), 32);
  EXPECT_EQ(countComputing({8, 4, 2}, {false, true, false}, 2), 33);
  EXPECT_EQ(countComputing({8, 4}, {true, false}, 100), 32);
  EXPECT_EQ(countComputing({1, 1}, {false, false}, 2), 1);
}

TEST(LaunchFactsTest, UnknownAndEmptyExtentsAreCounted) {
  MemberTable unknown({makeProduct(ShapedType::kDynamic, 32, 16)});
  EXPECT_EQ(
      computeLaunchFacts(unknown, computeGroupDomain(unknown, {0}), {16, 32}, keeps(0)).blocks, 64);
  MemberTable empty({makeProduct(0, 32, 16)});
  LaunchFacts facts = computeLaunchFacts(empty, computeGroupDomain(empty, {0}), {16, 32}, keeps(0));
  EXPECT_EQ(facts.blocks, 1);
  EXPECT_EQ(facts.flops, 0);
}

class RooflineTest : public ::testing::Test {
protected:
  RooflineTest() { context.loadDialect<FuseDialect>(); }
  std::unique_ptr<CostModel> make(std::initializer_list<std::pair<StringRef, double>> figures,
                                  Numerics numerics = Numerics::Reassociates) {
    Builder builder(&context);
    SmallVector<NamedAttribute> list;
    for (auto [key, value] : figures)
      list.push_back(builder.getNamedAttr(key, builder.getF64FloatAttr(value)));
    return createCostModel(
        "roofline",
        TargetAttr::get(&context, "t", TargetKind::Cpu, builder.getDictionaryAttr(list)), numerics);
  }
  MLIRContext context;
};

TEST_F(RooflineTest, TheLongerOfMovingAndComputing) {
  auto model = make({{"dispatch_ns", 100}, {"memory_bw", 10}, {"flops_per_ns", 4}});
  LaunchFacts launch;
  launch.farBytes = 10000;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 100 + 1000);
  launch.flops = 1000;
  EXPECT_NEAR(model->estimateNs(launch), 100 + 1000, 10);
  launch.flops = 20000;
  EXPECT_NEAR(model->estimateNs(launch), 100 + 5000, 10);
  launch.hasPhases = true; // then less is hidden
  EXPECT_GT(model->estimateNs(launch), 100 + 5050);
  EXPECT_LT(model->estimateNs(launch), 100 + 6000);
}

TEST_F(RooflineTest, EachLevelHasItsBandwidth) {
  auto model = make({{"memory_bw", 10}, {"store_bw", 5}, {"l2_bw", 100}, {"l3_bw", 50}});
  LaunchFacts launch;
  launch.nearBytes = 5000;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 50);
  launch.cachedBytes = 5000;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 50 + 100);
  launch.farBytes = 5000;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 50 + 100 + 500);
  launch.farWrittenBytes = 1000;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 50 + 100 + 400 + 200);
}

TEST_F(RooflineTest, ProductsHaveARateOfTheirOwn) {
  auto model = make({{"flops_per_ns", 4}, {"matmul_flops_per_ns", 8}});
  LaunchFacts launch;
  launch.flops = 1000;
  launch.productFlops = 800;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 50 + 100);
}

TEST_F(RooflineTest, ProductsOfBytesHaveARateOfTheirOwn) {
  LaunchFacts launch;
  launch.flops = launch.productFlops = 800;
  launch.byteFlops = 480;
  EXPECT_DOUBLE_EQ(make({{"matmul_flops_per_ns", 8}, {"int8_flops_per_ns", 32}})->estimateNs(launch), 40 + 15);
  EXPECT_DOUBLE_EQ(make({{"matmul_flops_per_ns", 8}})->estimateNs(launch), 100);
  // Those that tensor cores take, in any class of numerics, have half of what these do; the others
  // are as before.
  launch.byteTensorFlops = 320;
  EXPECT_DOUBLE_EQ(make({{"matmul_flops_per_ns", 8}})->estimateNs(launch), 100);
  EXPECT_DOUBLE_EQ(
      make({{"matmul_flops_per_ns", 8}, {"tensor_int8_flops_per_ns", 128}})->estimateNs(launch),
      60 + 5);
}

// Tensor cores add up in an order of their own and round f32; a block keeps half of them busy.
TEST_F(RooflineTest, TensorCoresAreUsedAsNumericsAllow) {
  auto estimate = [&](Numerics numerics) {
    auto model = make({{"flops_per_ns", 4},
                       {"matmul_flops_per_ns", 8},
                       {"tensor_flops_per_ns", 128},
                       {"tf32_flops_per_ns", 64}},
                      numerics);
    LaunchFacts launch;
    launch.flops = launch.productFlops = 3200;
    launch.shortTensorFlops = 1600;
    launch.f32TensorFlops = 800;
    return model->estimateNs(launch);
  };
  EXPECT_DOUBLE_EQ(estimate(Numerics::Exact), 400);
  EXPECT_DOUBLE_EQ(estimate(Numerics::Reassociates), 25 + 200);
  EXPECT_DOUBLE_EQ(estimate(Numerics::ReducedPrecision), 25 + 25 + 100);
  // With warpgroups, subgroups have 0.62 of the rate.
  for (int64_t ofWarpgroups : {0, 400, 1600}) {
    auto model = make({{"tensor_flops_per_ns", 128}, {"warpgroup_size", 128}});
    LaunchFacts launch;
    launch.flops = launch.productFlops = launch.shortTensorFlops = 1600;
    launch.warpgroupFlops = ofWarpgroups;
    double of = static_cast<double>(ofWarpgroups);
    EXPECT_DOUBLE_EQ(model->estimateNs(launch), of / 64 + (1600 - of) / (0.62 * 64));
  }
  auto none = make({{"matmul_flops_per_ns", 8}});
  LaunchFacts launch;
  launch.flops = launch.productFlops = launch.shortTensorFlops = 1600;
  EXPECT_DOUBLE_EQ(none->estimateNs(launch), 200);
}

TEST_F(RooflineTest, WhatDoesNotFitIsReadAgainFromMemory) {
  auto model = make({{"memory_bw", 10}, {"l3_bw", 200}, {"l3_bytes", 2000}});
  LaunchFacts launch;
  launch.rereadBytes = 5000;
  launch.reusedBytes = 100;
  EXPECT_NEAR(model->estimateNs(launch), 50, 1);
  launch.reusedBytes = 1600; // half of it is held
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), (50 + 500) / 2);
  launch.reusedBytes = 10000;
  EXPECT_NEAR(model->estimateNs(launch), 500, 1);
}

TEST_F(RooflineTest, ShortRunsTakeLonger) {
  auto model = make({{"memory_bw", 10}, {"l3_bw", 50}});
  LaunchFacts launch;
  launch.cachedBytes = launch.farBytes = 6000;
  double streams = model->estimateNs(launch);
  launch.cachedRunBytes = 3000;
  EXPECT_NEAR(model->estimateNs(launch), streams + 60, 1e-6);
  launch.farRunBytes = 3000;
  EXPECT_NEAR(model->estimateNs(launch), streams + 360, 1e-6);
}

TEST_F(RooflineTest, ThreadsShareTheWorkAsFarAsThereAreBlocks) {
  auto model = make({{"memory_bw", 15},
                     {"thread_memory_bw", 10},
                     {"flops_per_ns", 4},
                     {"max_threads", 2},
                     {"fork_ns", 30}});
  LaunchFacts launch;
  launch.flops = 800;
  launch.blocks = 4;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 30 + 100);
  launch.blocks = 3; // one thread has two
  EXPECT_NEAR(model->estimateNs(launch), 30 + 200 * 2 / 3., 1e-9);
  launch.blocks = 1;
  EXPECT_DOUBLE_EQ(model->estimateNs(launch), 200);
  launch.farBytes = 3000;
  EXPECT_NEAR(model->estimateNs(launch), 300, 15);
  launch.blocks = 4;
  EXPECT_NEAR(model->estimateNs(launch), 30 + 200, 10);
}

// Without figures for computing and caches it is launches and traffic.
TEST_F(RooflineTest, KnowsNoMoreThanTheTargetTells) {
  FailureOr<TargetAttr> metal =
      lookupTarget(&context, "metal", [&] { return emitError(UnknownLoc::get(&context)); });
  ASSERT_TRUE(succeeded(metal));
  auto io = createCostModel("io", *metal), roofline = createCostModel("roofline", *metal);
  LaunchFacts launch;
  launch.trafficBytes = launch.farBytes = 123456;
  launch.flops = launch.rereadBytes = launch.reusedBytes = 1 << 30;
  EXPECT_DOUBLE_EQ(roofline->estimateNs(launch), io->estimateNs(launch));
}

} // namespace
