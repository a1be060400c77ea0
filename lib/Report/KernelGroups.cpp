//===- KernelGroups.cpp - Kernels that are alike ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Report.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::fuse;

bool KernelReport::isLike(const KernelReport &other) const {
  auto getFigures = [](const KernelReport &k) {
    return std::tuple(k.inputs, k.outputs, k.trafficBytes, k.memorySavedBytes, k.buffersEliminated,
                      k.valuesElided, k.blocks, k.scratchBytes, k.threads, k.sharedBytes,
                      k.registers, k.spillBytes);
  };
  return label == other.label && ops == other.ops && flops == other.flops &&
         getScheduleSource() == other.getScheduleSource() && occupancy == other.occupancy &&
         getFigures(*this) == getFigures(other);
}

std::vector<KernelGroup> FunctionReport::groupKernels() const {
  std::vector<KernelGroup> groups;
  llvm::StringMap<SmallVector<size_t, 2>> byOps;
  for (const KernelReport &kernel : kernels) {
    std::string key = kernel.label;
    for (const std::string &op : kernel.ops)
      key += '\n' + op;
    SmallVector<size_t, 2> &alike = byOps[key];
    auto known =
        llvm::find_if(alike, [&](size_t group) { return groups[group].getFirst().isLike(kernel); });
    if (known == alike.end()) {
      alike.push_back(groups.size());
      groups.emplace_back();
      known = std::prev(alike.end());
    }
    groups[*known].kernels.push_back(&kernel);
  }
  return groups;
}

std::vector<KernelGroup> FunctionReport::groupByCost() const {
  std::vector<KernelGroup> groups = groupKernels();
  auto getCost = [](const KernelGroup &group) {
    double cost = 0;
    for (const KernelReport *kernel : group.kernels)
      cost += kernel->getCostMs();
    return cost;
  };
  llvm::sort(groups, [&](const KernelGroup &a, const KernelGroup &b) {
    return std::pair(-getCost(a), a.getFirst().id) < std::pair(-getCost(b), b.getFirst().id);
  });
  return groups;
}
