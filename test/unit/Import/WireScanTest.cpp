//===- WireScanTest.cpp - The message without its tensors
//--------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WireScan.h"
#include "ModelText.h"

#include <rapidcheck/gtest.h>

using namespace mlir;
using namespace mlir::fuse::onnx;

namespace {

/// The skeleton with what was cut out put back.
std::string restore(const Skeleton &skeleton, const std::string &bytes) {
  ModelProto model;
  EXPECT_TRUE(model.ParseFromString(skeleton.message));
  auto fill = [&](TensorProto &tensor) {
    auto *unknown = tensor.mutable_unknown_fields();
    for (int i = 0; i < unknown->field_count(); ++i)
      if (unknown->field(i).number() == kCutField) {
        const ByteRange &range = skeleton.ranges.at(unknown->field(i).varint());
        tensor.set_raw_data(bytes.substr(range.offset, range.size));
      }
    unknown->Clear();
  };
  for (TensorProto &tensor : *model.mutable_graph()->mutable_initializer())
    fill(tensor);
  for (auto &node : *model.mutable_graph()->mutable_node())
    for (auto &attribute : *node.mutable_attribute())
      if (attribute.has_t())
        fill(*attribute.mutable_t());
  return model.SerializeAsString();
}

RC_GTEST_PROP(WireScan, AnyBytesAreScannedOrRefused, (const std::vector<uint8_t> &data)) {
  StringRef bytes(reinterpret_cast<const char *>(data.data()), data.size());
  auto skeleton = scanModel(bytes);
  if (!skeleton) {
    RC_ASSERT(!llvm::toString(skeleton.takeError()).empty());
    return;
  }
  for (const ByteRange &range : skeleton->ranges)
    RC_ASSERT(range.offset + range.size <= bytes.size());
}

RC_GTEST_PROP(WireScan, WhatIsCutOutIsAllThatIsMissing, ()) {
  ModelProto model;
  model.set_ir_version(*rc::gen::arbitrary<int64_t>());
  auto makeTensor = [](TensorProto &tensor) {
    tensor.set_name(*rc::gen::string<std::string>());
    tensor.set_raw_data(std::string(*rc::gen::inRange<size_t>(0, 400), 'r'));
    tensor.add_dims(*rc::gen::arbitrary<int64_t>());
  };
  int tensors = *rc::gen::inRange(0, 5);
  for (int i = 0; i < tensors; ++i)
    makeTensor(*model.mutable_graph()->add_initializer());
  int nodes = *rc::gen::inRange(0, 5);
  for (int i = 0; i < nodes; ++i) {
    NodeProto &node = *model.mutable_graph()->add_node();
    node.set_op_type(*rc::gen::string<std::string>());
    makeTensor(*node.add_attribute()->mutable_t());
  }
  model.mutable_graph()->set_name("g");
  std::string bytes = model.SerializeAsString();
  auto skeleton = scanModel(bytes);
  RC_ASSERT(static_cast<bool>(skeleton));
  RC_ASSERT(restore(*skeleton, bytes) == bytes);
}

RC_GTEST_PROP(WireScan, EveryPrefixIsScannedOrRefused, ()) {
  ModelProto model = fuse_test::parseModel("node { op_type: 'Relu' input: 'x' output: 'y' }");
  model.mutable_graph()->add_initializer()->set_raw_data(std::string(300, 'r'));
  std::string bytes = model.SerializeAsString();
  bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size()));
  auto skeleton = scanModel(bytes);
  if (!skeleton)
    RC_ASSERT(llvm::toString(skeleton.takeError()).find("at byte") != std::string::npos);
}

TEST(WireScan, CutsOnlyLargeTensors) {
  ModelProto model;
  model.mutable_graph()->add_initializer()->set_raw_data(std::string(127, 'a'));
  model.mutable_graph()->add_initializer()->set_raw_data(std::string(128, 'b'));
  std::string bytes = model.SerializeAsString();
  auto skeleton = scanModel(bytes);
  ASSERT_TRUE(static_cast<bool>(skeleton));
  ASSERT_EQ(skeleton->ranges.size(), 1u);
  EXPECT_EQ(bytes.substr(skeleton->ranges[0].offset, skeleton->ranges[0].size),
            std::string(128, 'b'));
}

/// `{field 7 {field 1 {field 5 {field 6 { … }}}}}`: graphs within attributes of nodes.
static std::string nest(unsigned depth) {
  std::string bytes;
  constexpr int kFields[] = {1, 5, 6};
  for (unsigned i = depth; i-- > 0;) {
    int field = i == 0 ? 7 : kFields[(i - 1) % 3];
    std::string size;
    uint64_t rest = bytes.size();
    for (; rest >= 128; rest >>= 7)
      size.push_back(static_cast<char>((rest & 127) | 128));
    size.push_back(static_cast<char>(rest));
    bytes = std::string(1, static_cast<char>(field << 3 | 2)) + size + bytes;
  }
  return bytes;
}

TEST(WireScan, RefusesWhatNestsTooDeep) {
  EXPECT_TRUE(static_cast<bool>(scanModel(nest(40))));
  auto deep = scanModel(nest(5000));
  ASSERT_FALSE(static_cast<bool>(deep));
  EXPECT_NE(llvm::toString(deep.takeError()).find("nest more than"), std::string::npos);
}

TEST(WireScan, TakesAsManyNodesAsThereAre) {
  // Names as short as can be told apart: few bytes for each node.
  ModelProto model;
  constexpr int kNodes = 300000;
  auto *graph = model.mutable_graph();
  for (int i = 0; i < kNodes; ++i) {
    NodeProto &node = *graph->add_node();
    node.set_op_type(i % 2 ? "Neg" : "Abs");
    node.add_input(std::to_string(i));
    node.add_output(std::to_string(i + 1));
  }
  auto skeleton = scanModel(model.SerializeAsString());
  ASSERT_TRUE(static_cast<bool>(skeleton)) << llvm::toString(skeleton.takeError());
  EXPECT_EQ(skeleton->message, model.SerializeAsString());
}

TEST(WireScan, TakesTheSmallestMessages) {
  // Tensors without elements and names.
  ModelProto model;
  for (int i = 0; i < 1000; ++i) {
    TensorProto &tensor = *model.mutable_graph()->add_initializer();
    tensor.add_dims(0);
    tensor.set_data_type(TensorProto::FLOAT);
  }
  EXPECT_TRUE(static_cast<bool>(scanModel(model.SerializeAsString())));
}

TEST(WireScan, RefusesMoreMessagesThanAModelHas) {
  // A graph of empty nodes, two bytes each.
  std::string nodes;
  for (int i = 0; i < 400000; ++i)
    nodes += std::string("\x0a\0", 2);
  std::string bytes = "\x3a";
  for (uint64_t rest = nodes.size(); rest; rest >>= 7)
    bytes.push_back(static_cast<char>((rest & 127) | (rest >= 128 ? 128 : 0)));
  auto skeleton = scanModel(bytes + nodes);
  ASSERT_FALSE(static_cast<bool>(skeleton));
  EXPECT_NE(llvm::toString(skeleton.takeError()).find("bytes for each message"), std::string::npos);
}

} // namespace
