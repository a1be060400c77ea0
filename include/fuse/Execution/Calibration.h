//===- Calibration.h - What this machine gives our kernels -*- C++ -*- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Measures the figures of `#fuse.target` for the CPU this runs on, with kernels that the project
// compiles itself, so that they are what its kernels reach; docs/targets.md says how each is
// measured.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_CALIBRATION_H
#define FUSE_EXECUTION_CALIBRATION_H

#include "fuse/Target/TargetFile.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace mlir::fuse {

/// Bytes per ns that kernels move while they work on so many bytes in all, with one thread ([0])
/// and with all ([1]); 0 where that was not measured.
struct BandwidthPoint {
  int64_t bytes = 0;
  double read[2] = {};  ///< sums of rows
  double move[2] = {};  ///< y = −x, both counted
  double write[2] = {}; ///< rows of one number each
  /// An array that all threads write and then read, stored as usual and past the caches; 0 where
  /// that was not measured.
  double usual = 0, past = 0;
};

/// In bytes; 0 for a cache that there is not.
struct CacheSizes {
  int64_t l1 = 0, l2 = 0, l3 = 0;
};

/// As the operating system tells them: of one CPU, the caches that hold data.
CacheSizes getCacheSizes();

/// Where reading with one thread stops being as fast as at `inside` bytes and is rather as at
/// `outside`: the largest working set of those measured whose bandwidth is above the geometric
/// mean of both. 0 where the two do not differ by 15 %. The curve is sorted by size.
int64_t findCacheEnd(ArrayRef<BandwidthPoint> curve, int64_t inside, int64_t outside);

/// One of the curve: the largest that has at most so many bytes, else the first.
const BandwidthPoint &findPoint(ArrayRef<BandwidthPoint> curve, int64_t bytes);

/// The size from which one way of storing is faster at every size measured, by 3 % at least; 0
/// where there is none. Times are by size, ascending.
int64_t findCrossing(ArrayRef<int64_t> sizes, ArrayRef<double> usual, ArrayRef<double> other);

struct CalibrationOptions {
  int32_t threads = 0;  ///< 0: as many as OpenMP would use
  /// What times are predicted from, in about a second: fewer sizes, less time for each, and not how
  /// large results are stored, which decides code.
  bool isQuick = false;
  /// Called now and then with the part that is done and what is being measured.
  std::function<void(double part, StringRef what)> progress;
};

struct Calibration {
  TargetFile target;
  int32_t threads = 1;
  std::vector<BandwidthPoint> curve; ///< by size
  /// Figures of which two passes disagree by more than 20 %, and caches that behave as if they had
  /// another size.
  std::vector<std::string> warnings;
};

/// Takes less than a minute on an idle machine. `context` has all dialects. Errors: a program that
/// cannot be compiled, memory.
llvm::Expected<Calibration> calibrate(MLIRContext &context, const CalibrationOptions &options);

/// The curve and the rates as aligned text.
void printCalibration(const Calibration &calibration, llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_CALIBRATION_H
