//===- Profile.h - Launches, waits and bytes of one execution -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_PROFILE_H
#define FUSE_COSTMODEL_PROFILE_H

#include "fuse/Analysis/ValueSizes.h"
#include "fuse/IR/FuseAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {

/// What one execution of a function costs; sums saturate.
struct Profile {
  int64_t kernelLaunches = 0;     ///< launches; a host op is one too
  int64_t syncPoints = 0;         ///< waits of the host for the device
  int64_t hostOutputBytes = 0;    ///< returned values, read back
  int64_t deviceTrafficBytes = 0; ///< distinct operands and results of every launch
  int64_t unknownValues = 0;      ///< values of dynamic size, which count 0 bytes
  // Not part of `#fuse.profile`: what is read off a function says it again.
  int64_t collectiveBytes = 0; ///< what collectives make this process send to others
  int64_t unknownOutputs = 0; ///< of the unknown values, those that are read back
  int64_t boundValues = 0;    ///< values of dynamic size that count the most they can be
  int64_t hintValues = 0;     ///< values of dynamic size that count what they usually are
  /// A loop without a static trip count was counted once.
  bool partial = false;

  Profile &operator+=(const Profile &other);
  /// The profile of `count` executions; values of unknown size stay as many.
  Profile times(int64_t count) const;
  bool operator==(const Profile &other) const;

  ProfileAttr toAttr(MLIRContext *context) const;
  static Profile fromAttr(ProfileAttr attr);
};

/// How a profile reads a function with kernels.
enum class ProfileView {
  AsFormed,  ///< a kernel is one launch
  AsWritten, ///< kernels are seen through; the primitives of one composite are one launch
};

/// The profile of one execution of `function`. `outputs` names the results that the host reads
/// back, by index; without it, it reads all. Each op that is not metadata is one launch whose
/// traffic is each distinct operand once (a splat constant 0, equal constants as one; through views
/// the smaller of what is viewed and the views of it together) and its results; buffers count like
/// tensors. Wrapping one op in a kernel changes nothing. Loops multiply by their static trip count;
/// of a branch the costlier side counts (launches, then traffic). Ops of other dialects count
/// nothing. Values of dynamic size count what ValueSizes says.
Profile computeProfile(FunctionOpInterface function, ProfileView view = ProfileView::AsFormed,
                       std::optional<ArrayRef<int64_t>> outputs = std::nullopt);

/// How often a loop runs its body, where that is known.
std::optional<int64_t> getStaticTrips(Operation *loop);

/// The profile of the program as the user wrote it: the function's `fuse.written`, which was
/// recorded for all results, else what can still be read off the function. Where it was recorded,
/// the counts that `#fuse.profile` has no room for are read off the function.
Profile computeWrittenProfile(FunctionOpInterface function,
                              std::optional<ArrayRef<int64_t>> outputs = std::nullopt);

/// The traffic of one launch, in bytes: `launch` is a kernel, a device op or a host op.
int64_t computeTrafficBytes(Operation *launch);
/// The same, with the sizes of its function's values: for many launches.
int64_t computeTrafficBytes(Operation *launch, ValueSizes &sizes);

/// What a launch makes this process send to others: 0 unless it is a collective of known size.
int64_t getCollectiveBytesSent(Operation *launch);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_PROFILE_H
