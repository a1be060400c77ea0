//===- GroupMemoTest.cpp - Groups that look alike are judged alike -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/GroupMemo.h"
#include "../Properties.h"
#include "RandomFunction.h"
#include "fuse/CostModel/MergeQuery.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Target/Targets.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::test;

namespace {

class GroupMemoTest : public ::testing::Test {
protected:
  GroupMemoTest() {
    context.disableMultithreading();
    context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect>();
  }

  /// The keys of the pairs of neighbors 0 1, 2 3, … of a function.
  std::vector<GroupMemo::Key> getKeysOfPairs(StringRef body) {
    std::string text = ("func.func @f(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %z: tensor<4x8xf32>) "
                        "-> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {" +
                        body + "}")
                           .str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    FusionGraph graph(getFunction(*module).getBody().front());
    MemberTable table(graph);
    std::vector<GroupMemo::Key> keys;
    for (unsigned node = 0; node + 1 < graph.size() && table[node + 1].isFusable; node += 2)
      keys.push_back(GroupMemo::getKey(table, {node, node + 1}));
    return keys;
  }

  MLIRContext context;
};

TEST_F(GroupMemoTest, NamesMakeNoDifference) {
  auto keys = getKeysOfPairs(R"mlir(
    %0 = fuse.unary exp %x : tensor<8x4xf32>
    %1 = fuse.binary add %0, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = fuse.unary exp %y : tensor<8x4xf32>
    %3 = fuse.binary add %2, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1, %3, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)mlir");
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0], keys[1]);
}

// The second group reads what the first computes: that is nearer than what comes from outside.
TEST_F(GroupMemoTest, PlacesMakeADifference) {
  auto keys = getKeysOfPairs(R"mlir(
    %0 = fuse.unary exp %x : tensor<8x4xf32>
    %1 = fuse.binary add %0, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = fuse.unary exp %1 : tensor<8x4xf32>
    %3 = fuse.binary add %2, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = fuse.unary exp %x : tensor<8x4xf32>
    %5 = fuse.binary add %4, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %3, %5, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)mlir");
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_NE(keys[0], keys[1]);
  EXPECT_NE(keys[0], keys[2]) << "a result of the program";
}

// The second group reads one value twice; the third keeps its first member's result.
TEST_F(GroupMemoTest, EdgesMakeADifference) {
  auto keys = getKeysOfPairs(R"mlir(
    %0 = fuse.unary exp %x : tensor<8x4xf32>
    %1 = fuse.binary add %0, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = fuse.unary exp %x : tensor<8x4xf32>
    %3 = fuse.binary add %2, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = fuse.unary exp %x : tensor<8x4xf32>
    %5 = fuse.binary add %4, %y : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %6 = fuse.unary exp %x : tensor<8x4xf32>
    %7 = fuse.binary add %y, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1, %4, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)mlir");
  ASSERT_EQ(keys.size(), 4u);
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      EXPECT_NE(keys[i], keys[k]) << i << " and " << k;
}

TEST_F(GroupMemoTest, FactsMakeADifference) {
  auto keys = getKeysOfPairs(R"mlir(
    %0 = fuse.unary exp %x : tensor<8x4xf32>
    %1 = fuse.reduce sum %0 dimensions = [0] : tensor<8x4xf32> -> tensor<4xf32>
    %2 = fuse.unary exp %x : tensor<8x4xf32>
    %3 = fuse.reduce sum %2 dimensions = [1] : tensor<8x4xf32> -> tensor<8xf32>
    %4 = fuse.unary exp %z : tensor<4x8xf32>
    %5 = fuse.reduce sum %4 dimensions = [0] : tensor<4x8xf32> -> tensor<8xf32>
    %6 = fuse.unary neg %x : tensor<8x4xf32>
    %7 = fuse.unary exp %6 : tensor<8x4xf32>
    return %7, %7, %7 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)mlir");
  ASSERT_EQ(keys.size(), 4u);
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      EXPECT_NE(keys[i], keys[k]) << i << " and " << k;
}

// Windows of up to four neighbors of random functions: one key, one verdict.
TEST_F(GroupMemoTest, OneKeyOneVerdict) {
  TargetAttr target = *lookupTarget(&context, "default", [&] { return mlir::emitError(UnknownLoc::get(&context)); });
  auto model = createCostModel("roofline", target);
  int equal = 0;
  checkThousand([&] {
    Choices choices(*rc::gen::arbitrary<std::vector<uint8_t>>());
    OwningOpRef<ModuleOp> module = makeRandomModule(context, choices);
    FusionGraph graph(getFunction(*module).getBody().front());
    MemberTable table(graph);
    MergeQuery query(graph, table, target, *model);
    std::map<GroupMemo::Key, GroupVerdict> known;
    for (unsigned first = 0; first < graph.size(); ++first) {
      SmallVector<unsigned> nodes;
      for (unsigned node = first; node < graph.size() && nodes.size() < 4; ++node) {
        if (!table[node].isFusable)
          continue;
        nodes.push_back(node);
        GroupVerdict verdict = query.evaluate(nodes);
        auto [it, isNew] = known.try_emplace(GroupMemo::getKey(table, nodes), verdict);
        if (isNew)
          continue;
        equal += nodes.size() > 1;
        RC_ASSERT(static_cast<bool>(it->second.legality) == static_cast<bool>(verdict.legality));
        if (!verdict.legality)
          RC_ASSERT(it->second.legality.barrier == verdict.legality.barrier);
        RC_ASSERT(it->second.facts == verdict.facts);
      }
    }
  });
  EXPECT_GT(equal, 100) << "groups of more than one op that look alike";
}

} // namespace
