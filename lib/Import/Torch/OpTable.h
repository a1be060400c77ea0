//===- OpTable.h - Which ops of PyTorch are imported, and by what -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A new op is one function and one line in a file of Ops/.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_OPTABLE_H
#define FUSE_IMPORT_TORCH_OPTABLE_H

#include "../Common/NamedImporters.h"
#include "Node.h"

#include <functional>

namespace mlir::fuse::torch {

struct OpImporter {
  /// Builds ops for the node and sets its results.
  std::function<LogicalResult(Node &)> import;
  /// The arguments that must be tensors; "input|self" is either.
  SmallVector<StringRef, 3> tensors;
  /// Whether results share memory with the first tensor in eager mode: they never do, may do in part, or are that
  /// tensor.
  enum Sharing { Own, View, Alias } sharing = Own;
};

/// By names as "aten.add.Tensor".
class OpTable : public importer::NamedImporters<OpImporter> {
public:
  static const OpTable &get();

  /// `ops`: names with overloads, without the namespace "aten.", separated by spaces. `tensors`: arguments that must be
  /// tensors, separated by spaces.
  void add(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import);
  /// The same of ops whose results may share memory with their first tensor, and of those whose result is that tensor.
  void addView(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import);
  void addAlias(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import);

private:
  void add(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import, OpImporter::Sharing sharing);
};

void addAttentionOps(OpTable &table);
void addActivationOps(OpTable &table);
void addArithmeticOps(OpTable &table);
void addBackwardOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addContractionOps(OpTable &table);
void addCreationOps(OpTable &table);
void addIndexOps(OpTable &table);
void addLossOps(OpTable &table);
void addMovementOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addPadOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addRecurrenceOps(OpTable &table);
void addReductionOps(OpTable &table);
void addResizeOps(OpTable &table);
void addScanOps(OpTable &table);
void addSpecialOps(OpTable &table);
void addSymbolOps(OpTable &table);
void addStridedOps(OpTable &table);
void addUnaryOps(OpTable &table);
void addViewOps(OpTable &table);

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_OPTABLE_H
