//===- Search.cpp - Looks for a better schedule of one kernel ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Tune/Search.h"

#include <set>

using namespace mlir;
using namespace mlir::fuse;

/// So many random places in a row without a find end the search.
static constexpr int64_t kPatience = 64;
/// And so many that have been seen already: the space is small.
static constexpr int64_t kMostRepeats = 256;

namespace {
class Climber {
public:
  Climber(const SearchSpace &space, uint64_t seed,
          llvm::function_ref<Judgement(const Candidate &)> judge, llvm::function_ref<bool()> isOver)
      : space(space), judge(judge), isOver(isOver), random(seed) {
    result.best = space.getStart();
    seen.insert(result.best);
  }

  SearchResult run() {
    while (climb() && jump()) {
    }
    return std::move(result);
  }

private:
  /// Whether the candidate is better; nothing where the search is over.
  std::optional<bool> tryOne(const Candidate &candidate) {
    if (isOver())
      return std::nullopt;
    seen.insert(candidate);
    Judgement verdict = judge(candidate);
    ++result.measured;
    result.refused += verdict == Judgement::Refused;
    result.differing += verdict == Judgement::Differs;
    if (verdict == Judgement::Better)
      result.best = candidate;
    return verdict == Judgement::Better;
  }

  /// Moves to better neighbours until there is none. False where the search is over.
  bool climb() {
    for (bool moves = true; moves;) {
      moves = false;
      std::vector<Candidate> neighbours = space.getNeighbours(result.best);
      // std::shuffle is another one in each library.
      for (size_t i = neighbours.size(); i > 1; --i)
        std::swap(neighbours[i - 1], neighbours[random() % i]);
      for (const Candidate &candidate : neighbours) {
        if (seen.count(candidate))
          continue;
        std::optional<bool> isBetter = tryOne(candidate);
        if (!isBetter)
          return false;
        moves = *isBetter;
        if (moves)
          break;
      }
    }
    return true;
  }

  /// Moves to a better place further away. False where none was found.
  bool jump() {
    int64_t repeats = 0;
    for (int64_t tries = 0; tries < kPatience && repeats < kMostRepeats;) {
      Candidate candidate = space.mutate(result.best, random);
      if (seen.count(candidate)) {
        ++repeats;
        continue;
      }
      ++tries;
      std::optional<bool> isBetter = tryOne(candidate);
      if (!isBetter)
        return false;
      if (*isBetter)
        return true;
    }
    result.isExhausted = true;
    return false;
  }

  const SearchSpace &space;
  llvm::function_ref<Judgement(const Candidate &)> judge;
  llvm::function_ref<bool()> isOver;
  std::mt19937_64 random;
  std::set<Candidate> seen;
  SearchResult result;
};
} // namespace

SearchResult mlir::fuse::searchSchedules(const SearchSpace &space, uint64_t seed,
                                         llvm::function_ref<Judgement(const Candidate &)> judge,
                                         llvm::function_ref<bool()> isOver) {
  return Climber(space, seed, judge, isOver).run();
}
