//===- VectorAccess.cpp - How a member's loops go through memory ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/VectorAccess.h"

using namespace mlir;
using namespace mlir::fuse;

/// Neighboring iterations of `loop` read one element, or neighbors.
static bool isServed(const MemberRead &read, unsigned loop) {
  if (!read.window.empty()) {
    for (const WindowPosition &position : ArrayRef(read.window).drop_back())
      if (llvm::is_contained(position.loops, loop))
        return false;
    const WindowPosition &last = read.window.back();
    return llvm::all_of(llvm::zip_equal(last.loops, last.steps), [&](auto each) {
      return std::get<0>(each) != loop || std::get<1>(each) == 1;
    });
  }
  if (!read.isKnown || read.positions.empty())
    return true;
  auto runsAlong = [&](const LoopDigit &digit) { return digit.loop == loop; };
  if (read.groupedLoop == loop)
    return false;
  // Where steps lie in groups, a group is an element.
  ArrayRef<PositionAccess> positions = read.getGroupPositions();
  if (positions.empty())
    return true;
  for (const PositionAccess &position : positions.drop_back())
    if (llvm::any_of(position.digits, runsAlong))
      return false;
  ArrayRef<LoopDigit> last = positions.back().digits;
  if (last.empty() || llvm::none_of(last, runsAlong))
    return true;
  return runsAlong(last.back()) && last.back().divisor == 1 &&
         llvm::none_of(last.drop_back(), runsAlong);
}

/// Whether an element-wise member reads along one loop what it does not along the one that it
/// writes along: such operands are turned in registers.
static bool hasCrossedLoop(const Member &member) {
  auto isShort = [&](unsigned loop) {
    int64_t extent = member.extents[loop];
    return !ShapedType::isDynamic(extent) && extent < kLeastTurned;
  };
  if (llvm::is_contained(member.iterators, utils::IteratorType::reduction) ||
      member.writes.empty() || member.writes.back() < 0 || isShort(member.writes.back()))
    return false;
  std::optional<unsigned> crossed;
  for (const MemberRead &read : member.reads) {
    if (isServed(read, member.writes.back()))
      continue;
    if (!read.window.empty() || read.positions.back().digits.empty())
      return false;
    const LoopDigit &last = read.positions.back().digits.back();
    if (!last.isLoop() || !isServed(read, last.loop) || isShort(last.loop) ||
        (crossed && *crossed != last.loop))
      return false;
    crossed = last.loop;
  }
  return crossed.has_value();
}

bool mlir::fuse::hasVectorLoop(const Member &member) {
  if (member.reads.empty() || llvm::all_of(member.extents, [](int64_t e) { return e == 1; }))
    return true;
  for (auto [loop, extent, iterator] :
       llvm::zip(llvm::seq<unsigned>(0, member.extents.size()), member.extents, member.iterators)) {
    if (extent == 1)
      continue;
    bool isParallel = iterator == utils::IteratorType::parallel;
    // Folding a few lanes takes as long as folding elements.
    constexpr int64_t kLeastFolded = 8;
    if (!isParallel && !ShapedType::isDynamic(extent) && extent < kLeastFolded)
      continue;
    if (isParallel && member.hasResult &&
        (member.writes.empty() || member.writes.back() != static_cast<int>(loop)))
      continue;
    if (llvm::all_of(member.reads,
                     [loop = loop](const MemberRead &read) { return isServed(read, loop); }))
      return true;
  }
  return hasCrossedLoop(member);
}

/// Whether what is read changes along `loop`; `isEach`: at each of its iterations.
static bool changesAlong(const MemberRead &read, unsigned loop, bool isEach) {
  auto counts = [&](int64_t divisor) { return !isEach || divisor == 1; };
  return llvm::any_of(read.positions,
                      [&](const PositionAccess &position) {
                        return llvm::any_of(position.digits, [&](const LoopDigit &digit) {
                          return digit.loop == loop && counts(digit.divisor);
                        });
                      }) ||
         llvm::any_of(read.window, [&](const WindowPosition &position) {
           return llvm::is_contained(position.loops, loop) && counts(position.divisor);
         });
}

bool mlir::fuse::runsAlong(const MemberRead &read, unsigned loop) {
  return changesAlong(read, loop, /*isEach=*/false);
}

bool mlir::fuse::isContiguousAlong(const MemberRead &read, unsigned loop) {
  return runsAlong(read, loop) && isServed(read, loop);
}

std::optional<unsigned> mlir::fuse::getColumns(const Member &member) {
  if (member.writes.empty() || member.writes.back() < 0)
    return std::nullopt;
  return member.writes.back();
}

bool mlir::fuse::isReuseLoop(const Member &member, unsigned loop) {
  std::optional<unsigned> vectors = getColumns(member);
  return vectors && member.iterators[loop] == utils::IteratorType::parallel && loop != *vectors &&
         llvm::any_of(member.reads, [&](const MemberRead &read) {
           return !changesAlong(read, loop, /*isEach=*/true) && runsAlong(read, *vectors);
         });
}

bool mlir::fuse::reusesLoads(const Member &member) {
  std::optional<unsigned> vectors = getColumns(member);
  // The filters of one group of a grouped convolution share their channels.
  if (!vectors || llvm::all_of(member.reads, [&](const MemberRead &read) {
        return changesAlong(read, *vectors, /*isEach=*/true);
      }))
    return false;
  for (auto [loop, extent] : llvm::enumerate(member.extents))
    if (extent != 1 && isReuseLoop(member, loop))
      return true;
  return false;
}

std::optional<unsigned> mlir::fuse::chooseReuseLoop(ArrayRef<ReuseLoop> loops) {
  // As many hide the latency of additions, with two vectors of columns.
  static constexpr int64_t kEnough = 8;
  auto rank = [](const ReuseLoop &loop) {
    int64_t extent = ShapedType::isDynamic(loop.extent) ? kEnough : std::min<int64_t>(loop.extent, kEnough);
    return std::pair(extent, loop.isContiguous && extent == kEnough);
  };
  const ReuseLoop *best = nullptr;
  for (const ReuseLoop &loop : loops)
    if (!best || rank(loop) > rank(*best))
      best = &loop;
  return best ? std::optional(best->loop) : std::nullopt;
}
