//===- RowAlgebra.cpp - Sums of products that say what a row kernel computes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowAlgebra.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using Sum = RowAlgebra::Sum;
using Product = RowAlgebra::Product;

/// Sums of more terms are no norm that anybody writes.
static constexpr size_t kMostTerms = 64;
/// How far constants such as 1/n may be rounded.
static constexpr double kTolerance = 1e-4;

static bool areClose(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

static void add(Sum &sum, const Product &product, double factor) {
  for (RowAlgebra::Term &term : sum)
    if (term.product == product) {
      // What cancels up to rounding is gone.
      bool cancels = areClose(term.factor, -factor);
      term.factor += factor;
      if (cancels || term.factor == 0)
        sum.erase(&term);
      return;
    }
  if (factor != 0)
    sum.push_back({product, factor});
}

static bool areEqual(const Sum &a, const Sum &b) {
  return a.size() == b.size() && llvm::all_of(a, [&](const RowAlgebra::Term &term) {
           return llvm::any_of(b, [&](const RowAlgebra::Term &other) {
             return term.product == other.product && areClose(term.factor, other.factor);
           });
         });
}

static Product multiply(const Product &a, const Product &b) {
  Product result = a;
  for (auto [atom, exponent] : b) {
    auto it = llvm::find_if(result, [&, atom = atom](auto &part) { return part.first >= atom; });
    if (it == result.end() || it->first != atom)
      result.insert(it, {atom, exponent});
    else if ((it->second += exponent) == 0)
      result.erase(it);
  }
  return result;
}

static Sum constant(double value) {
  Sum sum;
  add(sum, {}, value);
  return sum;
}

unsigned RowAlgebra::intern(Atom atom) {
  for (auto [number, other] : llvm::enumerate(atoms))
    if (other.kind == atom.kind && other.value == atom.value && areEqual(other.sum, atom.sum))
      return number;
  atoms.push_back(std::move(atom));
  return atoms.size() - 1;
}

Sum RowAlgebra::opaque(Value value) {
  return {{{{intern({Atom::Kind::Value, value, {}}), 2}}, 1.0}};
}

//===- Arithmetic ---------------------------------------------------------------------------===//

Sum RowAlgebra::multiply(const Sum &a, const Sum &b) {
  Sum result;
  for (const Term &left : a)
    for (const Term &right : b)
      add(result, ::multiply(left.product, right.product), left.factor * right.factor);
  failed |= result.size() > kMostTerms;
  if (failed)
    result.clear();
  return result;
}

std::optional<Sum> RowAlgebra::power(const Sum &base, int halves) {
  if (base.empty())
    return std::nullopt;
  if (base.size() == 1) {
    const Term &term = base.front();
    Product product;
    for (auto [atom, exponent] : term.product) {
      if (exponent * halves % 2 != 0)
        return std::nullopt;
      product.push_back({atom, exponent * halves / 2});
    }
    if (term.factor < 0 && halves % 2 != 0)
      return std::nullopt;
    return Sum{{product, std::pow(term.factor, halves / 2.0)}};
  }
  if (halves > 0 && halves % 2 == 0 && halves <= 8) {
    Sum result = constant(1);
    for (int i = 0; i < halves / 2; ++i)
      result = multiply(result, base);
    return result;
  }
  unsigned atom = intern({Atom::Kind::Power, {}, base});
  return Sum{{{{atom, halves}}, 1.0}};
}

/// Whether an atom is one number for the whole row.
bool RowAlgebra::isRowInvariant(unsigned atom) const {
  const Atom &what = atoms[atom];
  if (what.kind == Atom::Kind::Power)
    return llvm::all_of(what.sum, [&](const Term &term) {
      return llvm::all_of(term.product, [&](auto &part) { return isRowInvariant(part.first); });
    });
  return what.kind == Atom::Kind::Mean;
}

Sum RowAlgebra::mean(const Sum &sum) {
  Sum result;
  for (const Term &term : sum) {
    Product outer, inner;
    for (auto part : term.product)
      (isRowInvariant(part.first) ? outer : inner).push_back(part);
    if (!inner.empty()) {
      unsigned atom = intern({Atom::Kind::Mean, {}, Sum{{inner, 1.0}}});
      outer = ::multiply(outer, {{atom, 2}});
    }
    add(result, outer, term.factor);
  }
  return result;
}

//===- From ops -----------------------------------------------------------------------------===//

/// A view that only says along which other dimensions a value is repeated.
static bool isBroadcasting(Operation *view) {
  if (isa<BroadcastOp>(view))
    return true;
  if (!isa<ReshapeOp>(view))
    return false;
  auto getWide = [](Value value) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
    llvm::erase(shape, 1);
    return shape;
  };
  return getWide(view->getOperand(0)) == getWide(view->getResult(0));
}

Sum RowAlgebra::evaluate(Value value) {
  if (failed)
    return {};
  if (std::optional<double> number = getSplatConstant(value))
    return constant(*number);
  while (Operation *def = value.getDefiningOp()) {
    bool isTransparent = isa<CastOp>(def) && ops.contains(def) && ops.isClaimed(def);
    if (!isTransparent && !(classifyNode(def) == NodeKind::View && isBroadcasting(def)))
      break;
    value = def->getOperand(0);
  }
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Operation *def = value.getDefiningOp();
  Sum sum = ops.contains(def) ? evaluateOp(def) : opaque(value);
  known[value] = sum;
  return sum;
}

