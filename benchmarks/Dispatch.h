//===- Dispatch.h - What a launch costs -----------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_BENCHMARKS_DISPATCH_H
#define FUSE_BENCHMARKS_DISPATCH_H

namespace mlir::fuse::bench {

/// Medians over the rounds, ns per launch of a kernel that adds 1 to 16 floats.
struct DispatchTimes {
  double launch; ///< fuse_launch
  double plain;  ///< one thread: a call of the same function; else a bare `omp parallel`
};

/// With several threads the kernel has a block for each.
DispatchTimes timeDispatch(int threads, int rounds);

} // namespace mlir::fuse::bench

#endif // FUSE_BENCHMARKS_DISPATCH_H
