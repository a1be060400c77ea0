//===- Model.h - What importers of all formats take and give ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_MODEL_H
#define FUSE_IMPORT_MODEL_H

#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::fuse {

/// What is said of a dimension that stays open.
struct DimRange {
  int64_t least = 0;             ///< a call with less is an error
  std::optional<int64_t> most;   ///< a call with more is an error
  std::optional<int64_t> likely; ///< what kernels are planned for; any other extent is right, too

  bool contains(int64_t extent) const { return extent >= least && (!most || extent <= *most); }
};

/// "1..512", "1..512,likely=128" or "likely=128"; none for what is no such text, or not within itself.
std::optional<DimRange> parseRange(StringRef text);
/// "1..512", "at least 1".
std::string describeRange(const DimRange &range);

/// A node of a model, or of a function that the model calls.
struct ModelNode {
  /// Its name, else that of its first output; within a function after the call's name and a slash. No
  /// two are named alike. The ops that it became carry this name as their location (NameLoc).
  std::string name;
  std::string op; ///< the operator
  /// Whether it was computed while importing: no op remains of it.
  bool isFolded = false;
};

} // namespace mlir::fuse

#endif // FUSE_IMPORT_MODEL_H
