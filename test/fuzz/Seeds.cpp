//===- Seeds.cpp - Models that import ---------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Models.h"

#include <cstring>

using namespace fuse_test;
using namespace onnx;

namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;

class Maker {
public:
  Maker() {
    model.set_ir_version(8);
    addOpset("", 17);
    model.mutable_graph()->set_name("g");
  }

  void addOpset(const std::string &domain, int64_t version) {
    auto *opset = model.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
  }

  /// Extents below 0 are symbolic.
  void input(const std::string &name, const Ints &shape, int type = TensorProto::FLOAT) {
    describe(*model.mutable_graph()->add_input(), name, shape, type);
  }
  void output(const std::string &name) { model.mutable_graph()->add_output()->set_name(name); }

  TensorProto &floats(const std::string &name, const Ints &shape, float first = 0.5f) {
    TensorProto &tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(TensorProto::FLOAT);
    int64_t count = 1;
    for (int64_t extent : shape) {
      tensor.add_dims(extent);
      count *= extent;
    }
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(first + 0.25f * static_cast<float>(i % 7));
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
    return tensor;
  }

  void ints(const std::string &name, const Ints &values, bool isScalar = false) {
    TensorProto &tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(TensorProto::INT64);
    if (!isScalar)
      tensor.add_dims(static_cast<int64_t>(values.size()));
    for (int64_t value : values)
      tensor.add_int64_data(value);
  }

  NodeProto &node(const std::string &op, const Names &inputs, const Names &outputs) {
    return fill(*model.mutable_graph()->add_node(), op, inputs, outputs);
  }

  static NodeProto &fill(NodeProto &node, const std::string &op, const Names &inputs,
                         const Names &outputs) {
    node.set_op_type(op);
    node.set_name(op + "_" + outputs.front());
    for (const std::string &name : inputs)
      node.add_input(name);
    for (const std::string &name : outputs)
      node.add_output(name);
    return node;
  }

  static void set(NodeProto &node, const std::string &name, int64_t value) {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(value);
  }
  static void set(NodeProto &node, const std::string &name, const Ints &values) {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::INTS);
    for (int64_t value : values)
      attribute.add_ints(value);
  }

  Seed finish(const std::string &name) const { return {name, model.SerializeAsString()}; }

  ModelProto model;

private:
  static void describe(ValueInfoProto &info, const std::string &name, const Ints &shape, int type) {
    info.set_name(name);
    auto &tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (int64_t extent : shape) {
      auto &dim = *tensor.mutable_shape()->add_dim();
      if (extent < 0)
        dim.set_dim_param("n" + std::to_string(-extent));
      else
        dim.set_dim_value(extent);
    }
  }
};

Seed makeConvNet() {
  Maker m;
  m.input("image", {1, 3, 16, 16});
  m.floats("w0", {8, 3, 3, 3});
  m.floats("b0", {8});
  for (const char *name : {"scale", "shift", "mean", "variance"})
    m.floats(name, {8});
  NodeProto &conv = m.node("Conv", {"image", "w0", "b0"}, {"c0"});
  Maker::set(conv, "kernel_shape", Ints{3, 3});
  Maker::set(conv, "pads", Ints{1, 1, 1, 1});
  Maker::set(conv, "strides", Ints{2, 2});
  m.node("BatchNormalization", {"c0", "scale", "shift", "mean", "variance"}, {"n0"});
  m.node("Relu", {"n0"}, {"r0"});
  NodeProto &pool = m.node("MaxPool", {"r0"}, {"p0"});
  Maker::set(pool, "kernel_shape", Ints{2, 2});
  Maker::set(pool, "strides", Ints{2, 2});
  m.node("GlobalAveragePool", {"p0"}, {"g0"});
  Maker::set(m.node("Flatten", {"g0"}, {"f0"}), "axis", 1);
  m.floats("w1", {10, 8});
  m.floats("b1", {10});
  Maker::set(m.node("Gemm", {"f0", "w1", "b1"}, {"logits"}), "transB", 1);
  Maker::set(m.node("Softmax", {"logits"}, {"y"}), "axis", -1);
  m.output("y");
  return m.finish("conv");
}

