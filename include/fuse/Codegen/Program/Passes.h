//===- Passes.h - The program around the kernels -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PROGRAM_PASSES_H
#define FUSE_CODEGEN_PROGRAM_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fuse/Codegen/Program/Passes.h.inc"

/// Functions beside a public function `@f`: its results' extents, the arena's bytes, and, once it has
/// entry points, itself. No C function has such a name.
constexpr llvm::StringLiteral kShapesSuffix = ".shapes";
constexpr llvm::StringLiteral kArenaSuffix = ".arena";
constexpr llvm::StringLiteral kBodySuffix = ".body";

/// On `@f.shapes`, an array of strings: behind the extents it returns, for each string, two values
/// that must be equal when the program is called; see fuse_expect_equal.
constexpr llvm::StringLiteral kShapeChecks = "shape_checks";

/// On `@f`: which of its results are computed there, by index, and, where a kernel computes one of
/// them, that the host waits for the device before it returns.
constexpr llvm::StringLiteral kReadBack = "read_back";
constexpr llvm::StringLiteral kWaitsAtEnd = "waits_at_end";

/// Lets one-shot bufferization know `fuse.launch` and `fuse.launch_host`.
void registerBufferizationModels(DialectRegistry &registry);

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_PROGRAM_PASSES_H
