//===- OpTable.cpp - Which ops of PyTorch are imported, and by what -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "OpTable.h"
#include "fuse/Import/Torch.h"

using namespace mlir;
using namespace mlir::fuse::torch;

const OpTable &OpTable::get() {
  static const OpTable table = [] {
    OpTable made;
    addAttentionOps(made);
    addActivationOps(made);
    addArithmeticOps(made);
    addBackwardOps(made);
    addConvolutionOps(made);
    addContractionOps(made);
    addCreationOps(made);
    addIndexOps(made);
    addLossOps(made);
    addMovementOps(made);
    addNormalizationOps(made);
    addPadOps(made);
    addPoolingOps(made);
    addRecurrenceOps(made);
    addReductionOps(made);
    addResizeOps(made);
    addScanOps(made);
    addSpecialOps(made);
    addSymbolOps(made);
    addStridedOps(made);
    addUnaryOps(made);
    addViewOps(made);
    return made;
  }();
  return table;
}

SmallVector<StringRef> mlir::fuse::getTorchOps() {
  SmallVector<StringRef> names = OpTable::get().getNames();
  llvm::erase_if(names, [](StringRef name) { return !name.starts_with("aten.") && !name.starts_with("prims."); });
  return names;
}

void OpTable::add(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import,
                  OpImporter::Sharing sharing) {
  SmallVector<StringRef> names, required;
  ops.split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  tensors.split(required, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    static constexpr StringRef kNamespaces[] = {"_operator.", "torch.", "math.", "prims."};
    bool isWhole = llvm::any_of(kNamespaces, [&](StringRef space) { return name.starts_with(space); });
    std::string full = isWhole ? name.str() : "aten." + name.str();
    insert(full, {import, SmallVector<StringRef, 3>(required), sharing});
  }
}

void OpTable::add(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import) {
  add(ops, tensors, std::move(import), OpImporter::Own);
}

void OpTable::addView(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import) {
  add(ops, tensors, std::move(import), OpImporter::View);
}

void OpTable::addAlias(StringRef ops, StringRef tensors, std::function<LogicalResult(Node &)> import) {
  add(ops, tensors, std::move(import), OpImporter::Alias);
}