Seed makeTransformer() {
  Maker m;
  m.input("x", {2, 6, 8});
  m.floats("wq", {8, 8});
  m.floats("gamma", {8});
  m.floats("beta", {8});
  m.ints("zero", {0}, true);
  m.ints("one", {1}, true);
  m.ints("axis0", {0});
  m.ints("heads", {2});
  m.ints("minus", {-1});
  m.node("LayerNormalization", {"x", "gamma", "beta"}, {"h"});
  m.node("MatMul", {"h", "wq"}, {"q"});
  m.node("Shape", {"q"}, {"s"});
  m.node("Gather", {"s", "zero"}, {"s0"});
  m.node("Gather", {"s", "one"}, {"s1"});
  m.node("Unsqueeze", {"s0", "axis0"}, {"u0"});
  m.node("Unsqueeze", {"s1", "axis0"}, {"u1"});
  Maker::set(m.node("Concat", {"u0", "u1", "heads", "minus"}, {"shape"}), "axis", 0);
  m.node("Reshape", {"q", "shape"}, {"q4"});
  Maker::set(m.node("Transpose", {"q4"}, {"qt"}), "perm", Ints{0, 2, 1, 3});
  Maker::set(m.node("Transpose", {"q4"}, {"kt"}), "perm", Ints{0, 2, 3, 1});
  m.node("MatMul", {"qt", "kt"}, {"scores"});
  m.node("Range", {"zero", "s1", "one"}, {"columns"});
  Maker::set(m.node("Cast", {"columns"}, {"places"}), "to", TensorProto::FLOAT);
  m.node("Add", {"scores", "places"}, {"masked"});
  Maker::set(m.node("Softmax", {"masked"}, {"p"}), "axis", -1);
  m.node("MatMul", {"p", "qt"}, {"v"});
  Maker::set(m.node("Transpose", {"v"}, {"vt"}), "perm", Ints{0, 2, 1, 3});
  m.node("Reshape", {"vt", "s"}, {"merged"});
  m.node("Add", {"x", "merged"}, {"y"});
  m.node("ConstantOfShape", {"s"}, {"zeros"});
  m.node("Expand", {"y", "s"}, {"wide"});
  m.node("Add", {"wide", "zeros"}, {"z"});
  m.output("z");
  return m.finish("transformer");
}

Seed makeExternal() {
  Maker m;
  m.input("x", {-1, 32});
  m.output("y");
  for (int i = 0; i < 2; ++i) {
    TensorProto &tensor = m.floats("w" + std::to_string(i), {32, 32});
    tensor.clear_raw_data();
    tensor.set_data_location(TensorProto::EXTERNAL);
    for (auto [key, value] : {std::pair("location", std::string("weights.bin")),
                              std::pair("offset", std::to_string(i * 4100)),
                              std::pair("length", std::string("4096"))}) {
      auto *entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
  }
  m.node("MatMul", {"x", "w0"}, {"h"});
  m.node("MatMul", {"h", "w1"}, {"y"});
  return m.finish("external");
}

Seed makeFunctions() {
  Maker m;
  m.addOpset("local", 1);
  m.input("x", {4, 5});
  m.output("y");
  FunctionProto &inner = *m.model.add_functions();
  inner.set_domain("local");
  inner.set_name("Slope");
  inner.add_input("a");
  inner.add_output("b");
  inner.add_attribute("alpha");
  AttributeProto &alpha =
      *Maker::fill(*inner.add_node(), "LeakyRelu", {"a"}, {"b"}).add_attribute();
  alpha.set_name("alpha");
  alpha.set_ref_attr_name("alpha");
  alpha.set_type(AttributeProto::FLOAT);
  FunctionProto &outer = *m.model.add_functions();
  outer.set_domain("local");
  outer.set_name("Twice");
  outer.add_input("a");
  outer.add_output("c");
  for (auto [from, to] : {std::pair("a", "b"), std::pair("b", "c")}) {
    NodeProto &call = Maker::fill(*outer.add_node(), "Slope", {from}, {to});
    call.set_domain("local");
    AttributeProto &given = *call.add_attribute();
    given.set_name("alpha");
    given.set_type(AttributeProto::FLOAT);
    given.set_f(0.25f);
  }
  m.node("Twice", {"x"}, {"h"}).set_domain("local");
  m.node("Twice", {"h"}, {"y"}).set_domain("local");
  return m.finish("functions");
}

/// A choice within a choice; the inner branches read what is around them.
Seed makeBranches() {
  Maker m;
  m.input("x", {2, 3});
  m.ints("one", {1});
  m.node("Shape", {"x"}, {"s"});
  m.node("Slice", {"s", "one", "s"}, {"e"}).set_input(2, "two");
  m.ints("two", {2});
  m.node("Less", {"e", "two"}, {"c"});
  auto branch = [](NodeProto &node, const std::string &name, const std::string &op,
                   const Names &inputs) -> GraphProto & {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::GRAPH);
    GraphProto &graph = *attribute.mutable_g();
    graph.set_name("g");
    graph.add_output()->set_name(node.output(0) + name);
    Maker::fill(*graph.add_node(), op, inputs, {node.output(0) + name});
    return graph;
  };
  NodeProto &choice = m.node("If", {"c"}, {"y"});
  branch(choice, "then_branch", "Neg", {"x"});
  GraphProto &graph = branch(choice, "else_branch", "Abs", {"h"});
  NodeProto &inner = *graph.add_node();
  Maker::fill(inner, "If", {"c"}, {"h"});
  branch(inner, "then_branch", "Exp", {"x"});
  branch(inner, "else_branch", "Add", {"x", "x"});
  graph.mutable_node()->SwapElements(0, 1);
  m.output("y");
  return m.finish("branches");
}

