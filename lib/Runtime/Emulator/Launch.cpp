//===- Launch.cpp - One launch on the emulator, and its first fault -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Launch.h"

#include <cstdio>

using namespace mlir::fuse::emulator;

void Launch::fail(int64_t block, const char *format, va_list args) {
  std::lock_guard<std::mutex> lock(mutex);
  if (fault[0])
    return;
  int length = snprintf(fault, sizeof fault, "kernel '%s', block %lld: ", kernel,
                        static_cast<long long>(block));
  vsnprintf(fault + length, sizeof fault - length, format, args);
  stopped = true;
}
