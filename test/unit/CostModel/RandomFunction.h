//===- RandomFunction.h - Small functions made up from bytes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A function is read off a string of bytes, each of which is a choice: which op next, on which
// value. RapidCheck makes and shrinks the bytes; every string is a valid function.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_COSTMODEL_RANDOMFUNCTION_H
#define FUSE_TEST_UNIT_COSTMODEL_RANDOMFUNCTION_H

#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse::test {

/// Choices, one byte each; 0 once they are used up.
class Choices {
public:
  explicit Choices(std::vector<uint8_t> bytes) : bytes(std::move(bytes)) {}
  bool empty() const { return at >= bytes.size(); }
  /// A number below `bound`.
  size_t operator()(size_t bound) { return empty() ? 0 : bytes[at++] % bound; }

private:
  std::vector<uint8_t> bytes;
  size_t at = 0;
};

/// A module with one function @f. Its ops: element-wise, reductions, views, composites, copies,
/// concatenations, host calls, loads and stores; on f16 and f32, rank 0 to 4, some dimensions
/// dynamic; arguments, constants, views and values that are returned twice among its results.
OwningOpRef<ModuleOp> makeRandomModule(MLIRContext &context, Choices &choose);

func::FuncOp getFunction(ModuleOp module);

/// Puts `op`, a device op, into a kernel of its own, and copies of some of the views and constants
/// that it reads.
KernelOp wrapInKernel(Operation *op, Choices &choose);

/// Moves the ops of the function's block into another order in which values are defined before they
/// are used and memory is touched in the same order.
void reorder(func::FuncOp function, Choices &choose);

} // namespace mlir::fuse::test

#endif // FUSE_TEST_UNIT_COSTMODEL_RANDOMFUNCTION_H
