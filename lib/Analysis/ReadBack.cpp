//===- ReadBack.cpp - What the host waits for at a function's end -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ReadBack.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether `op`, or an op in its regions, runs on the device.
static bool runsOnDevice(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        NodeKind kind = classifyNode(inner);
        bool launches =
            kind == NodeKind::Kernel || kind == NodeKind::Device || isa<LaunchOp>(inner);
        return launches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

ReadBack mlir::fuse::computeReadBack(ValueRange returned) {
  ReadBack readBack;
  llvm::DenseSet<Value> seen;
  for (auto [i, value] : llvm::enumerate(returned)) {
    Value source = getViewSource(value);
    Operation *def = source.getDefiningOp();
    if (!def || classifyNode(def) == NodeKind::Constant || !seen.insert(value).second)
      continue;
    readBack.results.push_back(i);
    readBack.waits |= runsOnDevice(def);
  }
  return readBack;
}
