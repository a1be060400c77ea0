//===- AsyncCopies.cpp - Copies that are done when a thread waits for them ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Worker.h"

#include <cstring>
#include <new>
#include <utility>

using namespace mlir::fuse::emulator;

/// `isCounted`: it counts as a write when it is asked for and when it arrives, but is one.
static void checkWrite(Thread &thread, const AsyncCopy &copy, int32_t site, bool isCounted) {
  if (thread.worker->getLaunch().isChecked)
    thread.worker->access(thread, copy.shared, copy.bytes, /*writes=*/true, /*isAtomic=*/false,
                          site, isCounted);
}

/// Whether one of four copies arrives now, although nobody waits for it.
static bool arrivesEarly(Worker &worker) { return worker.draw() % 4 == 0; }

static void arriveCopied(AsyncCopy &copy) {
  if (copy.hasArrived)
    return;
  copy.hasArrived = true;
  auto *to = static_cast<char *>(copy.shared);
  if (copy.sourceBytes > 0)
    std::memcpy(to, copy.global, copy.sourceBytes);
  std::memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
}

extern "C" {

void fuse_emulated_copy_async(fuse_emulated_thread *thread, void *shared, const void *global,
                              int32_t bytes, int32_t source_bytes, int32_t site) {
  auto &self = *static_cast<Thread *>(thread);
  Worker &worker = *self.worker;
  AsyncCopy copy = {shared, global,      bytes, source_bytes < bytes ? source_bytes : bytes,
                    site,   self.groups, false};
  if (worker.getLaunch().isChecked) {
    if (copy.sourceBytes > 0)
      worker.access(self, global, copy.sourceBytes, /*writes=*/false, /*isAtomic=*/false, site);
    // The hardware may write at any time from now on until the wait; so it does here, for the check.
    checkWrite(self, copy, site, /*isCounted=*/true);
    worker.beginCopy(self, copy);
  }
  // Nobody may count on its bytes before the wait, nor on the old ones.
  if (arrivesEarly(worker))
    arriveCopied(copy);
  // Above this frame there is compiled code, which no exception passes.
  try {
    self.copies.push_back(copy);
    return;
  } catch (const std::bad_alloc &) {
  }
  worker.fail("out of memory: the copy at %s", worker.getLaunch().locate(site));
}

void fuse_emulated_commit_copies(fuse_emulated_thread *thread) {
  ++static_cast<Thread *>(thread)->groups;
}

void fuse_emulated_wait_copies(fuse_emulated_thread *thread, int32_t left, int32_t site) {
  auto &self = *static_cast<Thread *>(thread);
  Worker &worker = *self.worker;
  int64_t until = left < 0 ? INT64_MAX : self.groups - left;
  size_t done = 0;
  while (done < self.copies.size() && self.copies[done].group < until)
    ++done;
  // In any order.
  for (size_t i = done; i > 1; --i)
    std::swap(self.copies[i - 1], self.copies[worker.draw() % i]);
  for (size_t i = 0; i < done; ++i) {
    AsyncCopy &copy = self.copies[i];
    arriveCopied(copy);
    if (!worker.getLaunch().isChecked)
      continue;
    worker.endCopy(copy);
    checkWrite(self, copy, copy.site, /*isCounted=*/false);
  }
  self.copies.erase(self.copies.begin(), self.copies.begin() + done);
  for (AsyncCopy &copy : self.copies)
    if (arrivesEarly(worker))
      arriveCopied(copy);
}

} // extern "C"
