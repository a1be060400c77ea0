//===- Arrays.h - Inputs from files, outputs to the terminal ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_ARRAYS_H
#define FUSE_TOOLS_FUSE_RUN_ARRAYS_H

#include "fuse/Driver/LoadProgram.h"
#include "Options.h"
#include "fuse/Execution/Compare.h"
#include "fuse/Execution/Job.h"
#include "fuse/Execution/Signature.h"

namespace mlir::fuse {

/// The inputs from files, from the parameters that come with the program (unless a file has others)
/// and from the seed, in order. indexExtents: one per input, for those that are made up. job: that
/// this process is a rank of; it then gets its parts of the arrays.
llvm::Expected<std::vector<NamedArray>>
gatherInputs(const Signature &signature, const RunOptions &options, ArrayRef<InputFile> files,
             ArrayRef<NamedArray> parameters, ArrayRef<std::optional<int64_t>> indexExtents,
             const Job *job);

/// The full outputs, on all ranks, of which each has its parts.
llvm::Expected<std::vector<NamedArray>> joinOutputs(const Signature &signature,
                                                    ArrayRef<NamedArray> outputs, Job &job);

/// The arrays of an archive that outputs are named like; an error if there is none.
llvm::Expected<std::vector<NamedArray>> readExpected(StringRef path, const Signature &signature);

/// What the options, or else the defaults, allow.
Tolerance getTolerance(const RunOptions &options, ElementType type);

/// Prints the largest error of each output that `wanted` names; an error that lists those beyond
/// tolerance. reference: what `wanted` came from.
llvm::Error compareOutputs(ArrayRef<NamedArray> outputs, ArrayRef<NamedArray> wanted,
                           const RunOptions &options, StringRef reference, llvm::raw_ostream &os);

/// One line: name, type, first elements.
void printSummary(const NamedArray &output, llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_ARRAYS_H
