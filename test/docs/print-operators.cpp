//===- print-operators.cpp - Prints the table of docs/onnx.md ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// From the same table that models are imported by: one row per initial letter.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Import/Onnx.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  char initial = 0;
  llvm::outs() << "| | operators |\n|---|---|";
  for (llvm::StringRef name : mlir::fuse::getOnnxOperators()) {
    if (name.front() != initial)
      llvm::outs() << (initial ? " |" : "") << "\n| " << name.front() << " |";
    else
      llvm::outs() << ",";
    llvm::outs() << " `" << name << "`";
    initial = name.front();
  }
  llvm::outs() << " |\n";
  return 0;
}
