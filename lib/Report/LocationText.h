//===- LocationText.h - Where an op was written -----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_LOCATIONTEXT_H
#define FUSE_LIB_REPORT_LOCATIONTEXT_H

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// file:line:column; else the name of a model's node; else "unknown".
std::string formatLocation(Location loc);

/// Adds the text of each location that `loc` is made of, and that is not there yet; nothing for an
/// unknown one.
void addLocations(Location loc, std::vector<std::string> &texts);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_LOCATIONTEXT_H
