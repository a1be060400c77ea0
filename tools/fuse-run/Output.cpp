//===- Output.cpp - What a run leaves --------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Output.h"

#include "fuse/Runtime/Cpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::printTimes(std::optional<int32_t> threads, std::optional<double> compileMs,
                            ArrayRef<double> runMs, llvm::raw_ostream &os) {
  os << "cpu: " << fuse_cpu_name();
  if (threads)
    os << ", threads: " << *threads;
  if (compileMs)
    os << llvm::format("\ncompile: %.3f ms", *compileMs);
  os << llvm::format("\nfirst run: %.3f ms\n", runMs.front());
  std::vector<double> runs(runMs.begin() + 1, runMs.end());
  llvm::sort(runs);
  size_t middle = runs.size() / 2;
  double median = runs.size() % 2 ? runs[middle] : (runs[middle - 1] + runs[middle]) / 2;
  os << llvm::format("run: median %.3f ms, least %.3f ms of %zu\n", median, runs.front(),
                     runs.size());
}

/// Whether all has been written: a full device or a closed pipe is no error of any single write.
static llvm::Error takeStreamError(llvm::raw_fd_ostream &stream) {
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return llvm::errorCodeToError(code);
}

/// Whole or not at all, by renaming; but what is no file (a device, a pipe) stays what it is, and a
/// link stays a link.
static llvm::Error writeText(StringRef path, StringRef text) {
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

llvm::Error mlir::fuse::writeFiles(const RunOptions &options, ArrayRef<NamedArray> outputs,
                                   StringRef reportJson) {
  if (llvm::Error error = takeStreamError(llvm::outs()))
    return llvm::createStringError("standard output: cannot write: " +
                                   llvm::toString(std::move(error)));
  if (!options.outputs.empty())
    if (llvm::Error error = writeNpz(options.outputs, outputs))
      return error;
  if (!options.reportJson.empty())
    if (llvm::Error error = writeText(options.reportJson, reportJson))
      return llvm::createStringError("'" + options.reportJson + "': cannot write: " +
                                     llvm::toString(std::move(error)));
  return llvm::Error::success();
}
