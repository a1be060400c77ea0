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

SmallVector<StringRef> OpTable::getNames() const {
  SmallVector<StringRef> names(importers.keys());
  llvm::sort(names);
  return names;
}

SmallVector<StringRef> mlir::fuse::getStableHloOps() { return OpTable::get().getNames(); }

const OpImporter *OpTable::lookup(StringRef op) const {
  auto it = importers.find(op);
  return it == importers.end() ? nullptr : &it->second;
}

void OpTable::add(StringRef ops, unsigned operands, std::function<LogicalResult(Node &)> import, bool isElementwise) {
  SmallVector<StringRef> names;
  ops.split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    std::string full = name.contains('.') ? name.str() : "stablehlo." + name.str();
    assert(!importers.contains(full) && "one importer for each op");
    importers[full] = {import, operands, isElementwise};
  }
}
