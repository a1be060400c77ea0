//===- Symbols.cpp - Arithmetic on extents -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/ComputedNumbers.h"
#include "../OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static std::optional<int64_t> getKnown(AffineExpr expr) {
  auto number = dyn_cast<AffineConstantExpr>(expr);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

enum class Arithmetic { Add, Sub, Mul, FloorDiv, Mod, Max, Min, Pow, Div };

/// A number as a float: what is known and integers of extents, too.
static ComputedFloat toComputedFloat(Node &n, const Number &number) {
  if (number.computed)
    return number.computed;
  OpBuilder &builder = n.b.getBuilder();
  ComputedFloat result{n.makeScalar(number, builder.getF64Type())};
  if (number.extent) {
    result.scalar = ComputedNumbers(n).toFloat(number.extent);
    result.over = number.extent;
    return result;
  }
  double value = number.value.value_or(0);
  result.scalar = arith::ConstantOp::create(builder, n.b.getLoc(), builder.getF64FloatAttr(value));
  // 1.5 is 3 / 2.
  constexpr double kMost = int64_t(1) << 20;
  for (int64_t under = 1; under <= 16 && !result.over; under *= 2)
    if (double over = value * under; std::abs(over) <= kMost && over == std::trunc(over)) {
      result.over = n.getConstant(static_cast<int64_t>(over));
      result.under = under;
    }
  return result;
}

/// The exact result as a ratio, where the operands are ratios that their floats equal, so that the float is rounded once.
static void setRatio(ComputedFloat &result, Arithmetic kind, const ComputedFloat &x, const ComputedFloat &y) {
  if (!x.over || !y.over || !llvm::isPowerOf2_64(x.under) || !llvm::isPowerOf2_64(y.under))
    return;
  std::optional<int64_t> divisor = getKnown(y.over);
  if (kind == Arithmetic::Add || kind == Arithmetic::Sub) {
    AffineExpr left = x.over * y.under, right = y.over * x.under;
    result.over = simplifyExtent(kind == Arithmetic::Add ? left + right : left - right);
    result.under = x.under * y.under;
  } else if (kind == Arithmetic::Mul) {
    result.over = simplifyExtent(x.over * y.over);
    result.under = x.under * y.under;
  } else if (kind == Arithmetic::Div && divisor && *divisor > 0) {
    result.over = simplifyExtent(x.over * y.under);
    result.under = x.under * *divisor;
  }
  if (result.under > (int64_t(1) << 20)) // before products overflow
    result.over = AffineExpr();
}

/// The same op in kernels and on the host.
template <typename HostOp>
static ComputedFloat combine(Node &n, BinaryKind kind, const ComputedFloat &x, const ComputedFloat &y) {
  return {n.b.binary(kind, x.tensor, y.tensor), HostOp::create(n.b.getBuilder(), n.b.getLoc(), x.scalar, y.scalar),
          AffineExpr()};
}

static LogicalResult importFloatArithmetic(Node &n, Arithmetic kind, const Number &left, const Number &right) {
  ComputedFloat x = toComputedFloat(n, left), y = toComputedFloat(n, right), result;
  if (kind == Arithmetic::Add)
    result = combine<arith::AddFOp>(n, BinaryKind::Add, x, y);
  else if (kind == Arithmetic::Sub)
    result = combine<arith::SubFOp>(n, BinaryKind::Sub, x, y);
  else if (kind == Arithmetic::Mul)
    result = combine<arith::MulFOp>(n, BinaryKind::Mul, x, y);
  else if (kind == Arithmetic::Div)
    result = combine<arith::DivFOp>(n, BinaryKind::Div, x, y);
  else if (kind == Arithmetic::Max)
    result = combine<arith::MaximumFOp>(n, BinaryKind::Max, x, y);
  else if (kind == Arithmetic::Min)
    result = combine<arith::MinimumFOp>(n, BinaryKind::Min, x, y);
  else if (kind == Arithmetic::Pow)
    result = combine<math::PowFOp>(n, BinaryKind::Pow, x, y);
  else
    return n.fail("expected integers");
  setRatio(result, kind, x, y);
  return n.setNumber(result);
}

