//===- Output.cpp - What a run leaves --------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Output.h"

#include "../common/Recording.h"
#include "../common/WriteText.h"
#include "fuse/Runtime/Cpu.h"
#include "llvm/ADT/STLExtras.h"
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
  ArrayRef<double> runs = runMs.drop_front();
  os << llvm::format("run: median %.3f ms, least %.3f ms of %zu\n", getMedian(runs.vec()),
                     *llvm::min_element(runs), runs.size());
}

llvm::Error mlir::fuse::writeFiles(const RunOptions &options, ArrayRef<NamedArray> outputs,
                                   ArrayRef<std::pair<StringRef, StringRef>> texts) {
  if (llvm::Error error = finishOutput())
    return error;
  if (!options.outputs.empty())
    if (llvm::Error error = writeNpz(options.outputs, outputs))
      return error;
  for (auto [path, text] : texts)
    if (!path.empty())
      if (llvm::Error error = writeText(path, text))
        return error;
  return llvm::Error::success();
}
