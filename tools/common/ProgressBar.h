//===- ProgressBar.h - How far a compilation is -----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_PROGRESSBAR_H
#define FUSE_TOOLS_COMMON_PROGRESSBAR_H

#include "fuse/Driver/Progress.h"
#include "fuse/Execution/ObjectCompiler.h"
#include "mlir/IR/Diagnostics.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace mlir::fuse {

/// One line on stderr that is drawn over and erased in the end; after a second it says how long all
/// has taken. Where stderr is no terminal that can do so, a line is written every ten seconds.
/// Diagnostics of the context erase it before they are printed; whoever else writes to the terminal
/// calls clear() first.
class ProgressBar {
public:
  /// isWanted: false where something else writes to the terminal meanwhile.
  ProgressBar(MLIRContext &context, bool isWanted = true);
  ~ProgressBar();

  using Stage = CompileStage;
  void enter(Stage stage);
  /// Another stage, of which `part` is done, from 0 to 1.
  void show(double part, const llvm::Twine &text) { draw(part, text); }
  void clear();

  /// Options that show each object as it is compiled, and the stage behind that. They refer to the
  /// bar.
  ObjectCompilerOptions getCompilerOptions(const Backend &backend, StringRef chip = "");

private:
  void draw(double part, const llvm::Twine &text);
  void write();
  /// Draws again now and then: a stage may be long.
  void tick();
  int64_t getSeconds() const;

  bool isWanted, canErase;
  bool isDrawn = false, isActive = false, isDone = false;
  double part = 0;
  std::string text;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::mutex mutex; // kernels are compiled by several threads
  std::condition_variable changed;
  std::thread ticker; // from the first stage on
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_PROGRESSBAR_H
