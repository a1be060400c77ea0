//===- MemberFingerprint.h - A digest of what planning knows of an op ------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_ANALYSIS_MEMBERFINGERPRINT_H
#define FUSE_LIB_ANALYSIS_MEMBERFINGERPRINT_H

#include "fuse/Analysis/MemberTable.h"

namespace mlir::fuse {

/// See Member::fingerprint; those of its copies, which are among `members`, are part of it. `words` is room to work in.
std::array<uint64_t, 2> computeFingerprint(const Member &member, ArrayRef<Member> members,
                                           SmallVectorImpl<int64_t> &words);

} // namespace mlir::fuse

#endif // FUSE_LIB_ANALYSIS_MEMBERFINGERPRINT_H
