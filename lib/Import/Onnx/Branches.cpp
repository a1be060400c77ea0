//===- Branches.cpp - Graphs within a graph, of which one is taken ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An `If` is decided while importing: its condition follows from constants, from shapes, or from
// inputs whose values are given. The nodes of the branch that is taken stand in its place; what the
// other one says is not looked at, so it may hold anything.
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "fuse/IR/FuseAttributes.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

std::optional<ModelValue *> GraphImporter::Body::find(StringRef name) const {
  for (const Body *body = this; body; body = body->outer)
    if (auto it = body->scope.find(name); it != body->scope.end())
      return it->second;
  return std::nullopt;
}

bool GraphImporter::isBranch(const NodeProto &node) const {
  return node.op_type() == "If" && isDefaultDomain(node.domain()) && !findFunction(node);
}

void GraphImporter::addReadNames(const Nodes &nodes) {
  for (const NodeProto &node : nodes) {
    for (const std::string &input : node.input())
      readNames.insert(input);
    for (const AttributeProto &attribute : node.attribute())
      if (attribute.has_g()) {
        for (const ValueInfoProto &output : attribute.g().output())
          readNames.insert(output.name());
        addReadNames(attribute.g().node());
      }
  }
}

std::string GraphImporter::describeSources(const ModelValue &value) const {
  std::string names, options;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> rest;
  if (value.value)
    rest.push_back(value.value);
  while (!rest.empty()) {
    Value next = rest.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (Operation *op = next.getDefiningOp()) {
      // What ops compute by regions of their own they read within them.
      op->walk([&](Operation *inner) { llvm::append_range(rest, inner->getOperands()); });
      continue;
    }
    auto argument = cast<BlockArgument>(next);
    if (argument.getOwner()->getParentOp() != func::FuncOp(function).getOperation())
      continue;
    auto known = cast<DictionaryAttr>(argumentAttributes[argument.getArgNumber()]);
    if (known.contains(attr::kParam))
      continue;
    StringRef name = known.getAs<StringAttr>(attr::kName).getValue();
    names += (names.empty() ? "" : ", ") + quote(name);
    options += " --bind " + name.str() + "=F.npy";
  }
  std::string text = quote(value.name) + " is computed from ";
  if (names == quote(value.name))
    return names + " is an input: bind it with" + options;
  return names.empty() ? text + "parameters" : text + names + ": bind with" + options;
}

LogicalResult GraphImporter::importBranch(const NodeProto &proto, Body &body, StringRef name) {
  auto fail = [&](const Twine &text) {
    return mlir::emitError(builder.getLoc()) << describeNode(proto) << ": " << text;
  };
  if (proto.input_size() != 1)
    return fail("expected 1 operand, found " + Twine(proto.input_size()));
  std::optional<ModelValue *> condition = body.find(proto.input(0));
  if (!condition || !*condition)
    return fail("its operand " + quote(proto.input(0)) +
                " is no input, no initializer and computed by no node before it");
  if ((*condition)->sequence || !(*condition)->type.getElementType().isInteger(1))
    return fail("expected a condition of booleans, found another type");
  const HostArray &known = (*condition)->known;
  if (!known)
    return fail("expected a condition that is known before the model runs; " +
                describeSources(**condition));
  if (known.getNumElements() != 1)
    return fail("expected one element as the condition, found " + known.describe());
  StringRef wanted = known.getInt(0) ? "then_branch" : "else_branch";
  auto branch = llvm::find_if(proto.attribute(), [&](const AttributeProto &attribute) {
    return StringRef(attribute.name()) == wanted;
  });
  if (branch == proto.attribute().end() || !branch->has_g())
    return fail("expected the attribute '" + wanted + "' to be a graph, found none");
  const GraphProto &graph = branch->g();
  if (graph.input_size() > 0)
    return fail("expected a branch without inputs, found " + Twine(graph.input_size()));
  if (proto.output_size() > graph.output_size())
    return fail("expected " + Twine(proto.output_size()) + " outputs of the branch, found " +
                Twine(graph.output_size()));
  // The nodes of a function are imported for each of its calls.
  if (!body.prefix.empty() && !Budget::take(budget.inlinedNodes, graph.node_size() + 1))
    return fail("the calls of the model's functions make more nodes of it than are imported");
  Body inner{graph.node(), body.opsets, {}, body.depth + 1, body.prefix, &body};
  if (failed(checkOperators(graph.node(), inner.depth)) || failed(addInitializers(graph, inner)) ||
      failed(importNodes(inner)))
    return failure();
  for (int i = 0; i < proto.output_size(); ++i) {
    if (proto.output(i).empty())
      continue;
    std::optional<ModelValue *> value = inner.find(graph.output(i).name());
    if (!value || !*value)
      return fail("the branch computes no " + quote(graph.output(i).name()));
    if (!body.scope.try_emplace(proto.output(i), *value).second)
      return fail(quote(proto.output(i)) + " is computed twice");
  }
  model.nodes.push_back({name.str(), proto.op_type(), /*isFolded=*/true});
  return success();
}
