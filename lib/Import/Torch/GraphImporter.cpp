//===- GraphImporter.cpp - A program's nodes, in order, as ops of a function -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "Symbols.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/ShapeConditions.h"
#include "fuse/Support/Plural.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;
namespace json = llvm::json;

/// Graphs within graphs, and calls of them, are not deeper.
static constexpr unsigned kMostDepth = 16;

GraphImporter::GraphImporter(const Object &program, const TorchImportOptions &options,
                             std::function<llvm::Expected<HostArray>(StringRef)> readWeight, TorchModel &model)
    : program(program), options(options), readWeight(std::move(readWeight)), model(model),
      context(model.module->getContext()), builder(model.module->getLoc(), context), extents(context) {}

InFlightDiagnostic GraphImporter::emitError(const Twine &text) const {
  return mlir::emitError(model.module->getLoc()) << text;
}

ModelValue *GraphImporter::add(ModelValue value) {
  values.push_back(std::move(value));
  return &values.back();
}

//===- What nodes are -----------------------------------------------------------------------===//

/// The op of a node: "aten.add.Tensor" of "torch.ops.aten.add.Tensor"; others as they are.
static StringRef getTarget(const json::Object &node) {
  StringRef target = node.getString("target").value_or("");
  target.consume_front("torch.ops.");
  return target;
}

/// The op without what makes it write in place: "aten.add.Tensor" of "aten.add_.Tensor". Empty for one that does not.
static std::string getWrittenOp(StringRef op) {
  SmallVector<StringRef, 3> parts;
  op.split(parts, '.');
  if (parts.size() != 3 || !parts[1].ends_with("_") || parts[1].starts_with("__"))
    return {};
  return (parts[0] + "." + parts[1].drop_back() + "." + parts[2]).str();
}

/// Ops around a graph that do nothing but run it.
static bool runsGraph(StringRef op) {
  return op == "higher_order.wrap_with_set_grad_enabled" || op == "higher_order.wrap_with_autocast" ||
         op == "higher_order.invoke_subgraph";
}

static StringRef getNodeName(const json::Object &node) {
  if (auto name = node.getString("name"); name && !name->empty())
    return *name;
  const json::Array *outputs = node.getArray("outputs");
  for (const json::Value &output : orEmpty(outputs))
    if (const json::Object *holder = output.getAsObject())
      for (const auto &member : *holder)
        if (const json::Object *named = member.second.getAsObject())
          for (StringRef key : {"name", "as_name"})
            if (auto name = named->getString(key))
              return *name;
  return "node";
}

/// The last line of Python code that a node comes from: `File "model.py", line 12, in forward: x = relu(x)`.
static std::string getTrace(const json::Object &node) {
  const json::Object *metadata = node.getObject("metadata");
  std::optional<StringRef> trace = metadata ? metadata->getString("stack_trace") : std::nullopt;
  if (!trace)
    return {};
  size_t last = trace->rfind("File \"");
  if (last == StringRef::npos)
    return {};
  auto [place, code] = trace->substr(last).split('\n');
  std::string text = place.trim().str();
  code = code.split('\n').first.trim();
  if (!code.empty())
    text += ": " + code.str();
  return StringRef(text).take_front(200).str();
}

static std::string describe(StringRef name, StringRef op) { return "node " + quote(name) + " (" + op.str() + ")"; }

static const json::Object *findSubgraph(const json::Object &node) {
  const json::Array *inputs = node.getArray("inputs");
  for (const json::Value &input : orEmpty(inputs)) {
    const json::Object *named = input.getAsObject(), *argument = named ? named->getObject("arg") : nullptr;
    if (const json::Object *graph = argument ? argument->getObject("as_graph") : nullptr)
      return graph->getObject("graph");
  }
  return nullptr;
}

