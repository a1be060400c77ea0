//===- OverviewTest.cpp - Layers that repeat, and values from far away -------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Picture.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Launches of the given kinds, each in a layer of the model.
FunctionReport makeLaunches(ArrayRef<std::pair<const char *, const char *>> launches) {
  FunctionReport report;
  for (auto [op, layer] : launches) {
    KernelReport &kernel = report.kernels.emplace_back();
    kernel.id = report.kernels.size() - 1;
    kernel.label = "other";
    kernel.ops = {op};
    kernel.layer = layer;
  }
  return report;
}

void expectRepeat(const Repeat &repeat, unsigned first, unsigned period, unsigned count) {
  EXPECT_EQ(repeat.first, first);
  EXPECT_EQ(repeat.period, period);
  EXPECT_EQ(repeat.count, count);
}

// A round begins where a layer begins, though the launches before it are alike too.
TEST(RepeatsTest, RoundsAreLayers) {
  FunctionReport report = makeLaunches({{"gather", "embeddings"},
                                        {"first", "layer.0/a"},
                                        {"b", "layer.0/b"},
                                        {"c", "layer.0/c"},
                                        {"a", "layer.1/a"},
                                        {"b", "layer.1/b"},
                                        {"c", "layer.1/c"},
                                        {"a", "layer.2/a"},
                                        {"b", "layer.2/b"},
                                        {"c", "layer.2/c"},
                                        {"tanh", "pooler"}});
  std::vector<Repeat> repeats = findRepeats(report);
  ASSERT_EQ(repeats.size(), 1u);
  expectRepeat(repeats[0], 4, 3, 2);
}

TEST(RepeatsTest, SeveralAndNone) {
  FunctionReport report = makeLaunches({{"a", ""},
                                        {"a", ""},
                                        {"a", ""},
                                        {"a", ""},
                                        {"b", ""},
                                        {"c", ""},
                                        {"d", ""},
                                        {"c", ""},
                                        {"d", ""},
                                        {"c", ""},
                                        {"d", ""},
                                        {"e", ""},
                                        {"e", ""}});
  std::vector<Repeat> repeats = findRepeats(report);
  ASSERT_EQ(repeats.size(), 2u);
  expectRepeat(repeats[0], 0, 1, 4);
  expectRepeat(repeats[1], 5, 2, 3);
  EXPECT_TRUE(findRepeats(makeLaunches({{"a", ""}, {"b", ""}, {"a", ""}, {"b", ""}})).empty());
  EXPECT_TRUE(findRepeats(FunctionReport()).empty());
}

// Six launches in a row, the first of which all others read as well; three of them repeat.
class OverviewTest : public ::testing::Test {
protected:
  OverviewTest() {
    report = makeLaunches({{"first", ""}, {"a", ""}, {"a", ""}, {"a", ""}, {"a", ""}, {"b", ""}});
    graph.values.resize(report.kernels.size());
    graph.launches.resize(report.kernels.size());
    for (unsigned i = 1; i < report.kernels.size(); ++i) {
      graph.boxEdges.push_back({i - 1, i, {i - 1}});
      if (i > 1)
        graph.boxEdges.push_back({0, i, {0}});
    }
    for (unsigned i = 0; i < report.kernels.size(); ++i) {
      graph.nodes.push_back({GraphNode::Kind::Op, report.kernels[i].ops[0], "4xf32", ""});
      graph.members.push_back({i, i});
    }
  }
  FunctionReport report;
  FunctionGraph graph;
};

TEST_F(OverviewTest, ManyReadersHaveTags) {
  PictureView view = layoutAfter(graph, report);
  std::vector<unsigned> tagged;
  for (const PictureView::Tag &tag : view.tags) {
    EXPECT_EQ(tag.from, 0u);
    tagged.push_back(tag.to);
    const PictureView::Box &box = view.boxes[tag.to];
    EXPECT_LE(std::abs(tag.place.center.x - box.center.x), (box.width - tag.place.width) / 2);
    EXPECT_LE(std::abs(tag.place.center.y - box.center.y), (box.height - tag.place.height) / 2);
  }
  EXPECT_EQ(tagged, (std::vector<unsigned>{1, 2, 3, 4, 5}));
  EXPECT_EQ(view.lines.size(), 4u);
}

TEST_F(OverviewTest, RepeatsAreFolded) {
  PictureView view = layoutOverview(graph, report);
  ASSERT_EQ(view.frames.size(), 1u);
  expectRepeat(view.frames[0].repeat, 1, 1, 4);
  for (unsigned launch : {2, 3, 4})
    EXPECT_EQ(view.boxes[launch].width, 0);
  const PictureView::Box &frame = view.frames[0].place, &box = view.boxes[1];
  EXPECT_LT(std::abs(box.center.x - frame.center.x), (frame.width - box.width) / 2 + 1e-6);
  EXPECT_LT(std::abs(box.center.y - frame.center.y), (frame.height - box.height) / 2 + 1e-6);
  // What comes from outside, and from the round before.
  bool isCarried = false, isRead = false;
  for (const PictureView::Tag &tag : view.tags) {
    isCarried |= tag.to == 1 && tag.from == 1 && tag.isCarried;
    isRead |= tag.to == 1 && tag.from == 0 && !tag.isCarried;
  }
  EXPECT_TRUE(isCarried);
  EXPECT_TRUE(isRead);
}

} // namespace
