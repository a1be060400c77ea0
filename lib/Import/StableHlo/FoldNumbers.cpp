//===- FoldNumbers.cpp - Integers that are constant or follow from extents -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Programs with open dimensions compute shapes by ops of their own:
//
//   %b = stablehlo.get_dimension_size %x, dim = 0
//   %n = stablehlo.multiply %b, %two
//   %s = stablehlo.concatenate %n, %c, dim = 0
//   %y = stablehlo.dynamic_reshape %x, %s
//
// Such integers are expressions of extents while a program is imported: %s is [2 · s0, c]. JAX computes quotients by
// functions that mind signs, so comparisons that bounds of extents decide are folded as well.
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

using Numbers = SmallVector<AffineExpr>;

namespace {
/// What is known of a difference.
enum class Sign { Negative, Zero, Positive, AtLeastZero, AtMostZero, Unknown };
} // namespace

static Sign getSign(Node &n, AffineExpr expr) {
  expr = simplifyExtent(expr);
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue() < 0 ? Sign::Negative : number.getValue() > 0 ? Sign::Positive : Sign::Zero;
  if (n.getImporter().positive.contains(expr))
    return Sign::Positive;
  std::optional<int64_t> least = getLeast(expr), most = getMost(expr);
  if (least && *least > 0)
    return Sign::Positive;
  if (most && *most < 0)
    return Sign::Negative;
  if (least && *least == 0)
    return Sign::AtLeastZero;
  if (most && *most == 0)
    return Sign::AtMostZero;
  return Sign::Unknown;
}

static bool isAtLeastZero(Sign sign) {
  return sign == Sign::Positive || sign == Sign::Zero || sign == Sign::AtLeastZero;
}

