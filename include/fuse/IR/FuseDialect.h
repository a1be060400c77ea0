//===- FuseDialect.h - The fuse dialect -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEDIALECT_H
#define FUSE_IR_FUSEDIALECT_H

#include "mlir/IR/Dialect.h"

#include "fuse/IR/FuseDialect.h.inc"

namespace mlir::fuse {

/// Names of the dialect's discardable attributes; what each means is in the dialect's description.
namespace attr {
constexpr llvm::StringLiteral kName = "fuse.name";
constexpr llvm::StringLiteral kParam = "fuse.param";
constexpr llvm::StringLiteral kDenormals = "fuse.denormals";
constexpr llvm::StringLiteral kPrepare = "fuse.prepare";
constexpr llvm::StringLiteral kPrepared = "fuse.prepared";
constexpr llvm::StringLiteral kDimBounds = "fuse.dim_bounds";
constexpr llvm::StringLiteral kDimHints = "fuse.dim_hints";
constexpr llvm::StringLiteral kGroup = "fuse.group";
constexpr llvm::StringLiteral kAlone = "fuse.alone";
constexpr llvm::StringLiteral kTogether = "fuse.together";
constexpr llvm::StringLiteral kClosed = "fuse.closed";
constexpr llvm::StringLiteral kOrigin = "fuse.origin";
constexpr llvm::StringLiteral kWritten = "fuse.written";
constexpr llvm::StringLiteral kBudget = "fuse.budget";
constexpr llvm::StringLiteral kIoCost = "fuse.io_cost";
constexpr llvm::StringLiteral kSchedule = "fuse.schedule";
constexpr llvm::StringLiteral kSteps = "fuse.steps";
constexpr llvm::StringLiteral kTuned = "fuse.tuned";
constexpr llvm::StringLiteral kTarget = "fuse.target";
constexpr llvm::StringLiteral kRecompute = "fuse.recompute";
constexpr llvm::StringLiteral kWidened = "fuse.widened";
constexpr llvm::StringLiteral kBlocks = "fuse.blocks";
constexpr llvm::StringLiteral kScratchBytes = "fuse.scratch_bytes";
constexpr llvm::StringLiteral kLoopDims = "fuse.loop_dims";
constexpr llvm::StringLiteral kThreads = "fuse.threads";
constexpr llvm::StringLiteral kSharedBytes = "fuse.shared_bytes";
constexpr llvm::StringLiteral kDeviceParams = "fuse.device_params";
constexpr llvm::StringLiteral kEqualDims = "fuse.equal_dims";
constexpr llvm::StringLiteral kScaledDims = "fuse.scaled_dims";
constexpr llvm::StringLiteral kIndexBounds = "fuse.index_bounds";
constexpr llvm::StringLiteral kKernels = "fuse.kernels";
constexpr llvm::StringLiteral kLaunches = "fuse.launches";
constexpr llvm::StringLiteral kSharding = "fuse.sharding";
} // namespace attr

} // namespace mlir::fuse

#endif // FUSE_IR_FUSEDIALECT_H
