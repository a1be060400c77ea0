//===- Archive.h - The members of a .pt2 archive -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A `.pt2` file is a zip archive. Below a folder of its own it holds `models/NAME.json`, the program, and
// `data/weights` and `data/constants` with one member for each tensor, and a JSON member that says which is which:
//
//   {"config": {"layer.weight": {"path_name": "weight_0", "use_pickle": false, "tensor_meta": {"dtype": 7, "sizes":
//   …}}}}
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_ARCHIVE_H
#define FUSE_IMPORT_TORCH_ARCHIVE_H

#include "../Common/MappedFile.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

struct zip;

namespace mlir::fuse::torch {
using namespace importer;

class Archive {
public:
  /// An error that names the file where it is no archive of an exported program.
  static llvm::Expected<std::unique_ptr<Archive>> open(StringRef path);
  ~Archive();
  Archive(const Archive &) = delete;
  Archive &operator=(const Archive &) = delete;

  /// The JSON of the program.
  StringRef getProgram() const { return program; }
  /// A parameter, buffer or constant by its name in the module. An error for one that is not there.
  llvm::Expected<HostArray> readTensor(StringRef name) const;

private:
  Archive() = default;
  struct Member {
    std::string path;
    llvm::json::Value entry;
  };
  llvm::Error readConfig(const std::string &folder, StringRef file);
  llvm::Expected<std::string> readText(const std::string &member) const;

  std::shared_ptr<MappedFile> file;
  ::zip *archive = nullptr;
  std::string path, program;
  llvm::StringMap<Member> tensors;
  /// Where the bytes of members that are not compressed begin, by name.
  llvm::StringMap<uint64_t> offsets;
};

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_ARCHIVE_H
