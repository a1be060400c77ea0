//===- Report.h - What fusion did, in numbers -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_REPORT_REPORT_H
#define FUSE_REPORT_REPORT_H

#include "fuse/CostModel/Profile.h"
#include "fuse/Support/Numerics.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::fuse {

/// What warps of a GPU asked of memory at one place of the source, in all launches of a
/// kernel's code. A request is what one load or store asks for all lanes of a warp at once.
struct AccessReport {
  std::string location; ///< file:line:column, or a model's node
  bool writes = false;
  int64_t requests = 0;     ///< to global memory
  int64_t sectors = 0;      ///< of 32 bytes, that the requests touched
  int64_t idealSectors = 0; ///< that would do for as many bytes
  int64_t rounds = 0;       ///< in which banks of shared memory were read or written
  int64_t idealRounds = 0;  ///< that would do, were the words of each in banks of their own
};

/// One launch after fusion: a kernel, or an op that runs on the host (label `host`).
struct KernelReport {
  Operation *op = nullptr;
  int64_t id = 0; ///< launch order within the function
  std::string name;
  std::string label;
  std::vector<std::string> ops; ///< written ops in execution order
  /// Where they were written, each place once: file:line:column, or a model's node.
  std::vector<std::string> locations;
  /// The part of the model that most of its ops were written in, as the names of nodes tell:
  /// `encoder/layer.0/attention`; empty where they tell nothing.
  std::string layer;
  int64_t inputs = 0; ///< distinct values read from outside
  int64_t outputs = 0;
  int64_t trafficBytes = 0;
  std::optional<int64_t> collectiveBytes; ///< what a collective makes one process send to others
  int64_t memorySavedBytes = 0; ///< of the values that are no longer materialized
  int64_t buffersEliminated = 0;
  int64_t valuesElided = 0;
  /// What the cost model `roofline` of the function's target says, per launch. Nothing where sizes
  /// are unknown or the planner knows nothing of the op.
  std::optional<double> predictedMs;
  std::optional<int64_t> flops;         ///< what is computed again counts again
  std::optional<int64_t> warpgroupFlops; ///< of these, products that are priced as those of warpgroups, if there are any
  std::optional<int64_t> plannedBlocks; ///< tiles that can run at once
  /// The schedule that the price is of, as `fuse.schedule` has it: sizes of tiles, the order of blocks, a
  /// streamed dim. Empty where nothing is predicted.
  std::string plannedSchedule;
  bool isScheduled = false;             ///< its schedule is written in the program
  // Filled in by whoever lowers and runs the kernel.
  std::optional<int64_t> blocks;
  std::optional<int64_t> scratchBytes;
  bool isTuned = false; ///< its schedule is one of fuse-tune
  // Of a kernel of a GPU; the last three where it was assembled.
  std::optional<int64_t> threads;     ///< of a block
  std::optional<int64_t> sharedBytes; ///< of a block, static and dynamic
  std::optional<int64_t> registers;   ///< of a thread, each of 32 bits
  std::optional<int64_t> spillBytes;  ///< of a thread, stored and loaded
  std::optional<double> occupancy;    ///< warps at once on a multiprocessor, by the most it has
  std::vector<AccessReport> accesses; ///< where the emulator counted them
  std::optional<double> ms;           ///< of one launch: the median over all launches timed
  std::optional<double> leastMs;      ///< the least of them

  /// What launches are sorted by: the measured time, else the predicted one, else 0; in ms.
  double getCostMs() const { return ms ? *ms : predictedMs.value_or(0); }
  /// Where its schedule comes from: `computed`, `written` or `tuned`.
  llvm::StringRef getScheduleSource() const {
    return isScheduled ? "written" : isTuned ? "tuned" : "computed";
  }
  /// Whether both do the same, on values of the same sizes, by code of the same kind: they differ
  /// in where they stand and in how long they took.
  bool isLike(const KernelReport &other) const;
};

/// Kernels that are alike, in the order of their ids; at least one.
struct KernelGroup {
  SmallVector<const KernelReport *, 1> kernels;

  const KernelReport &getFirst() const { return *kernels.front(); }
  /// The sum over those that have the figure; nothing where none has.
  template <typename Fn>
  auto add(Fn getFigure) const {
    decltype(getFigure(getFirst())) sum;
    for (const KernelReport *kernel : kernels)
      if (auto figure = getFigure(*kernel))
        sum = sum.value_or(0) + *figure;
    return sum;
  }
};

/// A producer and a consumer that are in different kernels, and why.
struct RefusedReport {
  std::string producer, consumer;
  std::string location; ///< of the consumer: file:line:column, or a model's node
  std::string reason;   ///< the barrier's name, a colon, a sentence
  std::optional<double> gainNs;
  std::string needs; ///< what would allow it
  std::string kind;  ///< `legality`, `price` or `request`
  /// The ids of their launches; nothing for an op of another dialect.
  std::optional<int64_t> producerKernel, consumerKernel;
  /// The ops in the function that was read.
  Operation *producerOp = nullptr, *consumerOp = nullptr;
};

/// What the runtime counted in one run.
struct RunCounters {
  int64_t launches = 0; ///< of kernels
  int64_t hostCalls = 0;
  int64_t waits = 0; ///< for the device: before each host op, and for what a kernel returns
  int64_t copies = 0;
  int64_t readBackBytes = 0; ///< of results that were computed
};

/// A function that runs calls of some sizes in the place of the one of open sizes.
struct VariantReport {
  std::string name;
  std::string sizes; ///< `batch=8, seq=1..32`
  int64_t kernels = 0;
  /// What all kernels of the variant take by the cost model, and what those of the open function, with its own plan and
  /// tiles, would take, at the sizes that the variant is planned for. Nothing where sizes are unknown.
  std::optional<double> predictedMs, openMs;
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
  std::string target;                  ///< of the score, and of predicted times
  std::optional<RunCounters> counters; ///< filled in by whoever runs the function
  std::optional<double> runMs;         ///< the median time of a whole run, by whoever times it
  SmallVector<int64_t> grid;           ///< of the processes that collectives join; or empty
  std::vector<KernelReport> kernels;
  std::vector<RefusedReport> refused;
  std::vector<VariantReport> variants;  ///< in the order in which calls try them

  /// Kernels that are alike together, in the order of their first ones. Valid as long as the report
  /// is not changed.
  std::vector<KernelGroup> groupKernels() const;
  /// The same, those first that cost most together; ties by id.
  std::vector<KernelGroup> groupByCost() const;
  /// 1 − fused / original; 0 for an empty function; may be negative.
  double getKernelReduction() const;
  /// `Fusion: 10 → 4 kernels (60% reduction), 64.0KB memory saved`
  std::string getSummary() const;
};

struct Report {
  std::vector<FunctionReport> functions;
};

/// Reads a module whose kernels are formed; `fuse.written`, where it is present, says what was
/// written. A `fuse.target` around a function is what it is priced on; without one, times are
/// predicted for the default target and there is no score. `numerics`: of the code that is built.
/// `timed`: the target that times are predicted for, where it is another than the one that prices
/// are of; null where it is not.
Report computeReport(ModuleOp module, Numerics numerics = Numerics::Exact,
                     TargetAttr timed = {});
FunctionReport computeFunctionReport(FunctionOpInterface function,
                                     Numerics numerics = Numerics::Exact,
                                     TargetAttr timed = {});

/// As text: docs/report.md.
void printReport(const Report &report, raw_ostream &os);
/// As docs/report.schema.json describes it.
llvm::json::Value toJson(const Report &report);

} // namespace mlir::fuse

#endif // FUSE_REPORT_REPORT_H
