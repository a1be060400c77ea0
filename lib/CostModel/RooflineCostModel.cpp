//===- RooflineCostModel.cpp - The cost model roofline -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   time = launch + (memory^p + cache^p + compute^p)^(1/p)
//
// launch:  dispatch_ns, and fork_ns where several threads run blocks.
//
// memory:  operands and results once, from the level of the hierarchy that holds them between two runs.
//
// cache:   what blocks read again, from the shared cache.
//
// compute: operations, divided by the threads that have blocks.
//
// Loads run ahead of what is computed: the longest of the three is what a launch takes, and p is
// large. A row that is folded before the rest goes over it is loaded first: then less is hidden.
//
//===----------------------------------------------------------------------------------------===//

#include "Models.h"
#include "fuse/CostModel/ProductRates.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Measured: products of 4 rows, whose weights take nine tenths of their time to come, a seventh
/// longer; rows of norms and softmax between the longer and the sum of them.
static constexpr double kOverlap = 4, kOverlapOfPhases = 1.3;
/// What short runs get of a stream.
static constexpr double kRunPart = 0.5;
/// What blocks read again gets of a stream.
static constexpr double kRereadPart = 0.5;

namespace {

/// bytes / bandwidth; a figure that a target does not give costs nothing.
double divide(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

/// The norm of what runs at once: the longest for a large exponent, the sum for 1.
double combine(std::initializer_list<double> times, double exponent) {
  double longest = std::max(times), sum = 0;
  if (longest <= 0)
    return 0;
  for (double time : times)
    sum += std::pow(time / longest, exponent);
  return longest * std::pow(sum, 1 / exponent);
}

class RooflineCostModel : public CostModel {
public:
  RooflineCostModel(TargetAttr target, Numerics numerics)
      : CostModel(target.getFigure("min_gain_ns"), numerics), figures(getIoFigures(target)),
        maxThreads(std::max(1.0, target.getFigure("max_threads"))),
        forkNs(target.getFigure("fork_ns")), threadMemoryBw(target.getFigure("thread_memory_bw")),
        storeBw(target.getFigure("store_bw")),
        l3Bytes(static_cast<int64_t>(target.getFigure("l3_bytes"))),
        l2Bw(target.getFigure("l2_bw")), l3Bw(target.getFigure("l3_bw")),
        rates(ProductRates::get(target, numerics)) {}

  StringRef getName() const override { return "roofline"; }

  double estimateNs(const LaunchFacts &launch) const override {
    double blocks = launch.blocks > 0 ? launch.blocks : maxThreads;
    double threads = std::min(maxThreads, blocks);
    double memory = getMemoryNs(launch, threads), cache = getCacheNs(launch, threads);
    // The thread with most blocks is the last one to end.
    double compute = getComputeNs(launch) * std::ceil(blocks / threads) / blocks;
    double overlap = launch.hasPhases ? kOverlapOfPhases : kOverlap;
    return launch.launches * (figures.dispatchNs + (threads > 1 ? forkNs : 0)) +
           launch.syncPoints * figures.roundtripNs + combine({memory, cache, compute}, overlap);
  }

  double scoreMerge(const Benefit &benefit) const override {
    return computeScore(benefit, figures);
  }

private:
  double getReadBw(double threads) const {
    double memoryBw = std::max(1.0, figures.memoryBw);
    return threadMemoryBw > 0 ? std::min(memoryBw, threads * threadMemoryBw) : memoryBw;
  }

  double getMemoryNs(const LaunchFacts &launch, double threads) const {
    double readBw = getReadBw(threads);
    // One thread has the same part of what stores get as of what loads get.
    double writeBw = readBw;
    if (storeBw > 0)
      writeBw = std::min(readBw, storeBw * readBw / std::max(1.0, figures.memoryBw));
    double sharedBw = l3Bw > 0 ? l3Bw * threads : readBw;
    double ownBw = l2Bw > 0 ? l2Bw * threads : sharedBw;
    double time = launch.nearBytes / ownBw + launch.cachedBytes / sharedBw +
                  (launch.farBytes - launch.farWrittenBytes) / readBw +
                  launch.farWrittenBytes / writeBw;
    double inRuns = launch.cachedRunBytes / sharedBw + launch.farRunBytes / readBw;
    return time + (l3Bw > 0 ? inRuns * (1 / kRunPart - 1) : 0);
  }

  double getCacheNs(const LaunchFacts &launch, double threads) const {
    if (l3Bw <= 0)
      return 0;
    double held = getHeldPart(l3Bytes, launch.reusedBytes);
    return launch.rereadBytes *
           (held / (kRereadPart * l3Bw * threads) + (1 - held) / getReadBw(threads));
  }

  double getComputeNs(const LaunchFacts &launch) const {
    // What is left of a launch (see explainLoss) has no more of them than products.
    auto products = static_cast<double>(launch.productFlops);
    auto left = products;
    auto take = [&](int64_t flops, double rate) {
      double taken = std::min<double>(left, rate > 0 ? flops : 0);
      left -= taken;
      return divide(taken, rate);
    };
    int64_t ofSubgroups = launch.shortTensorFlops - launch.warpgroupFlops;
    double time = take(launch.warpgroupFlops, rates.shorts);
    time += take(ofSubgroups, rates.shortsOfSubgroups);
    time += take(launch.f32TensorFlops, rates.tf32);
    time += take(launch.byteTensorFlops, rates.tensorBytes);
    // Those of bytes that tensor cores do not take.
    int64_t otherBytes = launch.byteFlops - (rates.tensorBytes > 0 ? launch.byteTensorFlops : 0);
    time += take(otherBytes, rates.bytes);
    return time + divide(left, rates.products) +
           divide(launch.flops - launch.productFlops, rates.simple);
  }

  IoFigures figures;
  double maxThreads, forkNs, threadMemoryBw, storeBw;
  int64_t l3Bytes;
  double l2Bw, l3Bw;
  ProductRates rates;
};

} // namespace

std::unique_ptr<CostModel> mlir::fuse::createRooflineCostModel(TargetAttr target,
                                                               Numerics numerics) {
  return std::make_unique<RooflineCostModel>(target, numerics);
}
