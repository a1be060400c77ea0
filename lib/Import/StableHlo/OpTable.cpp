//===- OpTable.cpp - Which ops of StableHLO are imported, and by what -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "OpTable.h"
#include "fuse/Import/StableHlo.h"

using namespace mlir;
using namespace mlir::fuse::stablehlo;

const OpTable &OpTable::get() {
  static const OpTable table = [] {
    OpTable made;
    addContractionOps(made);
    addControlOps(made);
    addConvolutionOps(made);
    addElementwiseOps(made);
    addIndexOps(made);
    addMovementOps(made);
    addReductionOps(made);
    addSliceOps(made);
    addSortOps(made);
    addWindowOps(made);
    return made;
  }();
  return table;
}

SmallVector<StringRef> mlir::fuse::getStableHloOps() { return OpTable::get().getNames(); }

void OpTable::add(StringRef ops, unsigned operands, std::function<LogicalResult(Node &)> import, bool isElementwise) {
  SmallVector<StringRef> names;
  ops.split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    std::string full = name.contains('.') ? name.str() : "stablehlo." + name.str();
    insert(full, {import, operands, isElementwise});
  }
}
