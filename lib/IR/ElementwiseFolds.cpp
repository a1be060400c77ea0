//===- ElementwiseFolds.cpp - Folds of element-wise ops and reductions -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

//
// Constants are evaluated with the table of scalar functions, where the result is a splat or small.
// Algebraic folds hold for every value of the operands, NaN, infinities and both zeros included,
// unless the op carries fast-math flags. A fold never drops an operand whose dynamic extent would
// have been compared with its partner's.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/Support/HostArray.h"
#include "fuse/Support/ScalarFunctions.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr int64_t maxFoldedElements = 64;
/// A reduction reads more than it writes.
constexpr int64_t maxReducedElements = 4096;

/// `index` may be any where the constant is a splat.
Scalar readElement(DenseElementsAttr constant, ElementType type, int64_t index) {
  if (isFloatElement(type)) {
    bool inexact;
    APFloat value = constant.isSplat() ? constant.getSplatValue<APFloat>()
                                       : constant.getValues<APFloat>()[index];
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
    return Scalar::fromFloat(type, value.convertToDouble());
  }
  APInt value = constant.isSplat() ? constant.getSplatValue<APInt>()
                                   : constant.getValues<APInt>()[index];
  return Scalar::fromInt(type, isSignedElement(type) ? value.getSExtValue()
                                                     : static_cast<int64_t>(value.getZExtValue()));
}

DenseElementsAttr getSplat(RankedTensorType type, Scalar value) {
  return HostArray::splat({1}, value).toAttribute(type.getContext()).resizeSplat(type);
}

/// The splat of `value`, or nothing where the result's shape is not known.
OpFoldResult foldToSplat(Value result, int64_t value) {
  auto type = cast<RankedTensorType>(result.getType());
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return {};
  return getSplat(type, Scalar::fromInt(*toElementType(type.getElementType()), value));
}

/// Row-major position in a constant of `shape` of what result index `linear` reads.
int64_t getOperandIndex(int64_t linear, ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape) {
  int64_t index = 0, stride = 1;
  for (int64_t dim = resultShape.size() - 1, at = shape.size() - 1; at >= 0; --dim, --at) {
    if (shape[at] != 1)
      index += linear % resultShape[dim] * stride;
    linear /= resultShape[dim];
    stride *= shape[at];
  }
  return index;
}

/// Evaluates an op on constants; `evaluate` takes the operands' elements.
template <typename Evaluate>
OpFoldResult foldConstants(Value result, ArrayRef<Attribute> operands, Evaluate evaluate) {
  auto type = cast<RankedTensorType>(result.getType());
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return {};
  SmallVector<DenseElementsAttr> constants;
  SmallVector<ElementType> types;
  bool allSplat = true;
  for (Attribute operand : operands) {
    auto constant = dyn_cast_if_present<DenseElementsAttr>(operand);
    if (!constant)
      return {};
    constants.push_back(constant);
    types.push_back(*toElementType(constant.getElementType()));
    allSplat &= constant.isSplat();
  }
  auto evaluateAt = [&](int64_t index) {
    SmallVector<Scalar> elements;
    for (auto [constant, type_] : llvm::zip(constants, types))
      elements.push_back(readElement(
          constant, type_, getOperandIndex(index, constant.getType().getShape(), type.getShape())));
    return evaluate(elements);
  };
  if (allSplat)
    return getSplat(type, evaluateAt(0));
  if (type.getNumElements() > maxFoldedElements)
    return {};
  HostArray array(*toElementType(type.getElementType()), type.getShape());
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    array.set(i, evaluateAt(i));
  return array.toAttribute(type.getContext());
}

/// `x` itself, where it has the result's type and nothing is to be compared with it at run time.
OpFoldResult foldToOperand(Value result, Value x, Value dropped) {
  if (x.getType() != result.getType())
    return {};
  auto other = cast<RankedTensorType>(dropped.getType());
  bool comparesNothing = cast<RankedTensorType>(x.getType()).hasStaticShape() || dropped == x ||
                         (other.hasStaticShape() && other.getNumElements() == 1);
  return comparesNothing ? OpFoldResult(x) : OpFoldResult();
}

std::optional<Scalar> getSplatScalar(Attribute operand) {
  auto constant = dyn_cast_if_present<DenseElementsAttr>(operand);
  if (!constant || !constant.isSplat() || constant.getNumElements() == 0)
    return std::nullopt;
  return readElement(constant, *toElementType(constant.getElementType()), 0);
}

bool isInt(std::optional<Scalar> scalar, int64_t value) {
  return scalar && !scalar->isFloat() &&
         scalar->getInt() == Scalar::fromInt(scalar->getType(), value).getInt();
}
bool isFloatOne(std::optional<Scalar> scalar) {
  return scalar && scalar->isFloat() && scalar->getFloat() == 1.0;
}
bool isFloatZero(std::optional<Scalar> scalar, bool negative) {
  return scalar && scalar->isFloat() && scalar->getFloat() == 0.0 &&
         std::signbit(scalar->getFloat()) == negative;
}

