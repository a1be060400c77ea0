//===- JsonFile.h - Text of JSON files before it is parsed -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_JSONFILE_H
#define FUSE_SUPPORT_JSONFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::fuse {

/// Whether brackets, those in strings too, go deeper than 64 levels: llvm::json's parser would
/// recurse.
bool isTooDeep(llvm::StringRef json);

/// The bytes of a regular file; errors name `path`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readRegularFile(llvm::StringRef path);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_JSONFILE_H
