//===- GroupDomain.h - The shared domain of a group that is not formed yet -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Before a group becomes a kernel, its members stand among views. A reshape between two of them
// splits loops: both then run over the finest common factors, *atoms*, and so do all that share
// those loops. Over atoms the members of a group are what computeSharedDomain takes, and what the
// kernel's code will be built from (it moves reshapes out of kernels by the same expansion).
//
//   matmul 128x768 (m, n)  →  reshape 128x12x64  →  mul by cos (s, h, d)
//   atoms: m = s, n = (h, d): the product runs over (m, n / 64, n mod 64) and shares all three.
//
// Where neither of two cuts of one loop divides the other (24 as 4x6 and as 6x4: cuts at 6 and at 4) there
// are no common factors; the reads through these reshapes need the whole value.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_GROUPDOMAIN_H
#define FUSE_ANALYSIS_GROUPDOMAIN_H

#include "fuse/Analysis/MemberTable.h"
#include "fuse/Analysis/SharedDomain.h"

namespace mlir::fuse {

struct GroupDomain {
  /// The members, ascending, copies of what leaves included (see MemberTable), and for each the
  /// factors of its loops, in loop order, a loop's outermost factor first. Loops of extent 1 have none.
  SmallVector<unsigned, 8> nodes;
  SmallVector<SmallVector<LoopDigit, 4>, 8> atoms;
  /// Over atoms.
  SharedDomain shared;
  /// The extent of each shared dim; ShapedType::kDynamic where unknown.
  SmallVector<int64_t, 4> extents;
  /// What each of them is priced as (see Member::likely).
  SmallVector<int64_t, 4> likely;
  /// Per member: whether its result leaves the group (a store's does).
  SmallVector<bool, 8> isResult;

  bool contains(unsigned node) const {
    return std::binary_search(nodes.begin(), nodes.end(), node);
  }
  /// The product of what the shared extents are priced as.
  int64_t getSharedPoints() const;
  /// The product of the extents of a member's private atoms; ShapedType::kDynamic if unknown.
  int64_t getPrivatePoints(unsigned member) const;
};

/// A shared dim along which a value is read through a window: what t points need of it are `step` * (t - 1) +
/// `reach` positions, as 5 points of a window of 3 taps and stride 2 need 11.
struct WindowDim {
  unsigned dim;
  int64_t step, reach;
};

/// How many positions `tile` points of a shared dim need of a value that is read through `windows`. Saturates.
int64_t getWindowExtent(ArrayRef<WindowDim> windows, unsigned dim, int64_t tile);

/// What one block lays out anew of an operand that is read through a window, padding included.
struct WindowCopy {
  SmallVector<unsigned> dims;    ///< the shared dims along which a block has a part of it
  int64_t elements = 1;          ///< of positions along which blocks do not cut it
  int64_t taps = 1;              ///< positions within the window of one point, along those dims
  SmallVector<WindowDim, 0> windows;
};

/// Nothing if blocks read `read`, an operand of member `m`, where it is. Extents are likely ones.
std::optional<WindowCopy> getWindowCopy(const MemberTable &table, const GroupDomain &domain,
                                        unsigned m, const MemberRead &read);

/// `nodes`: fusable ops of the table, ascending. `repeated`: those of them that every kernel which reads them computes for
/// itself, ascending: their results leave no group.
GroupDomain computeGroupDomain(const MemberTable &table, ArrayRef<unsigned> nodes, ArrayRef<unsigned> repeated = {});

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_GROUPDOMAIN_H
