//===- WindowMembers.cpp - Members that are computed for windows ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WindowMembers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isMadeForWindows(const MemberTable &table, const GroupDomain &domain, unsigned node) {
  const Member &member = table[node];
  if (member.pattern != OpPattern::Elementwise || member.escapes || member.readers.size() != 1 ||
      !domain.contains(member.readers.front()))
    return false;
  for (const MemberRead &read : table[member.readers.front()].reads)
    if (read.producer == node && read.window.empty())
      return false;
  // Each op once: values that several ops read would multiply the paths.
  llvm::SmallSetVector<unsigned, 8> made;
  made.insert(node);
  for (size_t i = 0; i < made.size(); ++i)
    for (const MemberRead &read : table[made[i]].reads) {
      if (!domain.contains(read.producer) || table[read.producer].isLoad)
        continue;
      if (table[read.producer].pattern != OpPattern::Elementwise)
        return false;
      made.insert(read.producer);
    }
  return true;
}

SmallVector<std::optional<WindowCopy>> mlir::fuse::findCopiesMadeOf(const MemberTable &table, const GroupDomain &domain) {
  SmallVector<std::optional<WindowCopy>> copies(domain.nodes.size());
  for (size_t m = domain.nodes.size(); m-- > 0;) {
    unsigned node = domain.nodes[m];
    const Member &member = table[node];
    if (member.pattern != OpPattern::Elementwise || member.escapes || member.readers.size() != 1)
      continue;
    const auto *reader = llvm::lower_bound(domain.nodes, member.readers.front());
    if (reader == domain.nodes.end() || *reader != member.readers.front())
      continue;
    size_t r = reader - domain.nodes.begin();
    if (isMadeForWindows(table, domain, node)) {
      for (const MemberRead &read : table[*reader].reads)
        if (read.producer == node)
          copies[m] = getWindowCopy(table, domain, r, read);
    } else if (table[*reader].pattern == OpPattern::Elementwise) {
      copies[m] = copies[r];
    }
  }
  return copies;
}
