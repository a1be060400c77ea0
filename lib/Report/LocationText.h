//===- LocationText.h - Where an op was written -----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_LOCATIONTEXT_H
#define FUSE_LIB_REPORT_LOCATIONTEXT_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// file:line:column; else the name of a model's node; else "unknown".
std::string formatLocation(Location loc);

/// Adds the text of each location that `loc` is made of, and that is not there yet; nothing for an
/// unknown one.
void addLocations(Location loc, std::vector<std::string> &texts);

/// The layer of a model that most of these texts are in: names of nodes are paths, and what is in one
/// layer shares the beginning of them. `/encoder/layer.0/attention/MatMul` and
/// `/encoder/layer.0/attention/Add` are in `encoder/layer.0/attention`. Empty where no path has the
/// majority; places in files tell nothing.
std::string findLayer(llvm::ArrayRef<std::string> texts);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_LOCATIONTEXT_H
