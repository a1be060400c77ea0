//===- MovementCases.cpp - Views, memory and data movement -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/KindTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

static const std::vector<Shape> movedExtents = {{5, 23}, {1, 1}, {0, 4}, {3, 64}, {2, 1000}};

static Case makeCase(StringRef kind, ElementType type, StringRef shapeClass) {
  Case c;
  c.family = "move";
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = shapeClass;
  if (shapeClass == "dynamic") {
    c.extents = movedExtents;
    // Only element-wise and row kernels promise dynamic extents.
    c.mayRefuse = llvm::is_contained({"pad", "resize_nearest", "concat", "gather"}, kind) ||
                  kind.starts_with("scatter");
  }
  return c;
}

/// The shape that most ops here move. There is something to permute and to cut wherever possible.
static Shape getShape(StringRef shapeClass) {
  if (shapeClass == "rank0")
    return {};
  if (shapeClass == "zero")
    return {3, 0, 2};
  if (shapeClass == "1")
    return {1};
  if (shapeClass == "8d")
    return {2, 1, 3, 1, 2, 2, 1, 5};
  if (shapeClass == "dynamic")
    return {-1, 6, -2};
  if (shapeClass == "broadcast")
    return {5, 7};
  if (shapeClass == "1000")
    return {10, 100};
  int64_t extent = 0;
  shapeClass.getAsInteger(10, extent);
  return {extent, 6};
}

/// The operand: an argument, or in the class "broadcast" a view that repeats one.
static std::string addOperand(Case &c, ElementType type) {
  Shape shape = getShape(c.shape);
  if (c.shape != "broadcast")
    return c.argument(type, shape);
  return c.op("fuse.broadcast " + c.argument(type, {7}) + " dimensions = [0] : " +
              tensorType({7}, type) + " -> " + tensorType(shape, type));
}

static void finish(std::vector<Case> &cases, Case c, ElementType type, const Shape &to,
                   const llvm::Twine &op) {
  std::string result = tensorType(to, type);
  c.result(c.op(op), result);
  cases.push_back(std::move(c));
}

static void addViews(std::vector<Case> &cases, ElementType type, StringRef shapeClass) {
  Shape shape = getShape(shapeClass);
  size_t rank = shape.size();
  std::string from = tensorType(shape, type);
  {
    Case c = makeCase("copy", type, shapeClass);
    std::string x = addOperand(c, type);
    finish(cases, std::move(c), type, shape, "fuse.copy " + x + " : " + from);
  }
  {
    // All in one dimension; units in front of a shape that has only one or none.
    Shape to = {1};
    if (shapeClass == "dynamic") {
      to = {-1, 2, 3, -2};
    } else {
      for (int64_t extent : shape)
        to.back() *= extent;
      if (rank < 2)
        to = {1, to.back(), 1};
    }
    // Two unknown extents cannot be told apart in another shape.
    if (shapeClass == "dynamic") {
      shape = {-1, 6, 4};
      to = {-1, 2, 12};
    }
    Case c = makeCase("reshape", type, shapeClass);
    std::string x = shapeClass == "dynamic" ? c.argument(type, shape) : addOperand(c, type);
    finish(cases, std::move(c), type, to,
           "fuse.reshape " + x + " : " + tensorType(shape, type) + " -> " + tensorType(to, type));
    shape = getShape(shapeClass);
  }
  {
    Shape to(llvm::reverse(shape));
    SmallVector<int64_t> permutation(llvm::reverse(llvm::seq<int64_t>(0, rank)));
    Case c = makeCase("transpose", type, shapeClass);
    std::string x = addOperand(c, type);
    finish(cases, std::move(c), type, to,
           "fuse.transpose " + x + " permutation = " + printList(permutation) + " : " + from +
               " -> " + tensorType(to, type));
  }
  {
    Shape offsets(rank, 0), sizes = shape, strides(rank, 1);
    Shape to = shape;
    for (size_t dim = 0; dim < rank; ++dim) {
      if (shape[dim] < 0) {
        sizes[dim] = -1;
      } else if (shape[dim] > 2) {
        offsets[dim] = 1;
        strides[dim] = 2;
        sizes[dim] = to[dim] = (shape[dim] - 1) / 2;
      }
    }
    Case c = makeCase("slice", type, shapeClass);
    std::string x = addOperand(c, type);
    finish(cases, std::move(c), type, to,
           "fuse.slice " + x + " offsets = " + printList(offsets) + " sizes = " +
               printList(sizes) + " strides = " + printList(strides) + " : " + from + " -> " +
               tensorType(to, type));
  }
  {
    Shape to = {3};
    llvm::append_range(to, shape);
    to.push_back(2);
    SmallVector<int64_t> added = {0, static_cast<int64_t>(rank) + 1};
    Case c = makeCase("broadcast", type, shapeClass);
    std::string x = addOperand(c, type);
    finish(cases, std::move(c), type, to,
           "fuse.broadcast " + x + " dimensions = " + printList(added) + " : " + from + " -> " +
               tensorType(to, type));
  }
}

static void addMemory(std::vector<Case> &cases, ElementType type, StringRef shapeClass) {
  if (shapeClass == "broadcast")
    return;
  Shape shape = getShape(shapeClass);
  std::string tensor = tensorType(shape, type), memref = "memref" + tensor.substr(6);
  {
    // A snapshot: the store must not reach it.
    Case c = makeCase("load", type, shapeClass);
    std::string source = c.argument(type, shape), value = c.argument(type, shape);
    c.arguments[0].isMemref = true;
    std::string loaded = c.op("fuse.load " + source + " : " + memref + " -> " + tensor);
    c.body += "  fuse.store " + value + ", " + source + " : " + tensor + ", " + memref + "\n";
    c.result(loaded, tensor);
    c.bothModes = true;
    cases.push_back(std::move(c));
  }
  {
    Case c = makeCase("store", type, shapeClass);
    std::string value = c.argument(type, shape), destination = c.argument(type, shape);
    c.arguments[1].isMemref = true;
    c.body += "  fuse.store " + value + ", " + destination + " : " + tensor + ", " + memref + "\n";
    cases.push_back(std::move(c));
  }
}

