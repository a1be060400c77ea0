//===- ProductRates.cpp - What a target multiplies, by type ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/ProductRates.h"
#include "fuse/Analysis/TensorTiles.h"

using namespace mlir;
using namespace mlir::fuse;

/// What tensor cores get done while a block stages their operands in shared memory and reads them
/// from there: in tiles of 128 x 128 those move as long as the cores compute, and nothing is loaded
/// ahead.
static constexpr double kTensorPart = 0.5;

ProductRates ProductRates::get(TargetAttr target, Numerics numerics) {
  ProductRates rates;
  auto getOr = [&](StringRef key, double otherwise) {
    double rate = target.getFigure(key);
    return rate > 0 ? rate : otherwise;
  };
  rates.simple = target.getFigure("flops_per_ns");
  rates.products = getOr("matmul_flops_per_ns", rates.simple);
  rates.bytes = getOr("int8_flops_per_ns", rates.products);
  rates.tensorBytes = kTensorPart * target.getFigure("tensor_int8_flops_per_ns");
  // They add up in an order of their own, and have f32 rounded to TF32.
  if (numerics != Numerics::Exact)
    rates.shorts = kTensorPart * target.getFigure("tensor_flops_per_ns");
  if (numerics >= Numerics::ReducedPrecision)
    rates.tf32 = kTensorPart * target.getFigure("tf32_flops_per_ns");
  // Where warpgroups set the rate, subgroups have a part of it.
  bool hasWarpgroups = target.getFigure("warpgroup_size") == kWarpgroupThreads;
  rates.shortsOfSubgroups = hasWarpgroups ? kSubgroupSpeed * rates.shorts : rates.shorts;
  return rates;
}

double ProductRates::getRate(Type element) const {
  if (element.isInteger(8))
    return tensorBytes > 0 ? tensorBytes : bytes;
  double onTensorCores = element.isF16() || element.isBF16() ? shorts : element.isF32() ? tf32 : 0;
  return onTensorCores > 0 ? onTensorCores : products;
}