LogicalResult GraphImporter::checkOps(const Object &graph, unsigned depth) {
  const Array *nodes = graph.getArray("nodes");
  if (!nodes)
    return emitError("expected 'nodes' of the graph");
  if (depth > kMostDepth)
    return emitError("expected graphs within graphs at most " + Twine(kMostDepth) + " deep");
  for (const json::Value &each : *nodes) {
    const Object *node = each.getAsObject();
    if (!node)
      return emitError("expected objects as nodes");
    StringRef op = getTarget(*node);
    if (runsGraph(op)) {
      const Object *inner = findSubgraph(*node);
      if (!inner)
        return emitError(describe(getNodeName(*node), op) + ": expected a graph among its arguments");
      if (failed(checkOps(*inner, depth + 1)))
        return failure();
      continue;
    }
    std::string written = getWrittenOp(op);
    if (OpTable::get().lookup(op) || (!written.empty() && OpTable::get().lookup(written)))
      continue;
    Unsupported &found = unsupported[op];
    if (found.nodes.empty())
      found.trace = getTrace(*node);
    found.nodes.push_back(NameLoc::get(StringAttr::get(context, getNodeName(*node)), model.module->getLoc()));
  }
  return success();
}

LogicalResult GraphImporter::reportUnsupported() {
  if (unsupported.empty())
    return success();
  std::string text = "ops that are not supported:";
  SmallVector<Location> nodes;
  for (const auto &[op, found] : unsupported) {
    text += "\n  " + quote(op) + ", " + pluralize(found.nodes.size(), "node") +
            (found.nodes.size() == 1 ? ": " : ", the first: ") + quote(found.nodes.front().getName().strref());
    if (!found.trace.empty())
      text += "\n    " + found.trace;
    llvm::append_range(nodes, found.nodes);
  }
  return mlir::emitError(FusedLoc::get(context, nodes)) << text;
}

void GraphImporter::noteUses(const json::Value &value) {
  if (const Array *list = value.getAsArray()) {
    for (const json::Value &each : *list)
      noteUses(each);
    return;
  }
  const Object *object = value.getAsObject();
  if (!object)
    return;
  for (const auto &member : *object) {
    auto text = member.second.getAsString();
    if (text && (member.first == "name" || member.first == "as_name"))
      lastUses[*text] = position;
    else if (member.first != "as_graph")
      noteUses(member.second);
  }
}

/// Graphs within nodes have names of their own, which may be those of values outside: a value counts as read where any
/// value of its name is.
void GraphImporter::countUses(const Object &graph) {
  const Array *nodes = graph.getArray("nodes");
  for (const json::Value &each : orEmpty(nodes)) {
    const Object *node = each.getAsObject();
    if (!node)
      continue;
    if (const Object *inner = findSubgraph(*node))
      countUses(*inner);
    ++position;
    if (const Array *inputs = node->getArray("inputs"))
      for (const json::Value &input : *inputs)
        if (const Object *named = input.getAsObject())
          if (const json::Value *argument = named->get("arg"))
            noteUses(*argument);
  }
  ++position;
  if (const json::Value *outputs = graph.get("outputs"))
    noteUses(*outputs);
}

//===- The whole ----------------------------------------------------------------------------===//