static LogicalResult importArithmetic(Node &n, Arithmetic kind) {
  Number left = n.getNumber("a"), right = n.getNumber("b");
  if (n.hasFailed())
    return failure();
  if (left.kind == Number::Float || right.kind == Number::Float || kind == Arithmetic::Div)
    return importFloatArithmetic(n, kind, left, right);
  AffineExpr x = n.getExpr("a", 0), y = n.getExpr("b", 0);
  switch (kind) {
  case Arithmetic::Add:
    return n.setExtent(simplifyExtent(x + y));
  case Arithmetic::Sub:
    return n.setExtent(simplifyExtent(x - y));
  case Arithmetic::Mul:
    return n.setExtent(simplifyExtent(x * y));
  case Arithmetic::FloorDiv:
    return n.setExtent(ComputedNumbers(n).quotient(x, y));
  case Arithmetic::Mod:
    if (std::optional<int64_t> divisor = getKnown(y); divisor && *divisor > 0)
      return n.setExtent(simplifyExtent(x % *divisor));
    return n.setExtent(simplifyExtent(x - ComputedNumbers(n).quotient(x, y) * y));
  case Arithmetic::Pow: {
    std::optional<int64_t> power = getKnown(y);
    if (!power || *power < 0 || *power > 8)
      return n.fail("expected a power in [0, 8] that is known before the program runs");
    AffineExpr result = n.getConstant(1);
    for (int64_t i = 0; i < *power; ++i)
      result = result * x;
    return n.setExtent(result);
  }
  case Arithmetic::Max:
  case Arithmetic::Min: {
    std::optional<int64_t> difference = getKnown(simplifyExtent(x - y));
    if (difference)
      return n.setExtent((*difference > 0) == (kind == Arithmetic::Max) ? x : y);
    ComputedNumbers a(n);
    return n.setExtent(kind == Arithmetic::Max ? a.max({x, y}) : a.min({x, y}));
  }
  case Arithmetic::Div:
    break; // of integers, too, a float
  }
  llvm_unreachable("all kinds are handled");
}

/// A condition on extents is seen to where something asks for it to hold.
static LogicalResult importCondition(Node &n, ComparePredicate predicate) {
  AffineExpr x = n.getExpr("a", 0), y = n.getExpr("b", 0);
  if (!n.hasFailed())
    n.setCondition({predicate, x, y});
  return success();
}

/// What holds where the condition of a does not.
static LogicalResult importNot(Node &n) {
  using P = ComparePredicate;
  static constexpr std::pair<P, P> kOpposites[] = {{P::Ge, P::Lt}, {P::Gt, P::Le}, {P::Eq, P::Ne}};
  std::optional<Condition> condition = n.getCondition("a");
  if (!condition)
    return n.hasFailed() ? failure() : n.fail("expected a condition that is computed of extents");
  for (auto [one, other] : kOpposites) {
    if (condition->predicate == one || condition->predicate == other) {
      n.setCondition({condition->predicate == one ? other : one, condition->left, condition->right});
      break;
    }
  }
  return success();
}

static LogicalResult importAssertScalar(Node &n) {
  if (std::optional<Condition> condition = n.getCondition("self"))
    n.assume(*condition);
  return success();
}

static LogicalResult importConstrainRange(Node &n, StringRef name) {
  AffineExpr size = n.getExpr(name, 0);
  if (n.has("min"))
    n.assumeAtLeast(size, n.getExpr("min", 0));
  if (n.has("max"))
    if (int64_t most = n.getInt("max", 0); most < (int64_t(1) << 40))
      n.assumeAtLeast(n.getConstant(most), size);
  return success();
}

enum class Rounding { Floor, Ceil, Trunc };

/// A float that is computed of extents, as an integer: ⌈n / 2⌉ as an expression, ⌊1.3 · n⌋ by floats of the host.
static LogicalResult importRounded(Node &n, Rounding rounding) {
  Number number = n.getNumber(n.has("x") ? "x" : "a");
  if (n.hasFailed())
    return failure();
  if (number.kind != Number::Float)
    return n.setExtent(n.getExpr(n.has("x") ? "x" : "a", 0));
  ComputedFloat value = toComputedFloat(n, number);
  OpBuilder &builder = n.b.getBuilder();
  Location loc = n.b.getLoc();
  if (value.over && (rounding != Rounding::Trunc || n.getLeast(value.over).value_or(-1) >= 0))
    return n.setExtent(simplifyExtent(rounding == Rounding::Ceil ? value.over.ceilDiv(value.under)
                                                                 : value.over.floorDiv(value.under)));
  Value whole = value.scalar;
  if (rounding == Rounding::Floor)
    whole = math::FloorOp::create(builder, loc, whole);
  if (rounding == Rounding::Ceil)
    whole = math::CeilOp::create(builder, loc, whole);
  return n.setExtent(ComputedNumbers(n).truncate(whole));
}

