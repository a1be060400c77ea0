//===- DescriptionTest.cpp - What a model's file says of itself ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"

using namespace fuse_test;

namespace {

class Description : public Import {
protected:
  OnnxDescription describe(const std::string &graph) {
    auto found = describeOnnx(folder.write("m.onnx", parseModel(graph).SerializeAsString()));
    EXPECT_TRUE(static_cast<bool>(found)) << llvm::toString(found.takeError());
    return found ? *found : OnnxDescription();
  }
};

TEST_F(Description, SaysWhatTheFileSays) {
  OnnxDescription model =
      describe(inputOf("x", "dim { dim_param: 'batch' } dim { dim_value: 3 } dim { dim_value: -1 }"
                            " dim { dim_param: '?' }") +
               inputOf("w", "dim { dim_value: 2 }") +
               "initializer { name: 'w' data_type: 1 dims: 2 float_data: 1 float_data: 2 }"
               "initializer { name: 'one' data_type: 1 float_data: 1 }"
               "node { op_type: 'Relu' input: 'x' output: 'r' }"
               "node { op_type: 'Fast' domain: 'own' input: 'r' output: 'f' }"
               "node { op_type: 'If' input: 'c' output: 'y' attribute { name: 'then_branch' type: "
               "GRAPH g { node { op_type: 'Relu' input: 'x' output: 'z' } node { op_type: "
               "'Constant' output: 'k' attribute { name: 'value' type: TENSOR t { data_type: 7 "
               "dims: 3 int64_data: 1 int64_data: 2 int64_data: 3 } } } } } }"
               "output { name: 'y' type { tensor_type { elem_type: 16 } } }");
  EXPECT_EQ(model.opset, 17);
  ASSERT_EQ(model.inputs.size(), 1u);
  const auto &dims = model.inputs[0].dims;
  ASSERT_EQ(dims.size(), 4u);
  EXPECT_TRUE(!dims[0].extent && dims[0].hasSymbol && dims[0].name == "batch");
  EXPECT_EQ(dims[1].extent, std::optional<int64_t>(3));
  EXPECT_TRUE(!dims[2].extent && !dims[2].hasSymbol && dims[2].name == "x:2");
  EXPECT_EQ(dims[3].name, "x:3");
  ASSERT_EQ(model.outputs.size(), 1u);
  EXPECT_EQ(model.outputs[0].type, "bf16");
  EXPECT_FALSE(model.outputs[0].hasShape);
  using Count = std::pair<std::string, int64_t>;
  EXPECT_EQ(model.operators,
            (std::vector<Count>{{"Relu", 2}, {"Constant", 1}, {"If", 1}, {"own.Fast", 1}}));
  EXPECT_EQ(model.parameters, 2);
  EXPECT_EQ(model.parameterBytes, 8 + 24);
}

TEST_F(Description, LikelyExtentsFollowNamesAndPlaces) {
  auto likely = [&](const std::string &dims) {
    std::string text;
    for (const auto &[name, extent] : getLikelyExtents(describe(inputOf("x", dims))))
      text += name + "=" + std::to_string(extent) + " ";
    return text;
  };
  std::string three = "dim { dim_value: 3 }";
  auto named = [](const char *name) { return std::string("dim { dim_param: '") + name + "' } "; };
  EXPECT_EQ(likely(named("batch_size") + three), "batch_size=1 ");
  EXPECT_EQ(likely(named("N") + named("sequence_length")), "N=1 sequence_length=128 ");
  EXPECT_EQ(likely(named("?") + three + named("?") + named("?")), "x:0=1 x:2=224 x:3=224 ");
  EXPECT_EQ(likely("dim { dim_value: 1 } " + three + named("height") + named("width")),
            "height=224 width=224 ");
  EXPECT_EQ(likely(named("batch") + named("batch")), "batch=1 ");
  EXPECT_EQ(likely(three + named("past_length") + named("samples")), "past_length=128 samples=16000 ");
  // What nothing is known of, and what must fit others.
  EXPECT_EQ(likely(three + named("num_anchors")), "");
  EXPECT_EQ(likely(three + named("total_sequence_length")), "");
  EXPECT_EQ(likely(three + named("past_length + length")), "");
  EXPECT_EQ(likely(named("?")), "");
}

TEST_F(Description, DamagedFilesAreErrors) {
  auto found = describeOnnx(folder.write("m.onnx", "no model"));
  ASSERT_FALSE(static_cast<bool>(found));
  EXPECT_NE(llvm::toString(found.takeError()).find("no ONNX model"), std::string::npos);
}

} // namespace
