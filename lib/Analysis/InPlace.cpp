//===- InPlace.cpp - Whether a kernel may store to a buffer while it reads -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupLegality.h"

using namespace mlir;
using namespace mlir::fuse;

Legality mlir::fuse::checkInPlace(const MemberTable &table, ArrayRef<unsigned> nodes) {
  if (llvm::none_of(nodes, [&](unsigned node) { return table[node].isStore; }))
    return Legality::legal();
  bool hasStore = false, hasLoad = false, isLoadedOnce = true, isElementwise = true;
  for (unsigned node : nodes) {
    const Member &member = table[node];
    isElementwise &= (member.pattern == OpPattern::Elementwise || member.isLoad ||
                      member.isStore) && member.readsInPlace();
    if (member.isLoad) {
      hasLoad = true;
      // What a reader outside of the kernel takes leaves the kernel whole.
      isLoadedOnce &= !member.escapes && member.readers.size() == 1 &&
                      llvm::is_contained(nodes, member.readers.front());
    }
    if (member.isStore && hasStore)
      return {Barrier::AliasingStore,
              "the buffers of two stores may overlap, and one kernel would write them in turns",
              "one store in each kernel"};
    hasStore |= member.isStore;
  }
  bool isLast = table[nodes.back()].isStore;
  if (hasStore && hasLoad && !(isElementwise && isLast && isLoadedOnce))
    return {Barrier::AliasingStore, "the store may write elements that the kernel reads later",
            "a load that one op reads, element by element up to the store"};
  return Legality::legal();
}
