//===- Evaluator.h - Evaluates ops in an environment of arrays -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_INTERPRETER_EVALUATOR_H
#define FUSE_LIB_INTERPRETER_EVALUATOR_H

#include "fuse/IR/FuseOps.h"
#include "fuse/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse::interpreter {

using Arrays = SmallVector<HostArray>;
using Environment = llvm::DenseMap<Value, HostArray>;

/// Runs blocks. Arrays are immutable, but for those that stand for buffers.
class Evaluator {
public:
  Evaluator(const InterpreterOptions &options) : options(options) {}

  FailureOr<Arrays> callFunction(func::FuncOp function, ArrayRef<HostArray> args);

  /// Binds the block's arguments, runs its ops, and returns the terminator's operands.
  FailureOr<Arrays> runBlock(Block &block, ArrayRef<HostArray> args, Environment &environment);

  /// Evaluates an op without regions on the arrays of its operands.
  FailureOr<Arrays> evaluate(Operation *op, ArrayRef<HostArray> operands);

  /// Evaluates any op on the arrays that the environment has for its operands.
  FailureOr<Arrays> evaluateOp(Operation *op, Environment &environment);

private:
  const InterpreterOptions &options;
  SymbolTableCollection symbols;
  unsigned depth = 0;
};

/// Whether `array` can stand for a value of `type`: the element type, the rank, the static extents.
bool fits(const HostArray &array, Type type);

/// A type as errors print it: "4x?xf32".
std::string describe(Type type);

/// A new array of `shape` and the element type of `op`'s first result; an error at `op` where
/// memory ends.
FailureOr<HostArray> createResult(Operation *op, ArrayRef<int64_t> shape);

/// The shape that the operands broadcast to: static extents of 1 and missing leading dimensions
/// repeat; any other extents must be equal, else an error at `op` that shows both. `types` are the
/// operands' declared types: an extent of 1 in a dynamic dimension does not broadcast.
FailureOr<SmallVector<int64_t>> getBroadcastShape(Operation *op, ArrayRef<HostArray> operands,
                                                  ArrayRef<RankedTensorType> types);

/// An error at `op` unless the extents agree.
LogicalResult expectEqualExtents(Operation *op, StringRef what, int64_t one, int64_t other);

// One function per kind of op; each gives the first result.
FailureOr<HostArray> evaluateElementwise(Operation *op, ArrayRef<HostArray> operands);
FailureOr<HostArray> evaluateReduction(Operation *op, ArrayRef<HostArray> operands);
FailureOr<HostArray> evaluateMovement(Operation *op, ArrayRef<HostArray> operands);
FailureOr<HostArray> evaluateMatmul(MatmulOp op, ArrayRef<HostArray> operands);
FailureOr<HostArray> evaluateWindow(Operation *op, ArrayRef<HostArray> operands);
FailureOr<HostArray> evaluateComposite(Evaluator &evaluator, DecomposableOpInterface op,
                                       ArrayRef<HostArray> operands);
/// Host ops, host_call and launch_host: `outs` are filled.
LogicalResult callHost(const InterpreterOptions &options, Operation *op, StringRef callee,
                       ArrayRef<int64_t> integers, ArrayRef<HostArray> ins,
                       MutableArrayRef<HostArray> outs);

} // namespace mlir::fuse::interpreter

#endif // FUSE_LIB_INTERPRETER_EVALUATOR_H
