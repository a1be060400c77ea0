//===- Passes.h - Passes that lower kernels to machine code -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PASSES_H
#define FUSE_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
namespace arith {
class ArithDialect;
} // namespace arith
namespace func {
class FuncDialect;
} // namespace func
namespace math {
class MathDialect;
} // namespace math
namespace vector {
class VectorDialect;
} // namespace vector

namespace fuse {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fuse/Codegen/Passes.h.inc"

} // namespace fuse
} // namespace mlir

#endif // FUSE_CODEGEN_PASSES_H