LogicalResult GraphImporter::run() {
  const Object *module = program.getObject("graph_module"), *graph = module ? module->getObject("graph") : nullptr;
  if (!graph)
    return emitError("expected an exported program with a 'graph_module' that has a 'graph'");
  const Object *version = program.getObject("schema_version");
  std::optional<int64_t> major = version ? version->getInteger("major") : std::nullopt;
  constexpr int64_t kOldest = 7, kNewest = 8;
  if (!major || *major < kOldest || *major > kNewest)
    return emitError("expected an exported program of schema version " + Twine(kOldest) + " or " + Twine(kNewest) +
                     ", found " + (major ? Twine(*major) : Twine("none")));
  if (failed(checkOps(*graph, 0)) || failed(reportUnsupported()))
    return failure();
  countUses(*graph);
  position = 0;

  builder.setInsertionPointToEnd(model.module->getBody());
  function = func::FuncOp::create(builder, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  extents.setFunction(&function.getBody().front());
  Graph body{graph, {}, ""};
  if (failed(addInputs(body)) || failed(importNodes(body)) || failed(addOutputs(body)))
    return failure();
  return verify(*model.module);
}

//===- Nodes --------------------------------------------------------------------------------===//

AffineExpr GraphImporter::readExtent(const json::Value &size) {
  return readComputedSize(builder, extents, budget, size, symbols);
}

Expected GraphImporter::readExpected(StringRef name, const Object &graph) {
  Expected expected;
  const Object *all = graph.getObject("tensor_values"), *meta = all ? all->getObject(name) : nullptr;
  const Array *sizes = meta ? meta->getArray("sizes") : nullptr;
  if (!sizes)
    return expected;
  expected.isKnown = true;
  if (std::optional<int64_t> type = meta->getInteger("dtype"))
    expected.element = getElement(*type);
  for (const json::Value &size : *sizes)
    expected.extents.push_back(readExtent(size));
  return expected;
}

SmallVector<GraphImporter::Output> GraphImporter::readOutputs(const Object &node, const Object &graph) {
  SmallVector<Output> outputs;
  auto add = [&](const Object *holder) {
    StringRef name = holder ? holder->getString("name").value_or("") : "";
    outputs.push_back({name, readExpected(name, graph)});
  };
  const Array *list = node.getArray("outputs");
  for (const json::Value &each : orEmpty(list)) {
    const Object *holder = each.getAsObject();
    if (!holder)
      continue;
    if (const Object *tensor = holder->getObject("as_tensor")) {
      add(tensor);
    } else if (const Array *tensors = holder->getArray("as_tensors")) {
      for (const json::Value &tensor : *tensors)
        add(tensor.getAsObject());
    } else {
      StringRef name;
      for (StringRef kind : {"as_sym_int", "as_sym_bool", "as_sym_float"})
        if (const Object *number = holder->getObject(kind))
          name = number->getString("as_name").value_or("");
      outputs.push_back({name, {}});
    }
  }
  return outputs;
}

LogicalResult GraphImporter::checkResult(const Expected &expected, ModelValue &result, Location loc,
                                         StringRef description) {
  auto type = cast<RankedTensorType>(result.tensor.getType());
  if (!expected.isKnown)
    return success();
  bool differs = !expected.element || toMLIRType(*expected.element, context) != type.getElementType() ||
                 type.getRank() != static_cast<int64_t>(expected.extents.size());
  for (int64_t dim = 0; !differs && dim < type.getRank(); ++dim) {
    auto number = dyn_cast_or_null<AffineConstantExpr>(expected.extents[dim]);
    differs = number && !type.isDynamicDim(dim) && type.getDimSize(dim) != number.getValue();
  }
  if (!differs)
    return success();
  std::string text;
  for (AffineExpr extent : expected.extents) {
    auto number = dyn_cast_or_null<AffineConstantExpr>(extent);
    text += (number ? std::to_string(number.getValue()) : "?") + "x";
  }
  text += expected.element ? getElementTypeName(*expected.element).str() : std::string("another type");
  return mlir::emitError(loc) << description << ": expected a result tensor<" << text
                              << ">, as the program says, found " << type;
}

LogicalResult GraphImporter::write(ModelValue &value, Value made, StringRef description) {
  for (ModelValue *other : value.storage->values) {
    bool isSame = other == &value || (other->isWhole && value.isWhole);
    if (!isSame && (other->lastUse > position || other->isArgument))
      return mlir::emitError(builder.getLoc())
             << description << ": writes to " << quote(value.name) << ", which may share memory with "
             << quote(other->name) << (other->isArgument ? ", an input" : ", which is read afterwards")
             << "; call run_decompositions() of the program first, which makes it one without writes in place";
  }
  value.storage->isWritten = true;
  for (ModelValue *other : value.storage->values)
    if (other == &value || (other->isWhole && value.isWhole))
      other->tensor = made;
  return success();
}

LogicalResult GraphImporter::bindResults(const Object &node, Graph &graph, StringRef description,
                                         MutableArrayRef<ModelValue> results, ArrayRef<Expected> expected,
                                         const OpImporter &importer, ModelValue *written) {
  Location loc = builder.getLoc();
  SmallVector<Output> outputs = readOutputs(node, *graph.graph);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    ModelValue &result = results[i];
    if (output.name.empty())
      continue;
    size_t lastUse = lastUses.lookup(output.name);
    bool isRead = lastUse > position;
    if (!result.exists()) {
      if (isRead)
        return mlir::emitError(loc) << description << ": its result " << Twine(i) << ", " << quote(output.name)
                                    << ", is not supported";
      continue;
    }
    if (result.tensor && failed(checkResult(expected[i], result, loc, description)))
      return failure();
    // In the order of the program, so that none asks for many others.
    if (result.tensor && !cast<RankedTensorType>(result.tensor.getType()).hasStaticShape())
      for (int64_t dim = 0; dim < FuseBuilder::rankOf(result.tensor); ++dim)
        (void)extents.shapes.getExtent(result.tensor, dim);
    result.name = output.name.str();
    result.lastUse = lastUse;
    if (written)
      result.isWhole = written->isWhole;
    if (written)
      result.storage = written->storage;
    else if (!result.storage)
      result.storage = std::make_shared<Storage>();
    auto [it, isNew] = graph.scope.try_emplace(output.name, add(result));
    if (!isNew)
      return mlir::emitError(loc) << description << ": " << quote(output.name) << " is computed twice";
    it->second->storage->values.push_back(it->second);
  }
  return success();
}

