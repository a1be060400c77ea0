//===- NpyFormat.h - The header of an .npy file -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Shared by the readers of .npy files and of .npz members, which get their bytes in other ways.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_SUPPORT_NPYFORMAT_H
#define FUSE_LIB_SUPPORT_NPYFORMAT_H

#include "fuse/Support/HostArray.h"

#include "llvm/ADT/Twine.h"

namespace mlir::fuse::npy {

/// Enough bytes from the beginning to know where the header ends.
inline constexpr size_t preambleSize = 12;

struct Extent {
  size_t begin; // of the dictionary
  size_t end;   // of the header: the data begin here
};

struct Header {
  ElementType type = ElementType::F32;
  bool swapped = false; // big-endian data
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
};

/// "'name': message".
llvm::Error makeError(llvm::StringRef name, const llvm::Twine &message);

/// From the first preambleSize bytes, or all if there are fewer; `size` is the whole file's.
llvm::Expected<Extent> locateHeader(llvm::StringRef start, uint64_t size, llvm::StringRef name);

/// Parses the dictionary text.
llvm::Expected<Header> parseHeader(llvm::StringRef text, llvm::StringRef name);

/// An array for the data, to be filled in the file's order and given to `finish`; an error if
/// `available` bytes are not what the header asks for. A Fortran-ordered one has its sizes reversed
/// until `finish`.
llvm::Expected<HostArray> allocate(const Header &header, uint64_t available, llvm::StringRef name);

/// Brings data read from the file into native, row-major form.
HostArray finish(const Header &header, HostArray raw);

/// Preamble, dictionary and padding that precede the array's bytes.
std::string makeHeader(const HostArray &array);

/// An error unless `path` names a regular file or none yet: renaming would replace a device.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace mlir::fuse::npy

#endif // FUSE_LIB_SUPPORT_NPYFORMAT_H
