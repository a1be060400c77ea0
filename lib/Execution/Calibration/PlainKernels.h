//===- PlainKernels.h - Kernels that no program compiles to ------------*- C++ -*- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_CALIBRATION_PLAINKERNELS_H
#define FUSE_LIB_EXECUTION_CALIBRATION_PLAINKERNELS_H

#include "CalibrationPrograms.h"

#include <optional>

namespace mlir::fuse {

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

#endif // FUSE_LIB_EXECUTION_CALIBRATION_PLAINKERNELS_H
