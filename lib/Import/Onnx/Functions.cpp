//===- Functions.cpp - The functions of a model, and calls of them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Functions of a model call functions; deeper calls are taken for endless ones.
static constexpr unsigned kMostCallDepth = 64;

/// Fields newer than the schema that models are parsed with (onnx.proto of IR versions 9 and 10).
enum NewerField { kNodeOverload = 8, kFunctionDefault = 11, kFunctionOverload = 13 };

/// The strings and messages of a field that the schema does not have.
template <typename Message>
static SmallVector<StringRef, 1> readNewer(const Message &message, NewerField number) {
  SmallVector<StringRef, 1> found;
  const auto &unknown = message.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto &field = unknown.field(i);
    if (field.number() == number &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      found.push_back(field.length_delimited());
  }
  return found;
}

/// Of fields that may be there once the last one counts.
template <typename Message>
static StringRef readOverload(const Message &message, NewerField number) {
  SmallVector<StringRef, 1> found = readNewer(message, number);
  return found.empty() ? StringRef() : found.back();
}

/// No domain and no name has a line end.
static std::string getFunctionKey(StringRef domain, StringRef name, StringRef overload) {
  return ((isDefaultDomain(domain) ? "" : domain) + "\n" + name + "\n" + overload).str();
}

LogicalResult GraphImporter::readFunctions() {
  for (const FunctionProto &each : file.getModel().functions()) {
    StringRef overload = readOverload(each, kFunctionOverload);
    std::string title = "function " + quote(each.name()) + " of domain " + quote(each.domain());
    if (!overload.empty())
      title += " with the overload " + quote(overload);
    auto [it, isNew] = functions.try_emplace(getFunctionKey(each.domain(), each.name(), overload));
    if (!isNew)
      return emitError("the model has two of " + title);
    it->second.proto = &each;
    for (StringRef bytes : readNewer(each, kFunctionDefault))
      if (!it->second.defaults.emplace_back().ParseFromArray(bytes.data(), bytes.size()))
        return emitError(title + ": the default of an attribute is damaged");
  }
  return success();
}

const GraphImporter::Function *GraphImporter::findFunction(const NodeProto &node) const {
  if (functions.empty())
    return nullptr;
  auto it = functions.find(
      getFunctionKey(node.domain(), node.op_type(), readOverload(node, kNodeOverload)));
  return it == functions.end() ? nullptr : &it->second;
}

LogicalResult GraphImporter::findUnsupported(const Nodes &nodes, unsigned depth) {
  if (depth > kMostCallDepth)
    return emitError("functions of the model call one another more than " + Twine(kMostCallDepth) +
                     " deep");
  LogicalResult result = success();
  for (const NodeProto &node : nodes) {
    if (const Function *callee = findFunction(node)) {
      if (checked.contains(callee))
        continue;
      if (!inCheck.insert(callee).second)
        return mlir::emitError(makeLoc(node))
               << describeNode(node) << ": functions of the model call one another endlessly";
      if (failed(findUnsupported(callee->proto->node(), depth + 1)))
        result = failure();
      inCheck.erase(callee);
      checked.insert(callee);
      continue;
    }
    // Of two branches only one is taken: its operators are looked at then.
    if (isBranch(node))
      continue;
    StringRef overload = readOverload(node, kNodeOverload);
    if (overload.empty() && OpTable::get().lookup(node))
      continue;
    std::string op = StringRef(quote(node.op_type())).drop_front().drop_back().str();
    if (!isDefaultDomain(node.domain()))
      op += " of domain " + quote(node.domain());
    if (!overload.empty())
      op += " with the overload " + quote(overload);
    auto [it, isNew] = unsupportedPlaces.try_emplace(op, unsupported.size());
    if (isNew)
      unsupported.push_back({op, &node});
    ++unsupported[it->second].count;
  }
  return result;
}

LogicalResult GraphImporter::checkOperators(const Nodes &nodes, unsigned depth) {
  LogicalResult result = findUnsupported(nodes, depth);
  for (const Unsupported &each : unsupported) {
    std::string more = each.count > 1 ? " and " + std::to_string(each.count - 1) + " more" : "";
    mlir::emitError(makeLoc(*each.first))
        << describeNode(*each.first) << more << ": the operator " << each.op << " is not supported";
  }
  return failure(failed(result) || !unsupported.empty());
}

