//===- ElementType.cpp - The element types of tensors, without a context --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

namespace {
enum class Class : uint8_t { Float, Mask, Signed, Unsigned };
struct Row {
  llvm::StringLiteral name;
  uint8_t bits;
  uint8_t bytes;
  Class kind;
};
} // namespace

static constexpr Row rows[numElementTypes] = {
    {"f16", 16, 2, Class::Float},     {"bf16", 16, 2, Class::Float},
    {"f32", 32, 4, Class::Float},     {"f64", 64, 8, Class::Float},
    {"i1", 1, 1, Class::Mask},        {"i8", 8, 1, Class::Signed},
    {"i16", 16, 2, Class::Signed},    {"i32", 32, 4, Class::Signed},
    {"i64", 64, 8, Class::Signed},    {"ui8", 8, 1, Class::Unsigned},
    {"ui16", 16, 2, Class::Unsigned}, {"ui32", 32, 4, Class::Unsigned},
    {"ui64", 64, 8, Class::Unsigned}};

static const Row &row(ElementType type) { return rows[static_cast<unsigned>(type)]; }

llvm::ArrayRef<ElementType> mlir::fuse::getElementTypes() {
  static constexpr ElementType all[numElementTypes] = {
      ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64, ElementType::I1,
      ElementType::I8,  ElementType::I16,  ElementType::I32, ElementType::I64, ElementType::U8,
      ElementType::U16, ElementType::U32,  ElementType::U64};
  return all;
}

unsigned mlir::fuse::getElementBytes(ElementType type) { return row(type).bytes; }
unsigned mlir::fuse::getElementBits(ElementType type) { return row(type).bits; }
bool mlir::fuse::isFloatElement(ElementType type) { return row(type).kind == Class::Float; }
bool mlir::fuse::isSignedElement(ElementType type) { return row(type).kind == Class::Signed; }
bool mlir::fuse::isUnsignedElement(ElementType type) { return row(type).kind == Class::Unsigned; }
bool mlir::fuse::isIntegerElement(ElementType type) {
  return isSignedElement(type) || isUnsignedElement(type);
}
llvm::StringRef mlir::fuse::getElementTypeName(ElementType type) { return row(type).name; }

std::optional<ElementType> mlir::fuse::toElementType(Type type) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return std::nullopt;
  Class wanted = integer.isUnsigned()      ? Class::Unsigned
                 : integer.getWidth() == 1 ? Class::Mask
                                           : Class::Signed;
  for (ElementType candidate : getElementTypes())
    if (row(candidate).kind == wanted && row(candidate).bits == integer.getWidth())
      return candidate;
  return std::nullopt;
}

Type mlir::fuse::toMLIRType(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, row(type).bits,
                            isUnsignedElement(type) ? IntegerType::Unsigned
                                                    : IntegerType::Signless);
  }
}

int64_t mlir::fuse::wrapInteger(ElementType type, uint64_t bits) {
  unsigned drop = 64 - row(type).bits;
  uint64_t top = bits << drop;
  // An arithmetic shift repeats the sign; i1 is 0 or 1.
  return isSignedElement(type) ? static_cast<int64_t>(top) >> drop
                               : static_cast<int64_t>(top >> drop);
}

int64_t mlir::fuse::getLowestInteger(ElementType type) {
  return isSignedElement(type) ? wrapInteger(type, uint64_t(1) << (row(type).bits - 1)) : 0;
}

int64_t mlir::fuse::getHighestInteger(ElementType type) {
  unsigned bits = row(type).bits - isSignedElement(type);
  return static_cast<int64_t>(std::numeric_limits<uint64_t>::max() >> (64 - bits));
}

//===- Encodings of the short floats ---------------------------------------------------------===//

uint16_t mlir::fuse::encodeF16(double value) {
  return llvm::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

double mlir::fuse::decodeF16(uint16_t bits) { return llvm::bit_cast<_Float16>(bits); }

// The upper half of an f32, rounded to the nearest, to even where two are as near. Compilers' own
// conversion from double is missing from the libraries of some.
uint16_t mlir::fuse::encodeBF16(double value) {
  auto rounded = static_cast<float>(value);
  uint32_t bits = llvm::bit_cast<uint32_t>(rounded);
  if (std::isnan(rounded))
    return (bits >> 16) | 0x40; // a NaN without payload would be an infinity
  // Cut instead of rounded, with a last bit of 1 for what is lost: rounding twice would not do.
  if (rounded != value) {
    bits -= std::fabs(rounded) > std::fabs(value);
    bits |= 1;
  }
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

double mlir::fuse::decodeBF16(uint16_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

double mlir::fuse::roundToFloat(ElementType type, double value) {
  switch (type) {
  case ElementType::F16:
    return decodeF16(encodeF16(value));
  case ElementType::BF16:
    return decodeBF16(encodeBF16(value));
  case ElementType::F32:
    return static_cast<float>(value);
  default:
    return value;
  }
}

double mlir::fuse::roundComputed(ElementType type, long double value) {
  if (type == ElementType::F64)
    return static_cast<double>(value);
  return roundToFloat(type, static_cast<float>(value));
}
