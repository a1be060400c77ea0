//===- ApplyPrecision.h - Programs whose products are computed in shorter types -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_APPLYPRECISION_H
#define FUSE_DRIVER_APPLYPRECISION_H

#include "fuse/Driver/PlanningOptions.h"
#include "fuse/Execution/Signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// How far a result is from that of the program as it is written, over all inputs that it was calibrated with.
struct PrecisionError {
  std::string output;
  int64_t elements = 0; ///< that are finite on both sides
  double largest = 0; ///< |got − want|; infinity where one of them is not finite and the other is another number
  /// Roots of mean squares: of got − want, and of want, both over these elements.
  double error = 0, rms = 0;
};

/// What --calibrate is for, where --precision asks for another type than the program is written in: `function` is run as it is
/// written on each archive; for int8 its products with weights read bytes from then on, of the ranges that were seen (see
/// quantizeActivations); then the changed program is run on the same inputs. fixed: the function's parameters, by name, which
/// archives may not have. Nothing is done without archives. Calls in `function` are inlined. Diagnostics on failure: an archive
/// that cannot be read, or has no array for an input; ranges that are not finite; errors of compiling and running.
FailureOr<std::vector<PrecisionError>> applyPrecision(func::FuncOp function, ArrayRef<NamedArray> fixed,
                                                      const PlanningOptions &options);

/// `output 'logits' in bf16: off by 0.0031 at most and by 0.0007 in the root mean square, of 1.21`.
std::string describeError(const PrecisionError &error, Precision precision);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_APPLYPRECISION_H
