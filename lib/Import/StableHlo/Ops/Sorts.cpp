//===- Sorts.cpp - Sorted elements, and the largest ones -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "../OpTable.h"
#include "Bodies.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

/// An element's place is the number of those before it: as many comparisons as pairs.
static constexpr int64_t kMostSorted = 1 << 13;

/// The argument of a block that a value is, but for what makes all NaN and zeros alike.
static std::optional<unsigned> findArgument(Value value, Block &body) {
  for (unsigned depth = 0; depth < 8; ++depth) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &body ? std::optional(argument.getArgNumber()) : std::nullopt;
    Operation *op = value.getDefiningOp();
    if (!op || op->getName().getStringRef() != "stablehlo.select" || op->getNumOperands() != 3)
      return std::nullopt;
    Operation *onTrue = op->getOperand(1).getDefiningOp();
    if (!onTrue || onTrue->getName().getStringRef() != "stablehlo.constant")
      return std::nullopt;
    value = op->getOperand(2);
  }
  return std::nullopt;
}

static LogicalResult checkExtent(Node &n, int64_t dim) {
  int64_t extent = n.getOperand(0).type.getDimSize(dim);
  if (!ShapedType::isDynamic(extent) && extent > kMostSorted)
    return n.fail("expected at most " + Twine(kMostSorted) + " elements to be sorted, found " + Twine(extent));
  return success();
}

static LogicalResult importSort(Node &n) {
  unsigned count = n.getNumOperands();
  int64_t dim = n.getInt("dimension", -1), rank = n.getRank(0);
  dim = dim < 0 ? dim + rank : dim;
  if (n.getNumResults() != count || dim < 0 || dim >= rank)
    return n.fail("expected a dimension of the operands");
  for (unsigned i = 0; i < count; ++i)
    if (!n.getOperand(i).type || n.getOperand(i).type.getShape() != n.getOperand(0).type.getShape())
      return n.fail("expected operands of one shape");
  Block *body = getBody(n, 0, 2 * count);
  if (!body || failed(checkExtent(n, dim)))
    return failure();
  Operation *compare = body->back().getNumOperands() == 1 ? body->back().getOperand(0).getDefiningOp() : nullptr;
  auto word = compare && compare->getName().getStringRef() == "stablehlo.compare" && compare->getNumOperands() == 2
                  ? compare->getAttrOfType<OpaqueAttr>("comparison_direction")
                  : OpaqueAttr();
  StringRef direction = word ? word.getAttrData().rsplit(' ').second.trim("<> ") : StringRef();
  std::optional<unsigned> left = word ? findArgument(compare->getOperand(0), *body) : std::nullopt,
                          right = word ? findArgument(compare->getOperand(1), *body) : std::nullopt;
  if (!left || !right || *left / 2 != *right / 2 || *left == *right)
    return n.fail("expected a comparison of two elements of one operand");
  bool isSwapped = *left > *right, isUp = direction == "LT" || direction == "LE";
  if (!isUp && direction != "GT" && direction != "GE")
    return n.fail("expected a comparison by LT or GT");
  unsigned key = *left / 2;
  Value x = n.tensor(key);
  if (n.hasFailed())
    return failure();
  bool isLargestFirst = isUp == isSwapped;
  bool isBool = n.b.elementOf(x).isInteger(1);
  Value compared = isBool ? n.b.cast(x, n.b.getBuilder().getI32Type()) : x;
  auto [values, indices] = findTop(n, compared, n.getExtents(x)[dim], dim, isLargestFirst);
  for (unsigned i = 0; i < count; ++i) {
    FailureOr<Value> sorted =
        i == key && !isBool ? FailureOr<Value>(values) : gatherElements(n, n.tensor(i), indices, dim);
    if (failed(sorted) || failed(n.setResult(i, *sorted)))
      return failure();
  }
  return success();
}

static LogicalResult importTopK(Node &n) {
  int64_t k = n.getInt("k"), rank = n.getRank(0);
  if (rank < 1 || n.getNumResults() != 2 || failed(checkExtent(n, rank - 1)))
    return n.fail("expected an operand of rank 1 or more, and two results");
  int64_t extent = n.getOperand(0).type.getDimSize(rank - 1);
  if (k < 0 || (!ShapedType::isDynamic(extent) && k > extent))
    return n.fail("expected a k of at most " + describeExtent(extent) + ", found " + Twine(k));
  Value x = n.tensor(0);
  n.assumeAtLeast(n.getExtents(x)[rank - 1], n.getConstant(k));
  auto [values, indices] = findTop(n, x, n.getConstant(k), rank - 1, /*largest=*/true);
  if (failed(n.setResult(0, values)))
    return failure();
  return n.setResult(1, n.b.cast(indices, n.getResultElement(1)));
}

void mlir::fuse::stablehlo::addSortOps(OpTable &table) {
  table.add("sort", 1, importSort);
  table.add("chlo.top_k", 1, importTopK);
}
