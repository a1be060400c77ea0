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

#include <memory>
#include <string>
#include <vector>

namespace mlir::fuse {

struct NamedArray {
  std::string name; // without ".npy"
  HostArray array;
};

/// An archive whose members are read when they are asked for: archives may hold much more than a
/// program reads, and deflated members a thousand times their bytes in the file.
class NpzArchive {
public:
  /// Reads the names. An error for a name that occurs twice, for a member that is not an .npy file,
  /// and for members of more bytes than an archive of that size can have.
  static llvm::Expected<NpzArchive> open(llvm::StringRef path);
  ~NpzArchive();
  NpzArchive(NpzArchive &&other) noexcept;
  NpzArchive &operator=(NpzArchive &&other) noexcept;

  llvm::StringRef getPath() const;
  /// Of all members, in the archive's order.
  llvm::ArrayRef<std::string> getNames() const;
  /// A member, stored or deflated; the same array each time. An error for a name that there is none
  /// of.
  llvm::Expected<HostArray> read(llvm::StringRef name) const;

private:
  struct Members;
  explicit NpzArchive(std::unique_ptr<Members> members);
  std::unique_ptr<Members> members;
};

/// All members, in the archive's order.
llvm::Expected<std::vector<NamedArray>> readNpz(llvm::StringRef path);

/// Writes stored (not compressed) members: first to a temporary file beside `path`, then renamed,
/// so that a failure leaves `path` as it was. An error for a name that occurs twice.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_NPZ_H
