//===- MappedFile.h - A file in memory, as far as it is touched -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_MAPPEDFILE_H
#define FUSE_IMPORT_COMMON_MAPPEDFILE_H

#include "fuse/Support/HostArray.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace mlir::fuse::importer {

/// A file in memory, as far as it is touched. Arrays that point into it keep it alive.
class MappedFile {
public:
  /// An error that names the file.
  static llvm::Expected<std::shared_ptr<MappedFile>> open(StringRef path);
  /// Bytes in memory as if they were the file's; they must stay.
  static std::shared_ptr<MappedFile> adopt(StringRef path, StringRef bytes);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  StringRef getBytes() const { return {data, size}; }
  StringRef getPath() const { return path; }
  /// Reads without mapping, so that what is copied is not resident twice.
  llvm::Error read(uint64_t offset, uint64_t count, char *to) const;

private:
  MappedFile() = default;
  std::string path;
  int descriptor = -1;
  const char *data = nullptr;
  size_t size = 0;
};

/// Booleans of a file may be any byte: other than 0 becomes 1.
void normalizeBooleans(HostArray &array);

/// A range of a file, which must be within it, as an array: in place if it is aligned as arrays are, else copied once.
llvm::Expected<HostArray> readArray(const std::shared_ptr<MappedFile> &file, uint64_t offset, ElementType type,
                                    ArrayRef<int64_t> shape);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_MAPPEDFILE_H
