//===- TransposeWeights.cpp - Weights the way products read them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TransposeWeights.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Smaller ones stay in a cache, however they are read.
static constexpr int64_t kLeastElements = int64_t(1) << 16;

static AttributeProto *findMutableAttribute(NodeProto &node, StringRef name) {
  for (AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

/// Whether the node reads operand `i` as a transposed matrix and nothing else; then it is rewritten.
static bool takeTranspose(NodeProto &node, int i) {
  if (node.op_type() == "Transpose") {
    AttributeProto *permutation = findMutableAttribute(node, "perm");
    bool swaps = !permutation || (permutation->ints_size() == 2 && permutation->ints(0) == 1 &&
                                  permutation->ints(1) == 0);
    if (!swaps)
      return false;
    node.set_op_type("Identity");
    node.clear_attribute();
    return true;
  }
  AttributeProto *transposes = node.op_type() == "Gemm" ? findMutableAttribute(node, "transB") : nullptr;
  if (!transposes || transposes->type() != AttributeProto::INT || transposes->i() != 1 || i != 1)
    return false;
  transposes->set_i(0);
  return true;
}

llvm::StringSet<> mlir::fuse::onnx::takeTransposedWeights(GraphProto &graph,
                                                          const KeptNames &kept) {
  struct Reading {
    NodeProto *node;
    int operand;
    unsigned count = 0;
  };
  // A Transpose becomes an Identity.
  if (kept.operators.contains("Identity"))
    return {};
  llvm::StringMap<Reading> readings;
  // What graphs within the graph read stays as it is: a branch may be taken or not.
  auto keep = [&](auto &self, const GraphProto &inner) -> void {
    for (const ValueInfoProto &output : inner.output())
      readings[output.name()].count += 2;
    for (const NodeProto &node : inner.node()) {
      for (const std::string &input : node.input())
        readings[input].count += 2;
      for (const AttributeProto &attribute : node.attribute()) {
        if (attribute.has_g())
          self(self, attribute.g());
        for (const GraphProto &each : attribute.graphs())
          self(self, each);
      }
    }
  };
  for (NodeProto &node : *graph.mutable_node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      Reading &reading = readings[node.input(i)];
      reading = {&node, i, reading.count + 1};
    }
    for (const AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        keep(keep, attribute.g());
      for (const GraphProto &each : attribute.graphs())
        keep(keep, each);
    }
  }
  for (const ValueInfoProto &output : graph.output())
    readings[output.name()].count += 2;
  llvm::StringSet<> taken;
  for (const TensorProto &tensor : graph.initializer()) {
    auto reading = readings.find(tensor.name());
    if (tensor.dims_size() != 2 || reading == readings.end() || reading->second.count != 1)
      continue;
    std::optional<ElementType> type = getTensorElement(tensor.data_type());
    int64_t shape[] = {tensor.dims(0), tensor.dims(1)};
    std::optional<int64_t> bytes = type ? HostArray::computeByteSize(*type, shape) : std::nullopt;
    bool isLarge = bytes && *bytes / getElementBytes(*type) > kLeastElements;
    const NodeProto &node = *reading->second.node;
    bool isKept =
        kept.initializers.contains(tensor.name()) || kept.operators.contains(node.op_type());
    if (isLarge && !isKept && isDefaultDomain(node.domain()) &&
        takeTranspose(*reading->second.node, reading->second.operand))
      taken.insert(tensor.name());
  }
  return taken;
}

/// In squares that fit the nearest cache from both sides.
template <typename T>
static void transpose(const T *from, T *to, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = 32;
  for (int64_t top = 0; top < rows; top += kSide)
    for (int64_t left = 0; left < columns; left += kSide)
      for (int64_t i = top; i < std::min(top + kSide, rows); ++i)
        for (int64_t k = left; k < std::min(left + kSide, columns); ++k)
          to[k * rows + i] = from[i * columns + k];
}

llvm::Expected<HostArray> mlir::fuse::onnx::transposeMatrix(const HostArray &matrix) {
  int64_t rows = matrix.getShape()[0], columns = matrix.getShape()[1];
  auto result = HostArray::createUninitialized(matrix.getElementType(), {columns, rows});
  if (!result)
    return result.takeError();
  auto apply = [&](auto zero) {
    using T = decltype(zero);
    transpose(matrix.data<T>().data(), result->data<T>().data(), rows, columns);
  };
  switch (getElementBytes(matrix.getElementType())) {
  case 1:
    apply(uint8_t());
    break;
  case 2:
    apply(uint16_t());
    break;
  case 4:
    apply(uint32_t());
    break;
  default:
    apply(uint64_t());
    break;
  }
  return result;
}
