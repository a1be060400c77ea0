//===- Npy.h - Arrays in .npy files -----------------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// NumPy's array format, versions 1 to 3. bf16, which NumPy lacks, is two raw bytes (`V2`). A file
// is not trusted: whatever its bytes are, reading ends in an array or in an error that names the
// file, what was expected and what was found, and allocates no more than the file's data need.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_NPY_H
#define FUSE_SUPPORT_NPY_H

#include "fuse/Support/HostArray.h"

namespace mlir::fuse {

/// Reads C and Fortran order, little and big endian; the result is row-major and native.
llvm::Expected<HostArray> readNpy(llvm::StringRef path);

/// The same from a file's bytes; `name` stands for the file in errors.
llvm::Expected<HostArray> parseNpy(llvm::StringRef bytes, llvm::StringRef name);

/// Writes version 1, C order, little endian: first to a temporary file beside `path`, then renamed,
/// so that a failure leaves `path` as it was.
llvm::Error writeNpy(llvm::StringRef path, const HostArray &array);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_NPY_H
