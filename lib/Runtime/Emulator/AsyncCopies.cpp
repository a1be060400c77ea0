//===- AsyncCopies.cpp - Copies that are done when a thread waits for them ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Worker.h"

#include <cstring>

using namespace mlir::fuse::emulator;

static void checkWrite(Thread &thread, const AsyncCopy &copy, int32_t site) {
  if (thread.worker->getLaunch().isChecked)
    thread.worker->access(thread, copy.shared, copy.bytes, /*writes=*/true, /*isAtomic=*/false,
                          site);
}

extern "C" {

void fuse_emulated_copy_async(fuse_emulated_thread *thread, void *shared, const void *global,
                              int32_t bytes, int32_t source_bytes, int32_t site) {
  auto &self = *static_cast<Thread *>(thread);
  AsyncCopy copy = {shared, global,     bytes, source_bytes < bytes ? source_bytes : bytes,
                    site,   self.groups};
  if (self.worker->getLaunch().isChecked && copy.sourceBytes > 0)
    self.worker->access(self, global, copy.sourceBytes, /*writes=*/false, /*isAtomic=*/false, site);
  // The hardware may write at any time from now on until the wait; so it does here, for the check.
  checkWrite(self, copy, site);
  // Nobody may count on it before the wait: until then the old bytes stay.
  self.copies.push_back(copy);
}

void fuse_emulated_commit_copies(fuse_emulated_thread *thread) {
  ++static_cast<Thread *>(thread)->groups;
}

void fuse_emulated_wait_copies(fuse_emulated_thread *thread, int32_t left, int32_t site) {
  auto &self = *static_cast<Thread *>(thread);
  int64_t until = left < 0 ? INT64_MAX : self.groups - left;
  size_t done = 0;
  for (; done < self.copies.size() && self.copies[done].group < until; ++done) {
    const AsyncCopy &copy = self.copies[done];
    checkWrite(self, copy, copy.site);
    auto *to = static_cast<char *>(copy.shared);
    if (copy.sourceBytes > 0)
      std::memcpy(to, copy.global, copy.sourceBytes);
    std::memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  }
  self.copies.erase(self.copies.begin(), self.copies.begin() + done);
}

} // extern "C"
