//===- Interpreter.h - The reference evaluator -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Runs functions and kernels on host arrays, op by op, as the ops' descriptions say: the oracle
// that compiled programs are compared with. It favours exactness over speed: element-wise ops go
// through the table of scalar functions, contractions accumulate in double (f64: long double) and
// round once to the accumulator's type, and composites are evaluated as their decomposition, each
// primitive rounding to its element type.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_INTERPRETER_INTERPRETER_H
#define FUSE_INTERPRETER_INTERPRETER_H

#include "fuse/Support/HostArray.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::fuse {
class KernelOp;

/// A function that `fuse.host_call` can name: reads `ins` and fills `outs`, which come as zeros of
/// the result types.
using HostFunction =
    std::function<llvm::Error(ArrayRef<HostArray> ins, MutableArrayRef<HostArray> outs)>;

/// What a collective gives this rank of several: fills `out`, which comes as zeros. `integers` are
/// those of HostOpInterface: the op's own, then the group.
using CollectiveFunction = std::function<llvm::Error(StringRef callee, ArrayRef<int64_t> integers,
                                                     const HostArray &in, HostArray &out)>;

struct InterpreterOptions {
  /// What `fuse.host_call` and `fuse.launch_host` find by name, beside the host ops of the dialect.
  llvm::StringMap<HostFunction> hostFunctions;
  /// Joins this rank with others. Without it, only collectives in groups of one rank are run.
  CollectiveFunction onCollective;
  /// Called with what each kernel has computed, which it may replace. On failure the run ends
  /// there, and fails.
  std::function<LogicalResult(KernelOp kernel, MutableArrayRef<HostArray> results)> onKernel;
  /// How deep calls may nest before they count as endless.
  unsigned maxCallDepth = 200;
};

/// Runs `function` and returns its results. There is one array per argument: a tensor's elements,
/// a buffer's (a memref: stores write into the array, in row-major order, whatever its layout), or
/// a scalar as an array of rank 0 (`index` as i64). Dynamic dimensions take the arrays' sizes.
///
/// Errors are diagnostics: at the function for a wrong number, shape or element type of the
/// arguments; else at the op, for sizes that differ where a dynamic dimension must equal its
/// partner (it never broadcasts), an index out of range, an unknown host function, an op that the
/// interpreter does not know. Buffers may have been written when an error is found.
///
/// Results may share memory with arguments. The IR is not changed.
FailureOr<SmallVector<HostArray>> interpret(func::FuncOp function, MutableArrayRef<HostArray> args,
                                            const InterpreterOptions &options = {});

/// Runs one kernel alone on an array per input, in order. A missing array (too few, or no array)
/// is an error that names the input and the first op that reads it; a wrong shape one that names
/// both shapes.
FailureOr<SmallVector<HostArray>> evaluateKernel(KernelOp kernel, ArrayRef<HostArray> inputs,
                                                 const InterpreterOptions &options = {});

/// The same with inputs by name; see getKernelInputName. A name that is no input is an error.
FailureOr<SmallVector<HostArray>> evaluateKernel(KernelOp kernel,
                                                 const llvm::StringMap<HostArray> &inputs,
                                                 const InterpreterOptions &options = {});

/// How a kernel's input is called: the `fuse.name` of the function argument that it is, else
/// `argN` for the function's argument N, else `inputN` for the kernel's input N.
std::string getKernelInputName(KernelOp kernel, unsigned index);

} // namespace mlir::fuse

#endif // FUSE_INTERPRETER_INTERPRETER_H
