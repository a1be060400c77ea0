//===- WrittenNodes.h - What kernels are made of, as it was written ---------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A node is one of a model, or an op of a function. What planning makes of an op keeps its
// location: of a model that is the node's name, which no other node has; any other op is given a
// number there.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_WRITTENNODES_H
#define FUSE_DRIVER_WRITTENNODES_H

#include "fuse/Import/Onnx.h"
#include "fuse/Report/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <vector>

namespace mlir::fuse {

struct WrittenNode {
  std::string name; ///< a model's node's name; else the op's location, "-" if it has none
  std::string op;   ///< a model's operator; else the op, in short
  bool isFolded = false;
  /// Before planning: whether it is any op at all, and whether somebody needs one of them.
  bool hasOps = false;
  bool isNeeded = false;

  // Filled in by place().
  llvm::SmallSetVector<int64_t, 1> kernels;     ///< ids of the report
  llvm::SmallSetVector<int64_t, 1> viewKernels; ///< those that read a view that it is
  bool isView = false;     ///< a view that stands between kernels
  bool isForeign = false;  ///< some of it runs outside of kernels
  bool isPrepared = false; ///< some of it is computed once, of parameters
};

class WrittenNodes {
public:
  /// The nodes of a function that is not planned yet, in order. Its ops are marked, so that they
  /// are found again. modelNodes: of a model, its nodes; else none.
  WrittenNodes(func::FuncOp function, ArrayRef<ModelNode> modelNodes);

  /// Looks for the nodes in a program whose kernels are formed; `function` is the planned one.
  void place(func::FuncOp function, const FunctionReport &report);

  ArrayRef<WrittenNode> get() const { return nodes; }
  /// The number of the node that an op is part of.
  std::optional<size_t> lookup(Operation *op) const;

private:
  void addOps(func::FuncOp function);
  void markNeeded(func::FuncOp function);

  std::vector<WrittenNode> nodes;
  llvm::StringMap<size_t> byName; // of a model
};

} // namespace mlir::fuse

#endif // FUSE_DRIVER_WRITTENNODES_H
