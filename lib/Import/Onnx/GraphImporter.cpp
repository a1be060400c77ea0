//===- GraphImporter.cpp - A graph's nodes, in order, as ops of a function -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "fuse/IR/ShapeConditions.h"
#include "TransposeWeights.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseAttributes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Larger constants are parameters of the program.
static constexpr int64_t kMostInline = 16;

GraphImporter::GraphImporter(const ModelFile &file, llvm::StringSet<> transposed,
                             const OnnxImportOptions &options, OnnxModel &model)
    : file(file), transposed(std::move(transposed)), options(options), model(model),
      context(model.module->getContext()), builder(model.module->getLoc(), context),
      extents(context), dims(options.dims) {
  constexpr int64_t kBytesPerNode = 1024;
  budget.inlinedNodes += file.getSize() / kBytesPerNode;
}

InFlightDiagnostic GraphImporter::emitError(const Twine &text) const {
  return mlir::emitError(model.module->getLoc()) << text;
}

static std::string getName(const NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  bool hasOutput = node.output_size() > 0 && !node.output(0).empty();
  return hasOutput ? node.output(0) : node.op_type();
}

Location GraphImporter::makeLoc(const NodeProto &node) const {
  return NameLoc::get(StringAttr::get(context, getName(node)), model.module->getLoc());
}

std::string GraphImporter::takeName(const NodeProto &node, const Body &body) {
  return importer::takeName(body.prefix + getName(node), nodeNames);
}

ModelValue *GraphImporter::add(ModelValue value) {
  values.push_back(std::move(value));
  return &values.back();
}

