//===- Expansions.h - One function per expanded op --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Private to the expansions. Each takes and gives f32, a scalar or a vector.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_MATHEXPANSION_EXPANSIONS_H
#define FUSE_LIB_CODEGEN_MATHEXPANSION_EXPANSIONS_H

#include "fuse/Codegen/MathExpansion.h"
#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// Added to a float of at most 2^22 it leaves the nearest integer in the low bits.
inline constexpr double roundingMagic = 12582912.0; // 1.5 * 2^23

inline constexpr double log2OfE = 0x1.71547652b82fep+0;
/// ln 2 in two parts: the upper times any exponent is exact.
inline constexpr double ln2High = 0x1.62e4p-1;
inline constexpr double ln2Low = 0x1.7f7d1cf79abcap-20;

/// Builds expansions for a machine.
class ExpansionBuilder : public ElementBuilder {
public:
  ExpansionBuilder(ImplicitLocOpBuilder &b, const MathExpansionOptions &options, bool isShort = false)
      : ElementBuilder(b), options(options), isShort(isShort) {}

  const MathExpansionOptions options;
  /// Whether the result is one of f16 or bf16 (attr::kShortResult), of which 2^-15 of its size are enough.
  const bool isShort;
};

Value expandExp(ExpansionBuilder &e, Value x);
Value expandExp2(ExpansionBuilder &e, Value x);
Value expandExpM1(ExpansionBuilder &e, Value x);
Value expandLog(ExpansionBuilder &e, Value x);
Value expandLog1p(ExpansionBuilder &e, Value x);
Value expandTanh(ExpansionBuilder &e, Value x);
Value expandErf(ExpansionBuilder &e, Value x);
Value expandSin(ExpansionBuilder &e, Value x);
Value expandCos(ExpansionBuilder &e, Value x);
Value expandTan(ExpansionBuilder &e, Value x);
Value expandAtan(ExpansionBuilder &e, Value x);
Value expandAsin(ExpansionBuilder &e, Value x);
Value expandAcos(ExpansionBuilder &e, Value x);
Value expandSinh(ExpansionBuilder &e, Value x);
Value expandCosh(ExpansionBuilder &e, Value x);
Value expandAsinh(ExpansionBuilder &e, Value x);
Value expandAcosh(ExpansionBuilder &e, Value x);
Value expandAtanh(ExpansionBuilder &e, Value x);
Value expandPow(ExpansionBuilder &e, math::PowFOp op);
Value expandGate(ExpansionBuilder &e, GateOp op);

/// exp(x) for |x| <= 87, with 1 in the last place but without the care for denormal results.
Value expandNormalExp(ExpansionBuilder &e, Value x);

/// log2 in f64 of a finite normal x > 0, to about 2^-48 of the result.
Value expandWideLog2(ExpansionBuilder &e, Value x);
/// 2^x in f64 for |x| <= 1000, to about 2^-33 of the result.
Value expandWideExp2(ExpansionBuilder &e, Value x);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_MATHEXPANSION_EXPANSIONS_H
