//===- KindTypes.cpp - Which kinds take which element types ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/KindTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::fuse;

#include "fuse/Support/OpKinds.cpp.inc"

TypeClass fuse::getTypeClass(ElementType type) {
  if (isFloatElement(type))
    return FloatTypes;
  if (type == ElementType::I1)
    return BoolType;
  return isSignedElement(type) ? SignedTypes : UnsignedTypes;
}

TypeClass fuse::getTypeClass(Type type) {
  std::optional<ElementType> element = toElementType(type);
  return element ? getTypeClass(*element) : NoTypes;
}

SmallVector<Type> fuse::getAllElementTypes(MLIRContext *context) {
  return llvm::map_to_vector(getElementTypes(),
                             [&](ElementType type) { return toMLIRType(type, context); });
}

TypeClass fuse::getLegalTypes(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Relu:
  case UnaryKind::Abs:
  case UnaryKind::Sign:
    return NumericTypes;
  case UnaryKind::Neg:
    return TypeClass(FloatTypes | SignedTypes);
  case UnaryKind::LogicalNot:
    return BoolType;
  case UnaryKind::BitwiseNot:
    return IntegerTypes;
  case UnaryKind::Sigmoid:
  case UnaryKind::Tanh:
  case UnaryKind::Gelu:
  case UnaryKind::Sqrt:
  case UnaryKind::Rsqrt:
  case UnaryKind::Exp:
  case UnaryKind::Log:
  case UnaryKind::Erf:
  case UnaryKind::Silu:
  case UnaryKind::Softplus:
  case UnaryKind::HardSigmoid:
  case UnaryKind::HardSwish:
  case UnaryKind::LeakyRelu:
  case UnaryKind::Elu:
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::RoundEven:
  case UnaryKind::Sin:
  case UnaryKind::Cos:
  case UnaryKind::Tan:
  case UnaryKind::Reciprocal:
  case UnaryKind::Log1p:
  case UnaryKind::Expm1:
  case UnaryKind::Atan:
  case UnaryKind::Asin:
  case UnaryKind::Acos:
  case UnaryKind::Sinh:
  case UnaryKind::Cosh:
  case UnaryKind::Asinh:
  case UnaryKind::Acosh:
  case UnaryKind::Atanh:
  case UnaryKind::IsNan:
  case UnaryKind::IsInf:
    return FloatTypes;
  }
  llvm_unreachable("unknown unary kind");
}

TypeClass fuse::getLegalTypes(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
  case BinaryKind::Mul:
  case BinaryKind::Div:
  case BinaryKind::Pow:
  case BinaryKind::Rem:
    return NumericTypes;
  case BinaryKind::Max:
  case BinaryKind::Min:
    return AllTypes;
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
    return TypeClass(IntegerTypes | BoolType);
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight:
    return IntegerTypes;
  }
  llvm_unreachable("unknown binary kind");
}

TypeClass fuse::getLegalTypes(ComparePredicate) { return AllTypes; }

TypeClass fuse::getLegalTypes(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Prod:
    return NumericTypes;
  case ReduceKind::Max:
  case ReduceKind::Min:
    return AllTypes;
  case ReduceKind::Mean:
    return FloatTypes;
  case ReduceKind::Any:
  case ReduceKind::All:
    return BoolType;
  }
  llvm_unreachable("unknown reduce kind");
}

TypeClass fuse::getLegalTypes(ArgReduceKind) { return NumericTypes; }

std::optional<BinaryKind> fuse::getCombiner(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::Set:
    return std::nullopt;
  case ScatterKind::Add:
    return BinaryKind::Add;
  case ScatterKind::Mul:
    return BinaryKind::Mul;
  case ScatterKind::Max:
    return BinaryKind::Max;
  case ScatterKind::Min:
    return BinaryKind::Min;
  }
  llvm_unreachable("unknown scatter kind");
}

TypeClass fuse::getLegalTypes(ScatterKind kind) {
  std::optional<BinaryKind> combiner = getCombiner(kind);
  return combiner ? getLegalTypes(*combiner) : AllTypes;
}

TypeClass fuse::getLegalClampTypes() { return NumericTypes; }

std::string fuse::describeTypes(TypeClass types) {
  SmallVector<StringRef, 4> parts;
  if (types & FloatTypes)
    parts.push_back("a float (f16, bf16, f32, f64)");
  if ((types & IntegerTypes) == IntegerTypes)
    parts.push_back("an integer (i8 to i64, ui8 to ui64)");
  else if (types & SignedTypes)
    parts.push_back("a signed integer (i8 to i64)");
  else if (types & UnsignedTypes)
    parts.push_back("an unsigned integer (ui8 to ui64)");
  if (types & BoolType)
    parts.push_back("i1");
  return llvm::join(parts, " or ");
}

Type fuse::getResultElementType(UnaryKind kind, Type operandElementType) {
  if (kind == UnaryKind::IsNan || kind == UnaryKind::IsInf)
    return IntegerType::get(operandElementType.getContext(), 1);
  return operandElementType;
}

ElementType fuse::getResultElementType(UnaryKind kind, ElementType operandElementType) {
  bool isTest = kind == UnaryKind::IsNan || kind == UnaryKind::IsInf;
  return isTest ? ElementType::I1 : operandElementType;
}

bool fuse::isBitStable(UnaryKind kind, Type elementType) {
  if (getTypeClass(elementType) != FloatTypes)
    return true;
  switch (kind) {
  case UnaryKind::Relu:
  case UnaryKind::Neg:
  case UnaryKind::Abs:
  case UnaryKind::Sign:
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::RoundEven:
  case UnaryKind::IsNan:
  case UnaryKind::IsInf:
    return true;
  default:
    return false;
  }
}

bool fuse::isBitStable(BinaryKind kind, Type elementType) {
  return getTypeClass(elementType) != FloatTypes || kind == BinaryKind::Max ||
         kind == BinaryKind::Min;
}
