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

#include "fuse/IR/ElementBuilder.h"

namespace mlir::fuse {

Value expandExp(ElementBuilder &e, Value x);
Value expandExp2(ElementBuilder &e, Value x);
Value expandExpM1(ElementBuilder &e, Value x);
Value expandLog(ElementBuilder &e, Value x);
Value expandLog1p(ElementBuilder &e, Value x);
Value expandTanh(ElementBuilder &e, Value x);
Value expandErf(ElementBuilder &e, Value x);
Value expandSin(ElementBuilder &e, Value x);
Value expandCos(ElementBuilder &e, Value x);
Value expandTan(ElementBuilder &e, Value x);
Value expandPow(ElementBuilder &e, Value base, Value exponent);

/// exp(x) for |x| <= 87, with 1 in the last place but without the care for denormal results.
Value expandNormalExp(ElementBuilder &e, Value x);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_MATHEXPANSION_EXPANSIONS_H
