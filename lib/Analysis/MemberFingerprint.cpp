//===- MemberFingerprint.cpp - A digest of what planning knows of an op ------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemberFingerprint.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::fuse;

/// Lists are preceded by their lengths, so that no two members write the same words.
std::array<uint64_t, 2> mlir::fuse::computeFingerprint(const Member &member, ArrayRef<Member> members,
                                                       SmallVectorImpl<int64_t> &words) {
  words.assign({member.isFusable, static_cast<int64_t>(member.pattern),
                static_cast<int64_t>(member.role), member.hasResult, member.resultBytes,
                member.resultElementBytes, member.elementBytes, member.flopsPerPoint, member.isLoad,
                member.isStore, member.isLocal,
                member.unknownDim.value_or(-1), member.isVector,
                static_cast<int64_t>(member.tensors.element)});
  for (const auto *loops : {&member.tensors.rows, &member.tensors.columns}) {
    words.push_back(loops->size());
    words.append(loops->begin(), loops->end());
  }
  words.push_back(member.copies.size());
  for (unsigned copy : member.copies)
    words.append({static_cast<int64_t>(members[copy].fingerprint[0]),
                  static_cast<int64_t>(members[copy].fingerprint[1])});
  words.push_back(member.scatter.has_value());
  if (member.scatter) {
    words.append({static_cast<int64_t>(member.scatter->extents.size()), member.scatter->dimension,
                  member.scatter->updates});
    words.append(member.scatter->extents.begin(), member.scatter->extents.end());
  }
  words.push_back(member.extents.size());
  for (auto [extent, likely, iterator] : llvm::zip_equal(member.extents, member.likely, member.iterators))
    words.append({extent, likely, static_cast<int64_t>(iterator)});
  words.push_back(member.cuts.size());
  for (auto [loop, cut] : member.cuts)
    words.append({static_cast<int64_t>(loop), cut});
  words.push_back(member.writes.size());
  words.append(member.writes.begin(), member.writes.end());
  words.push_back(member.reads.size());
  for (const MemberRead &read : member.reads) {
    words.append({read.bytes, read.elementBytes, read.isPlain, read.isKnown, read.isCopied, read.isReordered});
    words.push_back(read.positions.size());
    for (const PositionAccess &position : read.positions) {
      for (const auto *digits : {&position.digits, &position.hidden}) {
        words.push_back(digits->size());
        for (const LoopDigit &digit : *digits)
          words.append({digit.loop, digit.divisor, digit.extent});
      }
      words.push_back(position.isStrided);
    }
    words.push_back(read.window.size());
    for (const WindowPosition &position : read.window) {
      words.append({position.extent, position.likely, position.divisor, static_cast<int64_t>(position.loops.size())});
      words.append(position.loops.begin(), position.loops.end());
      words.append(position.steps.begin(), position.steps.end());
    }
  }
  llvm::XXH128_hash_t digest = llvm::xxh3_128bits(
      {reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(int64_t)});
  return {digest.low64, digest.high64};
}
