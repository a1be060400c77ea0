//===- CallTime.h - What a call of a function takes by a cost model -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_CALLTIME_H
#define FUSE_COSTMODEL_CALLTIME_H

#include "fuse/IR/Variants.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Target/Targets.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {

/// The size of a dimension of an argument in a call.
struct ArgumentSize {
  unsigned argument;
  int64_t dim, size;
};

struct CallTime {
  double ns = 0;
  /// Whether each launch is counted: the planner knows nothing of host ops, recurrences and ops of other dialects.
  bool isWhole = true;
};

/// The likely size of each dimension that a variant is for: of a range what the variant is planned for, and its end where
/// nothing is stated.
SmallVector<ArgumentSize> getLikelySizes(func::FuncOp variant, ArrayRef<VariantDim> dims);

/// What the cost model `roofline` says of one call of a function whose kernels are formed. With `sizes`, dimensions of its
/// arguments have these extents, while its tiles are those that it has. `timed`: the target that launches are timed
/// on, where it is not the one that they are planned for; else null.
CallTime estimateCall(FunctionOpInterface formed, Numerics numerics, TargetAttr timed = {},
                      ArrayRef<ArgumentSize> sizes = {});

/// How long each launch of a function whose kernels are formed takes, in ns, in the order of their ids; 0 where nothing is
/// known. `timed` as for estimateCall.
SmallVector<double> estimateLaunches(FunctionOpInterface formed, Numerics numerics, TargetAttr timed = {});

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_CALLTIME_H
