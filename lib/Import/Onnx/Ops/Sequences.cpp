//===- Sequences.cpp - Sequences of tensors, resolved while importing -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Programs have no sequences. Where positions are known, a sequence is a list of values that exists
// only here.
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Operand `i` as a position in [0, end); negative ones count from the end of `length` elements.
static FailureOr<int64_t> getPosition(Node &n, size_t i, int64_t length, int64_t end) {
  int64_t given = n.getInteger(i, "position");
  if (given < -length || given >= end)
    return n.fail("expected a position in [" + Twine(-length) + ", " + Twine(end) + "), found " +
                  Twine(given));
  return given < 0 ? given + length : given;
}

static LogicalResult importSequenceEmpty(Node &n) { return n.setSequence({}); }

static LogicalResult importSequenceConstruct(Node &n) {
  std::vector<ModelValue> elements;
  for (size_t i = 0; i < n.getNumInputs(); ++i)
    elements.push_back(n.getElement(i));
  return n.setSequence(std::move(elements));
}

static LogicalResult importSequenceInsert(Node &n) {
  std::vector<ModelValue> elements = n.getSequence(0);
  ModelValue element = n.getElement(1);
  auto length = static_cast<int64_t>(elements.size());
  FailureOr<int64_t> position =
      n.hasInput(2) ? getPosition(n, 2, length, length + 1) : FailureOr<int64_t>(length);
  if (failed(position))
    return failure();
  elements.insert(elements.begin() + *position, element);
  return n.setSequence(std::move(elements));
}

static LogicalResult importSequenceErase(Node &n) {
  std::vector<ModelValue> elements = n.getSequence(0);
  auto length = static_cast<int64_t>(elements.size());
  if (length == 0)
    return n.fail("expected a sequence of one element or more");
  FailureOr<int64_t> position =
      n.hasInput(1) ? getPosition(n, 1, length, length) : FailureOr<int64_t>(length - 1);
  if (failed(position))
    return failure();
  elements.erase(elements.begin() + *position);
  return n.setSequence(std::move(elements));
}

static LogicalResult importSequenceAt(Node &n) {
  std::vector<ModelValue> elements = n.getSequence(0);
  auto length = static_cast<int64_t>(elements.size());
  FailureOr<int64_t> position = getPosition(n, 1, length, length);
  if (failed(position))
    return failure();
  n.setElement(elements[*position]);
  return success();
}

static LogicalResult importSequenceLength(Node &n) {
  std::vector<ModelValue> elements = n.getSequence(0);
  n.setResult(0, HostArray::fromInts(ElementType::I64, {}, int64_t(elements.size())));
  return success();
}

/// One size for all parts but the last, a list of sizes, or parts of one element each.
static LogicalResult importSplitToSequence(Node &n) {
  if (!n.isTensor(0))
    return n.fail("expected a tensor");
  int64_t rank = n.getRank(0), axis = n.getAxis(0, rank);
  if (n.hasFailed())
    return failure();
  int64_t extent = n.getShape(0)[axis];
  if (ShapedType::isDynamic(extent))
    return n.fail("expected a static extent along the axis");
  SmallVector<int64_t> sizes;
  bool isList = n.hasInput(1) && n.isTensor(1) && n.getRank(1) == 1;
  if (isList) {
    sizes = n.getIntegers(1, "split");
  } else {
    int64_t size = n.hasInput(1) ? n.getInteger(1, "split") : 1;
    if (size < 1)
      return n.fail("expected parts of one element or more, found " + Twine(size));
    if (failed(n.takeUnrolled((extent - 1) / size + 1)))
      return failure();
    for (int64_t left = extent; left > 0; left -= size)
      sizes.push_back(std::min(left, size));
  }
  bool keepsDim = n.hasInput(1) || n.getInt("keepdims", 1);
  std::vector<ModelValue> elements;
  int64_t at = 0;
  for (int64_t size : sizes) {
    if (size < 0 || size > extent - at)
      return n.fail("expected sizes that add up to " + Twine(extent));
    Value part = n.b.slice(n.getInput(0), axis, at, size);
    at += size;
    if (!keepsDim) {
      SmallVector<int64_t> shape(n.b.shapeOf(part));
      shape.erase(shape.begin() + axis);
      part = n.b.reshape(part, shape);
    }
    elements.push_back(n.makeElement(part));
  }
  if (at != extent)
    return n.fail("expected sizes that add up to " + Twine(extent) + ", found " + Twine(at));
  return n.setSequence(std::move(elements));
}

static LogicalResult importConcatFromSequence(Node &n) {
  std::vector<ModelValue> elements = n.getSequence(0);
  if (elements.empty())
    return n.fail("expected a sequence of one element or more");
  bool isNew = n.getInt("new_axis", 0);
  int64_t rank = elements.front().type.getRank();
  int64_t axis = n.getAxis(0, rank + (isNew ? 1 : 0));
  if (n.hasFailed())
    return failure();
  SmallVector<Value> parts;
  for (ModelValue &element : elements) {
    ArrayRef<int64_t> shape = element.type.getShape();
    if (static_cast<int64_t>(shape.size()) != rank || (!isNew && ShapedType::isDynamic(shape[axis])))
      return n.fail("expected elements of rank " + Twine(rank) +
                    " and of static extents along the axis");
    Value part = n.makeValue(element);
    parts.push_back(isNew ? n.b.insertUnitDims(part, {axis}) : part);
  }
  return n.setResult(n.concat(parts, axis));
}

void mlir::fuse::onnx::addSequenceOps(OpTable &table) {
  table.add("SequenceEmpty", 0, 0, importSequenceEmpty).hasSequences = true;
  table.add("SequenceConstruct", 1, OpTable::kAny, importSequenceConstruct).hasSequences = true;
  table.add("SequenceInsert", 2, 3, importSequenceInsert, {2}).hasSequences = true;
  table.add("SequenceErase", 1, 2, importSequenceErase, {1}).hasSequences = true;
  table.add("SequenceAt", 2, 2, importSequenceAt, {1}).hasSequences = true;
  table.add("SequenceLength", 1, 1, importSequenceLength).hasSequences = true;
  table.add("SplitToSequence", 1, 2, importSplitToSequence, {1}).hasSequences = true;
  table.add("ConcatFromSequence", 1, 1, importConcatFromSequence).hasSequences = true;
}
