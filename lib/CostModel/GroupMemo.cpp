//===- GroupMemo.cpp - What was found out about groups that look alike -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/GroupMemo.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::fuse;

/// Merges come in the order of their gains, so groups that look alike come one after another; what is
/// older is not worth its memory.
static constexpr unsigned kMostVerdicts = 1 << 15;

GroupMemo::Key GroupMemo::getKey(const MemberTable &table, ArrayRef<unsigned> nodes,
                                 ArrayRef<unsigned> repeated) {
  SmallVector<uint64_t, 512> words;
  llvm::SmallDenseMap<unsigned, unsigned, 32> outside; // values, in the order of their readings
  // A member's number within the group, or nodes.size().
  auto find = [&](unsigned node) -> size_t {
    const auto *it = llvm::lower_bound(nodes, node);
    return it != nodes.end() && *it == node ? it - nodes.begin() : nodes.size();
  };
  for (unsigned node : nodes) {
    const Member &member = table[node];
    bool leaves = member.escapes || member.readers.empty() ||
                  llvm::any_of(member.readers, [&](unsigned reader) {
                    return !table.isCopy(reader) && find(reader) == nodes.size();
                  });
    leaves &= !std::binary_search(repeated.begin(), repeated.end(), node);
    // What leaves the program, or comes from outside of it, is elsewhere than values between
    // launches.
    words.append({member.fingerprint[0], member.fingerprint[1], leaves, member.escapes});
    for (const MemberRead &read : member.reads) {
      size_t producer = read.producer == FusionGraph::kNone ? nodes.size() : find(read.producer);
      if (producer == nodes.size())
        producer += outside.try_emplace(read.value, outside.size()).first->second;
      words.append({producer, read.producer == FusionGraph::kNone});
    }
  }
  words.push_back(nodes.size());
  llvm::XXH128_hash_t digest = llvm::xxh3_128bits(
      {reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint64_t)});
  return {digest.low64, digest.high64};
}

const GroupVerdict *GroupMemo::lookup(Key key) const {
  auto it = verdicts.find(key);
  return it == verdicts.end() ? nullptr : &it->second;
}

void GroupMemo::insert(Key key, const GroupVerdict &verdict) {
  if (verdicts.size() >= kMostVerdicts)
    verdicts.clear();
  verdicts.try_emplace(key, verdict);
}
