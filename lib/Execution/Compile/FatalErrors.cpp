//===- FatalErrors.cpp - What LLVM gives up on, as an exception ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <mutex>
#include <new>

using namespace mlir::fuse;

static std::mutex mutex;
static int64_t catchers = 0;

CaughtFatalErrors::CaughtFatalErrors() {
  std::lock_guard<std::mutex> lock(mutex);
  if (catchers++ > 0)
    return;
  llvm::install_fatal_error_handler(
      [](void *, const char *text, bool) { throw FatalError{text}; });
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { throw std::bad_alloc(); });
}

CaughtFatalErrors::~CaughtFatalErrors() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--catchers > 0)
    return;
  llvm::remove_fatal_error_handler();
  llvm::remove_bad_alloc_error_handler();
}

llvm::Error mlir::fuse::catchFatalErrors(llvm::function_ref<void()> work) {
  try {
    work();
  } catch (const FatalError &error) {
    return llvm::createStringError("the compiler gave up: " + error.text);
  } catch (const std::bad_alloc &) {
    return llvm::createStringError("out of memory");
  }
  return llvm::Error::success();
}
