//===- CalibrationPrograms.h - Kernels that are measured ---------------*- C++ -*- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_CALIBRATION_CALIBRATIONPROGRAMS_H
#define FUSE_LIB_EXECUTION_CALIBRATION_CALIBRATIONPROGRAMS_H

#include "fuse/Execution/Session.h"
#include "fuse/IR/FuseAttributes.h"

namespace mlir::fuse {

/// What moves bytes in a curve.
enum class Mover { Read, Move, Write };

constexpr int64_t kChainLength =
    64; ///< multiplications and additions per element of the rate's chain
constexpr int64_t kChainElements = 4096;
constexpr int64_t kTinyLaunches = 64;
constexpr int64_t kProductExtent = 512;

/// One program with a function for each mover, whose number of rows is open, one for each rate, and
/// one for launches.
llvm::Expected<std::shared_ptr<const Program>>
compileCalibration(MLIRContext &context, TargetAttr target, const ObjectCompilerOptions &options);

StringRef getMoverFunction(Mover mover);
/// The rows that a mover has of a working set.
int64_t countRows(Mover mover, int64_t bytes);

/// How long and how often to measure.
struct Patience {
  int64_t leastNs = 15000000;
  int64_t leastRuns = 4;
};

/// A function of the program on inputs of ones.
class MeasuredProgram {
public:
  /// `rows`: the extent of what is open. `ones` holds as many f32 as any input has; inputs share
  /// it.
  static llvm::Expected<MeasuredProgram> create(std::shared_ptr<const Program> program,
                                                StringRef function, int32_t threads, int64_t rows,
                                                const HostArray &ones);
  /// The least time of its one launch, in ns.
  llvm::Expected<double> measureLaunch(Patience patience);
  /// The least time of a run by its launches, in ns.
  llvm::Expected<double> measurePerLaunch(Patience patience);

private:
  std::unique_ptr<Session> session;
};

/// How long all threads need to get blocks and to be done with them, in ns: an empty kernel, its
/// least time with all threads less that with one.
llvm::Expected<double> measureFork(int32_t threads, Patience patience);

/// A result that is written and then read, with all threads; both ways in turn.
struct StoreTimes {
  std::vector<double> usual, nonTemporal; ///< ns, by size
};
/// Nothing on a CPU without non-temporal stores. `sizes` in bytes.
llvm::Expected<std::optional<StoreTimes>> measureStores(ArrayRef<int64_t> sizes, int32_t threads,
                                                        Patience patience);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_CALIBRATION_CALIBRATIONPROGRAMS_H
