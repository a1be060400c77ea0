//===- Symbols.cpp - Arithmetic on extents -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/ComputedNumbers.h"
#include "../OpTable.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static std::optional<int64_t> getKnown(AffineExpr expr) {
  auto number = dyn_cast<AffineConstantExpr>(expr);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

enum class Arithmetic { Add, Sub, Mul, FloorDiv, Mod, Max, Min, Pow };

static LogicalResult importArithmetic(Node &n, Arithmetic kind) {
  Number left = n.getNumber("a"), right = n.getNumber("b");
  if (n.hasFailed())
    return failure();
  FuseBuilder &b = n.b;
  if (left.kind == Number::Float || right.kind == Number::Float) {
    Type wide = b.getBuilder().getF64Type();
    Value x = n.makeScalar(left, wide), y = n.makeScalar(right, wide);
    static constexpr std::pair<Arithmetic, BinaryKind> kinds[] = {
        {Arithmetic::Add, BinaryKind::Add}, {Arithmetic::Sub, BinaryKind::Sub}, {Arithmetic::Mul, BinaryKind::Mul},
        {Arithmetic::Max, BinaryKind::Max}, {Arithmetic::Min, BinaryKind::Min}, {Arithmetic::Pow, BinaryKind::Pow}};
    for (auto [own, binary] : kinds)
      if (own == kind)
        return n.setNumber(b.binary(binary, x, y));
    return n.fail("expected integers");
  }
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
    Value left = a.number(x), right = a.number(y);
    return n.setExtent(n.getExtent(kind == Arithmetic::Max ? a.max(left, right) : a.min(left, right)));
  }
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

/// A float that is computed of extents, as an integer.
static LogicalResult importRounded(Node &n, std::optional<UnaryKind> kind) {
  FuseBuilder &b = n.b;
  Number number = n.getNumber(n.has("x") ? "x" : "a");
  if (n.hasFailed())
    return failure();
  if (number.kind != Number::Float)
    return n.setExtent(n.getExpr(n.has("x") ? "x" : "a", 0));
  Value whole = n.makeScalar(number, b.getBuilder().getF64Type());
  if (kind)
    whole = b.unary(*kind, whole);
  whole = b.cast(whole, b.getBuilder().getI64Type()); // which truncates
  OpBuilder &builder = b.getBuilder();
  Value element = tensor::ExtractOp::create(builder, b.getLoc(), whole, ValueRange());
  return n.setExtent(n.getExtent(arith::IndexCastOp::create(builder, b.getLoc(), builder.getIndexType(), element)));
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
  table.add("math.floor", "", [](Node &n) { return importRounded(n, UnaryKind::Floor); });
  table.add("math.ceil", "", [](Node &n) { return importRounded(n, UnaryKind::Ceil); });
  table.add("math.trunc", "", [](Node &n) { return importRounded(n, std::nullopt); });
  table.add("torch.sym_sum", "", [](Node &n) {
    AffineExpr sum = n.getConstant(0);
    for (AffineExpr each : n.getExprs(n.has("args") ? "args" : "a"))
      sum = sum + each;
    return n.setExtent(simplifyExtent(sum));
  });
  table.add("_operator.neg", "",
            [](Node &n) { return n.setExtent(simplifyExtent(n.getConstant(0) - n.getExpr("a", 0))); });
  table.add("_operator.truediv", "", [](Node &n) {
    Type wide = n.b.getBuilder().getF64Type();
    Number left = n.getNumber("a"), right = n.getNumber("b");
    return n.hasFailed() ? failure() : n.setNumber(n.b.div(n.makeScalar(left, wide), n.makeScalar(right, wide)));
  });
  table.add("torch.sym_float", "", [](Node &n) {
    Number number = n.getNumber("a");
    return n.hasFailed() ? failure() : n.setNumber(n.makeScalar(number, n.b.getBuilder().getF64Type()));
  });
  table.add("torch._sym_sqrt", "", [](Node &n) {
    Number number = n.getNumber("a");
    if (n.hasFailed())
      return failure();
    return n.setNumber(n.b.unary(UnaryKind::Sqrt, n.makeScalar(number, n.b.getBuilder().getF64Type())));
  });
  table.add("_assert_scalar.default", "", importAssertScalar);
  table.add("_assert_async.msg _assert_tensor_metadata.default", "", [](Node &) { return success(); });
  table.add("sym_constrain_range_for_size.default sym_constrain_range.default", "",
            [](Node &n) { return importConstrainRange(n, "size"); });
}
