//===- Threads.h - The threads that blocks of kernels run on ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Threads are OpenMP's: those of the process, so that kernels and their caller share them. Programs
// that are compiled and run in one process link OpenMP (Threads.cpp). A bundle is handed to others,
// whose machines may lack it, and takes what it finds when it needs a second thread
// (OpenedThreads.cpp).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_THREADS_H
#define FUSE_LIB_RUNTIME_THREADS_H

#include <cstdint>

namespace mlir::fuse::runtime {

/// What one of `threads` threads does; they are numbered from 0.
using ThreadBody = void (*)(void *data, int64_t thread, int64_t threads);

/// Runs the body on as many threads, or on fewer where OpenMP gives fewer, and waits for all.
void runOnThreads(int32_t threads, ThreadBody body, void *data);

/// The threads of a context that asks for `wanted`: as many as OpenMP would use where that is 0 or less;
/// 1 where there is no OpenMP.
int32_t getThreads(int32_t wanted);

/// Null if several threads can run; else what is missing, as text.
const char *whyOneThread();

/// The file of an OpenMP runtime that comes before those which are looked for; null: none. Before anything else here is
/// called. Nothing where OpenMP is linked.
void setOpenMp(const char *file);

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_THREADS_H
