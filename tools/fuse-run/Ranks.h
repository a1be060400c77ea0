//===- Ranks.h - fuse-run as one of several processes -------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Under mpirun each process plans and compiles the program by itself and has its parts of the
// arrays. What is printed and written is rank 0's, but for files that are named for each rank, and
// for errors.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_RANKS_H
#define FUSE_TOOLS_FUSE_RUN_RANKS_H

#include "Options.h"
#include "fuse/Execution/Job.h"

namespace mlir::fuse {

/// Whether an option names files for each rank: then the job is opened first.
bool namesRanks(const RunOptions &options);

/// Opens the job, unless it is; ranks other than 0 print nothing to stdout from then on.
llvm::Error openJob(std::unique_ptr<Job> &job);

/// Opens the job of a program for a grid of processes; nothing for a program of one. `program`:
/// what all ranks must have alike.
llvm::Error openJob(std::unique_ptr<Job> &job, ArrayRef<int64_t> grid, StringRef program);

/// Puts the rank's number into names of files.
void nameFiles(RunOptions &options, int64_t rank);

/// How many threads a rank has where nobody says: its share of the CPUs that the ranks on its
/// machine may run on; `wanted` where somebody does, also by OMP_NUM_THREADS.
llvm::Expected<int32_t> chooseThreads(Job &job, int32_t wanted);

/// The median and least time of each rank.
llvm::Error printRankTimes(Job &job, ArrayRef<double> runMs, llvm::raw_ostream &os);

/// Ends the job where this rank has failed, since others would wait for it.
int finishJob(Job *job, int status);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_RANKS_H
