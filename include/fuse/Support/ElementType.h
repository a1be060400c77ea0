//===- ElementType.h - The element types of tensors, without a context ------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The twelve numeric types a tensor may hold and i1, as a plain enum: host arrays, the table of
// scalar functions and the array files need no MLIRContext. As in the dialect, iN is signed and
// uiN unsigned.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_ELEMENTTYPE_H
#define FUSE_SUPPORT_ELEMENTTYPE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace mlir::fuse {

enum class ElementType : uint8_t { F16, BF16, F32, F64, I1, I8, I16, I32, I64, U8, U16, U32, U64 };

inline constexpr unsigned numElementTypes = 13;

/// All element types, in the order of the enum.
llvm::ArrayRef<ElementType> getElementTypes();

/// Bytes of one element in memory; i1 takes one byte, which is 0 or 1.
unsigned getElementBytes(ElementType type);

/// Bits of an integer type's value (1 for i1), or of a float's encoding.
unsigned getElementBits(ElementType type);

bool isFloatElement(ElementType type);
/// An integer of at least 8 bits; i1 is not one.
bool isIntegerElement(ElementType type);
bool isSignedElement(ElementType type);
bool isUnsignedElement(ElementType type);

/// The name as MLIR spells it: "f32", "i8", "ui64".
llvm::StringRef getElementTypeName(ElementType type);

/// The element type of an MLIR scalar type; nullopt for any other (index, complex, i4, si8, …).
std::optional<ElementType> toElementType(Type type);

Type toMLIRType(ElementType type, MLIRContext *context);

/// Truncates to the width of an integer type (or i1) and extends again, by sign or by zero.
int64_t wrapInteger(ElementType type, uint64_t bits);

/// Least and greatest value of an integer type or i1; for ui64 the bits of the value.
int64_t getLowestInteger(ElementType type);
int64_t getHighestInteger(ElementType type);

//===----------------------------------------------------------------------------------------===//
// Encodings of the short floats
//===----------------------------------------------------------------------------------------===//

/// Round to nearest, ties to even, in one step from double; overflow gives infinity. NaN stays
/// NaN (quiet, sign kept).
uint16_t encodeF16(double value);
uint16_t encodeBF16(double value);

/// Exact.
double decodeF16(uint16_t bits);
double decodeBF16(uint16_t bits);

/// `value` rounded once to a float type.
double roundToFloat(ElementType type, double value);

/// What an element-wise op leaves of an exact result: f16 and bf16 compute in f32, so they round
/// to f32 first and then to the type; f32 and f64 round once.
double roundComputed(ElementType type, long double value);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_ELEMENTTYPE_H
