//===- ScheduleFile.h - Measured schedules in a file -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What fuse-tune writes and fuse-apply-schedules reads; docs/tuning.md describes the text.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_SCHEDULEFILE_H
#define FUSE_SCHEDULE_SCHEDULEFILE_H

#include "fuse/IR/FuseAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// What times were measured on. Schedules of one machine say nothing of another.
struct TunedMachine {
  std::string cpu;      ///< as LLVM names it; empty: any, and then there are no features
  std::string features; ///< a hash of what it has; empty: any
  int64_t threads = 0;  ///< of a launch; 0: any
  std::string device;   ///< a GPU's chip, with nothing of a CPU; empty: kernels ran on the CPU, or on any machine

  /// "znver5 (1b2f…), 4 threads".
  std::string describe() const;
  /// Whether what was measured on this machine holds on `other`; what either leaves open fits.
  bool fits(const TunedMachine &other) const;
};

/// The machine this runs on, with launches of so many threads.
TunedMachine getHostMachine(int64_t threads = 0);

/// A device of a kind, such as "sm_90"; empty: the host, with launches of any number of threads.
TunedMachine getDeviceMachine(StringRef device);

/// The schedule that was found for one kernel.
struct TunedKernel {
  std::string key;  ///< see getKernelKey
  std::string name; ///< for people
  ScheduleAttr schedule;
  int64_t beforeNs = 0, afterNs = 0; ///< of one launch, with the schedule that it would have
  int64_t rounds = 0;                ///< schedules that were measured for it
};

struct ScheduleFile {
  TunedMachine machine;
  std::vector<TunedKernel> kernels; ///< by key, each once

  /// Null if there is none.
  const TunedKernel *find(StringRef key) const;
  /// Adds a kernel, or replaces what is known of it.
  void add(TunedKernel kernel);
  void remove(StringRef key);
  /// The file's text, the same for the same content.
  std::string toJson() const;
};

/// Names a kernel by its content: its ops, types and shapes, without names, locations and schedule,
/// and whether dims of it may be streamed. `kernel`: the function of an outlined kernel's module.
std::string getKernelKey(func::FuncOp kernel, bool stream);

/// Errors name `path`, the place in it, what was expected and what was found. What is not known of
/// an object's members is left out, with a warning at `path`.
llvm::Expected<ScheduleFile> parseScheduleFile(MLIRContext *context, StringRef path,
                                               StringRef text);
llvm::Expected<ScheduleFile> readScheduleFile(MLIRContext *context, StringRef path);

/// A name that ends in .json.
bool isScheduleFileName(StringRef name);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_SCHEDULEFILE_H