void mlir::fuse::torch::addSymbolOps(OpTable &table) {
  table.add("sym_size.int", "self", [](Node &n) {
    Value x = n.tensor("self");
    int64_t dim = n.getDim("dim", 0, n.b.rankOf(x));
    if (n.hasFailed() || n.b.rankOf(x) == 0)
      return n.fail("expected a dimension of the tensor");
    return n.setExtent(n.getExtents(x)[dim]);
  });
  table.add("sym_numel.default", "self",
            [](Node &n) { return n.setExtent(n.getProduct(n.getExtents(n.tensor("self")))); });
  static constexpr std::pair<const char *, Arithmetic> kArithmetic[] = {
      {"_operator.add", Arithmetic::Add}, {"_operator.sub", Arithmetic::Sub},
      {"_operator.mul", Arithmetic::Mul}, {"_operator.floordiv", Arithmetic::FloorDiv},
      {"_operator.mod", Arithmetic::Mod}, {"_operator.pow", Arithmetic::Pow},
      {"_operator.truediv", Arithmetic::Div},
      {"torch.sym_max", Arithmetic::Max}, {"torch.sym_min", Arithmetic::Min}};
  for (auto [name, kind] : kArithmetic)
    table.add(name, "", [kind = kind](Node &n) { return importArithmetic(n, kind); });
  static constexpr std::pair<const char *, ComparePredicate> kConditions[] = {
      {"_operator.ge", ComparePredicate::Ge}, {"_operator.gt", ComparePredicate::Gt},
      {"_operator.le", ComparePredicate::Le}, {"_operator.lt", ComparePredicate::Lt},
      {"_operator.eq", ComparePredicate::Eq}, {"_operator.ne", ComparePredicate::Ne}};
  for (auto [name, predicate] : kConditions)
    table.add(name, "", [predicate = predicate](Node &n) { return importCondition(n, predicate); });
  table.add("torch.sym_not", "", importNot);
  table.add("math.floor", "", [](Node &n) { return importRounded(n, Rounding::Floor); });
  table.add("math.ceil", "", [](Node &n) { return importRounded(n, Rounding::Ceil); });
  table.add("math.trunc", "", [](Node &n) { return importRounded(n, Rounding::Trunc); });
  table.add("torch.sym_sum", "", [](Node &n) {
    AffineExpr sum = n.getConstant(0);
    for (AffineExpr each : n.getExprs(n.has("args") ? "args" : "a"))
      sum = sum + each;
    return n.setExtent(simplifyExtent(sum));
  });
  table.add("_operator.neg", "",
            [](Node &n) { return n.setExtent(simplifyExtent(n.getConstant(0) - n.getExpr("a", 0))); });
  table.add("torch.sym_float", "", [](Node &n) {
    Number number = n.getNumber("a");
    return n.hasFailed() ? failure() : n.setNumber(toComputedFloat(n, number));
  });
  table.add("torch._sym_sqrt", "", [](Node &n) {
    Number number = n.getNumber("a");
    if (n.hasFailed())
      return failure();
    ComputedFloat x = toComputedFloat(n, number);
    Value onHost = math::SqrtOp::create(n.b.getBuilder(), n.b.getLoc(), x.scalar);
    return n.setNumber({n.b.unary(UnaryKind::Sqrt, x.tensor), onHost, AffineExpr()});
  });
  table.add("_assert_scalar.default", "", importAssertScalar);
  table.add("_assert_async.msg _assert_tensor_metadata.default", "", [](Node &) { return success(); });
  table.add("sym_constrain_range_for_size.default sym_constrain_range.default", "",
            [](Node &n) { return importConstrainRange(n, "size"); });
}
