//===- Bundle.h - Compiled programs as files -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A bundle is three files: NAME.so, which needs libc, libm and on the CPU libomp only,
// NAME.weights, which it maps, and NAME.h, which declares its interface (fuse/Runtime/Bundle.h) and
// describes its inputs and outputs. docs/bundles.md has the formats.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_BUNDLE_H
#define FUSE_EXECUTION_BUNDLE_H

#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/Execution/Signature.h"

#include <optional>

namespace mlir::fuse {

struct BundleContents {
  /// Of the one public function of the lowered program. Every input marked as a parameter is a
  /// weight, which callers do not see.
  Signature signature;
  /// Of inputs that index something: its extent. One entry per input, or none at all.
  std::vector<std::optional<int64_t>> indexExtents;
  /// The weights, found by name; their elements are shared.
  std::vector<NamedArray> weights;
  /// The plan, as JSON.
  std::string report;
};

/// The program's code for one kind of CPU.
struct BundleVariant {
  CompiledObjects compiled;
  std::string cpu;      // as CpuLevel.h names it
  std::string features; // that the code may use, as LLVM lists them
  /// What the names of its functions end in; writeBundle's own.
  std::string suffix = {};
};

/// Writes a compiled program as the three files of the bundle `path`, which ends in ".so": all of
/// them or, on an error, none. `variants`: the same program, of the same layout, for other CPUs:
/// where the bundle is opened, the first is taken whose features are there. `options` are those it
/// was compiled with. Errors: a backend that has no bundles; a weight without an array or with
/// another type or shape; a linker that is missing or fails; files that cannot be written. The same
/// program and weights give the same bytes.
llvm::Error writeBundle(StringRef path, std::vector<BundleVariant> variants,
                        const BundleContents &contents, const ObjectCompilerOptions &options = {});

/// The error of files that cannot be written, for who wants to know before compiling takes its
/// time.
llvm::Error checkBundleFiles(StringRef path);

/// The version of fuse that bundles written here carry.
StringRef getBundleVersion();

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_BUNDLE_H
