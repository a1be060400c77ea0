//===- CommonDivisor.h - Quotients with one divisor -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_COMMONDIVISOR_H
#define FUSE_LIB_CODEGEN_CPU_COMMONDIVISOR_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Whether vectors of `type` divided by `divisor` are worth `createQuotients`: f32 and f64, unless
/// the divisor is a constant whose reciprocal is exact, which LLVM multiplies by.
bool hasCommonQuotients(Type type, Value divisor);

/// Each lane of the vector `dividends` divided by the scalar `divisor`, to the bit what arith.divf
/// gives, on CPUs that multiply and add with one rounding. It takes five multiplications for a
/// register, where a division of 16 f32 takes 16 cycles on cores of Intel: the sum of a softmax's
/// row divides all of it.
Value createQuotients(OpBuilder &b, Location loc, Value dividends, Value divisor);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_COMMONDIVISOR_H
