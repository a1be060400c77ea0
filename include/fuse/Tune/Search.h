//===- Search.h - Looks for a better schedule of one kernel -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TUNE_SEARCH_H
#define FUSE_TUNE_SEARCH_H

#include "fuse/Tune/SearchSpace.h"

namespace mlir::fuse {

/// What measuring says of a candidate.
enum class Judgement {
  Better, ///< than the best so far, whose place it takes
  NotBetter,
  Refused, ///< no code can be built of it
  Differs, ///< its results are not those that the numeric class allows
};

struct SearchResult {
  Candidate best;
  int64_t measured = 0, refused = 0, differing = 0;
  bool isExhausted = false; ///< nothing that is left was worth a try
};

/// Hill climbing from `space`'s start: neighbours of the best in random order until one is better;
/// where none is, places a few decisions away, until `kPatience` of them in a row were no good. No
/// candidate is judged twice. `isOver` is asked before each. Equal seeds and verdicts give equal
/// searches.
SearchResult searchSchedules(const SearchSpace &space, uint64_t seed,
                             llvm::function_ref<Judgement(const Candidate &)> judge,
                             llvm::function_ref<bool()> isOver);

} // namespace mlir::fuse

#endif // FUSE_TUNE_SEARCH_H