/// x ? y, where that is known.
static std::optional<bool> compare(Node &n, ComparePredicate predicate, AffineExpr x, AffineExpr y) {
  Sign sign = getSign(n, x - y);
  switch (predicate) {
  case ComparePredicate::Lt:
    return sign == Sign::Negative ? std::optional(true) : isAtLeastZero(sign) ? std::optional(false) : std::nullopt;
  case ComparePredicate::Ge:
    return sign == Sign::Negative ? std::optional(false) : isAtLeastZero(sign) ? std::optional(true) : std::nullopt;
  case ComparePredicate::Gt:
    return compare(n, ComparePredicate::Lt, y, x);
  case ComparePredicate::Le:
    return compare(n, ComparePredicate::Ge, y, x);
  case ComparePredicate::Eq:
  case ComparePredicate::Ne:
    if (sign == Sign::Zero)
      return predicate == ComparePredicate::Eq;
    if (sign == Sign::Positive || sign == Sign::Negative)
      return predicate == ComparePredicate::Ne;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ComparePredicate> mlir::fuse::stablehlo::getPredicate(StringRef word) {
  return llvm::StringSwitch<std::optional<ComparePredicate>>(word)
      .Case("LT", ComparePredicate::Lt)
      .Case("LE", ComparePredicate::Le)
      .Case("GT", ComparePredicate::Gt)
      .Case("GE", ComparePredicate::Ge)
      .Case("EQ", ComparePredicate::Eq)
      .Case("NE", ComparePredicate::Ne)
      .Default(std::nullopt);
}

/// One element of a sum, a product and the like; null where it is no expression.
static AffineExpr foldBinary(Node &n, StringRef op, AffineExpr x, AffineExpr y, ElementType element) {
  auto a = dyn_cast<AffineConstantExpr>(x), b = dyn_cast<AffineConstantExpr>(y);
  AffineExpr result;
  // Of constants with the wrapping of integers.
  if (a && b && (op == "add" || op == "subtract" || op == "multiply")) {
    auto l = static_cast<uint64_t>(a.getValue()), r = static_cast<uint64_t>(b.getValue());
    return n.getConstant(wrapInteger(element, op == "add" ? l + r : op == "subtract" ? l - r : l * r));
  }
  if (op == "add")
    result = x + y;
  else if (op == "subtract")
    result = x - y;
  else if (op == "multiply")
    result = x * y;
  else if (op == "divide" || op == "remainder") {
    bool isQuotient = op == "divide";
    if (a && b && b.getValue() != 0 && b.getValue() != -1)
      result = n.getConstant(isQuotient ? a.getValue() / b.getValue() : a.getValue() % b.getValue());
    else if (isAtLeastZero(getSign(n, x)) && b && b.getValue() > 0)
      result = isQuotient ? x.floorDiv(y) : x % y;
  } else if (op == "maximum" || op == "minimum") {
    if (std::optional<bool> isLess = compare(n, ComparePredicate::Lt, x, y))
      result = *isLess == (op == "minimum") ? x : y;
    else if (std::optional<bool> isLess = compare(n, ComparePredicate::Lt, y, x))
      result = *isLess == (op == "minimum") ? y : x;
  }
  if (!result)
    return result;
  result = simplifyExtent(result);
  if (auto number = dyn_cast<AffineConstantExpr>(result))
    return n.getConstant(wrapInteger(element, number.getValue()));
  return result;
}

static bool foldLogic(Node &n, StringRef op) {
  // One operand alone may decide.
  bool isAnd = op == "and";
  for (unsigned i : {0u, 1u}) {
    std::optional<double> known = Node::getSplat(n.getOperand(i));
    if (!known)
      continue;
    if ((*known != 0) == isAnd)
      return succeeded(n.setValue(0, n.getOperand(1 - i)));
    n.getResults()[0].numbers = Numbers(n.getResultType().getNumElements(), n.getConstant(!isAnd));
    return true;
  }
  return false;
}

static bool foldCompare(Node &n, const Numbers &x, const Numbers &y) {
  std::optional<ComparePredicate> predicate = getPredicate(n.getWord("comparison_direction"));
  if (!predicate || n.hasFailed())
    return false;
  Numbers list;
  for (auto [a, b] : llvm::zip_equal(x, y)) {
    std::optional<bool> holds = compare(n, *predicate, a, b);
    if (!holds && x.size() == 1)
      n.getResults()[0].condition = Condition{*predicate, a, b};
    if (!holds)
      return false;
    list.push_back(n.getConstant(*holds));
  }
  return succeeded(n.setNumbers(std::move(list)));
}

bool mlir::fuse::stablehlo::foldNumbers(Node &n) {
  StringRef op = n.getOp();
  if (!op.consume_front("stablehlo.") || n.getNumResults() != 1 || !n.getResultType() ||
      !n.getResultType().hasStaticShape() || n.getResultType().getNumElements() > kMostNumbers)
    return false;
  std::optional<ElementType> element = toElementType(n.getResultElement());
  bool isBool = element == ElementType::I1;
  if (!element || !(isBool || (isIntegerElement(*element) && isSignedElement(*element))))
    return false;
  int64_t count = n.getResultType().getNumElements();
  if (isBool && (op == "and" || op == "or") && n.getNumOperands() == 2 && n.getOperand(0).type && n.getOperand(1).type)
    return foldLogic(n, op);
  if (op == "get_dimension_size" && n.getNumOperands() == 1 && n.getOperand(0).type) {
    int64_t dim = n.getInt("dimension");
    if (dim < 0 || dim >= n.getRank(0))
      return succeeded(n.fail("expected a dimension of the operand, found " + Twine(dim)));
    return succeeded(n.setNumbers({n.getExtentsOf(0)[dim]}));
  }
  if (op == "select" && n.getNumOperands() == 3) {
    std::optional<double> which = Node::getSplat(n.getOperand(0));
    if (which && n.getOperand(1).type && n.getOperand(2).type)
      return succeeded(n.setValue(0, n.getOperand(*which != 0 ? 1 : 2)));
    return false;
  }
  SmallVector<const Numbers *> lists;
  for (const ModelValue &operand : n.getOperands()) {
    if (!operand.type || !operand.numbers ||
        (operand.type.getElementType().isInteger(1) && op != "reshape" && op != "broadcast_in_dim" && op != "not" &&
         op != "convert"))
      return false;
    lists.push_back(&*operand.numbers);
  }
  if (lists.empty())
    return false;
  if (op == "convert" || op == "reshape")
    return static_cast<int64_t>(lists[0]->size()) == count && !(isBool && op == "convert") &&
           succeeded(n.setNumbers(*lists[0]));
  if (op == "broadcast_in_dim")
    return lists[0]->size() == 1 && succeeded(n.setNumbers(Numbers(count, lists[0]->front())));
  if (op == "concatenate" && n.getResultType().getRank() == 1) {
    Numbers all;
    for (const Numbers *list : lists)
      llvm::append_range(all, *list);
    return static_cast<int64_t>(all.size()) == count && succeeded(n.setNumbers(std::move(all)));
  }
  if (op == "slice" && n.getResultType().getRank() == 1) {
    SmallVector<int64_t> start = n.getInts("start_indices", 1), step = n.getInts("strides", 1);
    Numbers part;
    for (int64_t i = 0; i < count && !n.hasFailed(); ++i) {
      int64_t at = start[0] + i * step[0];
      if (at < 0 || at >= static_cast<int64_t>(lists[0]->size()))
        return false;
      part.push_back((*lists[0])[at]);
    }
    return succeeded(n.setNumbers(std::move(part)));
  }
  if (isBool && op == "not" && lists[0]->size() == 1)
    if (std::optional<double> known = Node::getSplat(n.getOperand(0)))
      return succeeded(n.setNumbers(Numbers(count, n.getConstant(*known == 0))));
  for (const Numbers *list : lists)
    if (static_cast<int64_t>(list->size()) != count)
      return false;
  if (lists.size() == 2 && op == "compare" && isBool)
    return foldCompare(n, *lists[0], *lists[1]);
  Numbers made;
  for (int64_t i = 0; i < count; ++i) {
    AffineExpr result;
    if (lists.size() == 2)
      result = foldBinary(n, op, (*lists[0])[i], (*lists[1])[i], *element);
    else if (lists.size() == 1 && op == "negate")
      result = -(*lists[0])[i];
    else if (lists.size() == 1 && op == "sign") {
      Sign sign = getSign(n, (*lists[0])[i]);
      if (sign == Sign::Positive || sign == Sign::Zero || sign == Sign::Negative)
        result = n.getConstant(sign == Sign::Positive ? 1 : sign == Sign::Zero ? 0 : -1);
    }
    if (!result)
      return false;
    made.push_back(result);
  }
  return succeeded(n.setNumbers(std::move(made)));
}
