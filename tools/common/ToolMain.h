//===- ToolMain.h - What the mains of tools have in common --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_TOOLMAIN_H
#define FUSE_TOOLS_COMMON_TOOLMAIN_H

#include "WriteText.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/WithColor.h"

#include <csignal>

namespace mlir::fuse {

/// Exit statuses of all tools.
enum ToolStatus { Done = 0, Failed = 1, WrongUsage = 2 };

/// The errors of a tool, which has its name before them.
class ToolErrors {
public:
  explicit constexpr ToolErrors(llvm::StringRef tool) : tool(tool) {}

  /// Prints an error and returns the status.
  int operator()(const llvm::Twine &text, ToolStatus status = Failed) const {
    llvm::WithColor::error(llvm::errs(), tool) << text << "\n";
    if (status == WrongUsage)
      llvm::errs() << tool << " --help lists the options\n";
    return status;
  }
  int operator()(llvm::Error error, ToolStatus status = Failed) const {
    return (*this)(llvm::toString(std::move(error)), status);
  }

private:
  llvm::StringRef tool;
};

/// The main of a tool whose `Options` have `help` and `version`: `parse` reads the arguments behind the
/// program's name, and `run` is called for what neither of the two has answered.
template <typename Parse, typename PrintHelp, typename PrintVersion, typename Run>
int runTool(int argc, char **argv, const ToolErrors &fail, Parse parse, PrintHelp printHelp,
            PrintVersion printVersion, Run run) {
  llvm::InitLLVM init(argc, argv);
  llvm::setBugReportMsg("");
#ifdef SIGXFSZ
  // A file that may not grow so large is an error of its write.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  llvm::ArrayRef<const char *> commandLine(argv, static_cast<size_t>(argc));
  auto options = parse(commandLine.drop_front(argc > 0));
  if (!options)
    return fail(options.takeError(), WrongUsage);
  if (options->help)
    printHelp(llvm::outs());
  if (options->version)
    printVersion(llvm::outs());
  if (options->help || options->version) {
    llvm::Error error = finishOutput();
    return error ? fail(std::move(error)) : Done;
  }
  return run(*options, commandLine);
}

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_TOOLMAIN_H
