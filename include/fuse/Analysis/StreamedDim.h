//===- StreamedDim.h - A loop that several members run in step -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A private dim that some members run along and others fold (the keys of attention) can be
// *streamed*: one loop takes it tile by tile, and each tile passes through all members before the
// next one comes. Scratch then holds a tile of it instead of its whole extent. What is folded along
// it is carried from tile to tile. The members fall into those *before* the loop, *in* it and
// *after* it.
//
// The difficulty is a member in the loop that reads what another one folds there: softmax subtracts
// the maximum of a row before the row has ended. Three things help, found on the scalar bodies:
//
//   exp(T(x - m)), m a running maximum, T linear: with m' the maximum so far and m'' the next one,
//     everything summed up so far is off by the factor exp(T(m' - m'')). Sums and contractions that
//     such a value enters linearly are *corrected* by it.
//   v * g and v / g, g a value that is known only after the loop and does not change along it:
//   linear
//     sums take the factor out, so it is *deferred* until after them.
//   casts of a running maximum are computed in the loop and again after it (*running*).
//
// Anything else that needs a final value makes the dim unstreamable, with a reason.
//
// The maximum that the loop subtracts starts at the lowest finite number, for -inf - -inf is NaN
// and a first tile may be masked throughout. The true maximum is carried beside it, and the last
// correction leads from the one to the other: a row that is -inf throughout gets its NaN then.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_STREAMEDDIM_H
#define FUSE_ANALYSIS_STREAMEDDIM_H

#include "fuse/Analysis/KernelMembers.h"

namespace mlir::fuse {

enum class StreamPhase { Before, In, Running, After };

/// A scalar op through which a value goes at operand `operand`; the other operands are constants,
/// or have no part in it.
struct ScalarStep {
  Operation *op;
  unsigned operand;
  /// The value passes unchanged: something was added to it that a difference does not see.
  bool isIdentity = false;
};

/// For exp(T(x - S(m))): S and T as steps, the difference between them; the last step is the exp.
struct StreamCorrection {
  unsigned maximum = 0; ///< the member that computes m
  SmallVector<ScalarStep, 2> before;
  Operation *difference = nullptr;
  SmallVector<ScalarStep, 4> after;
};

/// A factor or divisor `late` that `op` applies to its operand `operand` in the body of `member`.
struct StreamDeferral {
  unsigned member = 0;
  Operation *op = nullptr;
  unsigned operand = 0;
  Value late;
};

struct StreamedDim {
  static constexpr int kNone = -1;

  /// The class of the dim in SharedDomain::classes.
  unsigned dimClass = 0;
  /// ShapedType::kDynamic where unknown.
  int64_t extent = 0;
  /// A member and its loop that run along the dim.
  std::pair<unsigned, unsigned> source;
  /// Per member.
  SmallVector<StreamPhase> phases;
  /// Per member: whether it folds the dim.
  SmallVector<bool> folds;
  SmallVector<StreamCorrection> corrections;
  /// Per member: the correction that what it folds needs, or kNone.
  SmallVector<int> correctionOf;
  SmallVector<StreamDeferral> deferrals;
  /// Per member: the deferrals (their numbers) that apply to what it folds, in order.
  SmallVector<SmallVector<unsigned, 1>> deferredOf;

  /// Whether a correction starts from the maximum that `member` computes.
  bool isRunningMaximum(unsigned member) const;
};

/// The dim of `kernel` to stream: of those that can be, the one that saves most scratch. None
/// without one; `reason` then says what is in the way of the best candidate, if there is any.
std::optional<StreamedDim> findStreamedDim(const KernelMembers &kernel, std::string &reason);

/// For each position of `from`, a result of member `fromMember`, the position of the same dim in
/// `to`; a map over the positions of `to`. Null where a dim of `from` has no single position there.
AffineMap mapByClass(const KernelMembers &kernel, OpResult from, OpResult to);

/// The same for an operand of `member` that is read along `map`. `dimClass` is none of its dims.
AffineMap mapByClass(const KernelMembers &kernel, unsigned member, AffineMap map, OpResult to);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_STREAMEDDIM_H
