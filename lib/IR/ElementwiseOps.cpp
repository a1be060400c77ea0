//===- ElementwiseOps.cpp - Element-wise ops: verifiers, domains, scalar bodies -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/Support/KindTypes.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The result has the operands' broadcast shape.
LogicalResult verifyElementwiseShapes(Operation *op) {
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Type type : op->getOperandTypes())
    shapes.push_back(cast<RankedTensorType>(type).getShape());
  FailureOr<SmallVector<int64_t>> wanted = inferBroadcastShape(shapes);
  if (failed(wanted)) {
    InFlightDiagnostic error = op->emitOpError() << "operand shapes do not broadcast: ";
    llvm::interleaveComma(shapes, error, [&](ArrayRef<int64_t> s) { error << formatShape(s); });
    return error;
  }
  // A dynamic extent equals its partner, so either may stand in the result.
  bool fits = static_cast<int64_t>(wanted->size()) == resultType.getRank();
  if (fits)
    for (auto [extent, have] : llvm::zip(*wanted, resultType.getShape()))
      fits &= extent == have || (ShapedType::isDynamic(have) && extent != 1);
  if (!fits)
    return op->emitOpError() << "expected result shape " << formatShape(*wanted) << ", found "
                             << formatShape(resultType.getShape());
  return success();
}

LogicalResult verifySameElementType(Operation *op, ValueRange values) {
  Type first = getElementTypeOrSelf(values.front());
  for (Value value : values.drop_front())
    if (getElementTypeOrSelf(value) != first)
      return op->emitOpError() << "expected element type " << first << " throughout, found "
                               << getElementTypeOrSelf(value);
  return success();
}

LogicalResult verifyTakes(Operation *op, StringRef name, TypeClass legal, Type type) {
  if (getTypeClass(type) & legal)
    return success();
  return op->emitOpError() << "'" << name << "' takes " << describeTypes(legal)
                           << ", found element type " << type;
}

SmallVector<AffineMap> elementwiseMaps(Operation *op) {
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<AffineMap> maps;
  for (Type type : op->getOperandTypes())
    maps.push_back(getBroadcastMap(cast<RankedTensorType>(type), resultType.getShape()));
  maps.push_back(AffineMap::getMultiDimIdentityMap(resultType.getRank(), op->getContext()));
  return maps;
}

} // namespace

SmallVector<AffineMap> UnaryOp::getIndexingMapsArray() { return elementwiseMaps(*this); }
SmallVector<AffineMap> BinaryOp::getIndexingMapsArray() { return elementwiseMaps(*this); }
SmallVector<AffineMap> CastOp::getIndexingMapsArray() { return elementwiseMaps(*this); }
SmallVector<AffineMap> BitcastOp::getIndexingMapsArray() { return elementwiseMaps(*this); }
SmallVector<AffineMap> CompareOp::getIndexingMapsArray() { return elementwiseMaps(*this); }
SmallVector<AffineMap> SelectOp::getIndexingMapsArray() { return elementwiseMaps(*this); }
SmallVector<AffineMap> ClampOp::getIndexingMapsArray() { return elementwiseMaps(*this); }

//===- unary --------------------------------------------------------------------------------===//

void UnaryOp::build(OpBuilder &builder, OperationState &state, UnaryKind kind, Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  Type result = type.clone(getResultElementType(kind, type.getElementType()));
  build(builder, state, result, kind, operand, FloatAttr(), FloatAttr(), GeluFormAttr(),
        arith::FastMathFlagsAttr());
}

UnaryParams UnaryOp::getParams() {
  UnaryParams params = getDefaultParams(getKind());
  if (std::optional<APFloat> alpha = getAlpha())
    params.alpha = alpha->convertToDouble();
  if (std::optional<APFloat> beta = getBeta())
    params.beta = beta->convertToDouble();
  if (std::optional<GeluForm> form = getApproximate())
    params.form = *form;
  return params;
}

LogicalResult UnaryOp::verify() {
  StringRef name = stringifyUnaryKind(getKind());
  if (failed(verifyTakes(*this, name, getLegalTypes(getKind()),
                         tensorType(getOperand()).getElementType())) ||
      failed(verifyElementwiseShapes(*this)))
    return failure();
  Type wanted = getResultElementType(getKind(), tensorType(getOperand()).getElementType());
  if (tensorType(getResult()).getElementType() != wanted)
    return emitOpError() << "expected result element type " << wanted << ", found "
                         << tensorType(getResult()).getElementType();
  UnaryTraits traits = getTraits(getKind());
  if (getAlpha() && !traits.alpha)
    return emitOpError() << "'" << name << "' has no parameter 'alpha'";
  if (getBeta() && !traits.beta)
    return emitOpError() << "'" << name << "' has no parameter 'beta'";
  if (getApproximate() && !traits.hasForm)
    return emitOpError() << "'" << name << "' has no parameter 'approximate'";
  return success();
}

