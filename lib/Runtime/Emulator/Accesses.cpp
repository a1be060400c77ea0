//===- Accesses.cpp - Checks of accesses to memory ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Worker.h"

#include <cstdio>

using namespace mlir::fuse::emulator;

namespace {
/// Locks that several threads of the system take to look at histories of global memory.
class HistoryLock {
public:
  HistoryLock(const void *place, bool isNeeded)
      : lock(isNeeded ? &locks[reinterpret_cast<uintptr_t>(place) / 4096 % kLocks] : nullptr) {
    while (lock && lock->test_and_set(std::memory_order_acquire))
      ;
  }
  void release() {
    if (lock)
      lock->clear(std::memory_order_release);
  }

private:
  static constexpr int kLocks = 256;
  static std::atomic_flag locks[kLocks];
  std::atomic_flag *lock;
};
std::atomic_flag HistoryLock::locks[HistoryLock::kLocks];
} // namespace

void Worker::access(Thread &thread, const void *place, int64_t bytes, bool writes, bool isAtomic,
                    int32_t site) {
  auto address = reinterpret_cast<uintptr_t>(place);
  bool looksForRaces = launch->checksFor(FUSE_EMULATOR_RACES);
  Access now;
  now.epoch = epoch;
  now.warpEpoch = warps[thread.warp].epoch;
  now.site = site;
  now.thread = static_cast<uint16_t>(thread.index);
  now.by = Accessor::Thread;
  now.isAtomic = isAtomic;

  int64_t inShared = static_cast<const char *>(place) - shared;
  if (inShared >= 0 && inShared + bytes <= launch->sharedBytes) {
    if (looksForRaces)
      noteAccess(*sharedHistory, inShared, inShared + bytes, now, writes, "shared memory", 1,
                 false);
    return;
  }
  const Region *region = thread.lastRegion;
  if (!region || !region->contains(address, bytes)) {
    region = launch->regions.find(address, bytes);
    if (region)
      thread.lastRegion = region;
  }
  if (region) {
    if (launch->checksFor(FUSE_EMULATOR_REQUESTS))
      requests.note(thread.index, site, address, bytes, writes);
    if (looksForRaces) {
      now.block = block;
      char name[48];
      int64_t first = static_cast<int64_t>(address - region->begin);
      noteAccess(*region->history, first, first + bytes, now, writes, region->name(name),
                 region->granule, launch->isParallel);
    }
    return;
  }
  if (!launch->checksFor(FUSE_EMULATOR_BOUNDS))
    return;
  if (thread.fiber.owns(place) && thread.fiber.owns(static_cast<const char *>(place) + bytes - 1))
    return;
  const fuse_emulated_kernel &module = *launch->description;
  for (int64_t i = 0; i < module.num_globals; ++i) {
    auto begin = reinterpret_cast<uintptr_t>(module.globals[i].address);
    if (address >= begin && address + bytes <= begin + module.globals[i].bytes)
      return;
  }
  failOutside(thread, address, bytes, writes, site);
}

void Worker::noteAccess(History &history, int64_t first, int64_t end, const Access &now,
                        bool writes, const char *memory, int64_t granule, bool isParallel) {
  for (int64_t i = first / granule; i * granule < end; ++i) {
    Cell &cell = history[i];
    HistoryLock lock(&cell, isParallel);
    const Access *racing = writes ? cell.noteWrite(now) : cell.noteRead(now);
    if (!racing) {
      lock.release();
      continue;
    }
    Access before = *racing;
    lock.release();
    bool wrote = racing == &cell.write;
    failRace(memory, i * granule, before, now, wrote, writes);
  }
}

void Worker::failRace(const char *memory, int64_t byte, const Access &before, const Access &now,
                      bool wrote, bool writes) {
  char other[64] = "";
  if (before.block != now.block)
    snprintf(other, sizeof other, " of block %lld", static_cast<long long>(before.block));
  fail("race: thread %d %s byte %lld of %s at %s, which thread %d%s %s at %s, and no barrier lies "
       "between",
       now.thread, writes ? "writes" : "reads", static_cast<long long>(byte), memory,
       launch->locate(now.site), before.thread, other, wrote ? "wrote" : "read",
       launch->locate(before.site));
}

void Worker::failOutside(const Thread &thread, uintptr_t address, int64_t bytes, bool writes,
                         int32_t site) {
  char where[160];
  auto begin = reinterpret_cast<uintptr_t>(shared), end = begin + launch->sharedBytes;
  if (address >= begin - kMargin && address < end + kMargin) {
    auto size = static_cast<long long>(launch->sharedBytes);
    if (address < begin)
      snprintf(where, sizeof where, "%lld bytes before shared memory, which has %lld bytes",
               static_cast<long long>(begin - address), size);
    else if (address >= end)
      snprintf(where, sizeof where,
               "%lld bytes behind the end of shared memory, which has %lld bytes",
               static_cast<long long>(address - end), size);
    else
      snprintf(where, sizeof where, "from byte %lld of shared memory on, which has %lld bytes",
               static_cast<long long>(address - begin), size);
  } else {
    launch->regions.describe(address, where, sizeof where);
  }
  fail("access out of bounds: thread %d %s %lld bytes at %s: %s", thread.index,
       writes ? "writes" : "reads", static_cast<long long>(bytes), launch->locate(site), where);
}
