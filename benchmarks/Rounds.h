//===- Rounds.h - Contenders timed in turn -------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_BENCHMARKS_ROUNDS_H
#define FUSE_BENCHMARKS_ROUNDS_H

#include <functional>
#include <string>
#include <vector>

namespace mlir::fuse::bench {

struct Contender {
  std::string name;
  std::function<void()> run;
  double ms = 1e30;        ///< the least so far
  std::vector<double> all = {}; ///< in ms, of each round

  double getMedian() const;
  /// Multiplies all times.
  void scale(double factor);
};

/// Each round times every contender once, so that what disturbs the machine disturbs all of them.
void timeRounds(std::vector<Contender> &contenders, int rounds);

/// The median over the rounds of the ratio of two contenders' times in one round.
double getMedianRatio(const Contender &contender, const Contender &reference);

} // namespace mlir::fuse::bench

#endif // FUSE_BENCHMARKS_ROUNDS_H
