//===- SharedDomain.h - The loops that the members of a kernel share -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A kernel runs its members tile by tile over dims that they share. Which dims those are follows
// from the index maps alone: two loops are *the same dim* if one value is written along the one
// and read along the other. Union-find over (member, loop) and (value, position) makes the classes.
//
// A class *may be cut* into blocks if no member reduces over it, no member carries it in two loops
// (x·xᵀ), and no member reads a value of it other than along a loop of the same class (a window, a
// slice). Every result of the kernel must be written along each shared dim, for else two blocks
// would write one element. Everything else is *private*: a tile holds its whole extent.
//
//   softmax of 4096x1024:    max(d0, r1)   exp(d0, d1)   sum(d0, r1)   div(d0, d1)
//   classes {d0 of all} and {d1 of all}; the second is reduced by max and sum: shared = {d0}.
//
// *Siblings* are results that no member's value connects (three products of one input). Reading one
// value does not make two loops the same dim by itself: that would tie the rows of x·xᵀ to its
// columns. But for siblings the choice is free, since neither reads what the other computes, and two
// choices are made here, in this order: the loops along which both read their largest common
// operand are one dim; then classes of equal static extent that stay without a partner are paired,
// in order (the columns of the three products).
//
// A member without a shared dim is computed again in each block along it (*replicated*): legal,
// since it is no result, and for a price. What is recomputed per tile on demand (padding) is no
// member at all.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_SHAREDDOMAIN_H
#define FUSE_ANALYSIS_SHAREDDOMAIN_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::fuse {

/// Where a member touches a value: for each position of the value the member's loop that runs along
/// it.
struct DomainAccess {
  /// The position is touched in another way than along one loop.
  static constexpr int kOther = -1;

  DomainAccess(unsigned value, ArrayRef<int> loops) : value(value), loops(loops) {}
  /// The positions of a map; a null map touches the whole value.
  DomainAccess(unsigned value, AffineMap map);

  unsigned value;
  SmallVector<int, 4> loops;
  /// Nothing is known but that the value is touched; `loops` is empty.
  bool isWhole = false;
};

/// One op of a kernel: its loops, what it reads, and what it defines.
struct DomainMember {
  SmallVector<utils::IteratorType, 4> iterators;
  /// Of values that members define; these are counted from 0.
  SmallVector<DomainAccess, 2> reads;
  SmallVector<DomainAccess, 1> writes;
  /// The values among `writes` that leave the kernel.
  SmallVector<unsigned, 1> results;
  /// Of values from outside, counted from 0 by themselves. They matter for siblings only.
  SmallVector<DomainAccess, 2> inputs;
  /// The extent of each loop; ShapedType::kDynamic where unknown. Empty: all are unknown.
  SmallVector<int64_t, 4> extents;
};

struct SharedDomain {
  static constexpr int kPrivate = -1;

  /// How many dims are shared; they are numbered in the loop order of the first result's member.
  unsigned numDims = 0;
  /// For each member and each of its loops the shared dim that it carries, or kPrivate.
  SmallVector<SmallVector<int, 4>> loops;
  /// The same for classes, private ones included: loops of one number are one dim.
  SmallVector<SmallVector<unsigned, 4>> classes;
  /// For each class whether members could run along it tile by tile, one tile after the other: only
  /// reductions and results may speak against blocks.
  SmallVector<bool> sequential;
  /// For each shared dim the members that lack it and so are replicated along it.
  SmallVector<SmallVector<unsigned>> replicated;
};

/// The shared domain of `members`, which stand in execution order. Pure; near-linear.
SharedDomain computeSharedDomain(ArrayRef<DomainMember> members);

/// The same with dims that were chosen before: for each result, in the order of the members and their
/// writes, the dim of each position, or kPrivate. Nothing where a loop that is to be a dim cannot be cut,
/// or is to be two.
std::optional<SharedDomain> assignSharedDomain(ArrayRef<DomainMember> members,
                                               ArrayRef<SmallVector<int64_t>> resultDims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_SHAREDDOMAIN_H
