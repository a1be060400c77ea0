//===- KindTypes.h - Which kinds take which element types -------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The one table of kind x element type that the verifiers, the documentation and the generator of
// differential tests read. An element type is f16, bf16, f32, f64, i1, or an integer of 8, 16, 32
// or 64 bits: signless (iN, which means signed) or unsigned (uiN).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_KINDTYPES_H
#define FUSE_SUPPORT_KINDTYPES_H

#include "fuse/Support/ElementType.h"
#include "fuse/Support/OpKinds.h"

namespace mlir::fuse {

/// Sets of element types, as bits that combine with |.
enum TypeClass : unsigned {
  NoTypes = 0,
  FloatTypes = 1,
  SignedTypes = 2,   // i8 i16 i32 i64
  UnsignedTypes = 4, // ui8 ui16 ui32 ui64
  BoolType = 8,      // i1
  IntegerTypes = SignedTypes | UnsignedTypes,
  NumericTypes = FloatTypes | IntegerTypes,
  AllTypes = NumericTypes | BoolType
};

TypeClass getTypeClass(ElementType type);
/// The one class that `type` belongs to; NoTypes if a tensor of the dialect cannot hold it.
TypeClass getTypeClass(Type type);

/// What is known of a function of one operand, but for its values (see ScalarFunctions.h).
struct UnaryTraits {
  TypeClass types; ///< what its operand may hold
  /// What a float of 32 bits takes in simple operations on vectors: measured with 16 lanes against chains of
  /// additions, which take 1.
  int64_t flops;
  /// Whether floats have the same bits wherever it is computed, so that it may be computed twice. Integers always
  /// have.
  bool isBitStable = false;
  /// Whether a float is the exact result, rounded once, as IEEE 754 asks of its basic operations. Code neither contracts
  /// two of them nor approximates one, so f32 and f64 have the same bits wherever it is computed; which ops of f16 and
  /// bf16 round may depend on the kernel.
  bool isRoundedOnce = false;
  /// The defaults of its parameters; nothing where it has no such parameter.
  std::optional<double> alpha = {}, beta = {};
  bool hasForm = false; ///< whether it has the parameter `approximate`
};

/// The same of a function of two operands.
struct BinaryTraits {
  TypeClass types;
  int64_t flops;
  int64_t integerFlops = 0; ///< the same of integers, where that is another number
  bool isBitStable = false;
  bool isRoundedOnce = false;
};

UnaryTraits getTraits(UnaryKind kind);
BinaryTraits getTraits(BinaryKind kind);

inline TypeClass getLegalTypes(UnaryKind kind) { return getTraits(kind).types; }
inline TypeClass getLegalTypes(BinaryKind kind) { return getTraits(kind).types; }
TypeClass getLegalTypes(ComparePredicate predicate);
TypeClass getLegalTypes(ReduceKind kind);
TypeClass getLegalTypes(ArgReduceKind kind);
TypeClass getLegalTypes(ScatterKind kind);
/// fuse.clamp; fuse.select and fuse.cast take every element type.
TypeClass getLegalClampTypes();

/// The function that a scatter folds an element and its update by; none for `set`.
std::optional<BinaryKind> getCombiner(ScatterKind kind);

/// For an MLIR type or an ElementType.
template <typename Kind, typename T>
bool isLegal(Kind kind, T elementType) {
  return (getTypeClass(elementType) & getLegalTypes(kind)) != 0;
}

/// For diagnostics: "a float or a signed integer", with the article.
std::string describeTypes(TypeClass types);

/// i1 for is_nan and is_inf, else the operand's type.
Type getResultElementType(UnaryKind kind, Type operandElementType);
ElementType getResultElementType(UnaryKind kind, ElementType operandElementType);

/// f32 or f64.
bool isWideFloat(Type type);

/// Whether results have the same bits wherever the kind is computed.
template <typename Kind>
bool isBitStable(Kind kind, Type elementType) {
  auto traits = getTraits(kind);
  return getTypeClass(elementType) != FloatTypes || traits.isBitStable || (traits.isRoundedOnce && isWideFloat(elementType));
}

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_KINDTYPES_H
