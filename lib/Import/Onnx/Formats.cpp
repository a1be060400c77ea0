//===- Formats.cpp - Element types that the dialect does not have ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Formats.h"
#include "ModelFile.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

// The schema that models are parsed with may be older than these.
namespace {
enum DataType : int64_t {
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ,
  kFloat8E5M2,
  kFloat8E5M2FNUZ,
  kUInt4,
  kInt4,
  kFloat4E2M1,
  kFloat8E8M0,
  kUInt2,
  kInt2
};
} // namespace

const Format *mlir::fuse::onnx::getFormat(int64_t dataType) {
  constexpr ElementType kBits = ElementType::U8;
  static const Format formats[] = {
      {kFloat8E4M3FN, kBits, 8, true, 7, 3, 0x7E, 0x7F, 0x7F},
      {kFloat8E4M3FNUZ, kBits, 8, true, 8, 3, 0x7F, 0x80, 0x80, /*hasOneZero=*/true},
      {kFloat8E5M2, kBits, 8, true, 15, 2, 0x7B, 0x7E, 0x7C},
      {kFloat8E5M2FNUZ, kBits, 8, true, 16, 2, 0x7F, 0x80, 0x80, /*hasOneZero=*/true},
      {kUInt4, ElementType::U8, 4},
      {kInt4, ElementType::I8, 4},
      {kFloat4E2M1, kBits, 4, true, 1, 1, 0x7, /*nan=*/0x8, 0x7},
      {kFloat8E8M0, kBits, 8, true, 127, 0, 0xFE, 0xFF, 0xFF},
      {kUInt2, ElementType::U8, 2},
      {kInt2, ElementType::I8, 2}};
  const Format *found =
      llvm::find_if(formats, [&](const Format &format) { return format.dataType == dataType; });
  return found == std::end(formats) ? nullptr : found;
}

std::optional<ElementType> mlir::fuse::onnx::getStoredElement(int64_t dataType) {
  const Format *format = getFormat(dataType);
  return format ? format->storage : getTensorElement(dataType);
}

//===- In files -----------------------------------------------------------------------------===//

int64_t mlir::fuse::onnx::getPackedSize(const Format &format, int64_t elements) {
  int64_t perByte = 8 / format.bits;
  return elements / perByte + (elements % perByte != 0);
}

void mlir::fuse::onnx::unpack(const Format &format, ArrayRef<uint8_t> packed, MutableArrayRef<uint8_t> elements) {
  unsigned perByte = 8 / format.bits, mask = (1u << format.bits) - 1, sign = 1u << (format.bits - 1);
  bool isSigned = format.storage == ElementType::I8;
  for (size_t i = 0; i < elements.size(); ++i) {
    unsigned bits = packed[i / perByte] >> (i % perByte * format.bits) & mask;
    elements[i] = static_cast<uint8_t>(isSigned ? (bits ^ sign) - sign : bits);
  }
}

//===- Conversions --------------------------------------------------------------------------===//

/// The number that a code of a float stands for.
static double decodeCode(const Format &format, int64_t code) {
  int64_t sign = int64_t(1) << (format.bits - 1), size = code & (sign - 1);
  if (format.mantissaBits == 0)
    return code == format.nan ? std::nan("") : std::ldexp(1.0, static_cast<int>(code) - format.bias);
  bool isNegative = (code & sign) != 0;
  if (format.hasOneZero && code == format.nan)
    return std::nan("");
  if (size > format.largest)
    return size == format.overflow && format.overflow != format.nan
               ? (isNegative ? -1 : 1) * std::numeric_limits<double>::infinity()
               : std::nan("");
  int64_t mantissa = size & ((int64_t(1) << format.mantissaBits) - 1), exponent = size >> format.mantissaBits;
  if (exponent > 0)
    mantissa += int64_t(1) << format.mantissaBits;
  int power = static_cast<int>(std::max<int64_t>(exponent, 1)) - format.bias - format.mantissaBits;
  return (isNegative ? -1 : 1) * std::ldexp(double(mantissa), power);
}

Value mlir::fuse::onnx::decode(FuseBuilder &b, const Format &format, Value stored, Type element) {
  if (!format.isFloat)
    return b.cast(stored, element);
  int64_t codes = int64_t(1) << format.bits;
  HostArray table(ElementType::F32, {codes});
  for (int64_t code = 0; code < codes; ++code)
    table.setFloat(code, decodeCode(format, code));
  Value numbers = b.gather(b.constant(table), b.cast(stored, b.getBuilder().getI32Type()), 0);
  return b.cast(numbers, element);
}

