//===- Contractions.cpp - Products of matrices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Einsum.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

/// As an equation: of [b, i, k] and [b, k, j] that are summed over k, "abc,acd->abd".
static LogicalResult importDotGeneral(Node &n) {
  FuseBuilder &b = n.b;
  int64_t leftRank = n.getRank(0), rightRank = n.getRank(1);
  constexpr int64_t kMostLetters = 26;
  if (leftRank + rightRank > kMostLetters)
    return n.fail("expected operands of fewer dimensions");
  StringRef text = n.getText("dot_dimension_numbers");
  SmallVector<int64_t> leftBatch = n.getListOf(text, "lhs_batching_dimensions", leftRank),
                       rightBatch = n.getListOf(text, "rhs_batching_dimensions", rightRank),
                       leftSum = n.getListOf(text, "lhs_contracting_dimensions", leftRank),
                       rightSum = n.getListOf(text, "rhs_contracting_dimensions", rightRank);
  if (n.hasFailed())
    return failure();
  if (leftBatch.size() != rightBatch.size() || leftSum.size() != rightSum.size())
    return n.fail("expected as many dimensions of the left as of the right operand");
  std::string left(leftRank, 0), right(rightRank, 0), result;
  char next = 'a';
  for (auto [x, y] : llvm::zip(leftBatch, rightBatch))
    left[x] = right[y] = next++;
  for (auto [x, y] : llvm::zip(leftSum, rightSum)) {
    if (left[x] || right[y])
      return n.fail("expected dimensions to be batches, or summed, or neither");
    left[x] = right[y] = next++;
  }
  for (int64_t dim : leftBatch)
    result += left[dim];
  for (std::string *side : {&left, &right})
    for (char &letter : *side)
      if (!letter)
        result += letter = next++;
  for (auto [x, y] : llvm::concat<std::pair<int64_t, int64_t>>(
           llvm::to_vector(llvm::map_range(llvm::zip(leftBatch, rightBatch),
                                           [](auto p) { return std::pair(std::get<0>(p), std::get<1>(p)); })),
           llvm::to_vector(llvm::map_range(llvm::zip(leftSum, rightSum),
                                           [](auto p) { return std::pair(std::get<0>(p), std::get<1>(p)); })))) {
    int64_t one = n.getOperand(0).type.getDimSize(x), other = n.getOperand(1).type.getDimSize(y);
    if (one != other && !ShapedType::isDynamic(one) && !ShapedType::isDynamic(other))
      return n.fail("expected equal extents, found " + Twine(one) + " and " + Twine(other));
  }
  Type element = n.getResultElement();
  if (element.isInteger(1))
    return n.fail("products of booleans are not supported");
  // Products are as precise as the result.
  Value x = b.cast(n.tensor(0), element), y = b.cast(n.tensor(1), element);
  if (n.hasFailed())
    return failure();
  return n.setResult(buildEinsum(n, {x, y}, left + "," + right + "->" + result));
}

void mlir::fuse::stablehlo::addContractionOps(OpTable &table) { table.add("dot_general", 2, importDotGeneral); }
