//===- Job.h - The processes that run a program together ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// fuse/Runtime/Collectives.h for tools: arrays in place of buffers, errors in place of statuses.
// What is not const is called by all ranks, in the same order.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_JOB_H
#define FUSE_EXECUTION_JOB_H

#include "fuse/Execution/Sharding.h"
#include "fuse/Interpreter/Interpreter.h"
#include "fuse/Runtime/Collectives.h"

#include <memory>
#include <vector>

namespace mlir::fuse {

class Job {
public:
  /// MPI's; see fuse_job_open.
  static llvm::Expected<std::unique_ptr<Job>> open();
  /// One rank's view of a job that somebody else made and keeps.
  explicit Job(fuse_job *job);
  ~Job();
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  int64_t getRank() const { return fuse_job_rank(job); }
  int64_t getSize() const { return fuse_job_size(job); }
  bool isFirst() const { return getRank() == 0; }
  fuse_job *get() const { return job; }

  /// An error unless the job has the ranks of the grid.
  llvm::Error checkGrid(ArrayRef<int64_t> grid) const;
  /// An error on all ranks unless they have one text.
  llvm::Error agree(StringRef what, StringRef text);
  /// The full tensor, on all ranks, of which each has a shard.
  llvm::Expected<HostArray> join(const HostArray &shard, const Sharding &sharding);
  /// What each rank has, in order.
  llvm::Expected<std::vector<double>> gather(double number);
  llvm::Error wait();
  /// Ends all ranks, after an error of this one.
  void abort(int status) { fuse_job_abort(job, status); }

  /// What joins interpreters; it must not outlive the job.
  CollectiveFunction getCollectiveFunction();

  /// A collective as programs call it; see HostCalls.h.
  llvm::Error call(StringRef name, ArrayRef<int64_t> integers, const HostArray &in,
                   HostArray &out);

private:
  llvm::Error makeError() const;

  fuse_job *job;
  fuse_context *context; // for errors and memory; null without memory
};

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_JOB_H
