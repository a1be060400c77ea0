//===- ThreadRanks.h - Programs for several processes on threads of one --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What mpirun does for a program of a grid of ranks, without MPI and in one process: for tests, which
// compare the results with those of one rank.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_THREADRANKS_H
#define FUSE_EXECUTION_THREADRANKS_H

#include "fuse/Execution/Program.h"

namespace mlir::fuse {

/// Runs a function on as many threads as its grid has ranks, each with its parts of the full
/// `inputs`, and joins the results: those of Session::getOutputs, in full. An error is that of the
/// first rank that has one. Launches use one thread.
llvm::Expected<std::vector<NamedArray>> runRanks(std::shared_ptr<const Program> program,
                                                 StringRef function, ArrayRef<NamedArray> inputs);

/// The same by the interpreter. The context must allow threads; diagnostics come from all of them.
llvm::Expected<std::vector<NamedArray>> interpretRanks(func::FuncOp function,
                                                       ArrayRef<NamedArray> inputs);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_THREADRANKS_H
