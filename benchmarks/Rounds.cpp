//===- Rounds.cpp - Contenders timed in turn -----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Rounds.h"

#include <algorithm>
#include <chrono>

using namespace mlir::fuse::bench;

static double findMedian(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Contender::getMedian() const { return findMedian(all); }

void Contender::scale(double factor) {
  ms *= factor;
  for (double &each : all)
    each *= factor;
}

void mlir::fuse::bench::timeRounds(std::vector<Contender> &contenders, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (Contender &contender : contenders) {
      auto start = std::chrono::steady_clock::now();
      contender.run();
      std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      contender.ms = std::min(contender.ms, time.count());
      contender.all.push_back(time.count());
    }
}

double mlir::fuse::bench::getMedianRatio(const Contender &contender, const Contender &reference) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(contender.all.size(), reference.all.size()); ++i)
    ratios.push_back(contender.all[i] / reference.all[i]);
  return findMedian(std::move(ratios));
}
