//===- Options.h - The command line of fuse-compile ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_COMPILE_OPTIONS_H
#define FUSE_TOOLS_FUSE_COMPILE_OPTIONS_H

#include "../common/ToolOptions.h"

namespace mlir::fuse {

struct BundleOptions : ToolOptions {
  BundleOptions() { automaticVariants = true; }

  std::string program; // "-": standard input
  std::string output;  // ends in .so
};

/// Reads the arguments after the program's name. An error is wrong usage and names the argument,
/// what was expected and what was found.
llvm::Expected<BundleOptions> parseOptions(llvm::ArrayRef<const char *> arguments);

void printHelp(llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_COMPILE_OPTIONS_H
