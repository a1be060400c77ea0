//===- PartialSums.cpp - How long sums of products are made -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/PartialSums.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fuse;

/// So many terms have one sum at most. An error of a sum of n terms in a row grows as √(n / 2), and
/// with sums of b of them as √(b / 2 + n / 2b): that of 480 products is 1.9 times less in 96s, of 1440
/// three times. The additions between them take a hundredth of the time.
static constexpr int64_t kMostAdded = 192;

/// How many of `extent` iterations, at most `most`, have a sum of their own: the largest number that
/// divides `extent`, unless that is much less. Groups of steps (see DotPlan.h) and parts of columns that are not packed
/// (see VectorPlan.cpp) are no longer than eight.
static int64_t getPartialSteps(int64_t extent, int64_t most) {
  most = std::max<int64_t>(1, most);
  int64_t multiple = most < 16 ? 1 : 8;
  most -= most % multiple;
  if (!ShapedType::isDynamic(extent))
    for (int64_t steps = most; steps > most / 2; steps -= multiple)
      if (extent % steps == 0)
        return steps;
  return most;
}

std::optional<PartialSums> mlir::fuse::getPartialSums(ArrayRef<int64_t> extents) {
  int64_t terms = 1;
  for (unsigned loop = extents.size(); loop-- > 0;) {
    int64_t most = kMostAdded / terms;
    if (ShapedType::isDynamic(extents[loop]) || extents[loop] > most)
      return PartialSums{loop, getPartialSteps(extents[loop], most)};
    terms *= extents[loop];
  }
  return std::nullopt;
}

bool mlir::fuse::haveSamePartialSums(ArrayRef<int64_t> extents, ArrayRef<int64_t> others) {
  // Of the outermost loop that is longer than one iteration, else sums begin anew with each of those around it.
  auto getTerms = [](ArrayRef<int64_t> extents) -> std::optional<int64_t> {
    std::optional<PartialSums> sums = getPartialSums(extents);
    if (!sums)
      return 0;
    int64_t terms = sums->steps;
    for (auto [loop, extent] : llvm::enumerate(extents)) {
      if (ShapedType::isDynamic(extent) || (loop < sums->loop && extent != 1))
        return std::nullopt;
      terms *= loop > sums->loop ? extent : 1;
    }
    return terms;
  };
  std::optional<int64_t> terms = getTerms(extents);
  return terms && terms == getTerms(others);
}