LogicalResult GraphImporter::run() {
  const GraphProto &graph = file.getModel().graph();
  if (failed(checkNames()) || failed(readFunctions()) || failed(checkOperators(graph.node(), 0)))
    return failure();
  findKnownInputs();

  builder.setInsertionPointToEnd(model.module->getBody());
  function = func::FuncOp::create(builder, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  extents.setFunction(&function.getBody().front());
  Body body{graph.node(), {}, {}, 0, {}};
  for (const auto &opset : file.getModel().opset_import())
    body.opsets[isDefaultDomain(opset.domain()) ? "" : opset.domain()] = opset.version();
  // A model of classical operators alone has none.
  bool needsVersion = llvm::any_of(graph.node(), [](const NodeProto &node) { return isDefaultDomain(node.domain()); });
  if (needsVersion && body.opsets.lookup("") < 1)
    return emitError("expected the version of the default operator set, found none");
  if (failed(addInitializers(graph, body)) || failed(addInputs(body)) ||
      failed(importNodes(body)) || failed(addOutputs(body)))
    return failure();
  return verify(*model.module);
}

//===- Before the first node ----------------------------------------------------------------===//

/// The names that nodes read, and those whose values decide shapes or index maps: what is computed
/// for such an operand must be known as well.
void GraphImporter::findKnownInputs() {
  const GraphProto &graph = file.getModel().graph();
  for (const ValueInfoProto &output : graph.output())
    readNames.insert(output.name());
  addReadNames(graph.node());
  Budget left = budget;
  findKnown(graph.node(), 0, left, knownNames);
  left = budget;
  readsConditions = true;
  findKnown(graph.node(), 0, left, decidingNames);
}

LogicalResult GraphImporter::addInitializers(const GraphProto &graph, Body &body) {
  if (graph.sparse_initializer_size() > 0)
    return emitError("sparse initializers are not supported: " +
                     quote(graph.sparse_initializer(0).values().name()));
  llvm::StringSet<> inputs;
  for (const ValueInfoProto &info : graph.input())
    inputs.insert(info.name());
  for (const TensorProto &tensor : graph.initializer()) {
    if (inputs.contains(tensor.name()) && findGiven(tensor.name()))
      continue; // it is a default
    if (!readNames.contains(tensor.name()))
      continue;
    auto array = file.readTensor(tensor);
    if (array && body.depth == 0 && transposed.contains(tensor.name()))
      array = transposeMatrix(*array);
    if (!array)
      return emitError("initializer " + quote(tensor.name()) + ": " +
                       llvm::toString(array.takeError()));
    ModelValue value{tensor.name(), array->getTensorType(context), *array, {}};
    value.format = getFormat(tensor.data_type());
    if (!body.scope.try_emplace(tensor.name(), add(std::move(value))).second)
      return emitError("two initializers have the name " + quote(tensor.name()));
  }
  return success();
}

//===- Nodes --------------------------------------------------------------------------------===//

Value GraphImporter::addArgument(RankedTensorType type, StringRef name, bool isParameter,
                                 ArrayRef<StringRef> dimNames) {
  SmallVector<NamedAttribute, 2> attributes{
      builder.getNamedAttr(attr::kName, builder.getStringAttr(name))};
  if (isParameter)
    attributes.push_back(builder.getNamedAttr(attr::kParam, builder.getUnitAttr()));
  if (!llvm::all_of(dimNames, [](StringRef dim) { return dim.empty(); }))
    attributes.push_back(builder.getNamedAttr(attr::kDimNames, builder.getStrArrayAttr(dimNames)));
  argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
  argumentNames.insert(name);
  return function.getBody().front().addArgument(type, model.module->getLoc());
}

/// An array of extents as a value.
static Value materializeSymbolic(ExtentValues &extents, ImplicitLocOpBuilder &builder, ModelValue &value) {
  FuseBuilder b(builder);
  Type element = value.type.getElementType();
  SmallVector<Value> parts;
  for (AffineExpr expr : value.symbolic)
    parts.push_back(b.reshape(b.fromIndex(extents.get(builder, builder.getLoc(), expr), element), ArrayRef<int64_t>{1}));
  return b.reshape(b.concat(parts, 0), value.type.getShape());
}

Value GraphImporter::materialize(ModelValue &value) {
  if (!value.symbolic.empty())
    return materializeSymbolic(extents, builder, value);
  const HostArray &array = value.known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  int64_t elements = array.getNumElements();
  bool isSmall = elements <= kMostInline;
  if (!isSmall && elements <= kMostFolded) {
    // All bytes are those one element before them.
    size_t each = getElementBytes(array.getElementType());
    isSmall =
        std::memcmp(array.getBytes(), array.getBytes() + each, array.getByteSize() - each) == 0;
  }
  if (isSmall) {
    value.value = arith::ConstantOp::create(builder, array.toAttribute(context));
    return value.value;
  }
  std::string name = value.name;
  while (name.empty() || argumentNames.contains(name))
    name = value.name + "_" + std::to_string(++parameterCounts[value.name]);
  model.parameters.push_back({name, array});
  value.value = addArgument(value.type, name, /*isParameter=*/true);
  if (array.hasDenormals()) {
    NamedAttrList attributes(cast<DictionaryAttr>(argumentAttributes.back()));
    attributes.set(attr::kDenormals, builder.getUnitAttr());
    argumentAttributes.back() = attributes.getDictionary(context);
  }
  return value.value;
}

LogicalResult GraphImporter::importNodes(Body &body) {
  for (const NodeProto &proto : body.nodes)
    if (failed(importNode(proto, body)))
      return failure();
  return success();
}

LogicalResult GraphImporter::build(const OpImporter &importer, Node &node) {
  LogicalResult result = importer.import(node);
  if (node.b.hasFailed())
    return node.fail(node.b.getError());
  if (failed(result) && !node.hasFailed())
    return node.fail("cannot be imported");
  return failure(node.hasFailed());
}

static void addOpenDims(ArrayRef<ModelValue *> inputs, ModelValue &result) {
  for (ModelValue *input : inputs)
    if (input)
      for (const std::string &dim : input->openDims)
        if (!llvm::is_contained(result.openDims, dim))
          result.openDims.push_back(dim);
}

LogicalResult GraphImporter::importNode(const NodeProto &proto, Body &body) {
  std::string nodeName = takeName(proto, body);
  Location loc = NameLoc::get(StringAttr::get(context, nodeName), model.module->getLoc());
  builder.setLoc(loc);
  if (const Function *callee = findFunction(proto))
    return callFunction(proto, *callee, body, nodeName);
  if (isBranch(proto))
    return importBranch(proto, body, nodeName);
  auto fail = [&](const Twine &text) {
    return mlir::emitError(loc) << describeNode(proto) << ": " << text;
  };
  const OpImporter &importer = *OpTable::get().lookup(proto);
  SmallVector<ModelValue *> inputs;
  bool areKnown = true;
  int64_t elements = 0;
  for (const std::string &name : proto.input()) {
    inputs.push_back(nullptr);
    if (name.empty())
      continue;
    std::optional<ModelValue *> value = body.find(name);
    if (!value)
      return fail("its operand " + quote(name) +
                  " is no input, no initializer and computed by no node before it");
    if (!*value)
      continue; // the call of the function leaves it out
    inputs.back() = *value;
    if ((*value)->sequence && !importer.hasSequences)
      return fail("expected tensors, found the sequence " + quote(name));
    if ((*value)->format && !importer.readsFormats && !(importer.movesFormats && inputs.size() == 1))
      return fail("elements of type " + getDataTypeName((*value)->format->dataType) + " are not supported");
    areKnown &= static_cast<bool>((*value)->known);
    if (areKnown)
      elements += (*value)->known.getNumElements();
  }
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
  // Of any number of operands none may be missing in between.
  size_t required = importer.mostInputs == OpTable::kAny
                        ? std::max<size_t>(inputs.size(), importer.leastInputs)
                        : importer.leastInputs;
  bool areThere = inputs.size() >= required;
  for (size_t i = 0; i < required && areThere; ++i)
    areThere = inputs[i] || llvm::is_contained(importer.optionalInputs, i);
  if (!areThere || inputs.size() > importer.mostInputs) {
    std::string most = importer.mostInputs == OpTable::kAny ? std::string(" or more")
                       : importer.mostInputs == importer.leastInputs
                           ? std::string()
                           : " to " + std::to_string(importer.mostInputs);
    return fail("expected " + Twine(importer.leastInputs) + most + " operands, found " +
                Twine(inputs.size() - llvm::count(inputs, nullptr)));
  }

  if (failed(matchTypes(importer.types, proto, inputs)))
    return failure();

  SmallVector<ModelValue> results;
  bool isFolded = false;
  bool saysShape = llvm::any_of(proto.output(), [&](const std::string &name) { return knownNames.contains(name); });
  bool isKept = importer.keepsOperands && elements > kMostInline && !saysShape;
  if (areKnown && elements <= kMostFolded && !importer.hasSequences && !isKept) {
    FailureOr<bool> folded = evaluate(importer, proto, body.opsets.lookup(""), inputs, results);
    if (failed(folded))
      return failure();
    isFolded = *folded;
  }
  // What says a shape is computed from numbers that are inputs as it is from extents.
  for (ModelValue *input : inputs)
    if (saysShape && !isFolded && input && input->symbolic.empty() && isNumberList(*input) &&
        isa<IntegerType>(input->type.getElementType()))
      makeSymbolic(*input);
  bool isSymbolic = llvm::any_of(inputs, [](ModelValue *input) { return input && !input->symbolic.empty(); });
  if (!isFolded && isSymbolic && !importer.hasSequences) {
    FailureOr<bool> folded = foldSymbolic(importer, proto, body.opsets.lookup(""), inputs, results);
    if (failed(folded))
      return failure();
    isFolded = *folded;
    if (!isFolded)
      results.clear();
  }
  if (!isFolded) {
    Node node(proto, body.opsets.lookup(""), file, budget, extents, inputs, builder,
              [&](ModelValue &value) { return materialize(value); });
    node.setDescribe([&](const ModelValue &value) { return describeSources(value); });
    if (failed(build(importer, node)))
      return failure();
    results.assign(node.getResults().begin(), node.getResults().end());
    // Types alone may say it all.
    isFolded = llvm::all_of(results, [](const ModelValue &result) { return !result.value; });
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    const std::string &name = proto.output(static_cast<int>(i));
    if (name.empty() || (!result.exists() && !readNames.contains(name)))
      continue;
    if (!result.exists())
      return fail("its output " + quote(name) + " is not supported");
    result.name = name;
    if (importer.movesFormats && !inputs.empty() && inputs.front() && inputs.front()->format)
      result.format = inputs.front()->format;
    // In the order of the program, so that none asks for many others.
    if (result.value && !result.type.hasStaticShape())
      for (int64_t dim = 0; dim < result.type.getRank(); ++dim)
        (void)extents.shapes.getExtent(result.value, dim);
    if (!result.type || !result.type.hasStaticShape() || !result.symbolic.empty())
      addOpenDims(inputs, result);
    if (!body.scope.try_emplace(name, add(std::move(result))).second)
      return fail(quote(name) + " is computed twice");
  }
  // Such a node was a transposition before its operand was read the other way around.
  bool isTransposed = body.depth == 0 && proto.op_type() == "Identity" &&
                      proto.input_size() > 0 && transposed.contains(proto.input(0));
  model.nodes.push_back({std::move(nodeName), isTransposed ? "Transpose" : proto.op_type(),
                         isFolded || isTransposed});
  return success();
}

//===- Results ------------------------------------------------------------------------------===//

LogicalResult GraphImporter::addOutputs(Body &body) {
  builder.setLoc(model.module->getLoc());
  SmallVector<Value> results;
  SmallVector<Attribute> attributes;
  const auto &outputs = file.getModel().graph().output();
  // A model may list an output again; results of programs have names of their own.
  llvm::StringSet<> known, taken;
  llvm::StringMap<unsigned> counts;
  for (const ValueInfoProto &output : outputs)
    known.insert(output.name());
  for (const ValueInfoProto &output : outputs) {
    std::string name = output.name();
    if (!taken.insert(name).second)
      do
        name = output.name() + "_" + std::to_string(++counts[output.name()]);
      while (known.contains(name) || !taken.insert(name).second);
    auto it = body.scope.find(output.name());
    if (it == body.scope.end())
      return emitError("output " + quote(output.name()) + " is computed by no node");
    ModelValue &value = *it->second;
    if (value.sequence)
      return emitError("output " + quote(output.name()) + " is a sequence, expected a tensor");
    results.push_back(value.value ? value.value : materialize(value));
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(attr::kName, builder.getStringAttr(name))));
  }
  func::ReturnOp::create(builder, results);
  Block &entry = function.getBody().front();
  function.setType(
      builder.getFunctionType(entry.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
  ShapeConditions conditions(function, extents.shapes);
  for (const ExtentValues::Assumption &assumption : extents.assumptions)
    (void)conditions.add(assumption.extent, assumption.number, assumption.isLeast, assumption.text);
  conditions.setAttribute();
  return success();
}

//===- The entry ----------------------------------------------------------------------------===//

bool mlir::fuse::isOnnxPath(StringRef path) { return path.ends_with_insensitive(".onnx"); }

/// Reads those of the deferred arrays that inputs ask for.
static llvm::Error readDeferred(const GraphProto &graph, OnnxImportOptions &options) {
  llvm::StringSet<> inputs;
  for (const ValueInfoProto &info : graph.input())
    inputs.insert(info.name());
  for (const OnnxImportOptions::Deferred &each : options.deferred) {
    if (!inputs.contains(each.name))
      continue;
    auto array = each.read();
    if (!array)
      return array.takeError();
    options.values.push_back({each.name, std::move(*array)});
  }
  return llvm::Error::success();
}

FailureOr<OnnxModel> mlir::fuse::importOnnx(StringRef path, MLIRContext *context,
                                            const OnnxImportOptions &given) {
  context->loadDialect<FuseDialect, func::FuncDialect, affine::AffineDialect, arith::ArithDialect,
                       cf::ControlFlowDialect, scf::SCFDialect, tensor::TensorDialect>();
  Location loc = NameLoc::get(StringAttr::get(context, path));
  auto file = ModelFile::open(path, given.bytes);
  if (!file)
    return emitError(loc) << llvm::toString(file.takeError());
  OnnxModel model;
  model.module = ModuleOp::create(loc);
  KeptNames kept;
  for (const FunctionProto &each : (*file)->getModel().functions())
    if (isDefaultDomain(each.domain()))
      kept.operators.insert(each.name());
  // Arrays that take an initializer's place are as the model says.
  OnnxImportOptions options = given;
  for (const NamedArray &each : llvm::concat<const NamedArray>(options.values, options.bound))
    kept.initializers.insert(each.name);
  for (const OnnxImportOptions::Deferred &each : options.deferred)
    kept.initializers.insert(each.name);
  if (llvm::Error error = readDeferred((*file)->getModel().graph(), options))
    return emitError(loc) << llvm::toString(std::move(error));
  llvm::StringSet<> transposed = takeTransposedWeights((*file)->getGraph(), kept);
  if (failed(GraphImporter(**file, std::move(transposed), options, model).run()))
    return failure();
  return model;
}
