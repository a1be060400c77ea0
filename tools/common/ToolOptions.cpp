//===- ToolOptions.cpp - Options of every tool that takes programs --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ToolOptions.h"

using namespace mlir::fuse;

llvm::ArrayRef<OptionSpec<ToolOptions>> mlir::fuse::getHelpOptions() {
  static const OptionSpec<ToolOptions> specs[] = {
      {{nullptr, nullptr, "Other"}, nullptr},
      {{"version", nullptr, "prints the version of fuse, and of what the tool depends on"},
       [](ToolOptions &o, StringRef) -> llvm::Error {
         o.version = true;
         return llvm::Error::success();
       }},
      {{"help", nullptr, "prints this"},
       [](ToolOptions &o, StringRef) -> llvm::Error {
         o.help = true;
         return llvm::Error::success();
       }},
  };
  return specs;
}

void mlir::fuse::addAllOptions(OptionParser &parser, ToolOptions &options) {
  PlanningOptions &planning = options;
  parser.add(planning, getInputOptions());
  parser.add(planning, getPlanningOptions());
  parser.add(options, getHelpOptions());
}
