//===- SpecialFunctions.h - Functions that the dialect has no kind for -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_OPS_SPECIALFUNCTIONS_H
#define FUSE_IMPORT_STABLEHLO_OPS_SPECIALFUNCTIONS_H

#include "fuse/IR/FuseBuilder.h"

namespace mlir::fuse::stablehlo {

/// 1 − erf(x) with a small relative error where it is small (f64: where it is above 1e-7).
Value buildErfc(FuseBuilder &b, Value x);
/// The inverse of erf, as XLA computes it (M. Giles: Approximating the erfinv function).
Value buildErfInv(FuseBuilder &b, Value x);
/// log |Γ(x)| by Lanczos' series, as XLA computes it.
Value buildLgamma(FuseBuilder &b, Value x);

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_OPS_SPECIALFUNCTIONS_H
