//===- MemoryFile.cpp - Files that other programs are given ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemoryFile.h"

#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;

MemoryFile::MemoryFile() : file(memfd_create("fuse-compile", MFD_CLOEXEC)) {}

MemoryFile::~MemoryFile() {
  if (file >= 0)
    close(file);
}

std::string MemoryFile::getPath() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
}

llvm::Error MemoryFile::write(StringRef bytes) {
  if (file < 0)
    return llvm::errorCodeToError(std::error_code(errno, std::generic_category()));
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return llvm::errorCodeToError(code);
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> MemoryFile::read() const {
  return llvm::MemoryBuffer::getFile(getPath(), /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
}

llvm::Expected<std::string> mlir::fuse::findLinker() {
  for (const char *name : {"ld.lld-22", "ld.lld"}) {
    if (auto path = llvm::sys::findProgramByName(name, {FUSE_LLVM_TOOLS}))
      return *path;
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  }
  return llvm::createStringError("cannot find the linker ld.lld (Debian's package lld-22), neither "
                                 "in " FUSE_LLVM_TOOLS " nor in PATH");
}

llvm::Expected<std::string> mlir::fuse::runProgram(StringRef program,
                                                   ArrayRef<std::string> arguments,
                                                   const MemoryFile *output) {
  MemoryFile log;
  std::string reason, logPath = log.getPath(), outputPath = output ? output->getPath() : logPath;
  SmallVector<StringRef> words = {program};
  words.append(arguments.begin(), arguments.end());
  int status = llvm::sys::ExecuteAndWait(program, words, std::nullopt,
                                         {std::nullopt, StringRef(outputPath), StringRef(logPath)},
                                         0, 0, &reason);
  std::string text;
  if (auto buffer = log.read())
    text = (*buffer)->getBuffer().rtrim().str();
  if (status == 0)
    return text;
  // Who reads an error needs its begin.
  constexpr size_t kMostText = 4000;
  if (text.size() > kMostText)
    text.replace(kMostText, std::string::npos, "\n…");
  std::string ended = reason.empty() ? "ended with status " + std::to_string(status) : reason;
  return llvm::createStringError(text.empty() ? program.str() + " " + ended : text);
}
