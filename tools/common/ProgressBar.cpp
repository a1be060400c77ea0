//===- ProgressBar.cpp - How far a compilation is ---------------------------===//
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

/// How often a terminal's line is drawn again, and how often there is one where nothing is erased.
static constexpr std::chrono::milliseconds kTick(500);
static constexpr int64_t kSecondsPerLine = 10;

static bool isTerminal() {
  std::optional<std::string> terminal = llvm::sys::Process::GetEnv("TERM");
  return llvm::sys::Process::StandardErrIsDisplayed() && (!terminal || *terminal != "dumb");
}

ProgressBar::ProgressBar(MLIRContext &context, bool isWanted)
    : isWanted(isWanted), canErase(isTerminal()), handler(&context, [this](Diagnostic &) {
        clear();
        return failure(); // others print it
      }) {}

ProgressBar::~ProgressBar() {
  clear();
  {
    std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
  }
  changed.notify_all();
  if (ticker.joinable())
    ticker.join();
}

int64_t ProgressBar::getSeconds() const {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start)
      .count();
}

void ProgressBar::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isDrawn)
    llvm::errs() << kErase;
  isDrawn = isActive = false;
}

/// One write, so that the line never shows half of it.
void ProgressBar::write() {
  int64_t seconds = getSeconds();
  std::string time = seconds > 0 ? ", " + std::to_string(seconds) + " s" : "";
  if (!canErase) {
    llvm::errs() << "fuse: " + text + time + "\n";
    return;
  }
  std::string bar(static_cast<unsigned>(part * kWidth), '#');
  bar.resize(kWidth, ' ');
  llvm::errs() << kErase + ("[" + bar + "] ") + text + time;
  isDrawn = true;
}

void ProgressBar::tick() {
  std::unique_lock<std::mutex> lock(mutex);
  int64_t shown = 0;
  while (!changed.wait_for(lock, kTick, [&] { return isDone; })) {
    int64_t seconds = getSeconds();
    if (!isActive || seconds < shown + (canErase ? 1 : kSecondsPerLine))
      continue;
    shown = seconds;
    write();
  }
}

void ProgressBar::draw(double newPart, const Twine &newText) {
  if (!isWanted)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  part = newPart;
  text = newText.str();
  isActive = true;
  if (canErase)
    write();
  if (!ticker.joinable())
    ticker = std::thread([this] { tick(); });
}

void ProgressBar::enter(Stage stage) {
  Progress progress = getProgress(stage);
  draw(progress.part, progress.text);
}

ObjectCompilerOptions ProgressBar::getCompilerOptions(const Backend &backend, StringRef chip) {
  ObjectCompilerOptions options;
  options.backend = &backend;
  options.chip = chip.str();
  options.progress = [this](size_t done, size_t total) {
    Progress progress = getProgress(done, total);
    draw(progress.part, progress.text);
  };
  return options;
}
