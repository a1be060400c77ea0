//===- Moments.h - Mean and variance -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_MOMENTS_H
#define FUSE_IMPORT_COMMON_MOMENTS_H

#include "OpContext.h"

namespace mlir::fuse::importer {

/// Mean and variance along `axes`, which stay with extent 1, and x without its mean.
struct Moments {
  Moments(FuseBuilder &b, Value x, ArrayRef<int64_t> axes)
      : mean(b.reduce(ReduceKind::Mean, x, axes, true)), centered(b.sub(x, mean)),
        variance(b.reduce(ReduceKind::Mean, b.mul(centered, centered), axes, true)) {}
  Value mean, centered, variance;

  /// 1 over the standard deviation.
  Value invert(FuseBuilder &b, double epsilon) const { return b.unary(UnaryKind::Rsqrt, b.add(variance, epsilon)); }
};

/// x with mean 0 and variance 1 over `axes`.
inline Value normalize(FuseBuilder &b, Value x, ArrayRef<int64_t> axes, double epsilon) {
  Moments moments(b, x, axes);
  return b.mul(moments.centered, moments.invert(b, epsilon));
}

/// A list of the channels' numbers, to broadcast against a tensor of `rank` dimensions whose second one is the
/// channels.
inline Value alongChannels(FuseBuilder &b, Value list, int64_t rank) {
  SmallVector<int64_t> shape(rank - 1, 1);
  shape[0] = b.shapeOf(list)[0];
  return b.reshape(list, shape);
}

/// All dimensions from `axis` on.
inline SmallVector<int64_t> getAxesFrom(int64_t axis, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(axis, rank));
}

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_MOMENTS_H
