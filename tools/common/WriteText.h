//===- WriteText.h - Output files, whole or not at all ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_WRITETEXT_H
#define FUSE_TOOLS_COMMON_WRITETEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::fuse {

/// Writes a file whole or not at all, by renaming; but what is no file (a device, a pipe) stays
/// what it is, a link stays a link, and "-" is standard output. An error names the file.
llvm::Error writeText(llvm::StringRef path, llvm::StringRef text);

/// Flushes standard output: results that nobody could read are an error.
llvm::Error finishOutput();

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_WRITETEXT_H
