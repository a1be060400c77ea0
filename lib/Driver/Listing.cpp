//===- Listing.cpp - Which node went to which kernel ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Listing.h"
#include "fuse/Support/Plural.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

static std::string listKernels(ArrayRef<int64_t> ids, const FunctionReport &report) {
  std::string text = ids.size() > 1 ? "kernels " : "kernel ";
  for (auto [i, id] : llvm::enumerate(ids))
    text += (i ? ", " : "") + std::to_string(id) + " (" +
            report.kernels[static_cast<size_t>(id)].label + ")";
  return text;
}

static std::string describeOutcome(const WrittenNode &node, const FunctionReport &report) {
  if (node.isFolded)
    return "folded while importing";
  if (!node.hasOps)
    return "needs no op";
  if (!node.isNeeded)
    return "dead: nothing needs it";
  SmallVector<std::string> parts;
  if (!node.kernels.empty())
    parts.push_back(listKernels(node.kernels.getArrayRef(), report));
  if (node.isForeign)
    parts.push_back("outside of kernels");
  if (node.isPrepared)
    parts.push_back("prepared once, of parameters");
  if (!parts.empty())
    return llvm::join(parts, ", ");
  if (!node.viewKernels.empty())
    return "view, read by " + listKernels(node.viewKernels.getArrayRef(), report);
  return node.isView ? "view" : "joined into other nodes";
}

void mlir::fuse::printListing(const WrittenNodes &nodes, const FunctionReport &report,
                              raw_ostream &os) {
  os << "@" << report.name << ": " << pluralize(nodes.get().size(), "node") << ", "
     << pluralize(report.fusedKernels, "kernel") << "\n";
  size_t nameWidth = 0, opWidth = 0;
  for (const WrittenNode &node : nodes.get()) {
    nameWidth = std::max(nameWidth, node.name.size());
    opWidth = std::max(opWidth, node.op.size());
  }
  // One long name does not push everything aside.
  nameWidth = std::min<size_t>(nameWidth, 60);
  opWidth = std::min<size_t>(opWidth, 40);
  for (const WrittenNode &node : nodes.get())
    os << "  " << llvm::left_justify(node.name, nameWidth) << "  "
       << llvm::left_justify(node.op, opWidth) << "  " << describeOutcome(node, report) << "\n";
}
