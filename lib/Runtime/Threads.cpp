//===- Threads.cpp - The threads of an OpenMP that is linked -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

using namespace mlir::fuse::runtime;

void mlir::fuse::runtime::setOpenMp(const char *) {}

#ifdef _OPENMP
void mlir::fuse::runtime::runOnThreads(int32_t threads, ThreadBody body, void *data) {
#pragma omp parallel num_threads(threads) default(none) firstprivate(body, data)
  body(data, omp_get_thread_num(), omp_get_num_threads());
}

int32_t mlir::fuse::runtime::getThreads(int32_t wanted) {
  return wanted > 0 ? wanted : omp_get_max_threads();
}

const char *mlir::fuse::runtime::whyOneThread() { return nullptr; }
#else
// Where a device does the work the runtime is built without OpenMP, and the host has one thread.
void mlir::fuse::runtime::runOnThreads(int32_t, ThreadBody body, void *data) { body(data, 0, 1); }

int32_t mlir::fuse::runtime::getThreads(int32_t) { return 1; }

const char *mlir::fuse::runtime::whyOneThread() { return nullptr; }
#endif
