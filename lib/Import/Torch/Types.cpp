//===- Types.cpp - Element types of PyTorch and how they mix -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

namespace {
struct ScalarType {
  int64_t number;
  const char *name;
  std::optional<ElementType> element;
};
} // namespace

static constexpr ScalarType kScalarTypes[] = {
    {1, "uint8", ElementType::U8},        {2, "int8", ElementType::I8},          {3, "int16", ElementType::I16},
    {4, "int32", ElementType::I32},       {5, "int64", ElementType::I64},        {6, "float16", ElementType::F16},
    {7, "float32", ElementType::F32},     {8, "float64", ElementType::F64},      {9, "complex32", std::nullopt},
    {10, "complex64", std::nullopt},      {11, "complex128", std::nullopt},      {12, "bool", ElementType::I1},
    {13, "bfloat16", ElementType::BF16},  {28, "uint16", ElementType::U16},      {29, "float8_e4m3fn", std::nullopt},
    {30, "float8_e5m2", std::nullopt},    {31, "float8_e4m3fnuz", std::nullopt}, {32, "float8_e5m2fnuz", std::nullopt},
    {33, "float8_e8m0fnu", std::nullopt}, {34, "uint32", ElementType::U32},      {35, "uint64", ElementType::U64}};

std::optional<ElementType> mlir::fuse::torch::getElement(int64_t scalarType) {
  for (const ScalarType &each : kScalarTypes)
    if (each.number == scalarType)
      return each.element;
  return std::nullopt;
}

std::string mlir::fuse::torch::getScalarTypeName(int64_t scalarType) {
  for (const ScalarType &each : kScalarTypes)
    if (each.number == scalarType)
      return each.name;
  return "scalar type " + std::to_string(scalarType);
}

/// Bool, integers, floats.
static int getCategory(ElementType type) { return type == ElementType::I1 ? 0 : isFloatElement(type) ? 2 : 1; }

/// torch.promote_types.
static ElementType promoteTypes(ElementType a, ElementType b) {
  if (a == b)
    return a;
  if (getCategory(a) != getCategory(b))
    return getCategory(a) > getCategory(b) ? a : b;
  if (isFloatElement(a)) {
    if (getElementBits(a) == getElementBits(b)) // f16 and bf16
      return ElementType::F32;
    return getElementBits(a) > getElementBits(b) ? a : b;
  }
  if (isSignedElement(a) == isSignedElement(b))
    return getElementBits(a) > getElementBits(b) ? a : b;
  // The unsigned one must fit, which nothing does beside ui64 but that itself.
  ElementType isSigned = isSignedElement(a) ? a : b, isUnsigned = isSignedElement(a) ? b : a;
  for (ElementType each : {ElementType::I8, ElementType::I16, ElementType::I32, ElementType::I64})
    if (getElementBits(each) > getElementBits(isUnsigned) && getElementBits(each) >= getElementBits(isSigned))
      return each;
  return ElementType::I64;
}

ElementType mlir::fuse::torch::promote(llvm::ArrayRef<Promoted> operands) {
  // The types of each rank alone; one counts where its kind is above those of all ranks before it.
  std::optional<ElementType> result;
  for (int rank = Promoted::Tensor; rank >= Promoted::Number; --rank) {
    std::optional<ElementType> own;
    for (const Promoted &operand : operands)
      if (operand.rank == rank)
        own = own ? promoteTypes(*own, operand.type) : operand.type;
    if (own && (!result || getCategory(*own) > getCategory(*result))) {
      // A float number beside integer tensors makes the default type, not its own.
      bool isDefault = rank == Promoted::Number && getCategory(*own) == 2;
      result = isDefault ? ElementType::F32 : *own;
    }
  }
  return result.value_or(ElementType::F32);
}