/// A power of two of a scale, by the bits of a float of 32 bits.
static Value encodeScale(FuseBuilder &b, const Format &format, Value number, bool saturates, ScaleRounding rounding) {
  Type i32 = b.getBuilder().getI32Type();
  auto constant = [&](int64_t value) { return b.constant(value, i32, {}); };
  Value bits = b.bitcast(b.unary(UnaryKind::Abs, number), i32);
  int64_t added = rounding == ScaleRounding::Up ? 0x7FFFFF : rounding == ScaleRounding::Nearest ? 0x400000 : 0;
  Value exponent = b.binary(BinaryKind::ShiftRight, b.add(bits, constant(added)), constant(23));
  int64_t most = saturates ? format.largest : format.nan;
  Value code = b.binary(BinaryKind::Min, exponent, constant(most));
  code = b.select(b.unary(UnaryKind::IsNan, number), constant(format.nan), code);
  return b.cast(code, toMLIRType(format.storage, b.getContext()));
}

Value mlir::fuse::onnx::encode(FuseBuilder &b, const Format &format, Value number, bool saturates,
                               ScaleRounding rounding) {
  Type stored = toMLIRType(format.storage, b.getContext());
  Type i32 = b.getBuilder().getI32Type(), f32 = b.getBuilder().getF32Type();
  auto constant = [&](int64_t value) { return b.constant(value, i32, {}); };
  if (!format.isFloat) {
    Value value = b.cast(number, i32);
    value = b.binary(BinaryKind::And, value, constant((int64_t(1) << format.bits) - 1));
    if (format.storage == ElementType::I8) {
      Value sign = constant(int64_t(1) << (format.bits - 1));
      value = b.sub(b.binary(BinaryKind::Xor, value, sign), sign);
    }
    return b.cast(value, stored);
  }
  Value x = b.cast(number, f32);
  if (format.mantissaBits == 0)
    return encodeScale(b, format, x, saturates, rounding);
  // |x| as a multiple of its last bit in the format, 2^(exponent − mantissaBits), rounded.
  int64_t least = 1 - format.bias;
  double bound = 2 * decodeCode(format, format.largest);
  Value size = b.binary(BinaryKind::Min, b.unary(UnaryKind::Abs, x), b.scalar(bound, f32));
  Value exponent = b.sub(b.binary(BinaryKind::ShiftRight, b.bitcast(size, i32), constant(23)), constant(127));
  exponent = b.binary(BinaryKind::Max, exponent, constant(least));
  Value factor = b.binary(BinaryKind::ShiftLeft, b.sub(constant(127 + format.mantissaBits), exponent), constant(23));
  Value rounded = b.unary(UnaryKind::RoundEven, b.mul(size, b.bitcast(factor, f32)));
  // A multiple of 2^mantissaBits or more holds the leading bit, which counts as one more exponent.
  Value steps = b.binary(BinaryKind::ShiftLeft, b.sub(exponent, constant(least)), constant(format.mantissaBits));
  Value code = b.add(steps, b.cast(rounded, i32));
  Value isTooLarge = b.compare(ComparePredicate::Gt, code, constant(format.largest));
  code = b.select(isTooLarge, constant(saturates ? format.largest : format.overflow), code);
  Value isNegative = b.compare(ComparePredicate::Lt, b.bitcast(x, i32), constant(0));
  Value isNan = b.unary(UnaryKind::IsNan, x);
  code = b.select(isNan, constant(format.nan), code);
  if (format.hasOneZero) {
    Value isZero = b.compare(ComparePredicate::Eq, code, constant(0));
    // That of NaN is what a sign would be.
    Value hasNoSign = b.binary(BinaryKind::Or, isZero, b.compare(ComparePredicate::Eq, code, constant(format.nan)));
    isNegative = b.binary(BinaryKind::And, isNegative, b.unary(UnaryKind::LogicalNot, hasNoSign));
  }
  Value sign = constant(int64_t(1) << (format.bits - 1));
  code = b.select(isNegative, b.binary(BinaryKind::Xor, code, sign), code);
  return b.cast(code, stored);
}
