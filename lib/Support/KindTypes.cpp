//===- KindTypes.cpp - Which kinds take which element types ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/KindTypes.h"

#include "mlir/IR/BuiltinTypes.h"
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

bool fuse::isWideFloat(Type type) { return type.isF32() || type.isF64(); }

UnaryTraits fuse::getTraits(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Relu:
    return {.types = NumericTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::Sigmoid:
    return {.types = FloatTypes, .flops = 24};
  case UnaryKind::Tanh:
    return {.types = FloatTypes, .flops = 40};
  case UnaryKind::Gelu:
    return {.types = FloatTypes, .flops = 24, .hasForm = true};
  case UnaryKind::Sqrt:
    return {.types = FloatTypes, .flops = 16, .isRoundedOnce = true};
  case UnaryKind::Rsqrt:
    return {.types = FloatTypes, .flops = 24};
  case UnaryKind::Exp:
    return {.types = FloatTypes, .flops = 16};
  case UnaryKind::Log:
    return {.types = FloatTypes, .flops = 40};
  case UnaryKind::Neg:
    return {.types = TypeClass(FloatTypes | SignedTypes), .flops = 1, .isBitStable = true};
  case UnaryKind::Abs:
    return {.types = NumericTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::Erf:
    return {.types = FloatTypes, .flops = 45};
  case UnaryKind::Silu:
    return {.types = FloatTypes, .flops = 24};
  case UnaryKind::Softplus:
    return {.types = FloatTypes, .flops = 68};
  case UnaryKind::HardSigmoid:
    return {.types = FloatTypes, .flops = 1, .alpha = 0.2, .beta = 0.5};
  case UnaryKind::HardSwish:
    return {.types = FloatTypes, .flops = 1};
  case UnaryKind::LeakyRelu:
    return {.types = FloatTypes, .flops = 1, .alpha = 0.01};
  case UnaryKind::Elu:
    return {.types = FloatTypes, .flops = 30, .alpha = 1.0};
  case UnaryKind::Floor:
    return {.types = FloatTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::Ceil:
    return {.types = FloatTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::RoundEven:
    return {.types = FloatTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::Sign:
    return {.types = NumericTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::Sin:
    return {.types = FloatTypes, .flops = 130};
  case UnaryKind::Cos:
    return {.types = FloatTypes, .flops = 100};
  case UnaryKind::Tan:
    return {.types = FloatTypes, .flops = 130};
  case UnaryKind::Reciprocal:
    return {.types = FloatTypes, .flops = 10};
  case UnaryKind::Log1p:
    return {.types = FloatTypes, .flops = 40};
  case UnaryKind::Expm1:
    return {.types = FloatTypes, .flops = 24};
  case UnaryKind::LogicalNot:
    return {.types = BoolType, .flops = 1, .isBitStable = true};
  case UnaryKind::IsNan:
    return {.types = FloatTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::IsInf:
    return {.types = FloatTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::BitwiseNot:
    return {.types = IntegerTypes, .flops = 1, .isBitStable = true};
  case UnaryKind::Atan:
    return {.types = FloatTypes, .flops = 68};
  case UnaryKind::Asin:
    return {.types = FloatTypes, .flops = 68};
  case UnaryKind::Acos:
    return {.types = FloatTypes, .flops = 68};
  case UnaryKind::Sinh:
    return {.types = FloatTypes, .flops = 100};
  case UnaryKind::Cosh:
    return {.types = FloatTypes, .flops = 68};
  case UnaryKind::Asinh:
    return {.types = FloatTypes, .flops = 100};
  case UnaryKind::Acosh:
    return {.types = FloatTypes, .flops = 100};
  case UnaryKind::Atanh:
    return {.types = FloatTypes, .flops = 100};
  }
  llvm_unreachable("unknown unary kind");
}

BinaryTraits fuse::getTraits(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return {.types = NumericTypes, .flops = 1, .isRoundedOnce = true};
  case BinaryKind::Sub:
    return {.types = NumericTypes, .flops = 1, .isRoundedOnce = true};
  case BinaryKind::Mul:
    return {.types = NumericTypes, .flops = 1, .isRoundedOnce = true};
  case BinaryKind::Div:
    return {.types = NumericTypes, .flops = 10, .isRoundedOnce = true};
  case BinaryKind::Max:
    return {.types = AllTypes, .flops = 1, .isBitStable = true};
  case BinaryKind::Min:
    return {.types = AllTypes, .flops = 1, .isBitStable = true};
  case BinaryKind::Pow:
    return {.types = NumericTypes, .flops = 130};
  case BinaryKind::Rem: // of floats: libm's, one by one
    return {.types = NumericTypes, .flops = 500, .integerFlops = 20};
  case BinaryKind::And:
    return {.types = TypeClass(IntegerTypes | BoolType), .flops = 1};
  case BinaryKind::Or:
    return {.types = TypeClass(IntegerTypes | BoolType), .flops = 1};
  case BinaryKind::Xor:
    return {.types = TypeClass(IntegerTypes | BoolType), .flops = 1};
  case BinaryKind::ShiftLeft:
    return {.types = IntegerTypes, .flops = 1};
  case BinaryKind::ShiftRight:
    return {.types = IntegerTypes, .flops = 1};
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
