//===- WriteText.h - Output files, whole or not at all ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_WRITETEXT_H
#define FUSE_TOOLS_COMMON_WRITETEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::fuse {

/// Writes a file whole or not at all, by renaming; but what is no file (a device, a pipe) stays
/// what it is, a link stays a link, and "-" is standard output. An error names the file.
llvm::Error writeText(llvm::StringRef path, llvm::StringRef text);

/// An error where one of the files to write is one of those that are read: a model would be lost for
/// a mistake on a command line. Empty names and "-" are no files.
llvm::Error checkNotRead(llvm::ArrayRef<std::string> written, llvm::ArrayRef<std::string> read);

/// Flushes standard output: results that nobody could read are an error.
llvm::Error finishOutput();

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_WRITETEXT_H
