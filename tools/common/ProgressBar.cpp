//===- ProgressBar.cpp - How far a compilation is, on a terminal ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProgressBar.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr unsigned kWidth = 24;
/// Back to the line's start, and nothing behind it.
static constexpr const char *kErase = "\r\x1b[K";

static bool canErase() {
  std::optional<std::string> terminal = llvm::sys::Process::GetEnv("TERM");
  return llvm::sys::Process::StandardErrIsDisplayed() && (!terminal || *terminal != "dumb");
}

ProgressBar::ProgressBar(MLIRContext &context, bool isWanted)
    : isShown(isWanted && canErase()), handler(&context, [this](Diagnostic &) {
        clear();
        return failure(); // others print it
      }) {}

void ProgressBar::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isDrawn)
    llvm::errs() << kErase;
  isDrawn = false;
}

void ProgressBar::draw(double part, const Twine &text) {
  if (!isShown)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  unsigned filled = static_cast<unsigned>(part * kWidth);
  std::string bar(filled, '#');
  bar.resize(kWidth, ' ');
  // One write, so that the line never shows half of it.
  std::string line = (kErase + ("[" + bar + "] ") + text).str();
  llvm::errs() << line;
  isDrawn = true;
}

// Most of the time goes into the kernels' objects; the other shares are what they are in networks.
void ProgressBar::enter(Stage stage) {
  switch (stage) {
  case Stage::Import:
    return draw(0.0, "import");
  case Stage::Plan:
    return draw(0.05, "plan");
  case Stage::Lower:
    return draw(0.15, "lower");
  }
}

ObjectCompilerOptions ProgressBar::getCompilerOptions(Machine machine, StringRef chip) {
  ObjectCompilerOptions options;
  options.machine = machine;
  options.chip = chip.str();
  options.progress = [this](size_t done, size_t total) {
    if (done == total)
      return draw(1.0, "link");
    draw(0.4 + 0.6 * static_cast<double>(done) / static_cast<double>(total),
         "kernels " + Twine(done) + " of " + Twine(total));
  };
  return options;
}
