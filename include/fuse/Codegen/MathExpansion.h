//===- MathExpansion.h - Functions as plain arithmetic ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every kernel, on CPU and GPU, fused or not, in full vectors and in masked tails, computes its
// functions with the code made here, so the same input gives the same bits everywhere.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_MATHEXPANSION_H
#define FUSE_CODEGEN_MATHEXPANSION_H

#include "mlir/IR/PatternMatch.h"

namespace mlir {
class ConversionTarget;
namespace fuse {

/// What of a machine the expansions use. The results are the same bits with and without, but for
/// permutedLanes = 0, flushesExp and convertsBf16.
struct MathExpansionOptions {
  /// Whether there is AVX-512 (F, DQ and VL), which scales vectors of f32 by powers of two in one
  /// instruction.
  bool hasScaling = false;
  /// How many floats one instruction permutes by the numbers in a vector: 16 (AVX-512) or 8 (AVX2).
  /// With 1 tables are read element by element. With 0 there are none: `fuse.gate` is arithmetic
  /// alone, whose results differ in the last bits.
  int64_t permutedLanes = 0;
  /// Whether `math.exp` of what is less than ln 2^-126 is 0 in f32, where it would be denormal.
  bool flushesExp = false;
  /// Whether f32 -> bf16 stays one op, for a CPU with an instruction for it (AVX512-BF16), by which what is denormal becomes 0.
  bool convertsBf16 = false;
};

/// Vectors of f32 that are the low bits of integers, four at most, or those minus a constant, are read off a register of
/// 16 floats where the machine permutes such (`permutedLanes` is 16). Exact.
void readNibblesOffTables(Operation *root, const MathExpansionOptions &options);

/// f32 scalars and vectors of any shape of math.exp, exp2, expm1, log, log1p, tanh, erf,
/// sin, cos, tan, their inverses, sinh, cosh, their inverses and atanh, powf and rsqrt (f64 too) ->
/// arith, bitcasts and math.fma, absf, copysign, floor, sqrt, without branches; fuse.gate -> these,
/// scf.if and vector ops. Denormals, infinities, NaN and -0.0 are right; at most 2 ULP.
void populateExpandFloat32MathPatterns(RewritePatternSet &patterns,
                                       const MathExpansionOptions &options = {});

/// arith.extf and truncf from and to bf16, and f64 -> f16 -> integer arithmetic: one rounding, to
/// nearest even; denormals kept; NaN stays a quiet NaN of the same sign.
void populateExpandShortFloatPatterns(RewritePatternSet &patterns);

/// Both of the above, and calls of libm for the other functions and for f64, one per element. The
/// calls declare the functions in the nearest symbol table, and are made only by a dialect
/// conversion whose target is that of configureExpandMathTarget (the upstream patterns would
/// otherwise call libm for floor and fma as well).
void populateExpandMathPatterns(RewritePatternSet &patterns,
                                const MathExpansionOptions &options = {});

/// Makes illegal what populateExpandMathPatterns rewrites; every other op is legal.
void configureExpandMathTarget(ConversionTarget &target, const MathExpansionOptions &options = {});

} // namespace fuse
} // namespace mlir

#endif // FUSE_CODEGEN_MATHEXPANSION_H
