//===- GroupStream.h - Whether a group's kernel could stream a dim -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The question of StreamedDim.h before there is a kernel, by the kinds of the ops alone. It says
// yes to less: an op that it does not know must see nothing but finished values.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_GROUPSTREAM_H
#define FUSE_ANALYSIS_GROUPSTREAM_H

#include "fuse/Analysis/GroupDomain.h"

namespace mlir::fuse {

struct GroupStream {
  unsigned dimClass; ///< in SharedDomain::classes
  int64_t extent;    ///< ShapedType::kDynamic where unknown
};

/// The dim that the group's kernel could stream: of those that it can, the one behind most scratch.
std::optional<GroupStream> findGroupStream(const MemberTable &table, const GroupDomain &domain);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_GROUPSTREAM_H
