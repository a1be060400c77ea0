//===- Locate.h - Which kernel computed something else -----------------*- C++ -*- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A wrong output of a program of many kernels says little. Here the results of all kernels become
// outputs, and each is compared with what the interpreter gives for the same value.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_LOCATE_H
#define FUSE_EXECUTION_LOCATE_H

#include "fuse/Execution/Compare.h"
#include "fuse/IR/FuseOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <optional>

namespace mlir::fuse {

/// Which values of a function are its outputs, in the order in which kernels compute them.
struct KeptResults {
  struct Kept {
    Value value;     ///< of a kernel
    unsigned output; ///< which result of the function it is
  };
  SmallVector<Kept> values;
  int64_t nestedKernels = 0; ///< inside control flow, whose values do not leave it
  int64_t silentKernels = 0; ///< that write buffers and have no result that an array can hold
};

/// Gives a function whose kernels are formed the results of its kernels as further results. Kernels
/// in control flow stay as they are, and so does all of a function with several blocks.
KeptResults keepKernelResults(func::FuncOp function);

struct KernelDifference {
  KernelOp kernel;
  unsigned result = 0;
  SmallVector<int64_t> shape; ///< of that result
  Tolerance tolerance;
  Comparison comparison;
  /// Whether the kernel computes something else on the very operands that it was given, too; if
  /// not, small differences of earlier kernels have become large here.
  bool isAlone = false;
};

struct LocatedDifference {
  std::optional<KernelDifference> difference; ///< the first one
  /// Where there is none: what the interpreter gives for the function's results.
  SmallVector<HostArray> results;
};

/// Interprets a function and compares each kernel's results with `ran`, by value, in the order of
/// execution. Memrefs among the arguments are not written. Diagnostics on failure: those of the
/// interpreter, and results of another shape.
FailureOr<LocatedDifference>
locateDifference(func::FuncOp function, ArrayRef<HostArray> args,
                 const llvm::DenseMap<Value, HostArray> &ran,
                 const std::function<Tolerance(ElementType)> &getTolerance);

/// What becomes of errors from kernel to kernel. Errors are parts of the root mean square of what is
/// wanted.
struct KernelErrors {
  /// The first kernel that computes something else on the operands that it was given.
  std::optional<KernelDifference> difference;
  /// Where there is none, of each kernel with float results, in the order of execution: the largest
  /// error on the operands that it was given, and against the interpreter's own values.
  SmallVector<double> alone, grown;
  /// What the interpreter gives for the function's results: with its own values throughout, and
  /// with what the kernels computed in `ran`.
  SmallVector<HostArray> results, resultsOfRan;
};

/// Interprets a function twice, with the interpreter's own values and with those that kernels
/// computed in `ran`, so that each kernel is asked for the operands that it was given. Otherwise as
/// `locateDifference`.
FailureOr<KernelErrors> measureKernelErrors(func::FuncOp function, ArrayRef<HostArray> args,
                                            const llvm::DenseMap<Value, HostArray> &ran,
                                            const std::function<Tolerance(ElementType)> &getTolerance);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_LOCATE_H
