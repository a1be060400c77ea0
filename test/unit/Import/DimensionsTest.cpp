//===- DimensionsTest.cpp - Extents that a model leaves open ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"

using namespace fuse_test;

namespace {

const std::string kRelu = "node { op_type: 'Relu' input: 'x' output: 'y' } output { name: 'y' }";

class Dimensions : public Import {
protected:
  ArrayRef<int64_t> getInputShape(unsigned i = 0) {
    return cast<RankedTensorType>(function.getArgumentTypes()[i]).getShape();
  }
};

TEST_F(Dimensions, NamesForUnknownExtentsAreOneUnknownEach) {
  OnnxImportOptions options;
  options.values.push_back({"x", HostArray::splat(ElementType::F32, {1, 3, 48, 192}, 0)});
  for (StringRef name : {"?", "", "None", "none", "unk", "unknown", "-1", "dynamic", "*"}) {
    std::string dim = "dim { dim_param: '" + name.str() + "' }";
    std::string graph =
        inputOf("x", "dim { dim_param: 'N' } dim { dim_value: 3 } " + dim + dim) + kRelu;
    ASSERT_TRUE(load(graph, "", options)) << name.str() << messages;
    EXPECT_EQ(getInputShape(), ArrayRef<int64_t>({1, 3, 48, 192})) << name.str();
    ASSERT_TRUE(load(graph)) << name.str() << messages;
    EXPECT_EQ(llvm::count(getInputShape(), ShapedType::kDynamic), 3);
  }
}

TEST_F(Dimensions, MinusOneIsUnknown) {
  std::string graph = inputOf("x", "dim { dim_value: -1 } dim { dim_value: 3 }") + kRelu;
  ASSERT_TRUE(load(graph)) << messages;
  EXPECT_TRUE(ShapedType::isDynamic(getInputShape()[0]));
  OnnxImportOptions options;
  options.values.push_back({"x", HostArray::splat(ElementType::F32, {7, 3}, 0)});
  ASSERT_TRUE(load(graph, "", options)) << messages;
  EXPECT_EQ(getInputShape(), ArrayRef<int64_t>({7, 3}));
  EXPECT_FALSE(load(inputOf("x", "dim { dim_value: -2 }") + kRelu));
  EXPECT_TRUE(says("expected extents of at least 0, found -2")) << messages;
}

TEST_F(Dimensions, AreNamedByTheirPlace) {
  std::string graph =
      inputOf("x:0", "dim { dim_param: '?' } dim { dim_param: '?' } dim { }") +
      "node { op_type: 'Relu' input: 'x:0' output: 'y' } output { name: 'y' }";
  OnnxImportOptions options;
  options.dims["x:0:0"] = 4;
  options.dims["x:0:2"] = 6;
  ASSERT_TRUE(load(graph, "", options)) << messages;
  EXPECT_EQ(getInputShape(), ArrayRef<int64_t>({4, ShapedType::kDynamic, 6}));
  options.dims["x:0:3"] = 6;
  EXPECT_FALSE(load(graph, "", options));
  EXPECT_TRUE(says("one of the open dimensions 'x:0:0', 'x:0:1', 'x:0:2', found 'x:0:3'"))
      << messages;
  // A name for unknown extents is one for all that have it.
  options.dims.clear();
  options.dims["?"] = 5;
  ASSERT_TRUE(load(graph, "", options)) << messages;
  EXPECT_EQ(getInputShape(), ArrayRef<int64_t>({5, 5, ShapedType::kDynamic}));
}

TEST_F(Dimensions, OneArrayTellsTheExtentsOfOthers) {
  std::string graph = inputOf("a", "dim { dim_param: 'n' }") +
                      inputOf("x", "dim { dim_param: 'n' } dim { dim_value: 2 }") + kRelu;
  OnnxImportOptions options;
  options.values.push_back({"x", HostArray::splat(ElementType::F32, {9, 2}, 0)});
  ASSERT_TRUE(load(graph, "", options)) << messages;
  EXPECT_EQ(getInputShape(), ArrayRef<int64_t>({9}));
}

TEST_F(Dimensions, ErrorsNameTheOption) {
  // Determinants take one step for each row, which are unrolled.
  std::string graph = "node { name: 'd' op_type: 'Det' input: 'x' output: 'y' } output { name: 'y' }";
  EXPECT_FALSE(load(inputOf("x", "dim { dim_param: 'batch' } dim { dim_param: '?' }") + graph));
  EXPECT_TRUE(says("; give the extents with --dim batch=N --dim x:1=N\n")) << messages;
  messages.clear();
  EXPECT_FALSE(load(inputOf("x", "dim { dim_param: 'batch size' }") + graph));
  EXPECT_TRUE(says("; give the extents with --dim 'batch size=N'\n")) << messages;
}

} // namespace
