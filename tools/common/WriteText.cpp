//===- WriteText.cpp - Output files, whole or not at all ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WriteText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::fuse;
using llvm::SmallString;
using llvm::StringRef;

/// Whether all has been written: a full device or a closed pipe is no error of any single write.
static llvm::Error takeStreamError(llvm::raw_fd_ostream &stream) {
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return llvm::errorCodeToError(code);
}

static llvm::Error write(StringRef path, StringRef text) {
  if (path == "-") {
    llvm::outs() << text;
    return takeStreamError(llvm::outs());
  }
  SmallString<128> target;
  if (llvm::sys::fs::real_path(path, target)) // not there yet
    target = path;
  llvm::sys::fs::file_status status;
  bool exists = !llvm::sys::fs::status(target, status) && llvm::sys::fs::exists(status);
  if (exists && !llvm::sys::fs::is_regular_file(status)) {
    std::error_code code;
    llvm::raw_fd_ostream stream(target, code);
    if (code)
      return llvm::errorCodeToError(code);
    stream << text;
    return takeStreamError(stream);
  }
  auto file = llvm::sys::fs::TempFile::create(target + ".tmp-%%%%%%%%", 0666);
  if (!file)
    return file.takeError();
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << text;
  if (llvm::Error error = takeStreamError(stream))
    return llvm::joinErrors(std::move(error), file->discard());
  return file->keep(target);
}

llvm::Error mlir::fuse::writeText(StringRef path, StringRef text) {
  if (llvm::Error error = write(path, text))
    return llvm::createStringError("'" + path + "': cannot write: " +
                                   llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error mlir::fuse::finishOutput() {
  if (llvm::Error error = takeStreamError(llvm::outs()))
    return llvm::createStringError("standard output: cannot write: " +
                                   llvm::toString(std::move(error)));
  return llvm::Error::success();
}
