//===- ImportOptions.h - What importers of all formats may be told ---------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_IMPORTOPTIONS_H
#define FUSE_IMPORT_IMPORTOPTIONS_H

#include "fuse/Import/Model.h"
#include "fuse/Support/Npz.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace mlir::fuse {

/// What is known of a model's open dimensions beside its file. A dimension is called by its name (in PyTorch its symbol), or
/// by its place: `x:0` is the first one of input `x`.
struct ImportOptions {
  /// Extents of open dimensions.
  llvm::StringMap<int64_t> dims;
  /// What is said of dimensions that stay open, beside what the model says of them itself. Of an ONNX model's where nothing is
  /// said, what getLikelyExtents says is likely.
  llvm::StringMap<DimRange> ranges;
  /// Arrays for inputs, read only if the model has an input of that name: its open extents are those of the array.
  struct Deferred {
    std::string name;
    std::function<llvm::Expected<HostArray>()> read;
  };
  std::vector<Deferred> deferred;
};

} // namespace mlir::fuse

#endif // FUSE_IMPORT_IMPORTOPTIONS_H
