//===- Description.cpp - What a model's file says of itself ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dimensions.h"
#include "Formats.h"
#include "ModelFile.h"
#include "fuse/Import/Onnx.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

OnnxDescription::Tensor mlir::fuse::onnx::describeTensor(const ValueInfoProto &info, bool isInput) {
  OnnxDescription::Tensor tensor;
  tensor.name = info.name();
  if (!info.type().has_tensor_type()) {
    tensor.type = info.type().has_sequence_type() ? "sequence" : "no tensor";
    return tensor;
  }
  const auto &type = info.type().tensor_type();
  std::optional<ElementType> element = getStoredElement(type.elem_type());
  tensor.type = element ? getElementTypeName(*element).str() : getDataTypeName(type.elem_type());
  tensor.hasShape = type.has_shape();
  for (auto [i, dim] : llvm::enumerate(type.shape().dim())) {
    OnnxDescription::Dim &described = tensor.dims.emplace_back();
    described.extent = getExtent(dim);
    if (described.extent)
      continue;
    described.name = getSymbol(dim).str();
    described.hasSymbol = !described.name.empty();
    if (!described.hasSymbol && isInput)
      described.name = getPlace(info, static_cast<int>(i));
  }
  return tensor;
}

namespace {
class Counter {
public:
  explicit Counter(OnnxDescription &description) : description(description) {}

  void add(const TensorProto &tensor) {
    std::optional<ElementType> element = getStoredElement(tensor.data_type());
    SmallVector<int64_t, 4> shape(tensor.dims().begin(), tensor.dims().end());
    if (!element || findShapeProblem(*element, shape))
      return;
    int64_t bytes = *HostArray::computeByteSize(*element, shape);
    if (bytes <= int64_t(getElementBytes(*element)))
      return;
    ++description.parameters;
    description.parameterBytes += bytes;
  }

  template <typename Nodes>
  void addNodes(const Nodes &nodes) {
    for (const NodeProto &node : nodes) {
      std::string domain = isDefaultDomain(node.domain()) ? "" : node.domain() + ".";
      ++counts[domain + node.op_type()];
      for (const AttributeProto &attribute : node.attribute()) {
        if (attribute.has_t() && node.op_type() == "Constant")
          add(attribute.t());
        if (attribute.has_g())
          addGraph(attribute.g());
        for (const GraphProto &graph : attribute.graphs())
          addGraph(graph);
      }
    }
  }

  void addGraph(const GraphProto &graph) {
    for (const TensorProto &tensor : graph.initializer())
      add(tensor);
    addNodes(graph.node());
  }

  void finish() {
    for (const auto &entry : counts)
      description.operators.push_back({entry.getKey().str(), entry.second});
    llvm::sort(description.operators, [](const auto &a, const auto &b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
  }

private:
  OnnxDescription &description;
  llvm::StringMap<int64_t> counts;
};
} // namespace

llvm::Expected<OnnxDescription> mlir::fuse::describeOnnx(StringRef path) {
  auto file = ModelFile::open(path);
  if (!file)
    return file.takeError();
  const ModelProto &model = (*file)->getModel();
  OnnxDescription description;
  for (const auto &opset : model.opset_import())
    if (isDefaultDomain(opset.domain()))
      description.opset = opset.version();
  description.producer = model.producer_name();
  if (!model.producer_version().empty())
    description.producer += " " + model.producer_version();
  llvm::StringSet<> initialized;
  for (const TensorProto &tensor : model.graph().initializer())
    initialized.insert(tensor.name());
  for (const ValueInfoProto &info : model.graph().input())
    if (!initialized.contains(info.name()))
      description.inputs.push_back(describeTensor(info, /*isInput=*/true));
  for (const ValueInfoProto &info : model.graph().output())
    description.outputs.push_back(describeTensor(info, /*isInput=*/false));
  Counter counter(description);
  counter.addGraph(model.graph());
  for (const auto &function : model.functions())
    counter.addNodes(function.node());
  counter.finish();
  return description;
}

//===- Likely extents -----------------------------------------------------------------------===//

/// Letters and digits that stand together.
static SmallVector<std::string> splitWords(StringRef name) {
  SmallVector<std::string> words;
  bool isInWord = false;
  for (char c : name.lower()) {
    bool isLetter = llvm::isAlpha(c);
    if (isLetter && !isInWord)
      words.emplace_back();
    if (isLetter)
      words.back() += c;
    isInWord = isLetter;
  }
  return words;
}

static std::optional<int64_t> findLikelyExtent(StringRef name) {
  SmallVector<std::string> words = splitWords(name);
  auto has = [&](std::initializer_list<StringRef> any) {
    return llvm::any_of(words, [&](StringRef word) { return llvm::is_contained(any, word); });
  };
  // What is computed of others must fit those.
  if (has({"total", "max"}) || name.contains_insensitive("+"))
    return std::nullopt;
  if (has({"batch", "batchsize", "batches", "bs", "b", "n"}))
    return 1;
  if (has({"seq", "seqlen", "sequence", "sequences", "length", "len", "tokens", "time", "t"}))
    return 128;
  if (has({"height", "width", "h", "w"}))
    return 224;
  if (has({"samples"}))
    return 16000;
  if (has({"edges", "points"}))
    return 1024;
  if (has({"past", "cache", "nodes", "atoms", "frames", "steps", "rows", "words", "chars", "features"}))
    return 128;
  return std::nullopt;
}

std::optional<int64_t> mlir::fuse::getLikelyExtent(const OnnxDescription::Tensor &input, size_t dim) {
  if (input.dims[dim].hasSymbol)
    if (std::optional<int64_t> extent = findLikelyExtent(input.dims[dim].name))
      return extent;
  // Names that exporters make up say nothing; where the dimension stands does.
  if (dim == 0 && input.dims.size() > 1)
    return 1;
  bool isImage = input.dims.size() == 4 && (input.dims[1].extent == 1 || input.dims[1].extent == 3);
  return dim >= 2 && isImage ? std::optional<int64_t>(224) : std::nullopt;
}

std::vector<std::pair<std::string, int64_t>>
mlir::fuse::getLikelyExtents(const OnnxDescription &model) {
  std::vector<std::pair<std::string, int64_t>> extents;
  llvm::StringSet<> seen;
  for (const OnnxDescription::Tensor &input : model.inputs)
    for (auto [i, dim] : llvm::enumerate(input.dims)) {
      if (dim.extent || !seen.insert(dim.name).second)
        continue;
      if (std::optional<int64_t> extent = getLikelyExtent(input, i))
        extents.push_back({dim.name, *extent});
    }
  return extents;
}

std::optional<DimRange> mlir::fuse::parseRange(StringRef text) {
  DimRange range;
  auto read = [](StringRef part, int64_t &number) { return !part.getAsInteger(10, number) && number >= 0; };
  for (StringRef part : llvm::split(text, ',')) {
    int64_t number;
    if (part.consume_front("likely=")) {
      if (range.likely || !read(part, number))
        return std::nullopt;
      range.likely = number;
      continue;
    }
    auto [least, most] = part.split("..");
    if (range.most || !read(least, range.least) || !read(most, number))
      return std::nullopt;
    range.most = number;
  }
  bool isRange = !range.most || range.least <= *range.most;
  return isRange && (!range.likely || range.contains(*range.likely)) ? std::optional(range) : std::nullopt;
}

std::string mlir::fuse::describeRange(const DimRange &range) {
  return range.most ? std::to_string(range.least) + ".." + std::to_string(*range.most)
                    : "at least " + std::to_string(range.least);
}
