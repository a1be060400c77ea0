//===- MemoryFile.h - Files that other programs are given -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_MACHINECODE_MEMORYFILE_H
#define FUSE_LIB_EXECUTION_MACHINECODE_MEMORYFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mlir::fuse {

/// A file in memory, which other processes reach by its path as long as this one has it: whatever
/// ends the process, nothing is left behind.
class MemoryFile {
public:
  MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile();

  std::string getPath() const;
  llvm::Error write(StringRef bytes);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> read() const;

private:
  int file;
};

/// The linker ld.lld, beside LLVM's tools or in PATH.
llvm::Expected<std::string> findLinker();

/// Runs a program to its end; `arguments` without its name. Errors: it cannot be run or ends with
/// another status than 0; what it wrote to its standard error is the message. Returns that text.
/// `output`: where its standard output goes, else it joins the standard error.
llvm::Expected<std::string> runProgram(StringRef program, ArrayRef<std::string> arguments,
                                       const MemoryFile *output = nullptr);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_MACHINECODE_MEMORYFILE_H
