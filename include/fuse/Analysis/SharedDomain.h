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
// A class is *shared* if blocks may be cut along it: every result of the kernel has it, no member
// reduces over it, no member carries it in two loops (x·xᵀ), and no member reads a value of it
// other than along a loop of the same class (a window, a slice). Everything else is *private*: a
// tile holds its whole extent.
//
//   softmax of 4096x1024:    max(d0, r1)   exp(d0, d1)   sum(d0, r1)   div(d0, d1)
//   classes {d0 of all} and {d1 of all}; the second is reduced by max and sum: shared = {d0}.
//
// Inputs do not unite loops (x·xᵀ would tie rows to columns), except of *siblings*: parts of a kernel
// that no value connects, such as the products with Wq, Wk and Wv of one x. Loops of two parts are
// the same dim where both first read an input along them; and parts are laid side by side along the
// leading dims of their first results, as far as extents agree. What shares most is taken.
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

/// Where a member touches a value that a member defines. `value` counts those values from 0; a
/// null map is an access that no affine map of the loops describes.
struct DomainAccess {
  unsigned value;
  AffineMap map;
};

/// One op of a kernel: its loops, what it reads of other members, and what it defines.
struct DomainMember {
  SmallVector<utils::IteratorType, 8> iterators;
  SmallVector<DomainAccess, 2> reads;
  SmallVector<DomainAccess, 1> writes;
  /// The values among `writes` that leave the kernel.
  SmallVector<unsigned, 1> results;
  /// What it reads of values from outside the kernel, which count from 0 on their own. They unite
  /// siblings: members that nothing else connects.
  SmallVector<DomainAccess, 0> inputs;
  /// Static extents of the loops (ShapedType::kDynamic where unknown), or empty. They unite siblings
  /// that not even an input connects.
  SmallVector<int64_t, 0> extents;
};

struct SharedDomain {
  static constexpr int kPrivate = -1;

  /// How many dims are shared; they are numbered in the loop order of the first result's member.
  unsigned numDims = 0;
  /// For each member and each of its loops the shared dim that it carries, or kPrivate.
  SmallVector<SmallVector<int>> loops;
  /// For each shared dim the members that lack it and so are replicated along it.
  SmallVector<SmallVector<unsigned>> replicated;
};

/// The shared domain of `members`, which stand in execution order. Pure; near-linear.
SharedDomain computeSharedDomain(ArrayRef<DomainMember> members);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_SHAREDDOMAIN_H
