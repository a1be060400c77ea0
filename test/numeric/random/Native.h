//===- Native.h - Runs compiled programs on arrays that may be one -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A Session gives each buffer memory of its own; here two arguments may share theirs.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_NATIVE_H
#define FUSE_TEST_NUMERIC_RANDOM_NATIVE_H

#include "fuse/Execution/Program.h"
#include "fuse/Report/Report.h"

namespace mlir::fuse::random {

class NativeProgram {
public:
  /// Lays out, lowers, compiles and loads @main of a program of kernels. Returns an empty text, or
  /// what failed.
  std::string compile(ModuleOp planned, const Backend &backend, Numerics numerics,
                      bool asyncCopies);

  /// What DESIGN.md calls honest: blocks and scratch of each kernel of `planned`, from before it
  /// was lowered. Call after compile.
  std::string checkKernels(func::FuncOp planned, const FunctionReport &report, bool countsBlocks);

  /// Results, then memref arguments as they are afterwards. Arrays that share elements share them
  /// in the program. Fails where the runtime counts other launches than the report.
  std::string run(std::vector<NamedArray> inputs, std::vector<HostArray> &outputs);

private:
  /// Computes what the program prepares of its parameters, as arguments behind `ins`.
  std::string prepare(fuse_context *context, std::vector<fuse_buffer> &ins);

  std::vector<HostArray> prepared;
  std::vector<SmallVector<int64_t>> preparedStrides;
  std::shared_ptr<const Program> program;
  struct Launch {
    std::optional<int64_t> blocks, scratchBytes;
  };
  std::vector<Launch> launches;
  std::optional<int64_t> wantedLaunches; ///< of each run, once kernels were checked
};

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_NATIVE_H
