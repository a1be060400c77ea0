//===- ElementType.cpp - The element types of tensors, without a context --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

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

/// A format of 1 sign bit, `exponentBits` and `mantissaBits`, 16 together.
template <unsigned exponentBits, unsigned mantissaBits>
static uint16_t encode(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr uint32_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 63) << 15);
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0x7ff) {
    uint32_t payload =
        mantissa ? (1u << (mantissaBits - 1)) | uint32_t(mantissa >> (52 - mantissaBits)) : 0;
    return sign | uint16_t(infinity | payload);
  }
  if (exponent == 0) // below 2^-1022: far under half of the least denormal
    return sign;
  mantissa |= uint64_t(1) << 52;
  int biased = exponent - 1023 + bias;
  int shift = 52 - int(mantissaBits);
  if (biased <= 0) { // a denormal: the hidden bit moves into the mantissa
    shift += 1 - biased;
    biased = 1;
    if (shift > 54)
      return sign;
  }
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // The hidden bit of `kept`, and a carry out of it, add to the exponent.
  uint32_t result = (uint32_t(biased - 1) << mantissaBits) + uint32_t(kept);
  return sign | uint16_t(result < infinity ? result : infinity);
}

template <unsigned exponentBits, unsigned mantissaBits>
static double decode(uint16_t bits) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  uint64_t sign = uint64_t(bits >> 15) << 63;
  uint64_t mantissa = bits & ((1u << mantissaBits) - 1);
  uint64_t exponent = (bits >> mantissaBits) & ((1u << exponentBits) - 1);
  uint64_t magnitude;
  if (exponent == (1u << exponentBits) - 1) {
    magnitude = (uint64_t(0x7ff) << 52) | (mantissa << (52 - mantissaBits));
  } else if (exponent == 0) {
    // 2^(1 - bias - mantissaBits) is normal as a double.
    double least = llvm::bit_cast<double>(uint64_t(1024 - bias - int(mantissaBits)) << 52);
    magnitude = llvm::bit_cast<uint64_t>(double(mantissa) * least);
  } else {
    magnitude = ((exponent + 1023 - bias) << 52) | (mantissa << (52 - mantissaBits));
  }
  return llvm::bit_cast<double>(sign | magnitude);
}

uint16_t mlir::fuse::encodeF16(double value) { return encode<5, 10>(value); }
uint16_t mlir::fuse::encodeBF16(double value) { return encode<8, 7>(value); }
double mlir::fuse::decodeF16(uint16_t bits) { return decode<5, 10>(bits); }
double mlir::fuse::decodeBF16(uint16_t bits) { return decode<8, 7>(bits); }

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
