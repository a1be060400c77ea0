//===- Constants.cpp - Operators that make tensors up -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static LogicalResult importConstant(Node &n) {
  if (const TensorProto *tensor = n.getTensor("value")) {
    auto array = n.getFile().readTensor(*tensor);
    if (!array)
      return n.fail(llvm::toString(array.takeError()));
    n.setResult(0, *array);
    n.setFormat(0, getFormat(tensor->data_type()));
    return success();
  }
  if (n.hasAttribute("value_int"))
    n.setResult(0, HostArray::fromInts(ElementType::I64, {}, n.getInt("value_int", 0)));
  else if (n.hasAttribute("value_float"))
    n.setResult(0, HostArray::fromFloats(ElementType::F32, {}, n.getFloat("value_float", 0)));
  else if (n.hasAttribute("value_ints")) {
    SmallVector<int64_t> values = n.getInts("value_ints");
    n.setResult(0, HostArray::fromInts(ElementType::I64, {int64_t(values.size())}, values));
  } else if (n.hasAttribute("value_floats")) {
    SmallVector<double> values = n.getFloats("value_floats");
    n.setResult(0, HostArray::fromFloats(ElementType::F32, {int64_t(values.size())}, values));
  } else {
    return n.fail("expected a tensor, numbers or one number as its value, found another attribute");
  }
  return success();
}

/// A shape that an operand lists; fails for a negative extent and for more elements than there can be.
static FailureOr<SmallVector<int64_t>> getShapeOperand(Node &n, size_t i, StringRef name,
                                                       ElementType element) {
  SmallVector<int64_t> shape = n.getIntegers(i, name);
  if (llvm::is_contained(shape, ShapedType::kDynamic))
    return n.fail("expected extents of at least 0");
  if (std::optional<std::string> problem = findShapeProblem(element, shape))
    return n.fail(*problem);
  return shape;
}

static LogicalResult importConstantOfShape(Node &n) {
  HostArray value = HostArray::fromFloats(ElementType::F32, {}, 0.0);
  if (const TensorProto *tensor = n.getTensor("value")) {
    auto array = n.getFile().readTensor(*tensor);
    if (!array)
      return n.fail(llvm::toString(array.takeError()));
    if (array->getNumElements() != 1)
      return n.fail("expected a value of one element, found " + array->describe());
    value = *array;
  }
  if (n.isSymbolic(0) || n.isComputed(0)) {
    SmallVector<AffineExpr> wanted = n.getSymbolicIntegers(0, "input");
    Value one = n.b.constant(value.reshaped({}));
    return n.setResult(n.b.broadcastTo(one, n.getSizes(wanted)));
  }
  FailureOr<SmallVector<int64_t>> shape = getShapeOperand(n, 0, "input", value.getElementType());
  if (failed(shape))
    return failure();
  Type element = toMLIRType(value.getElementType(), n.b.getContext());
  DenseElementsAttr one = value.reshaped({}).toAttribute(n.b.getContext());
  auto type = RankedTensorType::get(*shape, element);
  return n.setResult(n.b.constant(one.resizeSplat(type)));
}

/// A range of integers whose ends are computed from extents, with a step that is known.
static LogicalResult importSymbolicRange(Node &n) {
  SmallVector<AffineExpr> start = n.getSymbolicIntegers(0, "start"), limit = n.getSymbolicIntegers(1, "limit");
  int64_t step = n.getInteger(2, "delta");
  if (n.hasFailed())
    return failure();
  if (start.size() != 1 || limit.size() != 1 || step == 0 || step == std::numeric_limits<int64_t>::min())
    return n.fail("expected one number for start and limit, and a step that leads to the limit");
  AffineExpr distance = step > 0 ? limit.front() - start.front() : start.front() - limit.front();
  AffineExpr count = distance.ceilDiv(std::abs(step));
  Type element = n.getElementType(0);
  Value range = n.b.iota(n.getSize(count), 0, element);
  if (step != 1)
    range = n.b.mul(range, double(step));
  if (start.front() != n.getConstant(0))
    range = n.b.add(range, n.b.fromIndex(n.getSize(start.front()), element));
  return n.setResult(range);
}

static LogicalResult importRange(Node &n) {
  if ((n.isSymbolic(0) || n.isSymbolic(1)) && !n.isComputed(0) && !n.isComputed(1) && n.getKnown(2))
    return importSymbolicRange(n);
  if (!n.getKnown(0) || !n.getKnown(1) || !n.getKnown(2))
    return importComputedRange(n);
  FailureOr<HostArray> start = n.getRequired(0, "start"), limit = n.getRequired(1, "limit"),
                       delta = n.getRequired(2, "delta");
  if (failed(start) || failed(limit) || failed(delta))
    return failure();
  if (start->getNumElements() != 1 || limit->getNumElements() != 1 || delta->getNumElements() != 1)
    return n.fail("expected one number for start, limit and delta");
  double from = start->getFloat(0), step = delta->getFloat(0);
  double count = std::max(std::ceil((limit->getFloat(0) - from) / step), 0.0);
  if (step == 0 || !(count < double(int64_t(1) << 40)))
    return n.fail("expected a step that leads to the limit, found " +
                  Twine(std::to_string(step)));
  if (failed(n.takeListed(static_cast<int64_t>(count))))
    return failure();
  HostArray array(start->getElementType(), {int64_t(count)});
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    if (isFloatElement(array.getElementType()))
      array.setFloat(i, from + double(i) * step);
    else
      array.setInt(i, static_cast<int64_t>(start->getUInt(0) + uint64_t(i) * delta->getUInt(0)));
  }
  n.setResult(0, array);
  return success();
}

static LogicalResult importEyeLike(Node &n) {
  if (n.getRank(0) != 2)
    return n.fail("expected a matrix, found rank " + Twine(n.getRank(0)));
  Type element = n.getElementType(0);
  if (n.hasAttribute("dtype")) {
    FailureOr<ElementType> type = n.getElementAttribute("dtype", 0);
    if (failed(type))
      return failure();
    element = toMLIRType(*type, n.b.getContext());
  }
  Type index = n.b.getBuilder().getI64Type();
  SmallVector<OpFoldResult> sizes = n.getSizes(n.getExtents(0));
  Value rows = n.b.iota(sizes, 0, index), columns = n.b.iota(sizes, 1, index);
  Value isOne = n.b.compare(ComparePredicate::Eq, n.b.add(rows, double(n.getInt("k", 0))), columns);
  return n.setResult(n.b.cast(isOne, element));
}

void mlir::fuse::onnx::addConstantOps(OpTable &table) {
  table.add("Constant", 0, 0, importConstant);
  table.add("ConstantOfShape", 1, 1, importConstantOfShape, {0});
  table.add("Range", 3, 3, importRange, {0, 1, 2});
  table.add("EyeLike", 1, 1, importEyeLike).readsTypesOnly = true;
}