/// A result with the extents that the program knows, and its ops do not say.
static Value narrow(Node &n, Value x, const Expected &expected) {
  SmallVector<AffineExpr> extents = n.getExtents(x);
  bool isNarrowed = false;
  if (!expected.isKnown || expected.extents.size() != extents.size())
    return x;
  for (auto [extent, wanted] : llvm::zip(extents, expected.extents)) {
    auto number = dyn_cast_or_null<AffineConstantExpr>(wanted);
    if (!number || isa<AffineConstantExpr>(extent))
      continue;
    n.assume(extent, number.getValue());
    extent = number;
    isNarrowed = true;
  }
  return isNarrowed ? n.reshape(x, extents) : x;
}

LogicalResult GraphImporter::importNode(const Object &node, Graph &graph) {
  StringRef op = getTarget(node);
  std::string name = importer::takeName(graph.prefix + getNodeName(node).str(), nodeNames);
  std::string description = describe(name, op);
  Location loc = NameLoc::get(StringAttr::get(context, name), model.module->getLoc());
  builder.setLoc(loc);
  if (runsGraph(op))
    return importSubgraph(node, graph);
  ++position;
  std::string writtenOp = OpTable::get().lookup(op) ? std::string() : getWrittenOp(op);
  StringRef imported = writtenOp.empty() ? op : StringRef(writtenOp);
  const OpImporter &importer = *OpTable::get().lookup(imported);

  SmallVector<Expected> expected;
  for (const Output &output : readOutputs(node, *graph.graph)) {
    expected.push_back(output.expected);
    expected.back().isRead = lastUses.lookup(output.name) > position;
  }
  Node n(node, imported, description, graph.scope, expected, graph.graph->getObject("tensor_values"), symbols, builder,
         extents, budget);
  const ModelValue *first = nullptr;
  for (StringRef required : importer.tensors) {
    // Forms that write in place may call their operand otherwise.
    if (auto [name, other] = required.split('|'); !other.empty())
      required = n.isTensor(name) ? name : other;
    if (!n.isTensor(required))
      return n.fail("expected a tensor as '" + required + "'");
    (void)n.tensor(required);
    if (n.hasFailed())
      return failure();
    if (!first) {
      const Object *holder = n.find(required).value->getAsObject();
      first = graph.scope.lookup(holder->getString("name").value_or(""));
    }
  }
  ModelValue *written = writtenOp.empty() ? nullptr : const_cast<ModelValue *>(first);
  LogicalResult result = importer.import(n);
  if (n.b.hasFailed())
    return n.fail(n.b.getError());
  if (failed(result) && !n.hasFailed())
    return n.fail("cannot be imported");
  if (n.hasFailed())
    return failure();
  MutableArrayRef<ModelValue> results = n.getResults();
  for (auto [result, wanted] : llvm::zip(results, expected))
    if (result.tensor)
      result.tensor = narrow(n, result.tensor, wanted);
  if (written) {
    // What is written keeps its type and shape.
    if (results.empty() || !results[0].tensor)
      return n.fail("writes in place, but computes no tensor");
    Value made = n.b.cast(results[0].tensor, FuseBuilder::elementOf(written->tensor));
    if (FuseBuilder::shapeOf(made) != FuseBuilder::shapeOf(written->tensor))
      made = n.expand(made, n.getExtents(written->tensor));
    if (FuseBuilder::typeOf(made) != FuseBuilder::typeOf(written->tensor) ||
        (importer.sharing == OpImporter::View && made != written->tensor))
      return n.fail("changes a shape in place, which is not supported; call run_decompositions() of the program first");
    if (made != written->tensor && failed(write(*written, made, description)))
      return failure();
    results[0].tensor = made;
  } else if (importer.sharing != OpImporter::Own && first) {
    for (ModelValue &each : results) {
      each.storage = first->storage;
      each.isWhole = importer.sharing == OpImporter::Alias && first->isWhole;
    }
  }
  bool isFolded = llvm::none_of(results, [](const ModelValue &each) { return each.tensor || each.number; });
  if (failed(bindResults(node, graph, description, results, expected, importer, written)))
    return failure();
  model.nodes.push_back({std::move(name), op.str(), isFolded});
  return success();
}

