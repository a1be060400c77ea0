//===- CompositeCases.cpp - Normalizations and attention, fused and unfused --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/ScalarFunctions.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

static constexpr unsigned overflowing = 1u << static_cast<unsigned>(ValueSet::Extreme) |
                                        1u << static_cast<unsigned>(ValueSet::Pairs);

static Case makeCase(StringRef kind, ElementType type, StringRef shapeClass) {
  Case c;
  c.family = "composite";
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = shapeClass;
  c.bothModes = true;
  if (shapeClass == "dynamic") {
    c.extents = {{5}, {1}, {0}, {64}};
    c.mayRefuse = true;
  }
  return c;
}

/// Each primitive rounds to the type; an error of one is about as large in the result.
static Bound getRowBound(ElementType type, int64_t terms) {
  double factor = 32 + static_cast<double>(terms) / 8;
  return {Bound::OfArray, 4, factor, factor, type};
}

static Shape getShape(StringRef shapeClass) {
  if (shapeClass == "zero")
    return {3, 0};
  if (shapeClass == "1")
    return {1, 1};
  if (shapeClass == "8d")
    return {2, 1, 3, 1, 2, 2, 1, 5};
  if (shapeClass == "dynamic")
    return {-1, 37};
  if (shapeClass == "broadcast")
    return {5, 7};
  int64_t extent = 0;
  shapeClass.getAsInteger(10, extent);
  return {4, extent};
}

static std::string addOperand(Case &c, ElementType type, const Shape &shape) {
  ValueRole role{ValueRole::Unit};
  if (c.shape != "broadcast")
    return c.argument(type, shape, role);
  return c.op("fuse.broadcast " + c.argument(type, {7}, role) + " dimensions = [0] : " +
              tensorType({7}, type) + " -> " + tensorType(shape, type));
}

static void finish(std::vector<Case> &cases, Case c, const std::string &text, StringRef result) {
  c.result(c.op(text), result);
  cases.push_back(std::move(c));
}

static void addRows(std::vector<Case> &cases, ElementType type, StringRef shapeClass) {
  Shape shape = getShape(shapeClass);
  std::string tensor = tensorType(shape, type);
  auto rank = static_cast<int64_t>(shape.size());
  int64_t terms = std::abs(shape.back());
  for (bool isFirst : {false, true}) {
    Case c = makeCase(isFirst ? "softmax_first" : "softmax", type, shapeClass);
    c.bound = getRowBound(type, isFirst ? std::abs(shape[0]) : terms);
    std::string x = addOperand(c, type, shape);
    finish(cases, std::move(c),
           "fuse.softmax " + x + " dimension = " + (isFirst ? "0" : "-1") + " : " + tensor, tensor);
  }
  for (StringRef kind : {"layer_norm", "layer_norm_plain", "layer_norm_axes"}) {
    Case c = makeCase(kind, type, shapeClass);
    c.skippedSets = overflowing;
    c.bound = getRowBound(type, terms);
    std::string x = addOperand(c, type, shape), operands = x, types = tensor;
    SmallVector<int64_t> axes = {rank - 1};
    if (kind == "layer_norm_axes")
      axes = {rank - 2, rank - 1};
    if (kind == "layer_norm") {
      Shape vector = {shape.back()};
      for (int i = 0; i < 2; ++i) {
        operands += ", " + c.argument(type, vector, {ValueRole::Unit});
        types += ", " + tensorType(vector, type);
      }
    }
    finish(cases, std::move(c),
           "fuse.layer_norm " + operands + " axes = " + printList(axes) +
               " epsilon = 1.000000e-05 : (" + types + ") -> " + tensor,
           tensor);
  }
  // Every primitive of it rounds once and nothing is summed: equal bits.
  Case c = makeCase("batch_norm", type, shapeClass);
  std::string operands = addOperand(c, type, shape), types = tensor;
  int64_t dimension = rank == 8 ? 2 : rank - 1;
  Shape vector = {shape[dimension]};
  for (auto role : {ValueRole::Unit, ValueRole::Unit, ValueRole::Unit, ValueRole::Positive}) {
    operands += ", " + c.argument(type, vector, {role});
    types += ", " + tensorType(vector, type);
  }
  finish(cases, std::move(c),
         "fuse.batch_norm " + operands + " epsilon = 1.000000e-05 feature_dimension = " +
             std::to_string(dimension) + " : (" + types + ") -> " + tensor,
         tensor);
}

static void addAttention(std::vector<Case> &cases, ElementType type, StringRef shapeClass) {
  int64_t batch = 1, heads = 4, queries = 7, keys = 7, depth = 8, values = 5;
  if (shapeClass == "1")
    queries = keys = depth = values = 1;
  if (shapeClass == "17") {
    batch = 2;
    queries = 17;
    keys = 33;
    depth = 17;
  }
  for (StringRef kind : {"attention", "attention_causal", "attention_mask", "attention_keep",
                         "attention_grouped"}) {
    Case c = makeCase(kind, type, shapeClass);
    c.skippedSets = overflowing;
    c.bound = getRowBound(type, keys + depth);
    int64_t groups = kind == "attention_grouped" ? 2 : heads;
    Shape q = {batch, heads, queries, depth}, k = {batch, groups, keys, depth},
          v = {batch, groups, keys, values}, to = {batch, heads, queries, values};
    std::string operands, types;
    auto add = [&](ElementType element, const Shape &shape) {
      operands += (operands.empty() ? "" : ", ") + c.argument(element, shape, {ValueRole::Unit});
      types += (types.empty() ? "" : ", ") + tensorType(shape, element);
    };
    add(type, q);
    add(type, k);
    add(type, v);
    if (kind == "attention_mask")
      add(type, {queries, keys});
    if (kind == "attention_keep")
      add(ElementType::I1, {batch, 1, queries, keys});
    std::string result = tensorType(to, type);
    finish(cases, std::move(c),
           "fuse.attention " + operands + " scale = 3.500000e-01" +
               (kind == "attention_causal" ? " causal" : "") + " : (" + types + ") -> " + result,
           result);
  }
}

void differential::addCompositeCases(std::vector<Case> &cases) {
  for (ElementType type : getElementTypes()) {
    if (!isFloatElement(type))
      continue;
    for (StringRef shapeClass : kShapeClasses) {
      if (shapeClass != "rank0")
        addRows(cases, type, shapeClass);
      if (shapeClass == "1" || shapeClass == "7" || shapeClass == "17")
        addAttention(cases, type, shapeClass);
    }
  }
}
