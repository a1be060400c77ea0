//===- Options.h - The command line of fuse-run -------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Parsed by hand: libLLVM brings some hundred options of its own, which llvm::cl would accept here.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_OPTIONS_H
#define FUSE_TOOLS_FUSE_RUN_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::fuse {

enum class RunMode { Fused, Unfused, Interpret };

struct RunOptions {
  std::string program; // "-": standard input
  std::string function;

  std::vector<std::string> inputArchives;
  std::vector<std::pair<std::string, std::string>> inputFiles; // name, path
  std::optional<uint64_t> randomSeed;

  std::string outputs;
  std::string expect;
  std::optional<double> rtol, atol;
  bool check = false;

  RunMode mode = RunMode::Fused;
  std::string strategy = "priority";
  std::string costModel = "roofline";
  bool fusion = true;
  std::string numerics = "reassociates";
  std::vector<std::string> disabledLabels;
  /// Of the planner's merges, the first `skip` are not made, the next `count` are (all others where
  /// it is negative), and no more.
  struct MergeWindow {
    int64_t skip = 0, count = -1;
  };
  std::optional<MergeWindow> merges;
  bool listMerges = false;
  std::string costTarget; // empty: the program's own fuse.target, if it has one
  int32_t threads = 0; // 0: as many as OpenMP would use

  int64_t timedRuns = 0;
  bool report = false;
  std::string reportJson;
  bool explain = false;
  std::string dumpAfter;
  std::optional<int64_t> dumpKernel;

  bool help = false;
  bool version = false;

  bool hasInputs() const {
    return !inputArchives.empty() || !inputFiles.empty() || randomSeed.has_value();
  }
};

/// Reads the arguments after the program's name. An error is wrong usage and names the argument,
/// what was expected and what was found.
llvm::Expected<RunOptions> parseOptions(llvm::ArrayRef<const char *> arguments);

void printHelp(llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_OPTIONS_H
