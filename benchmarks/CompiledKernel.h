//===- CompiledKernel.h - A program ready to be timed --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_BENCHMARKS_COMPILEDKERNEL_H
#define FUSE_BENCHMARKS_COMPILEDKERNEL_H

#include "fuse/Execution/Session.h"
#include "fuse/Support/Numerics.h"

namespace mlir::fuse::bench {

/// A program with one function, compiled with fusion, bound to random inputs, and run once.
/// Prints the reason and exits with 1 where any of that fails.
class CompiledKernel {
public:
  /// `shapes`: those of the inputs, where the program leaves them open; empty where it does not.
  /// `target`: a file of fuse-calibrate to plan and schedule by; empty for the default.
  /// `numerics`: how far numbers may change.
  CompiledKernel(const std::string &source, int threads,
                 llvm::ArrayRef<std::vector<int64_t>> shapes = {}, llvm::StringRef target = "",
                 Numerics numerics = Numerics::Reassociates);

  void run();
  /// Of one run.
  int64_t getLaunches() const { return launches; }

private:
  std::unique_ptr<Session> session;
  int64_t launches = 0;
};

} // namespace mlir::fuse::bench

#endif // FUSE_BENCHMARKS_COMPILEDKERNEL_H
