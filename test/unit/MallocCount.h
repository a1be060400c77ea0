//===- MallocCount.h - Counts what a process allocates ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Replaces the C library's allocation functions in the whole process: the program's own calls,
// OpenMP's, and those of generated code, which finds them by name. For one source of a program.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_MALLOCCOUNT_H
#define FUSE_TEST_UNIT_MALLOCCOUNT_H

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// Allocations of this process so far.
static std::atomic<int64_t> allocations;

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void *memalign(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
} // extern "C"

#endif // FUSE_TEST_UNIT_MALLOCCOUNT_H
