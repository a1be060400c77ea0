//===- print-targets.cpp - Prints the table of docs/targets.md --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// From the same table that targets are made of: one row per figure.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Target/Targets.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::fuse;

int main() {
  llvm::outs() << "| target | figure | value | source |\n|---|---|---|---|\n";
  for (llvm::StringRef name : getTargetNames())
    for (const KnownFigure &figure : getKnownFigures(name))
      llvm::outs() << "| `" << name << "` | `" << figure.key << "` | "
                   << llvm::format("%.10g", figure.value) << " | " << figure.source << " |\n";
}
