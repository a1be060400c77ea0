//===- WriteText.cpp - Output files, whole or not at all ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WriteText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
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

/// What processes left beside `target` that were killed while they wrote it.
static void removeStaleTemporaries(StringRef target) {
  StringRef folder = llvm::sys::path::parent_path(target);
  std::string prefix = (llvm::sys::path::filename(target) + ".tmp-").str();
  std::error_code code;
  for (llvm::sys::fs::directory_iterator file(folder.empty() ? "." : folder, code), end;
       file != end && !code; file.increment(code)) {
    if (!llvm::sys::path::filename(file->path()).starts_with(prefix))
      continue;
    auto status = file->status();
    if (status && llvm::sys::fs::is_regular_file(*status) &&
        std::chrono::system_clock::now() - status->getLastModificationTime() >
            std::chrono::hours(1))
      (void)llvm::sys::fs::remove(file->path());
  }
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
  removeStaleTemporaries(target);
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

llvm::Error mlir::fuse::checkNotRead(llvm::ArrayRef<std::string> written,
                                     llvm::ArrayRef<std::string> read) {
  auto isFile = [](StringRef path) {
    return !path.empty() && path != "-" && llvm::sys::fs::is_regular_file(path);
  };
  for (const std::string &output : written)
    for (const std::string &input : read)
      if (isFile(output) && isFile(input) && llvm::sys::fs::equivalent(output, input))
        return llvm::createStringError("'" + output + "': would be written over: expected another "
                                       "file than '" + input + "', which is read");
  return llvm::Error::success();
}

llvm::Error mlir::fuse::finishOutput() {
  if (llvm::Error error = takeStreamError(llvm::outs()))
    return llvm::createStringError("standard output: cannot write: " +
                                   llvm::toString(std::move(error)));
  return llvm::Error::success();
}
