//===- Formats.h - Element types that the dialect does not have -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// ONNX has integers of 2 and 4 bits, and floats of 4 and 8 bits, which models store and convert but do not compute
// with. A tensor of such a format is one of bytes: an integer is its value, i8 or ui8, and a float its bits, ui8. The
// operators that convert, quantize or move elements know the format; all others refuse it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_FORMATS_H
#define FUSE_IMPORT_ONNX_FORMATS_H

#include "fuse/IR/FuseBuilder.h"
#include "fuse/Support/ElementType.h"

namespace mlir::fuse::onnx {

/// How an exponent without mantissa (FLOAT8E8M0) is rounded.
enum class ScaleRounding { Up, Down, Nearest };

struct Format {
  int64_t dataType; ///< TensorProto's number
  ElementType storage;
  unsigned bits;
  // Of floats, else 0: the exponent's bias, the bits of the mantissa, the code of the largest number, and those that
  // a NaN and a number that is too large get.
  bool isFloat = false;
  int bias = 0, mantissaBits = 0;
  int64_t largest = 0, nan = 0, overflow = 0;
  /// Whether 0 has no sign: its negative would be the NaN.
  bool hasOneZero = false;
};

/// Null for a type that the dialect has, and for one that neither has.
const Format *getFormat(int64_t dataType);

/// The element type that tensors of an ONNX type have in programs; nothing for one that is not supported.
std::optional<ElementType> getStoredElement(int64_t dataType);

/// Bytes of as many elements as they are packed in files.
int64_t getPackedSize(const Format &format, int64_t elements);
/// Elements as they are packed in files, the first one in the lowest bits, one for each byte.
void unpack(const Format &format, ArrayRef<uint8_t> packed, MutableArrayRef<uint8_t> elements);

/// Stored elements as numbers of a type of the dialect.
Value decode(FuseBuilder &b, const Format &format, Value stored, Type element);
/// Numbers as stored elements. Floats are rounded to nearest even; with `saturates` those that are too large become the
/// largest number. Floats become integers by truncation, and lose the upper bits.
Value encode(FuseBuilder &b, const Format &format, Value number, bool saturates,
             ScaleRounding rounding = ScaleRounding::Up);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_FORMATS_H
