//===- Progress.cpp - How far a compilation is -----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Progress.h"

using namespace mlir::fuse;

// Most of the time goes into the kernels' objects; the other shares are what they are in networks.
Progress mlir::fuse::getProgress(CompileStage stage) {
  switch (stage) {
  case CompileStage::Import:
    return {0.0, "import"};
  case CompileStage::Plan:
    return {0.05, "plan"};
  case CompileStage::Lower:
    return {0.15, "lower"};
  }
  return {};
}

Progress mlir::fuse::getProgress(size_t done, size_t total) {
  if (done == total)
    return {1.0, "link"};
  return {0.4 + 0.6 * static_cast<double>(done) / static_cast<double>(total),
          "kernels " + std::to_string(done) + " of " + std::to_string(total)};
}
