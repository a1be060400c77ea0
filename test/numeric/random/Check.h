//===- Check.h - A program planned, formed, compiled, and compared ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_CHECK_H
#define FUSE_TEST_NUMERIC_RANDOM_CHECK_H

#include "Graph.h"

#include "fuse/Execution/Backend.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::fuse::random {

struct Outcome {
  /// Empty, or what went wrong: "PHASE: text".
  std::string error;
  int64_t kernelsBefore = 0, kernelsAfter = 0;
  /// Outputs of the fused program, and those that differ from the unfused one's because a float sum
  /// is in another order.
  int64_t outputs = 0, reassociated = 0;
  /// Calls that the interpreter and the compiled programs refuse.
  int64_t refused = 0;

  /// The part before the colon: failures of one kind.
  llvm::StringRef getPhase() const { return llvm::StringRef(error).split(':').first; }
};

/// How far a program is taken.
enum class Depth {
  Planned,   ///< planned, formed, and evaluated kernel by kernel in the interpreter
  Scheduled, ///< and each kernel is built with the schedule that it is priced with
  Compiled,  ///< planned, formed, evaluated, compiled and run
};

/// Plans and forms `graph` and evaluates it in the interpreter, kernel by kernel, as it was and as
/// it became: bit-equal. With Depth::Compiled code for `backend` runs, too, fused and unfused:
/// bit-equal unless a float sum is in another order, and within each value's error of the
/// interpreter; and every kernel is honest: launches as reported, scratch and, on the CPU, blocks.
/// A graph of several calls is compiled once and called with each vector of sizes; what it gives is bit-equal to what
/// the unfused program gives and the one that is compiled for these sizes alone, in the class `exact`.
Outcome check(MLIRContext &context, const Graph &graph, Depth depth,
              const Backend &backend = getDefaultBackend());

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_CHECK_H