static std::string printValue(ElementType type) {
  std::string name = getElementTypeName(type).str();
  if (type == ElementType::I1)
    return "true";
  return (isFloatElement(type) ? "-1.500000e+00 : " : "7 : ") + name;
}

static void addMoves(std::vector<Case> &cases, ElementType type, StringRef shapeClass) {
  Shape shape = getShape(shapeClass);
  size_t rank = shape.size();
  std::string from = tensorType(shape, type);
  {
    SmallVector<int64_t> low(rank, 0), high(rank, 0);
    Shape to = shape;
    for (size_t dim = 0; dim < rank; ++dim)
      if (shape[dim] >= 0) {
        // Every other dimension is cropped in front.
        low[dim] = dim % 2 && shape[dim] > 1 ? -1 : 2;
        high[dim] = 1;
        to[dim] += low[dim] + high[dim];
      }
    Case c = makeCase("pad", type, shapeClass);
    std::string x = addOperand(c, type);
    finish(cases, std::move(c), type, to,
           "fuse.pad " + x + " low = " + printList(low) + " high = " + printList(high) +
               " value = " + printValue(type) + " : " + from + " -> " + tensorType(to, type));
  }
  {
    Shape to = shape;
    for (int64_t &extent : to)
      if (extent > 0)
        extent = extent == 5 ? 3 : 2 * extent + 1;
    Case c = makeCase("resize_nearest", type, shapeClass);
    std::string x = addOperand(c, type);
    finish(cases, std::move(c), type, to,
           "fuse.resize_nearest " + x + " : " + from + " -> " + tensorType(to, type));
  }
  if (rank == 0)
    return;
  int64_t dimension = shapeClass == "dynamic" || shapeClass == "zero" ? 1 : rank - 1;
  {
    Shape other = shape, to = shape;
    other[dimension] = 3;
    to[dimension] = 2 * shape[dimension] + 3;
    Case c = makeCase("concat", type, shapeClass);
    std::string x = addOperand(c, type), y = c.argument(type, other);
    finish(cases, std::move(c), type, to,
           "fuse.concat " + x + ", " + y + ", " + x + " dimension = " + llvm::Twine(dimension) +
               " : (" + from + ", " + tensorType(other, type) + ", " + from + ") -> " +
               tensorType(to, type));
  }
  for (ElementType indexType : {ElementType::I32, ElementType::I64}) {
    int64_t along = shapeClass == "zero" ? 0 : dimension;
    Shape indices = indexType == ElementType::I32 ? Shape{2, 3} : Shape{};
    Shape to(ArrayRef<int64_t>(shape).take_front(along));
    llvm::append_range(to, indices);
    llvm::append_range(to, ArrayRef<int64_t>(shape).drop_front(along + 1));
    Case c = makeCase("gather", type, shapeClass);
    c.variant = getElementTypeName(indexType);
    std::string x = addOperand(c, type);
    std::string i = c.argument(indexType, indices, {ValueRole::Index, shape[along]});
    finish(cases, std::move(c), type, to,
           "fuse.gather " + x + ", " + i + " dimension = " + llvm::Twine(along) + " : (" + from +
               ", " + tensorType(indices, indexType) + ") -> " + tensorType(to, type));
  }
  for (uint32_t number = 0; number <= getMaxEnumValForScatterKind(); ++number) {
    auto kind = static_cast<ScatterKind>(number);
    if (!isLegal(kind, type))
      continue;
    int64_t along = shapeClass == "zero" ? 0 : dimension;
    Shape indices = {2, 3}, updates(ArrayRef<int64_t>(shape).take_front(along));
    llvm::append_range(updates, indices);
    llvm::append_range(updates, ArrayRef<int64_t>(shape).drop_front(along + 1));
    Case c = makeCase(("scatter_" + stringifyScatterKind(kind)).str(), type, shapeClass);
    std::string x = addOperand(c, type);
    std::string i = c.argument(ElementType::I64, indices, {ValueRole::Index, shape[along]});
    std::string u = c.argument(type, updates);
    finish(cases, std::move(c), type, shape,
           "fuse.scatter " + stringifyScatterKind(kind) + " " + x + ", " + i + ", " + u +
               " dimension = " + llvm::Twine(along) + " : (" + from + ", " +
               tensorType(indices, ElementType::I64) + ", " + tensorType(updates, type) + ") -> " +
               from);
  }
  if (type == ElementType::I1 || shapeClass == "dynamic" || shapeClass == "broadcast")
    return;
  finish(cases, makeCase("iota", type, shapeClass), type, shape,
         "fuse.iota dimension = " + llvm::Twine(dimension) + " : " + from);
}

void differential::addMovementCases(std::vector<Case> &cases) {
  // All types where vectors and tails meet, some elsewhere.
  for (ElementType type : getElementTypes())
    for (StringRef shapeClass : kShapeClasses) {
      bool isTypical = type == ElementType::F32 || type == ElementType::I1 ||
                       type == ElementType::BF16 || type == ElementType::I64;
      if (!isTypical && shapeClass != "17")
        continue;
      addViews(cases, type, shapeClass);
      addMemory(cases, type, shapeClass);
      addMoves(cases, type, shapeClass);
    }
}