Sum RowAlgebra::evaluateOp(Operation *op) {
  std::optional<Sum> sum;
  if (auto binary = dyn_cast<BinaryOp>(op))
    sum = evaluateBinary(binary);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    sum = evaluateMean(reduce);
  if (auto unary = dyn_cast<UnaryOp>(op)) {
    Sum operand = evaluate(unary.getOperand());
    switch (unary.getKind()) {
    case UnaryKind::Neg:
      sum = multiply(operand, constant(-1));
      break;
    case UnaryKind::Sqrt:
      sum = power(operand, 1);
      break;
    case UnaryKind::Rsqrt:
      sum = power(operand, -1);
      break;
    case UnaryKind::Reciprocal:
      sum = power(operand, -2);
      break;
    case UnaryKind::Relu:
      if (isVariance(operand))
        sum = operand;
      break;
    default:
      break;
    }
  }
  if (!sum || sum->empty() || failed)
    return opaque(op->getResult(0));
  used.insert(op);
  return *sum;
}

Sum RowAlgebra::evaluateBinary(BinaryOp op) {
  Sum lhs = evaluate(op.getLhs()), rhs = evaluate(op.getRhs());
  auto getNumber = [](const Sum &sum) -> std::optional<double> {
    if (sum.size() == 1 && sum.front().product.empty())
      return sum.front().factor;
    return std::nullopt;
  };
  switch (op.getKind()) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
    for (const Term &term : rhs)
      add(lhs, term.product, op.getKind() == BinaryKind::Add ? term.factor : -term.factor);
    return lhs;
  case BinaryKind::Mul:
    return multiply(lhs, rhs);
  case BinaryKind::Div:
    if (std::optional<Sum> inverse = power(rhs, -2))
      return multiply(lhs, *inverse);
    return {};
  case BinaryKind::Pow: {
    std::optional<double> exponent = getNumber(rhs);
    if (!exponent || std::abs(*exponent) > 4 || std::floor(*exponent * 2) != *exponent * 2)
      return {};
    return power(lhs, static_cast<int>(*exponent * 2)).value_or(Sum());
  }
  case BinaryKind::Max:
    // A variance that rounding made negative.
    if (getNumber(rhs) || rhs.empty())
      std::swap(lhs, rhs);
    if ((lhs.empty() || getNumber(lhs).value_or(1) <= 1e-3) && isVariance(rhs))
      return rhs;
    return {};
  default:
    return {};
  }
}

Sum RowAlgebra::evaluateMean(ReduceOp op) {
  ArrayRef<int64_t> own = op.getDimensions();
  if (dims.empty())
    dims.assign(own.begin(), own.end());
  if (ArrayRef<int64_t>(dims) != own ||
      (op.getKind() != ReduceKind::Mean && op.getKind() != ReduceKind::Sum))
    return {};
  Sum result = mean(evaluate(op.getOperand()));
  if (op.getKind() == ReduceKind::Mean)
    return result;
  double count = 1;
  for (int64_t dim : own) {
    int64_t extent = cast<RankedTensorType>(op.getOperand().getType()).getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      return {};
    count *= static_cast<double>(extent);
  }
  return multiply(result, constant(count));
}

//===- What it is ---------------------------------------------------------------------------===//

/// The x of Mean(x²) − Mean(x)² + ε.
std::optional<unsigned> RowAlgebra::findVarianceValue(const Sum &sum) const {
  std::optional<unsigned> square, value;
  for (const Term &term : sum) {
    if (term.product.empty()) {
      if (term.factor < 0)
        return std::nullopt;
      continue;
    }
    auto [atom, exponent] = term.product.front();
    if (term.product.size() != 1 || atoms[atom].kind != Atom::Kind::Mean)
      return std::nullopt;
    const Product &inner = atoms[atom].sum.front().product;
    if (inner.size() != 1 || atoms[inner.front().first].kind != Atom::Kind::Value)
      return std::nullopt;
    bool isOfSquare = inner.front().second == 4 && exponent == 2;
    bool isOfValue = inner.front().second == 2 && exponent == 4;
    std::optional<unsigned> &place = isOfSquare ? square : value;
    if ((!isOfSquare && !isOfValue) || place || !areClose(term.factor, isOfSquare ? 1 : -1))
      return std::nullopt;
    place = inner.front().first;
  }
  return square && value == square ? square : std::nullopt;
}

bool RowAlgebra::isVariance(const Sum &sum) const { return findVarianceValue(sum).has_value(); }

bool RowAlgebra::isLayerNorm(const Sum &sum) const {
  if (failed)
    return false;
  std::optional<unsigned> norm, x;
  for (const Term &term : sum)
    for (auto [atom, exponent] : term.product)
      if (atoms[atom].kind == Atom::Kind::Power) {
        if (exponent != -1 || (norm && norm != atom))
          return false;
        norm = atom;
      }
  if (!norm || !(x = findVarianceValue(atoms[*norm].sum)))
    return false;
  Sum scales, centers;
  for (const Term &term : sum) {
    Product rest;
    bool hasMean = false, hasNorm = false, hasValue = false;
    for (auto part : term.product) {
      const Atom &atom = atoms[part.first];
      if (part.first == *norm)
        hasNorm = true;
      else if (part.first == *x && part.second == 2)
        hasValue = true;
      else if (atom.kind == Atom::Kind::Mean && part.second == 2 && !hasMean &&
               atom.sum.front().product == Product{{*x, 2}})
        hasMean = true;
      else if (atom.kind == Atom::Kind::Value && part.first != *x &&
               !ops.contains(atom.value.getDefiningOp()))
        rest.push_back(part);
      else
        return false;
    }
    if (!hasNorm && (hasMean || hasValue))
      return false;
    if (hasNorm && hasMean == hasValue)
      return false;
    if (hasNorm)
      add(hasValue ? scales : centers, rest, hasValue ? term.factor : -term.factor);
  }
  return !scales.empty() && areEqual(scales, centers);
}
