//===- Damage.cpp - Ways in which models are wrong --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Models.h"

#include <algorithm>
#include <cstdint>

using namespace fuse_test;
using namespace onnx;

static size_t pick(Random &random, size_t count) { return random() % std::max<size_t>(count, 1); }

static int64_t pickInteger(Random &random) {
  static constexpr int64_t kValues[] = {
      0, 1, -1, 2, 3, -2, 5, 7, 16, 64, 1000, 65536, -65536, INT32_MAX, INT64_C(1) << 31,
      INT64_C(1) << 32, INT64_C(1) << 40, INT64_C(1) << 62, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  return kValues[pick(random, std::size(kValues))];
}

static float pickFloat(Random &random) {
  static constexpr float kValues[] = {0, 1, -1, 0.5f, 1e-30f, 1e30f, 3.5f, -1e9f};
  static const float special[] = {std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN()};
  size_t i = pick(random, std::size(kValues) + 2);
  return i < std::size(kValues) ? kValues[i] : special[i - std::size(kValues)];
}

static std::string pickName(Random &random) {
  static const std::string names[] = {"", "x", "a\nb", "'", "\"", "\xff\xfe", std::string("\0z", 2),
                                      std::string(3000, 'n'), "../x", "%0"};
  return names[pick(random, std::size(names))];
}

static std::string pickPath(Random &random) {
  static const std::string paths[] = {
      "../weights.bin", "/etc/passwd", "", ".", "..", "a/../../weights.bin", "missing.bin", "link.bin",
      "folder", "pipe", std::string("weights.bin\0x", 13), "./weights.bin", "folder/../weights.bin",
      "/proc/self/mem", "/dev/zero"};
  return paths[pick(random, std::size(paths))];
}

// clang-format off
static const char *pickOperator(Random &random) {
  static constexpr const char *kOperators[] = {
      "Abs", "Add", "And", "ArgMax", "ArgMin", "Attention", "AveragePool", "BatchNormalization",
      "BitCast", "BitShift", "BitwiseNot", "Cast", "CastLike", "CausalConvWithState", "Celu", "Clip",
      "Concat", "Constant", "ConstantOfShape", "Conv", "ConvTranspose", "CumSum", "DepthToSpace",
      "Dropout", "Einsum", "Equal", "Expand", "EyeLike", "Flatten", "Gather", "GatherElements",
      "GatherND", "Gelu", "Gemm", "GlobalAveragePool", "GlobalLpPool", "GroupNormalization",
      "Hardmax", "Identity", "InstanceNormalization", "IsInf", "LRN", "LayerNormalization",
      "LogSoftmax", "LpNormalization", "LpPool", "MatMul", "Max", "MaxPool", "Mean",
      "MeanVarianceNormalization", "Mod", "OneHot", "PRelu", "Pad", "Pow", "RMSNormalization",
      "Range", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceSum", "Reshape",
      "Resize", "RotaryEmbedding", "ScatterElements", "ScatterND", "Selu", "Shape", "Size", "Slice",
      "Softmax", "SpaceToDepth", "Split", "Squeeze", "Sum", "SwiGLU", "TensorScatter", "Tile", "TopK",
      "Transpose", "Trilu", "Unsqueeze", "Upsample", "Where", "Loop", "NoSuchOperator"};
  return kOperators[pick(random, std::size(kOperators))];
}

static const char *pickAttribute(Random &random) {
  static constexpr const char *kNames[] = {
      "axis", "axes", "kernel_shape", "strides", "dilations", "pads", "group", "ceil_mode", "perm",
      "to", "blocksize", "num_outputs", "keepdims", "batch_dims", "size", "output_padding",
      "output_shape", "storage_order", "p", "k", "num_groups", "stash_type", "auto_pad", "mode",
      "equation", "value", "value_ints", "value_int", "q_num_heads", "kv_num_heads", "is_causal",
      "antialias", "exclude_outside", "coordinate_transformation_mode", "epsilon", "alpha",
      "select_last_index", "allowzero", "dtype", "start", "end", "noop_with_empty_axes", "largest",
      "rotary_embedding_dim", "num_heads", "reduction", "direction", "scales", "interleaved"};
  return kNames[pick(random, std::size(kNames))];
}

static const char *pickWord(Random &random) {
  static constexpr const char *kWords[] = {"SAME_UPPER", "VALID", "reflect", "wrap", "edge", "linear",
                                           "cubic", "nearest", "tf_crop_and_resize", "align_corners",
                                           "ij,jk->ik", "ii", "......", "...ij->...", "ij->ijk", "max",
                                           "CRD", "LEFT", "circular", "", "\xff"};
  return kWords[pick(random, std::size(kWords))];
}

// clang-format on

static void fillAttribute(AttributeProto &attribute, Random &random) {
  switch (pick(random, 5)) {
  case 0:
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(pickInteger(random));
    break;
  case 1:
    attribute.set_type(AttributeProto::INTS);
    attribute.clear_ints();
    for (size_t i = pick(random, 6); i-- > 0;)
      attribute.add_ints(pick(random, 2) ? static_cast<int64_t>(pick(random, 4)) : pickInteger(random));
    break;
  case 2:
    attribute.set_type(AttributeProto::STRING);
    attribute.set_s(pickWord(random));
    break;
  case 3:
    attribute.set_type(AttributeProto::FLOAT);
    attribute.set_f(pickFloat(random));
    break;
  default:
    attribute.set_type(static_cast<AttributeProto::AttributeType>(pick(random, 14)));
    break;
  }
}

static std::string pickValue(const GraphProto &graph, Random &random) {
  switch (pick(random, 8)) {
  case 0:
    return pickName(random);
  case 1:
    return graph.input_size() ? graph.input(static_cast<int>(pick(random, graph.input_size()))).name()
                              : "";
  case 2:
  case 3:
  case 4:
    return graph.initializer_size()
               ? graph.initializer(static_cast<int>(pick(random, graph.initializer_size()))).name()
               : "";
  default:
    if (!graph.node_size())
      return "";
    const NodeProto &node = graph.node(static_cast<int>(pick(random, graph.node_size())));
    return node.output_size() ? node.output(0) : "";
  }
}

static void damageNode(GraphProto &graph, NodeProto &node, Random &random) {
  switch (pick(random, 10)) {
  case 0:
    node.set_op_type(pickOperator(random));
    break;
  case 1: { // another operator with attributes that it may know
    node.set_op_type(pickOperator(random));
    for (size_t i = pick(random, 4); i-- > 0;) {
      AttributeProto &attribute = *node.add_attribute();
      attribute.set_name(pickAttribute(random));
      fillAttribute(attribute, random);
    }
    break;
  }
  case 2:
    if (node.input_size())
      node.set_input(static_cast<int>(pick(random, node.input_size())), pickValue(graph, random));
    break;
  case 3:
    node.add_input(pickValue(graph, random));
    break;
  case 4:
    if (node.input_size())
      node.mutable_input()->RemoveLast();
    break;
  case 5:
    if (node.output_size())
      node.set_output(static_cast<int>(pick(random, node.output_size())), pickValue(graph, random));
    break;
  case 6:
    node.add_output("more" + std::to_string(random() % 100));
    break;
  case 7:
    if (node.attribute_size())
      fillAttribute(*node.mutable_attribute(static_cast<int>(pick(random, node.attribute_size()))),
                    random);
    break;
  case 8: {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(pickAttribute(random));
    fillAttribute(attribute, random);
    break;
  }
  default:
    if (pick(random, 2))
      node.set_name(pickName(random));
    else
      node.set_domain(pick(random, 2) ? "local" : pickName(random));
    break;
  }
}

static void damageTensor(TensorProto &tensor, Random &random) {
  switch (pick(random, 8)) {
  case 0:
    if (tensor.dims_size())
      tensor.set_dims(static_cast<int>(pick(random, tensor.dims_size())), pickInteger(random));
    break;
  case 1:
    tensor.add_dims(pickInteger(random));
    break;
  case 2:
    tensor.set_data_type(static_cast<int>(pick(random, 30)));
    break;
  case 3:
    if (tensor.has_raw_data())
      tensor.mutable_raw_data()->resize(pick(random, 2 * tensor.raw_data().size() + 4));
    else
      tensor.set_raw_data(std::string(pick(random, 300), '\1'));
    break;
  case 4:
  case 5: // shapes, axes and the like
    if (tensor.int64_data_size())
      tensor.set_int64_data(static_cast<int>(pick(random, tensor.int64_data_size())),
                            pickInteger(random));
    else if (tensor.has_raw_data() && tensor.raw_data().size() >= 4) {
      float value = pickFloat(random);
      size_t at = pick(random, tensor.raw_data().size() / 4) * 4;
      std::copy_n(reinterpret_cast<const char *>(&value), 4, tensor.mutable_raw_data()->begin() + at);
    }
    break;
  case 6: {
    tensor.set_data_location(TensorProto::EXTERNAL);
    auto *entry = tensor.add_external_data();
    static constexpr const char *kKeys[] = {"location", "location", "offset", "length", "checksum"};
    entry->set_key(kKeys[pick(random, std::size(kKeys))]);
    entry->set_value(entry->key() == "location" ? pickPath(random)
                     : pick(random, 4)          ? std::to_string(pickInteger(random))
                                                : "1x");
    break;
  }
  default:
    tensor.set_name(pickName(random));
    break;
  }
}

static void damageInput(ValueInfoProto &info, Random &random) {
  if (pick(random, 8) == 0) {
    info.set_name(pickName(random));
    return;
  }
  if (pick(random, 10) == 0) {
    info.mutable_type()->mutable_sequence_type();
    return;
  }
  auto &tensor = *info.mutable_type()->mutable_tensor_type();
  switch (pick(random, 5)) {
  case 0:
    tensor.set_elem_type(static_cast<int>(pick(random, 26)));
    break;
  case 1:
    tensor.clear_shape();
    break;
  case 2:
    tensor.mutable_shape()->add_dim()->set_dim_value(pickInteger(random));
    break;
  case 3:
    if (tensor.shape().dim_size())
      tensor.mutable_shape()->mutable_dim()->RemoveLast();
    break;
  default:
    if (tensor.shape().dim_size()) {
      auto &dim = *tensor.mutable_shape()->mutable_dim(
          static_cast<int>(pick(random, tensor.shape().dim_size())));
      if (pick(random, 3) == 0)
        dim.set_dim_param(pickName(random));
      else
        dim.set_dim_value(pickInteger(random));
    }
    break;
  }
}

static void damageFunction(ModelProto &model, Random &random) {
  if (!model.functions_size())
    return;
  FunctionProto &function =
      *model.mutable_functions(static_cast<int>(pick(random, model.functions_size())));
  switch (pick(random, 4)) {
  case 0: { // calls itself or another one
    NodeProto &call = *function.add_node();
    call.set_domain("local");
    call.set_op_type(model.functions(static_cast<int>(pick(random, model.functions_size()))).name());
    call.add_input(function.input_size() ? function.input(0) : "");
    call.add_output("again");
    break;
  }
  case 1: // ever more calls
    for (int depth = 0; depth < 40; ++depth) {
      FunctionProto &next = *model.add_functions();
      next.set_domain("local");
      next.set_name("F" + std::to_string(depth));
      next.add_input("a");
      next.add_output("c");
      for (int k = 0; k < 2; ++k) {
        NodeProto &call = *next.add_node();
        call.set_domain(depth ? "local" : "");
        call.set_op_type(depth ? "F" + std::to_string(depth - 1) : "Relu");
        call.add_input(k ? "b" : "a");
        call.add_output(k ? "c" : "b");
      }
    }
    if (model.graph().node_size())
      model.mutable_graph()->mutable_node(0)->set_op_type("F39");
    break;
  case 2:
    function.add_output(pickName(random));
    break;
  default:
    if (function.node_size())
      damageNode(*model.mutable_graph(),
                 *function.mutable_node(static_cast<int>(pick(random, function.node_size()))), random);
    break;
  }
}

void fuse_test::damage(ModelProto &model, Random &random) {
  GraphProto &graph = *model.mutable_graph();
  int nodes = graph.node_size(), tensors = graph.initializer_size();
  int node = static_cast<int>(pick(random, nodes)), tensor = static_cast<int>(pick(random, tensors));
  switch (pick(random, 16)) {
  case 0:
    if (tensors)
      graph.mutable_initializer()->DeleteSubrange(tensor, 1);
    break;
  case 1:
    if (nodes)
      graph.mutable_node()->DeleteSubrange(node, 1);
    break;
  case 2: // out of order, or a cycle
    if (nodes)
      graph.mutable_node()->SwapElements(node, static_cast<int>(pick(random, nodes)));
    break;
  case 3:
    if (nodes)
      *graph.add_node() = graph.node(node);
    break;
  case 4:
    if (tensors)
      *graph.add_initializer() = graph.initializer(tensor);
    break;
  case 5:
    graph.add_output()->set_name(pickValue(graph, random));
    break;
  case 6:
    if (model.opset_import_size())
      model.mutable_opset_import(0)->set_version(pick(random, 2) ? static_cast<int64_t>(pick(random, 25))
                                                                 : pickInteger(random));
    break;
  case 7:
    if (graph.input_size())
      damageInput(*graph.mutable_input(static_cast<int>(pick(random, graph.input_size()))), random);
    break;
  case 8:
    damageFunction(model, random);
    break;
  case 9:
  case 10:
  case 11:
    if (tensors)
      damageTensor(*graph.mutable_initializer(tensor), random);
    break;
  default:
    if (nodes)
      damageNode(graph, *graph.mutable_node(node), random);
    break;
  }
}

void fuse_test::damageBytes(std::string &bytes, Random &random) {
  if (bytes.empty())
    return;
  size_t at = pick(random, bytes.size()), count = std::min(pick(random, 40), bytes.size() - at);
  switch (pick(random, 5)) {
  case 0:
    bytes.resize(at);
    break;
  case 1:
    for (size_t i = 1 + pick(random, 8); i-- > 0;)
      bytes[pick(random, bytes.size())] = static_cast<char>(random());
    break;
  case 2:
    bytes.erase(at, count);
    break;
  case 3:
    bytes.insert(at, bytes.substr(pick(random, bytes.size()), count));
    break;
  default: // a huge number
    std::fill_n(bytes.begin() + at, std::min<size_t>(count, 9), '\xff');
    break;
  }
}
