//===- Accesses.cpp - Checks of accesses to memory ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WarpgroupProducts.h"

#include <cstdio>
#include <new>

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

template <typename Note> void Worker::noteRequest(int32_t site, Note note) {
  // Above this frame there is compiled code, which no exception passes.
  try {
    note();
    return;
  } catch (const std::bad_alloc &) {
  }
  fail("out of memory: the requests at %s", launch->locate(site));
}

void Worker::access(Thread &thread, const void *place, int64_t bytes, bool writes, bool isAtomic,
                    int32_t site, bool isCounted) {
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
    if (isCounted && launch->checksFor(FUSE_EMULATOR_REQUESTS))
      noteRequest(site, [&] { requests.noteShared(thread.index, site, inShared, bytes); });
    if (looksForRaces)
      noteShared(inShared, bytes, now, writes);
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
      noteRequest(site, [&] { requests.note(thread.index, site, address, bytes, writes); });
    if (looksForRaces) {
      now.block = block;
      noteGlobal(*region, static_cast<int64_t>(address - region->begin), bytes, now, writes);
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

void Worker::noteShared(int64_t first, int64_t bytes, const Access &now, bool writes) {
  int64_t granule = launch->description->granule, last = (first + bytes - 1) / granule;
  for (int64_t i = first / granule; i <= last; ++i) {
    Cell &cell = (*sharedHistory)[i];
    if (cell.isCopied)
      failUnderWay(i * granule, cell, now, writes);
    if (writes && cell.products > 0)
      failProductUnderWay(i * granule, cell, now);
    if (writes)
      cell.fences = threads[now.thread].fences;
    if (const Access *racing = writes ? cell.noteWrite(now) : cell.noteRead(now))
      failRace("shared memory", i * granule, *racing, now, racing == &cell.write, writes);
  }
}

void Worker::beginCopy(Thread &thread, const AsyncCopy &copy) {
  int64_t first = static_cast<const char *>(copy.shared) - shared;
  if (first < 0 || first + copy.bytes > launch->sharedBytes)
    failOutside(thread, reinterpret_cast<uintptr_t>(copy.shared), copy.bytes, /*writes=*/true, copy.site);
  if (!launch->checksFor(FUSE_EMULATOR_RACES))
    return;
  int64_t granule = launch->description->granule, last = (first + copy.bytes - 1) / granule;
  for (int64_t i = first / granule; i <= last; ++i) {
    Cell &cell = (*sharedHistory)[i];
    cell.copySite = copy.site;
    cell.copyThread = static_cast<uint16_t>(thread.index);
    cell.isCopied = true;
  }
}

void Worker::endCopy(const AsyncCopy &copy) {
  if (!launch->checksFor(FUSE_EMULATOR_RACES))
    return;
  int64_t first = static_cast<const char *>(copy.shared) - shared;
  int64_t granule = launch->description->granule, last = (first + copy.bytes - 1) / granule;
  for (int64_t i = first / granule; i <= last; ++i)
    (*sharedHistory)[i].isCopied = false;
}

void Worker::beginProductRead(Thread &thread, int64_t offset, int32_t site) {
  if (offset < 0 || offset + kPieceBytes > launch->sharedBytes)
    failOutside(thread, reinterpret_cast<uintptr_t>(shared) + offset, kPieceBytes, /*writes=*/false, site);
  access(thread, shared + offset, kPieceBytes, /*writes=*/false, /*isAtomic=*/false, site, /*isCounted=*/false);
  if (!launch->checksFor(FUSE_EMULATOR_RACES))
    return;
  int64_t granule = launch->description->granule, last = (offset + kPieceBytes - 1) / granule;
  for (int64_t i = offset / granule; i <= last; ++i) {
    Cell &cell = (*sharedHistory)[i];
    const Access &write = cell.write;
    if (write.by != Accessor::None && write.epoch >= firstEpoch && cell.fences == threads[write.thread].fences)
      fail("missing proxy fence: the product at %s reads byte %lld of shared memory, which thread %d wrote at %s without a "
           "fence.proxy.async behind it",
           launch->locate(site), static_cast<long long>(i * granule), write.thread, launch->locate(write.site));
    ++cell.products;
    cell.productThread = static_cast<uint16_t>(thread.index);
    cell.productSite = site;
  }
}

void Worker::forgetProductRead(int64_t offset) {
  if (!launch->checksFor(FUSE_EMULATOR_RACES))
    return;
  int64_t granule = launch->description->granule, last = (offset + kPieceBytes - 1) / granule;
  for (int64_t i = offset / granule; i <= last; ++i)
    --(*sharedHistory)[i].products;
}

void Worker::endProductRead(Thread &thread, int64_t offset, int32_t site) {
  forgetProductRead(offset);
  // The hardware may have read it until now.
  access(thread, shared + offset, kPieceBytes, /*writes=*/false, /*isAtomic=*/false, site, /*isCounted=*/false);
}

void Worker::failProductUnderWay(int64_t byte, const Cell &cell, const Access &now) {
  fail("product under way: thread %d writes byte %lld of shared memory at %s, which the product of thread %d at %s reads, "
       "without anybody having waited for it",
       now.thread, static_cast<long long>(byte), launch->locate(now.site), cell.productThread,
       launch->locate(cell.productSite));
}

void Worker::failUnderWay(int64_t byte, const Cell &cell, const Access &now, bool writes) {
  fail("copy under way: thread %d %s byte %lld of shared memory at %s, to which thread %d copies at %s "
       "without having waited for it",
       now.thread, writes ? "writes" : "reads", static_cast<long long>(byte), launch->locate(now.site),
       cell.copyThread, launch->locate(cell.copySite));
}

void Worker::noteGlobal(const Region &region, int64_t first, int64_t bytes, const Access &now,
                        bool writes) {
  int64_t granule = region.granule, last = (first + bytes - 1) / granule;
  for (int64_t i = first / granule; i <= last; ++i) {
    Cell &cell = (*region.history)[i];
    HistoryLock lock(&cell, launch->isParallel);
    const Access *racing = writes ? cell.noteWrite(now) : cell.noteRead(now);
    Access before = racing ? *racing : Access();
    lock.release();
    if (!racing)
      continue;
    char space[48];
    failRace(region.name(space), i * granule, before, now, racing == &cell.write, writes);
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
