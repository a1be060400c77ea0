//===- RandomInputs.h - Inputs from a seed ------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An input's values depend on the seed, its name, its type and its shape only, so they stay when
// other inputs come or go. The generator is SplitMix64, started from the seed plus the FNV-1a hash
// of the name:
//   floats         normal with mean 0 and deviation 1 (Box and Muller), rounded to the type
//   i1             0 or 1 with equal odds
//   integers       uniform from −8 to 8, unsigned ones from 0 to 16
//   index inputs   uniform from 0 to extent − 1, where `gather` uses them to index that extent
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_RANDOMINPUTS_H
#define FUSE_EXECUTION_RANDOMINPUTS_H

#include "fuse/Execution/Signature.h"

#include <optional>

namespace mlir::fuse {

/// What an unknown dimension becomes in a random input: no multiple of a vector's width.
inline constexpr int64_t kRandomExtent = 13;

/// `info` with the unknown dimensions at kRandomExtent, or at their bound if that is less.
/// indexExtent: for index inputs. An error where memory ends.
llvm::Expected<HostArray> makeRandomInput(const ValueInfo &info, uint64_t seed,
                                          std::optional<int64_t> indexExtent = std::nullopt);

/// The least extent that `gather` ops index with this argument, directly or through views and
/// casts of it; nullopt if there are none.
std::optional<int64_t> getIndexExtent(BlockArgument argument);

/// Whether an op gives the indices on that it takes: views, casts, and reads of a buffer.
bool handsOnIndices(Operation *op);

/// The same of all arguments.
std::vector<std::optional<int64_t>> getIndexExtents(func::FuncOp func);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_RANDOMINPUTS_H
