//===- ProgressBar.h - How far a compilation is, on a terminal --------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_PROGRESSBAR_H
#define FUSE_TOOLS_COMMON_PROGRESSBAR_H

#include "fuse/Execution/ObjectCompiler.h"
#include "mlir/IR/Diagnostics.h"

#include <mutex>

namespace mlir::fuse {

/// One line on stderr that is drawn over and erased in the end. Where stderr is no terminal that
/// can do so, nothing is written. Diagnostics of the context erase it before they are printed;
/// whoever else writes to the terminal calls clear() first.
class ProgressBar {
public:
  /// isWanted: false where something else writes to the terminal meanwhile.
  ProgressBar(MLIRContext &context, bool isWanted = true);
  ~ProgressBar() { clear(); }

  enum class Stage { Import, Plan, Lower };
  void enter(Stage stage);
  /// Another stage, of which `part` is done, from 0 to 1.
  void show(double part, const llvm::Twine &text) { draw(part, text); }
  void clear();

  /// Options that show each object as it is compiled, and the stage behind that. They refer to the
  /// bar.
  ObjectCompilerOptions getCompilerOptions(Machine machine = Machine::Cpu, StringRef chip = "");

private:
  void draw(double part, const llvm::Twine &text);

  bool isShown;
  bool isDrawn = false;
  std::mutex mutex; // kernels are compiled by several threads
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_PROGRESSBAR_H
