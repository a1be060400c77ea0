//===- Isolate.h - Checks in processes of their own, and cutting failures down ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_ISOLATE_H
#define FUSE_TEST_NUMERIC_RANDOM_ISOLATE_H

#include "Check.h"

#include <functional>

namespace mlir::fuse::random {

struct Task {
  uint64_t seed;
  Depth depth;
  const Backend *backend = &getDefaultBackend();
  bool isOpen = false, isStrict = false;
};

/// Checks what `generate` makes of each task, some tasks per forked process; a crash is the outcome
/// of its task. No thread but the caller's may exist; `context` must have threading disabled.
/// `done` returns whether to go on. With several `processes` at once outcomes come in any order.
void checkAll(MLIRContext &context, ArrayRef<Task> tasks,
              const std::function<Graph(const Task &)> &generate,
              const std::function<bool(size_t, const Outcome &)> &done, size_t processes = 1);

/// The smallest graph found that fails in the same phase as that of `task`, in at most `seconds`.
Graph reduce(MLIRContext &context, const Graph &graph, const Outcome &outcome, const Task &task,
             int seconds);

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_ISOLATE_H
