//===- JsonFile.cpp - Text of JSON files before it is parsed ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/JsonFile.h"
#include "llvm/Support/FileSystem.h"

bool mlir::fuse::isTooDeep(llvm::StringRef json) {
  constexpr int kDeepest = 64;
  int depth = 0;
  for (char c : json) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > kDeepest)
      return true;
  }
  return false;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::readRegularFile(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) && !llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("'" + path + "': cannot read: expected a regular file");
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return llvm::createStringError("'" + path + "': cannot read: " + text.getError().message());
  return std::move(*text);
}
