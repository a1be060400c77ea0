//===- Npz.h - Named arrays in .npz archives --------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A zip archive of .npy members, as numpy.savez writes it. Reading has the guarantees of Npy.h.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_NPZ_H
#define FUSE_SUPPORT_NPZ_H

#include "fuse/Support/HostArray.h"

#include <string>
#include <vector>

namespace mlir::fuse {

struct NamedArray {
  std::string name; // without ".npy"
  HostArray array;
};

/// All members, stored or deflated, in the archive's order. An error for a name that occurs twice
/// and for a member that is not an .npy file.
llvm::Expected<std::vector<NamedArray>> readNpz(llvm::StringRef path);

/// Writes stored (not compressed) members: first to a temporary file beside `path`, then renamed,
/// so that a failure leaves `path` as it was. An error for a name that occurs twice.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_NPZ_H
