//===- ZipFile.h - What readers of zip archives share ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// For .cpp files that link libzip: those that read .npz files, and PyTorch's .pt2 archives.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_ZIPFILE_H
#define FUSE_SUPPORT_ZIPFILE_H

#include <zip.h>

#include <cstdint>
#include <string>

namespace mlir::fuse {

/// Deflate cannot compress by more: a member that claims to is damaged or a trap.
constexpr uint64_t kGreatestZipRatio = 1032;

/// The text of an error that zip_open gave.
inline std::string describeZipError(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

struct ZipFileCloser {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_ZIPFILE_H
