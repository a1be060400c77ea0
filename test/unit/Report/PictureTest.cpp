//===- PictureTest.cpp - The graph's data, and text that may be anything -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Picture.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

// Softmax is two primitives here, in two kernels; relu reads an argument whose name means harm.
const char *const kProgram = R"mlir(
func.func @f(%x: tensor<4x8xf32> {fuse.name = "</script><script>alert(1)</script>"},
             %w: tensor<8xf32> {fuse.param, fuse.name = "w\"\\ \F0\9F\98\80"}) -> (tensor<4x8xf32> {fuse.name = "<!-- y"}) {
  %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
    %1 = fuse.unary relu %a : tensor<4x8xf32>
    %2 = fuse.binary add %1, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %3 = fuse.unary exp %2 {fuse.origin = #fuse.origin<3, "softmax">} : tensor<4x8xf32>
    fuse.yield %3 : tensor<4x8xf32>
  }
  %4 = fuse.kernel (%a = %0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %5 = fuse.unary abs %a {fuse.origin = #fuse.origin<3, "softmax">} : tensor<4x8xf32>
    fuse.yield %5 : tensor<4x8xf32>
  }
  return %4 : tensor<4x8xf32>
}
)mlir";

class PictureTest : public ::testing::Test {
protected:
  PictureTest() {
    context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect>();
    module = parseSourceString<ModuleOp>(kProgram, &context);
    report = computeReport(*module);
    graphs = buildGraphs(*module, report);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Report report;
  std::vector<FunctionGraph> graphs;
};

TEST_F(PictureTest, Graph) {
  const FunctionGraph &graph = graphs.front();
  std::vector<std::string> names;
  for (const GraphNode &node : graph.nodes)
    names.push_back(node.text);
  EXPECT_EQ(names, (std::vector<std::string>{"</script><script>alert(1)</script>", "relu", "add",
                                             "softmax", "<!-- y"}));
  // Written ops: x, relu, add, softmax, y in a row; parameters are values only.
  ASSERT_EQ(graph.edges.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(graph.edges[i].from, i);
    EXPECT_EQ(graph.edges[i].to, i + 1);
  }
  // A part of softmax in each kernel.
  ASSERT_EQ(graph.members.size(), 4u);
  EXPECT_EQ(graph.members[2].node, graph.members[3].node);
  EXPECT_EQ(graph.getBox(2), 0u);
  EXPECT_EQ(graph.getBox(3), 1u);
  EXPECT_EQ(graph.innerEdges.size(), 2u);
  // x to kernel 0, kernel 0 to kernel 1, kernel 1 to y.
  ASSERT_EQ(graph.boxEdges.size(), 3u);
  EXPECT_EQ(graph.boxEdges[0].from, graph.getNodeBox(0));
  EXPECT_EQ(graph.boxEdges[1].from, 0u);
  EXPECT_EQ(graph.boxEdges[1].to, 1u);
  EXPECT_EQ(graph.values[graph.boxEdges[1].values.front()].type, "4x8xf32");
  EXPECT_EQ(graph.values[graph.boxEdges[1].values.front()].bytes, 128);
  EXPECT_EQ(graph.launches[0].inputs.size(), 2u);
  EXPECT_TRUE(graph.values[graph.launches[0].inputs[1]].isParam);
  ASSERT_EQ(graph.refused.size(), 1u);
  EXPECT_EQ(graph.refused[0].producerMember, 2u);
  EXPECT_EQ(graph.refused[0].consumerMember, 3u);
  EXPECT_EQ(report.functions[0].refused[0].producerKernel, 0);
}

/// The JSON value of the page, which ends where a browser's parser says that it does.
std::string getData(StringRef page) {
  StringRef marker = "<script id=\"data\" type=\"application/json\">";
  return page.substr(page.find(marker) + marker.size()).split("</script").first.str();
}

TEST_F(PictureTest, TextIsData) {
  PictureOptions options;
  options.model = "</script>.onnx";
  std::string page = makePicture(graphs, report, options);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  std::string data = getData(page);
  EXPECT_EQ(data.find('<'), std::string::npos);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(data);
  ASSERT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Array *strings = parsed->getAsObject()->getArray("strings");
  ASSERT_NE(strings, nullptr);
  for (const char *text :
       {"</script><script>alert(1)</script>", "<!-- y", "w\"\\ \xF0\x9F\x98\x80", "</script>.onnx"})
    EXPECT_TRUE(llvm::is_contained(*strings, llvm::json::Value(text))) << text;
}

TEST_F(PictureTest, MembersAreWithinTheirKernels) {
  PictureView view = layoutAfter(graphs[0], report.functions[0]);
  ASSERT_EQ(view.members.size(), graphs[0].members.size());
  for (size_t i = 0; i < view.members.size(); ++i) {
    const PictureView::Box &member = view.members[i];
    const PictureView::Box &box = view.boxes[graphs[0].getBox(i)];
    EXPECT_LT(std::abs(member.center.x - box.center.x), (box.width - member.width) / 2 + 1e-6);
    EXPECT_LT(std::abs(member.center.y - box.center.y), (box.height - member.height) / 2 + 1e-6);
  }
  // A node in a kernel has no box of its own.
  EXPECT_EQ(view.boxes[graphs[0].getNodeBox(1)].width, 0);
}

} // namespace
