//===- Branches.cpp - Graphs within a graph, of which one is taken ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An `If` is decided while importing where its condition follows from constants, from shapes, or from
// inputs whose values are given. The nodes of the branch that is taken stand in its place; what the
// other one says is not looked at, so it may hold anything.
//
// Where the condition is computed by the program, both branches are, as an `scf.if`, whose results have
// one type. Where their ranks differ, as those of "squeeze, if the extent is 1" do, and the condition
// compares an extent with a number, the model is taken to be called with that extent alone: any other is
// an error of the call.
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "fuse/IR/FuseAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

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
  if (known && known.getNumElements() != 1)
    return fail("expected one element as the condition, found " + known.describe());
  if (!known && (!(*condition)->type.hasStaticShape() || (*condition)->type.getNumElements() != 1))
    return fail("expected one element as the condition");
  FailureOr<SmallVector<ModelValue *>> results =
      known ? importGraph(proto, body, known.getInt(0) ? "then_branch" : "else_branch")
            : importBothBranches(proto, body, materializeCondition(**condition));
  if (failed(results))
    return failure();
  for (auto [i, value] : llvm::enumerate(*results))
    if (value && !body.scope.try_emplace(proto.output(static_cast<int>(i)), value).second)
      return fail(quote(proto.output(static_cast<int>(i))) + " is computed twice");
  model.nodes.push_back({name.str(), proto.op_type(), /*isFolded=*/static_cast<bool>(known)});
  return success();
}

FailureOr<SmallVector<ModelValue *>> GraphImporter::importGraph(const NodeProto &proto, Body &body, StringRef wanted) {
  Location loc = builder.getLoc();
  auto fail = [&](const Twine &text) {
    return mlir::emitError(loc) << describeNode(proto) << ": " << text;
  };
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
  SmallVector<ModelValue *> results;
  for (int i = 0; i < proto.output_size(); ++i) {
    results.push_back(nullptr);
    if (proto.output(i).empty())
      continue;
    std::optional<ModelValue *> value = inner.find(graph.output(i).name());
    if (!value || !*value)
      return fail("the branch computes no " + quote(graph.output(i).name()));
    results.back() = *value;
  }
  builder.setLoc(loc);
  return results;
}

//===- Conditions that the program computes -------------------------------------------------===//

Value GraphImporter::materializeCondition(ModelValue &condition) {
  Value value = condition.value ? condition.value : materialize(condition);
  return FuseBuilder(builder).reshape(value, ArrayRef<int64_t>());
}

/// An extent and the number that a condition compares it with; none where it is another condition.
static std::optional<std::pair<AffineExpr, AffineExpr>> matchExtentIs(Value condition, SymbolicShapes &shapes) {
  auto skipViews = [](Value value) {
    while (auto view = value.getDefiningOp<ReshapeOp>())
      value = view.getOperand();
    return value;
  };
  auto compare = skipViews(condition).getDefiningOp<CompareOp>();
  if (!compare || compare.getPredicate() != ComparePredicate::Eq)
    return std::nullopt;
  for (auto [one, other] : {std::pair(compare.getLhs(), compare.getRhs()), {compare.getRhs(), compare.getLhs()}}) {
    auto extent = skipViews(one).getDefiningOp<FromIndexOp>();
    DenseElementsAttr number;
    if (extent && matchPattern(skipViews(other), m_Constant(&number)) && number.isSplat())
      return std::pair(shapes.getNumber(extent.getNumber()),
                       getAffineConstantExpr(number.getSplatValue<APInt>().getSExtValue(), condition.getContext()));
  }
  return std::nullopt;
}

FailureOr<SmallVector<ModelValue *>> GraphImporter::importBothBranches(const NodeProto &proto, Body &body,
                                                                       Value condition) {
  Location loc = builder.getLoc();
  auto fail = [&](const Twine &text) {
    return mlir::emitError(loc) << describeNode(proto) << ": " << text;
  };
  // Each in a block of its own, with values of the program for all outputs.
  Region regions[2];
  SmallVector<ModelValue *> branches[2];
  SmallVector<Value> values[2];
  for (auto [region, branch, list, name] :
       llvm::zip_equal(regions, branches, values, ArrayRef<StringRef>{"then_branch", "else_branch"})) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&region.emplaceBlock());
    ++extents.branchDepth;
    FailureOr<SmallVector<ModelValue *>> imported = importGraph(proto, body, name);
    --extents.branchDepth;
    if (failed(imported))
      return failure();
    branch = *imported;
    for (ModelValue *value : branch) {
      if (value && value->sequence)
        return fail("expected tensors as outputs of branches, found a sequence");
      list.push_back(!value ? Value() : value->value ? value->value : materialize(*value));
    }
  }
  auto inlineBranch = [&](unsigned taken) {
    auto &ops = regions[taken].front().getOperations();
    builder.getBlock()->getOperations().splice(builder.getInsertionPoint(), ops);
    return branches[taken];
  };
  SmallVector<Type> types;
  for (auto [one, other] : llvm::zip_equal(values[0], values[1])) {
    if (!one || !other)
      continue;
    auto left = cast<RankedTensorType>(one.getType()), right = cast<RankedTensorType>(other.getType());
    if (left.getElementType() != right.getElementType())
      return fail("expected branches with outputs of one element type, found ") << left << " and " << right;
    if (left.getRank() != right.getRank()) {
      auto extent = matchExtentIs(condition, extents.shapes);
      if (!extent)
        return fail("expected a condition that is known before the model runs, or branches whose outputs have one rank, "
                    "found ")
               << left << " and " << right;
      extents.assume(builder, loc, extent->first, extent->second, /*isLeast=*/false, describeNode(proto));
      return inlineBranch(0);
    }
    SmallVector<int64_t> shape;
    for (auto [l, r] : llvm::zip_equal(left.getShape(), right.getShape()))
      shape.push_back(l == r ? l : ShapedType::kDynamic);
    types.push_back(left.clone(shape));
  }
  Value flag = tensor::ExtractOp::create(builder, condition, ValueRange());
  auto branch = scf::IfOp::create(builder, types, flag, /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (auto [region, list, target] :
       llvm::zip_equal(regions, values, ArrayRef<Region *>{&branch.getThenRegion(), &branch.getElseRegion()})) {
    target->takeBody(region);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&target->front());
    SmallVector<Value> yielded;
    for (Value value : list)
      if (value)
        yielded.push_back(FuseBuilder(builder).reshape(value, cast<RankedTensorType>(types[yielded.size()]).getShape()));
    scf::YieldOp::create(builder, yielded);
  }
  SmallVector<ModelValue *> results;
  unsigned next = 0;
  for (ModelValue *value : branches[0]) {
    results.push_back(nullptr);
    if (!value)
      continue;
    Value result = branch.getResult(next++);
    ModelValue made{value->name, cast<RankedTensorType>(result.getType()), {}, result, value->openDims};
    results.back() = add(std::move(made));
  }
  return results;
}