/// Many operators, each on its own, with the operands that most of them take.
Seed makeMany() {
  Maker m;
  m.input("x", {2, 3, 4, 4});
  m.input("k", {2, 3, 4, 4}, TensorProto::INT64);
  m.ints("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  m.ints("sizes", {2, 3, 8, 6});
  m.ints("axis", {2});
  m.ints("three", {3}, true);
  m.ints("parts", {1, 2});
  m.floats("w3", {3, 2, 3, 3});
  m.floats("scales", {4}, 1.0f);
  int count = 0;
  auto add = [&](const char *op, const Names &inputs, int outputs = 1) -> NodeProto & {
    Names names;
    for (int i = 0; i < outputs; ++i)
      names.push_back("o" + std::to_string(count++));
    for (const std::string &name : names)
      m.output(name);
    return m.node(op, inputs, names);
  };
  add("Pad", {"x", "pads"});
  add("Resize", {"x", "", "", "sizes"});
  add("Resize", {"x", "", "scales"});
  add("ReduceSum", {"x", "axis"});
  Maker::set(add("Split", {"x", "parts"}, 2), "axis", 1);
  Maker::set(add("ConvTranspose", {"x", "w3"}), "strides", Ints{2, 2});
  Maker::set(add("MaxPool", {"x"}, 2), "kernel_shape", Ints{2, 2});
  Maker::set(add("AveragePool", {"x"}), "kernel_shape", Ints{2, 2});
  Maker::set(add("LRN", {"x"}), "size", 3);
  add("CumSum", {"x", "three"});
  add("TopK", {"x", "axis"}, 2);
  add("Trilu", {"x", "three"});
  add("Tile", {"x", "sizes"});
  Maker::set(add("DepthToSpace", {"x"}), "blocksize", 1);
  Maker::set(add("SpaceToDepth", {"x"}), "blocksize", 2);
  add("GatherElements", {"x", "k"});
  add("ScatterElements", {"x", "k", "x"});
  Maker::set(add("ArgMax", {"x"}), "select_last_index", 1);
  add("Slice", {"x", "axis", "three", "axis"}).set_input(2, "axis");
  Maker::set(add("GatherND", {"x", "k"}), "batch_dims", 0);
  m.model.mutable_graph()->mutable_node(m.model.graph().node_size() - 1)->set_input(1, "axes1");
  m.ints("axes1", {0, 1});
  return m.finish("many");
}

} // namespace

std::vector<Seed> fuse_test::makeSeeds() {
  return {makeConvNet(),   makeTransformer(), makeExternal(),
          makeFunctions(), makeBranches(),    makeMany()};
}

std::string fuse_test::makeExternalData() {
  std::string bytes(8196, '\0');
  float value = 0.5f;
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4)
    std::memcpy(bytes.data() + at, &value, 4);
  return bytes;
}
