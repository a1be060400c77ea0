//===- ProfileText.h - Profiles as reports print them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_PROFILETEXT_H
#define FUSE_LIB_REPORT_PROFILETEXT_H

#include "fuse/CostModel/Profile.h"

namespace mlir::fuse {

/// `  name: launches …`, one line.
void printProfile(StringRef name, const Profile &profile, raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_PROFILETEXT_H
