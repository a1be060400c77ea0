//===- BundleInternal.h - Shared by the sources of bundles' runtime -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_BUNDLEINTERNAL_H
#define FUSE_LIB_RUNTIME_BUNDLEINTERNAL_H

#include "fuse/Runtime/BundleFormat.h"

namespace mlir::fuse::runtime {

/// Where a function without a context puts its error text.
struct ErrorText {
  char *text;
  int64_t capacity;

  /// Writes the text and returns 1.
  __attribute__((format(printf, 2, 3))) int32_t fail(const char *format, ...) const;
};

/// A file's bytes, read-only and shared with other processes.
struct Mapping {
  char *data = nullptr;
  int64_t bytes = 0;
};

/// Maps the weights of a program: `path`, or where that is null the file beside the shared library
/// that holds the program. Fails unless the file is complete and of the program's own build.
int32_t mapWeights(const fuse_bundle_program &program, const char *path, Mapping &mapping,
                   const ErrorText &error);
void unmapWeights(Mapping &mapping);

/// Fails if the program may use instructions that this CPU lacks.
int32_t checkCpu(const fuse_bundle_program &program, const ErrorText &error);

/// Bytes of an array of the value's type and sizes; sizes are not negative. INT64_MAX where that is
/// more than an int64_t holds.
int64_t countBytes(const fuse_bundle_value &value, const int64_t *sizes);

/// Row-major without gaps.
void computeStrides(int32_t rank, const int64_t *sizes, int64_t *strides);

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_BUNDLEINTERNAL_H
