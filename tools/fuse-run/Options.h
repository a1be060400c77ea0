//===- Options.h - The command line of fuse-run -------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_OPTIONS_H
#define FUSE_TOOLS_FUSE_RUN_OPTIONS_H

#include "../common/ToolOptions.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

enum class RunMode { Fused, Unfused, Interpret };

struct RunOptions : ToolOptions {
  std::string program; // "-": standard input
  bool isBundle = false; // a compiled one, as its bytes say
  /// Whether files are named for each rank of a job, which has its parts of the arrays there.
  bool inputsPerRank = false, outputsPerRank = false;

  std::optional<uint64_t> randomSeed;

  std::string outputs;
  std::string expect;
  std::optional<double> rtol, atol;
  bool check = false;
  bool locate = false;

  RunMode mode = RunMode::Fused;
  /// Of the planner's merges, the first `skip` are not made, the next `count` are (all others where
  /// it is negative), and no more.
  struct MergeWindow {
    int64_t skip = 0, count = -1;
  };
  std::optional<MergeWindow> merges;
  bool listMerges = false;

  static constexpr int64_t kMaxTimedRuns = 1000000;
  /// Of --time: how many runs, or how long all of them take together; 0: the other.
  int64_t timedRuns = 0;
  bool info = false;
  double timedSeconds = 0;
  bool report = false;
  std::string reportJson;
  std::string trace;
  std::string graph;
  bool explain = false;
  std::string dumpAfter;
  std::optional<int64_t> dumpKernel;

  /// With the number of threads that launches will have.
  LoweringOptions getLoweringOptions() const;

  bool isTimed() const { return timedRuns > 0 || timedSeconds > 0; }
  /// Whether reports are all that is wanted, of a program that is not run.
  bool onlyReports() const {
    bool reports = report || !reportJson.empty() || !graph.empty();
    bool more = hasInputs() || check || isTimed() || explain || listMerges || dumpKernel ||
                !expect.empty() || !outputs.empty() || !trace.empty() || !dumpAfter.empty();
    return reports && !more;
  }
  bool hasInputs() const {
    return !inputArchives.empty() || !inputFiles.empty() || randomSeed.has_value();
  }
};

/// What stands for a rank's number in the names of files that each rank has.
inline constexpr llvm::StringLiteral kRankInName = "{rank}";

/// Reads the arguments after the program's name. An error is wrong usage and names the argument,
/// what was expected and what was found.
llvm::Expected<RunOptions> parseOptions(llvm::ArrayRef<const char *> arguments);

void printHelp(llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_OPTIONS_H
