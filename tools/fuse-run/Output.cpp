//===- Output.cpp - What a run leaves --------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Output.h"

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
  std::vector<double> runs(runMs.begin() + 1, runMs.end());
  llvm::sort(runs);
  size_t middle = runs.size() / 2;
  double median = runs.size() % 2 ? runs[middle] : (runs[middle - 1] + runs[middle]) / 2;
  os << llvm::format("run: median %.3f ms, least %.3f ms of %zu\n", median, runs.front(),
                     runs.size());
}

llvm::Error mlir::fuse::writeFiles(const RunOptions &options, ArrayRef<NamedArray> outputs,
                                   StringRef reportJson, StringRef page) {
  if (llvm::Error error = finishOutput())
    return error;
  if (!options.outputs.empty())
    if (llvm::Error error = writeNpz(options.outputs, outputs))
      return error;
  if (!options.reportJson.empty())
    if (llvm::Error error = writeText(options.reportJson, reportJson))
      return error;
  if (!options.graph.empty())
    if (llvm::Error error = writeText(options.graph, page))
      return error;
  return llvm::Error::success();
}