/// Marks the names in `known` and, of those, all that they are computed of, where what decides
/// about shapes or index maps is read as well: operands of importers that need to know them.
void GraphImporter::findKnown(const Nodes &nodes, unsigned depth, Budget &left,
                              llvm::StringSet<> &known) const {
  for (int i = nodes.size(); i-- > 0;) {
    const NodeProto &node = nodes.Get(i);
    if (const Function *callee = findFunction(node)) {
      const FunctionProto &proto = *callee->proto;
      // Calls beyond the bounds are refused when they are imported.
      if (depth >= kMostCallDepth || !takeCall(proto, left))
        return;
      llvm::StringSet<> inner;
      for (int k = 0; k < std::min(node.output_size(), proto.output_size()); ++k)
        if (!node.output(k).empty() && known.contains(node.output(k)))
          inner.insert(proto.output(k));
      findKnown(proto.node(), depth + 1, left, inner);
      for (int k = 0; k < std::min(node.input_size(), proto.input_size()); ++k)
        if (inner.contains(proto.input(k)))
          known.insert(node.input(k));
      continue;
    }
    if (isBranch(node)) {
      for (const AttributeProto &attribute : node.attribute()) {
        for (int k = 0; k < std::min(node.output_size(), attribute.g().output_size()); ++k)
          if (!node.output(k).empty() && known.contains(node.output(k)))
            known.insert(attribute.g().output(k).name());
        findKnown(attribute.g().node(), depth, left, known);
      }
      if (readsConditions && node.input_size() > 0)
        known.insert(node.input(0));
      continue;
    }
    const OpImporter *importer = OpTable::get().lookup(node);
    if (!importer)
      continue;
    for (unsigned operand : importer->knownInputs)
      if (static_cast<int>(operand) < node.input_size())
        known.insert(node.input(static_cast<int>(operand)));
    bool isKnown = llvm::any_of(node.output(), [&](const std::string &name) {
      return !name.empty() && known.contains(name);
    });
    if (isKnown && !importer->readsTypesOnly)
      for (const std::string &input : node.input())
        known.insert(input);
  }
}

bool GraphImporter::takeCall(const FunctionProto &callee, Budget &budget) {
  return Budget::take(budget.inlinedNodes, callee.node_size() + 1) &&
         Budget::take(budget.inlinedBytes, static_cast<int64_t>(callee.ByteSizeLong()));
}

/// A function's nodes are imported where it is called.
LogicalResult GraphImporter::callFunction(const NodeProto &proto, const Function &function,
                                          Body &caller, StringRef name) {
  const FunctionProto &callee = *function.proto;
  auto fail = [&](const Twine &text) {
    return mlir::emitError(builder.getLoc()) << describeNode(proto) << ": " << text;
  };
  if (!takeCall(callee, budget))
    return fail("the calls of the model's functions make more nodes of it than are imported");
  if (proto.input_size() > callee.input_size())
    return fail("expected at most " + Twine(callee.input_size()) + " operands, found " +
                Twine(proto.input_size()));
  // Nodes refer to the function's attributes by name; the call gives them, or they have defaults.
  auto findAttribute = [](const auto &attributes, StringRef name) -> const AttributeProto * {
    auto it = llvm::find_if(
        attributes, [&](const AttributeProto &each) { return StringRef(each.name()) == name; });
    return it == attributes.end() ? nullptr : &*it;
  };
  Nodes nodes = callee.node();
  auto bindAttributes = [&](auto &self, Nodes &inNodes) -> bool {
    for (NodeProto &node : inNodes)
      for (int i = node.attribute_size(); i-- > 0;) {
        AttributeProto &attribute = *node.mutable_attribute(i);
        if (attribute.ref_attr_name().empty()) {
          if (attribute.has_g() && !self(self, *attribute.mutable_g()->mutable_node()))
            return false;
          continue;
        }
        const AttributeProto *given = findAttribute(proto.attribute(), attribute.ref_attr_name());
        if (!given)
          given = findAttribute(function.defaults, attribute.ref_attr_name());
        std::string name = attribute.name();
        if (!given) {
          node.mutable_attribute()->DeleteSubrange(i, 1);
          continue;
        }
        if (!Budget::take(budget.inlinedBytes, static_cast<int64_t>(given->ByteSizeLong())))
          return false;
        attribute = *given;
        attribute.set_name(name);
      }
    return true;
  };
  if (!bindAttributes(bindAttributes, nodes))
    return fail("the calls of the model's functions make more nodes of it than are imported");
  Body body{nodes, {}, {}, caller.depth + 1, name.str() + "/"};
  if (body.depth > kMostCallDepth)
    return fail("functions call one another endlessly");
  for (const auto &opset : callee.opset_import())
    body.opsets[isDefaultDomain(opset.domain()) ? "" : opset.domain()] = opset.version();
  body.opsets.try_emplace("", caller.opsets.lookup(""));
  for (auto [i, formal] : llvm::enumerate(callee.input())) {
    // Nodes of the body may do without an operand that the call leaves out.
    ModelValue *&value = body.scope[formal];
    if (static_cast<int>(i) >= proto.input_size() || proto.input(static_cast<int>(i)).empty())
      continue;
    std::optional<ModelValue *> found = caller.find(proto.input(static_cast<int>(i)));
    if (!found)
      return fail("its operand " + quote(proto.input(static_cast<int>(i))) +
                  " is no input, no initializer and computed by no node before it");
    value = *found;
  }
  addReadNames(nodes);
  for (const std::string &formal : callee.output())
    readNames.insert(formal);
  if (failed(importNodes(body)))
    return failure();
  for (auto [i, formal] : llvm::enumerate(callee.output())) {
    if (static_cast<int>(i) >= proto.output_size() || proto.output(static_cast<int>(i)).empty())
      continue;
    auto it = body.scope.find(formal);
    if (it == body.scope.end() || !it->second)
      return fail("the function computes no " + quote(formal));
    if (!caller.scope.try_emplace(proto.output(static_cast<int>(i)), it->second).second)
      return fail(quote(proto.output(static_cast<int>(i))) + " is computed twice");
  }
  return success();
}