bool isCommutative(BinaryKind kind) {
  return kind == BinaryKind::Add || kind == BinaryKind::Mul || kind == BinaryKind::And ||
         kind == BinaryKind::Or || kind == BinaryKind::Xor;
}

/// Whether `x kind c` is x for every x.
bool isNeutral(BinaryKind kind, std::optional<Scalar> c, bool noSignedZeros) {
  switch (kind) {
  case BinaryKind::Add:
    // −0.0 + 0.0 is +0.0.
    return isInt(c, 0) || isFloatZero(c, true) || (noSignedZeros && isFloatZero(c, false));
  case BinaryKind::Sub:
    return isInt(c, 0) || isFloatZero(c, false) || (noSignedZeros && isFloatZero(c, true));
  case BinaryKind::Mul:
  case BinaryKind::Div:
  case BinaryKind::Pow:
    return isInt(c, 1) || isFloatOne(c);
  case BinaryKind::Or:
  case BinaryKind::Xor:
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight:
    return isInt(c, 0);
  case BinaryKind::And:
    return isInt(c, -1);
  default:
    return false;
  }
}

/// The value of `x kind c` where it is the same for every x.
std::optional<int64_t> getAbsorbed(BinaryKind kind, std::optional<Scalar> c,
                                   arith::FastMathFlags flags) {
  switch (kind) {
  case BinaryKind::Mul:
    if (isInt(c, 0))
      return 0;
    // NaN · 0 and ∞ · 0 are NaN, −1 · 0 is −0.0.
    if ((isFloatZero(c, false) || isFloatZero(c, true)) &&
        bitEnumContainsAll(flags, arith::FastMathFlags::nnan | arith::FastMathFlags::nsz))
      return 0;
    return std::nullopt;
  case BinaryKind::And:
    return isInt(c, 0) ? std::optional<int64_t>(0) : std::nullopt;
  case BinaryKind::Or:
    return isInt(c, -1) ? std::optional<int64_t>(-1) : std::nullopt;
  case BinaryKind::Rem:
    return isInt(c, 1) ? std::optional<int64_t>(0) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// `x kind x`.
OpFoldResult foldEqualOperands(BinaryOp op) {
  bool floats = isa<FloatType>(getElementTypeOrSelf(op.getLhs()));
  switch (op.getKind()) {
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Max:
  case BinaryKind::Min:
    return foldToOperand(op.getResult(), op.getLhs(), op.getRhs());
  case BinaryKind::Xor:
    return foldToSplat(op.getResult(), 0);
  case BinaryKind::Sub: {
    arith::FastMathFlags flags = op.getFastmath().value_or(arith::FastMathFlags::none);
    // NaN − NaN and ∞ − ∞ are NaN.
    if (floats && !bitEnumContainsAll(flags, arith::FastMathFlags::nnan))
      return {};
    return foldToSplat(op.getResult(), 0);
  }
  default:
    return {};
  }
}

} // namespace

OpFoldResult UnaryOp::fold(FoldAdaptor adaptor) {
  UnaryKind kind = getKind();
  UnaryParams params = getParams();
  if (OpFoldResult folded =
          foldConstants(getResult(), adaptor.getOperands(), [&](ArrayRef<Scalar> x) {
            return evaluateUnary(kind, x[0], params);
          }))
    return folded;
  auto inner = getOperand().getDefiningOp<UnaryOp>();
  if (!inner || inner.getKind() != kind)
    return {};
  switch (kind) {
  case UnaryKind::Neg:
  case UnaryKind::LogicalNot:
  case UnaryKind::BitwiseNot:
    return foldToOperand(getResult(), inner.getOperand(), inner.getOperand());
  case UnaryKind::Abs:
  case UnaryKind::Relu:
  case UnaryKind::Sign:
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::RoundEven:
    return foldToOperand(getResult(), getOperand(), getOperand());
  default:
    return {};
  }
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  BinaryKind kind = getKind();
  if (OpFoldResult folded =
          foldConstants(getResult(), adaptor.getOperands(), [&](ArrayRef<Scalar> x) {
            return evaluateBinary(kind, x[0], x[1]);
          }))
    return folded;
  if (getLhs() == getRhs())
    return foldEqualOperands(*this);
  arith::FastMathFlags flags = getFastmath().value_or(arith::FastMathFlags::none);
  bool noSignedZeros = bitEnumContainsAll(flags, arith::FastMathFlags::nsz);
  auto foldWith = [&](Attribute constant, Value x, Value dropped) -> OpFoldResult {
    std::optional<Scalar> scalar = getSplatScalar(constant);
    if (isNeutral(kind, scalar, noSignedZeros))
      return foldToOperand(getResult(), x, dropped);
    if (std::optional<int64_t> value = getAbsorbed(kind, scalar, flags))
      return foldToSplat(getResult(), *value);
    return {};
  };
  if (OpFoldResult folded = foldWith(adaptor.getRhs(), getLhs(), getRhs()))
    return folded;
  return isCommutative(kind) ? foldWith(adaptor.getLhs(), getRhs(), getLhs()) : OpFoldResult();
}

// Round trips stay: f32 → bf16 → f32 rounds, and i32 → i8 → i32 wraps.
OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  ElementType type = *toElementType(getElementTypeOrSelf(getResult()));
  return foldConstants(getResult(), adaptor.getOperands(),
                       [&](ArrayRef<Scalar> x) { return evaluateCast(x[0], type); });
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BitcastOp>())
    if (inner.getOperand().getType() == getResult().getType())
      return inner.getOperand();
  // Not by way of scalars, which do not hold the bits of a NaN.
  auto constant = dyn_cast_if_present<DenseElementsAttr>(adaptor.getOperand());
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!constant || (!constant.isSplat() && constant.getNumElements() > maxFoldedElements))
    return {};
  return constant.bitcast(type.getElementType());
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  ComparePredicate predicate = getPredicate();
  if (OpFoldResult folded =
          foldConstants(getResult(), adaptor.getOperands(), [&](ArrayRef<Scalar> x) {
            return evaluateCompare(predicate, x[0], x[1]);
          }))
    return folded;
  // A NaN differs from itself.
  if (getLhs() != getRhs() || isa<FloatType>(getElementTypeOrSelf(getLhs())))
    return {};
  return foldToSplat(getResult(), predicate == ComparePredicate::Eq ||
                                      predicate == ComparePredicate::Le ||
                                      predicate == ComparePredicate::Ge);
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult folded =
          foldConstants(getResult(), adaptor.getOperands(),
                        [&](ArrayRef<Scalar> x) { return x[0].getBool() ? x[1] : x[2]; }))
    return folded;
  // What is dropped may be of the size that a dynamic extent would be compared with.
  if (!cast<RankedTensorType>(getResult().getType()).hasStaticShape())
    return {};
  Value chosen;
  if (getOnTrue() == getOnFalse())
    chosen = getOnTrue();
  else if (std::optional<Scalar> condition = getSplatScalar(adaptor.getCondition()))
    chosen = condition->getBool() ? getOnTrue() : getOnFalse();
  return chosen && chosen.getType() == getResult().getType() ? OpFoldResult(chosen)
                                                              : OpFoldResult();
}

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  return foldConstants(getResult(), adaptor.getOperands(), [&](ArrayRef<Scalar> x) {
    return evaluateClamp(x[0], x[1], x[2]);
  });
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  // A sum over no dimension is no identity: it makes +0.0 of −0.0.
  bool isIdentity = getDimensions().empty() && getKind() != ReduceKind::Sum &&
                    getKind() != ReduceKind::Mean;
  if (isIdentity)
    return getOperand();
  auto type = cast<RankedTensorType>(getResult().getType());
  auto constant = dyn_cast_if_present<DenseElementsAttr>(adaptor.getOperand());
  if (!constant || type.getNumElements() == 0)
    return {};
  ArrayRef<int64_t> shape = constant.getType().getShape();
  int64_t folded = 1;
  for (int64_t dim : getDimensions())
    folded *= shape[dim];
  if (folded == 0 || constant.getNumElements() == 0)
    return {};
  ElementType element = *toElementType(type.getElementType());
  if (constant.isSplat()) {
    if (folded > maxReducedElements)
      return {};
    ScalarReducer reducer(getKind(), element);
    for (int64_t i = 0; i < folded; ++i)
      reducer.add(readElement(constant, element, 0));
    return getSplat(type, reducer.getResult());
  }
  if (type.getNumElements() > maxFoldedElements || constant.getNumElements() > maxReducedElements)
    return {};
  // Result strides of the operand's dimensions; 0 for those that are folded.
  SmallVector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    if (llvm::is_contained(getDimensions(), dim))
      continue;
    strides[dim] = stride;
    stride *= shape[dim];
  }
  SmallVector<ScalarReducer> reducers(type.getNumElements(), ScalarReducer(getKind(), element));
  for (int64_t i = 0, e = constant.getNumElements(); i < e; ++i) {
    int64_t rest = i, at = 0;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      at += rest % shape[dim] * strides[dim];
      rest /= shape[dim];
    }
    reducers[at].add(readElement(constant, element, i));
  }
  HostArray array(element, type.getShape());
  for (auto [i, reducer] : llvm::enumerate(reducers))
    array.set(i, reducer.getResult());
  return array.toAttribute(type.getContext());
}
