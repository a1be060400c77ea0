//===- Calls.cpp - What kernels call of the block's functions -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Worker.h"

using namespace mlir::fuse::emulator;

static Thread &threadOf(fuse_emulated_thread *thread) { return *static_cast<Thread *>(thread); }

/// Calls fn(first, count) for each stretch of set bits.
template <class Function>
static void forRuns(uint64_t mask, Function fn) {
  for (int first = 0; first < 64 && mask >> first;) {
    first += __builtin_ctzll(mask >> first);
    uint64_t rest = ~(mask >> first);
    int count = rest ? __builtin_ctzll(rest) : 64;
    fn(first, count);
    first += count;
  }
}

extern "C" {

fuse_emulated_thread *fuse_emulated_thread_now(void) { return &getCurrentThread(); }

void fuse_emulated_barrier(fuse_emulated_thread *thread, int32_t id, int32_t count, int32_t site) {
  Thread &self = threadOf(thread);
  self.worker->barrier(self, id, count, site);
}

void fuse_emulated_read(fuse_emulated_thread *thread, const void *address, int64_t bytes,
                        int32_t site) {
  Thread &self = threadOf(thread);
  self.worker->access(self, address, bytes, /*writes=*/false, /*isAtomic=*/false, site);
}

void fuse_emulated_write(fuse_emulated_thread *thread, void *address, int64_t bytes, int32_t site) {
  Thread &self = threadOf(thread);
  self.worker->access(self, address, bytes, /*writes=*/true, /*isAtomic=*/false, site);
}

void fuse_emulated_atomic(fuse_emulated_thread *thread, void *address, int64_t bytes,
                          int32_t site) {
  Thread &self = threadOf(thread);
  self.worker->access(self, address, bytes, /*writes=*/true, /*isAtomic=*/true, site);
}

void fuse_emulated_read_masked(fuse_emulated_thread *thread, const void *address,
                               int64_t element_bytes, uint64_t mask, int32_t site) {
  forRuns(mask, [&](int first, int count) {
    fuse_emulated_read(thread, static_cast<const char *>(address) + first * element_bytes,
                       count * element_bytes, site);
  });
}

void fuse_emulated_write_masked(fuse_emulated_thread *thread, void *address, int64_t element_bytes,
                                uint64_t mask, int32_t site) {
  forRuns(mask, [&](int first, int count) {
    fuse_emulated_write(thread, static_cast<char *>(address) + first * element_bytes,
                        count * element_bytes, site);
  });
}

void fuse_emulated_fail(fuse_emulated_thread *thread, const char *text, int32_t site) {
  Thread &self = threadOf(thread);
  self.worker->fail("thread %d at %s: %s", self.index, self.worker->getLaunch().locate(site), text);
}

} // extern "C"
