//===- ProductRates.h - What a target multiplies, by type -------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_PRODUCTRATES_H
#define FUSE_COSTMODEL_PRODUCTRATES_H

#include "fuse/IR/FuseAttributes.h"
#include "fuse/Support/Numerics.h"

namespace mlir::fuse {

/// Operations per ns that one of a target's `max_threads` gets done, as prices expect them: figures
/// of a target say what tensor cores do where nothing keeps them waiting. A multiplication and an
/// addition are two.
struct ProductRates {
  double simple = 0;   ///< not of products; 0: computing is free
  double products = 0; ///< of all products that the others are not about
  double bytes = 0;    ///< summed as i32, on a CPU by an instruction for them
  /// On tensor cores of a GPU; 0 where it has none, or numerics do not allow their sums or
  /// roundings.
  double shorts = 0; ///< f16 and bf16, by warpgroups where the target has these
  double shortsOfSubgroups = 0;
  double tf32 = 0;        ///< f32
  double tensorBytes = 0; ///< integers of 8 bits, whose sums are exact

  static ProductRates get(TargetAttr target, Numerics numerics);

  /// What whole products of `element` (i32 sums of bytes) get.
  double getRate(Type element) const;
};

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_PRODUCTRATES_H