Value UnaryOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  Type type = tensorType(getOperand()).getElementType();
  if (!GateOp::takes(getKind()) || type.isF64())
    return buildUnary(builder, getKind(), getParams(), type, args[0]);
  ElementBuilder e(builder);
  Value x = type.isF32() ? args[0] : e.extend(args[0], builder.getF32Type());
  Value y = GateOp::create(builder, x.getType(), getKind(), x, getApproximateAttr());
  return type.isF32() ? y : e.roundResult(y, type);
}

bool UnaryOp::isBitStable() {
  return fuse::isBitStable(getKind(), getElementTypeOrSelf(getOperand()));
}

int64_t UnaryOp::getFlopsPerElement() { return getTraits(getKind()).flops; }

//===- binary -------------------------------------------------------------------------------===//

void BinaryOp::build(OpBuilder &builder, OperationState &state, BinaryKind kind, Value lhs,
                     Value rhs) {
  auto l = cast<RankedTensorType>(lhs.getType()), r = cast<RankedTensorType>(rhs.getType());
  FailureOr<SmallVector<int64_t>> shape = inferBroadcastShape({l.getShape(), r.getShape()});
  // A mismatch is the verifier's to report.
  Type result = succeeded(shape) ? Type(RankedTensorType::get(*shape, l.getElementType())) : l;
  build(builder, state, result, kind, lhs, rhs, arith::FastMathFlagsAttr());
}

LogicalResult BinaryOp::verify() {
  if (failed(verifySameElementType(*this, {getLhs(), getRhs(), getResult()})) ||
      failed(verifyTakes(*this, stringifyBinaryKind(getKind()), getLegalTypes(getKind()),
                         tensorType(getLhs()).getElementType())))
    return failure();
  return verifyElementwiseShapes(*this);
}

Value BinaryOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  return buildBinary(builder, getKind(), tensorType(getLhs()).getElementType(), args[0], args[1]);
}

bool BinaryOp::isBitStable() {
  return fuse::isBitStable(getKind(), getElementTypeOrSelf(getLhs()));
}

int64_t BinaryOp::getFlopsPerElement() {
  BinaryTraits traits = getTraits(getKind());
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(getLhs()));
  return isFloat || traits.integerFlops == 0 ? traits.flops : traits.integerFlops;
}

//===- cast, bitcast, compare, select, clamp -------------------------------------------------===//

LogicalResult CastOp::verify() { return verifyElementwiseShapes(*this); }

Value CastOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  Value result = buildCast(builder, tensorType(getOperand()).getElementType(),
                           tensorType(getResult()).getElementType(), args[0]);
  // What rounds the result of an op, and is no cast of the program, is marked as such.
  if (auto rounding = result.getDefiningOp<arith::TruncFOp>(); rounding && (*this)->hasAttr(attr::kRounding))
    rounding->setAttr(attr::kRounding, builder.getUnitAttr());
  return result;
}

bool CastOp::isBitStable() { return true; }
int64_t CastOp::getFlopsPerElement() { return 1; }

LogicalResult BitcastOp::verify() {
  Type from = tensorType(getOperand()).getElementType();
  Type to = tensorType(getResult()).getElementType();
  if (from.isInteger(1) || to.isInteger(1))
    return emitOpError() << "expected element types other than i1, found " << from << " and " << to;
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "expected element types of one width, found " << from << " and " << to;
  return verifyElementwiseShapes(*this);
}

Value BitcastOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  return buildBitcast(builder, tensorType(getOperand()).getElementType(),
                      tensorType(getResult()).getElementType(), args[0]);
}

bool BitcastOp::isBitStable() { return true; }
int64_t BitcastOp::getFlopsPerElement() { return 1; }

LogicalResult CompareOp::verify() {
  if (failed(verifySameElementType(*this, {getLhs(), getRhs()})))
    return failure();
  return verifyElementwiseShapes(*this);
}

Value CompareOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  return buildCompare(builder, getPredicate(), tensorType(getLhs()).getElementType(), args[0],
                      args[1]);
}

bool CompareOp::isBitStable() { return true; }
int64_t CompareOp::getFlopsPerElement() { return 1; }

LogicalResult SelectOp::verify() {
  if (failed(verifySameElementType(*this, {getOnTrue(), getOnFalse(), getResult()})))
    return failure();
  return verifyElementwiseShapes(*this);
}

Value SelectOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  return arith::SelectOp::create(builder, args[0], args[1], args[2]);
}

bool SelectOp::isBitStable() { return true; }
int64_t SelectOp::getFlopsPerElement() { return 1; }

LogicalResult ClampOp::verify() {
  if (failed(verifySameElementType(*this, {getOperand(), getLow(), getHigh(), getResult()})) ||
      failed(verifyTakes(*this, "clamp", getLegalClampTypes(),
                         tensorType(getOperand()).getElementType())))
    return failure();
  return verifyElementwiseShapes(*this);
}

Value ClampOp::buildScalarBody(ImplicitLocOpBuilder &builder, ValueRange args) {
  return buildClamp(builder, tensorType(getOperand()).getElementType(), args[0], args[1], args[2]);
}

bool ClampOp::isBitStable() { return true; }
int64_t ClampOp::getFlopsPerElement() { return 2; }
