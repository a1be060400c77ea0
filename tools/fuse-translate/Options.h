//===- Options.h - The command line of fuse-translate -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_TRANSLATE_OPTIONS_H
#define FUSE_TOOLS_FUSE_TRANSLATE_OPTIONS_H

#include "../common/ToolOptions.h"

namespace mlir::fuse {

enum class Emission { Text, Bytecode, Plan, Listing, Graph };

struct TranslateOptions : ToolOptions {
  std::string program; // "-": standard input
  std::string output;  // empty or "-": standard output
  std::string weights; // ends in .npz; empty: not written
  Emission emission = Emission::Text;
  bool locations = false;
};

/// Reads the arguments after the program's name. An error is wrong usage and names the argument,
/// what was expected and what was found.
llvm::Expected<TranslateOptions> parseOptions(llvm::ArrayRef<const char *> arguments);

void printHelp(llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_TRANSLATE_OPTIONS_H
