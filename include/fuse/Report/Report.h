//===- Report.h - What fusion did, in numbers -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_REPORT_REPORT_H
#define FUSE_REPORT_REPORT_H

#include "fuse/CostModel/Profile.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::fuse {

/// One launch after fusion: a kernel, or an op that runs on the host (label `host`).
struct KernelReport {
  Operation *op = nullptr;
  int64_t id = 0; ///< launch order within the function
  std::string name;
  std::string label;
  std::vector<std::string> ops; ///< written ops in execution order
  int64_t inputs = 0;           ///< distinct values read from outside
  int64_t outputs = 0;
  int64_t trafficBytes = 0;
  int64_t memorySavedBytes = 0; ///< of the values that are no longer materialized
  int64_t buffersEliminated = 0;
  int64_t valuesElided = 0;
  // Filled in by whoever lowers and runs the kernel.
  std::optional<int64_t> blocks;
  std::optional<int64_t> scratchBytes;
  std::optional<double> ms;      ///< of one launch: the median over all launches timed
  std::optional<double> leastMs; ///< the least of them
};

/// A producer and a consumer that are in different kernels, and why.
struct RefusedReport {
  std::string producer, consumer;
  std::string location; ///< of the consumer, file:line:column
  std::string reason;
  std::optional<double> gainNs;
  std::string needs;
};

struct FunctionReport {
  std::string name;
  int64_t originalKernels = 0; ///< launches as written
  int64_t fusedKernels = 0;    ///< launches after fusion
  int64_t memorySavedBytes = 0;
  int64_t unknownOps = 0; ///< ops on tensors of other dialects
  Profile before, after;
  /// What `after` is worth over `before`, without penalties, where the module names a target.
  std::optional<double> scoreNs;
  std::string target; ///< of the score
  std::vector<KernelReport> kernels;
  std::vector<RefusedReport> refused;

  /// 1 − fused / original; 0 for an empty function; may be negative.
  double getKernelReduction() const;
  /// `Fusion: 10 → 4 kernels (60% reduction), 64.0KB memory saved`
  std::string getSummary() const;
};

struct Report {
  std::vector<FunctionReport> functions;
};

/// Reads a module whose kernels are formed; `fuse.written`, where it is present, says what was
/// written. A `fuse.target` around a function is what it is priced on.
Report computeReport(ModuleOp module);
FunctionReport computeFunctionReport(FunctionOpInterface function);

void printReport(const Report &report, raw_ostream &os);
llvm::json::Value toJson(const Report &report);

} // namespace mlir::fuse

#endif // FUSE_REPORT_REPORT_H