LogicalResult GraphImporter::importSubgraph(const Object &node, Graph &graph) {
  std::string description = describe(getNodeName(node), getTarget(node));
  auto fail = [&](const Twine &text) { return mlir::emitError(builder.getLoc()) << description << ": " << text; };
  const Object *inner = findSubgraph(node);
  Graph body{inner, {}, graph.prefix + getNodeName(node).str() + "/", graph.depth + 1};
  // Behind the graph among the arguments stand its own.
  SmallVector<ModelValue *> operands;
  bool isBehind = false;
  const Array *inputs = node.getArray("inputs");
  for (const json::Value &input : orEmpty(inputs)) {
    const Object *named = input.getAsObject(), *argument = named ? named->getObject("arg") : nullptr;
    if (!argument)
      return fail("expected arguments");
    const Object *tensor = argument->getObject("as_tensor"), *number = argument->getObject("as_sym_int");
    std::optional<StringRef> name = tensor   ? tensor->getString("name")
                                    : number ? number->getString("as_name")
                                             : std::nullopt;
    if (argument->getObject("as_graph"))
      isBehind = true;
    else if (isBehind && name)
      operands.push_back(graph.scope.lookup(*name));
    else if (isBehind)
      return fail("expected tensors and integers as arguments of its graph");
    else if (getTarget(node).ends_with("autocast") && argument->getBoolean("as_bool").value_or(false))
      return fail("autocast that is enabled is not supported; call run_decompositions() of the program first");
  }
  const Array *parameters = inner->getArray("inputs");
  if (!parameters || parameters->size() != operands.size())
    return fail("expected as many arguments as its graph has inputs");
  auto getValueName = [](const json::Value &value) -> StringRef {
    const Object *holder = value.getAsObject();
    if (const Object *tensor = holder ? holder->getObject("as_tensor") : nullptr)
      return tensor->getString("name").value_or("");
    if (const Object *number = holder ? holder->getObject("as_sym_int") : nullptr)
      return number->getString("as_name").value_or("");
    return "";
  };
  for (auto [parameter, operand] : llvm::zip(*parameters, operands)) {
    if (!operand)
      return fail("expected arguments that are computed before it");
    body.scope[getValueName(parameter)] = operand;
  }
  if (failed(importNodes(body)))
    return failure();
  position += 2; // its outputs, and the node
  const Array *made = inner->getArray("outputs");
  SmallVector<Output> outputs = readOutputs(node, *graph.graph);
  if (!made || made->size() != outputs.size())
    return fail("expected as many results as its graph has outputs");
  for (auto [output, value] : llvm::zip(outputs, *made)) {
    ModelValue *found = body.scope.lookup(getValueName(value));
    if (!found)
      return fail("its graph does not compute " + quote(getValueName(value)));
    ModelValue *outer = add(*found);
    outer->name = output.name.str();
    outer->lastUse = lastUses.lookup(output.name);
    if (outer->storage)
      outer->storage->values.push_back(outer);
    graph.scope[output.name] = outer;
  }
  return success();
}

LogicalResult GraphImporter::importNodes(Graph &graph) {
  const Array *nodes = graph.graph->getArray("nodes");
  for (const json::Value &node : *nodes)
    if (failed(importNode(*node.getAsObject(), graph)))
      return failure();
  return success();
}
