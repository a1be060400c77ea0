//===- OpTable.h - Which ops of StableHLO are imported, and by what -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A new op is one function and one line in a file of Ops/.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_OPTABLE_H
#define FUSE_IMPORT_STABLEHLO_OPTABLE_H

#include "../Common/NamedImporters.h"
#include "Node.h"

namespace mlir::fuse::stablehlo {

struct OpImporter {
  /// Builds ops for the node and sets its results.
  std::function<LogicalResult(Node &)> import;
  /// Operands that there must be at least.
  unsigned operands = 0;
  /// Whether it is right for tensors in the place of numbers: bodies of reductions are built of such.
  bool isElementwise = false;
};

/// By names as "stablehlo.add".
class OpTable : public importer::NamedImporters<OpImporter> {
public:
  static const OpTable &get();

  /// `ops`: separated by spaces, without the namespace "stablehlo.".
  void add(StringRef ops, unsigned operands, std::function<LogicalResult(Node &)> import, bool isElementwise = false);
};

void addContractionOps(OpTable &table);
void addControlOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addIndexOps(OpTable &table);
void addMovementOps(OpTable &table);
void addReductionOps(OpTable &table);
void addSliceOps(OpTable &table);
void addSortOps(OpTable &table);
void addWindowOps(OpTable &table);

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_OPTABLE_H
