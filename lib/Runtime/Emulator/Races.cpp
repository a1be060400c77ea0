//===- Races.cpp - Who touched what, and whether anything ordered it ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Races.h"
#include "Worker.h"

#include <sys/mman.h>

using namespace mlir::fuse::emulator;

bool mlir::fuse::emulator::isOrdered(const Access &before, const Access &now) {
  if (before.by == Accessor::None || (before.isAtomic && now.isAtomic))
    return true;
  if (before.by == Accessor::Grid || before.block != now.block)
    return false;
  if (before.epoch < now.epoch)
    return true;
  if (before.by == Accessor::Block || before.thread / kWarpSize != now.thread / kWarpSize)
    return false;
  if (before.warpEpoch < now.warpEpoch)
    return true;
  return before.by == Accessor::Thread && before.thread == now.thread;
}

const Access *Cell::noteRead(const Access &now) {
  if (!isOrdered(write, now))
    return &write;
  // What came before this read needs no memory of its own: whatever races with it races with this.
  if (isOrdered(read, now)) {
    read = now;
    return nullptr;
  }
  Accessor by = read.block != now.block || read.by == Accessor::Grid ? Accessor::Grid
                : read.thread / kWarpSize != now.thread / kWarpSize || read.by == Accessor::Block
                    ? Accessor::Block
                    : Accessor::Warp;
  read = now;
  read.by = by;
  return nullptr;
}

const Access *Cell::noteWrite(const Access &now) {
  if (!isOrdered(write, now))
    return &write;
  if (!isOrdered(read, now))
    return &read;
  write = now;
  read = Access();
  return nullptr;
}

History *History::create(int64_t granules) {
  int64_t bytes;
  if (__builtin_mul_overflow(granules, static_cast<int64_t>(sizeof(Cell)), &bytes))
    return nullptr;
  // Pages that nobody touches cost nothing, and all are zero: an access by nobody.
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : new History(static_cast<Cell *>(memory), bytes);
}

History::~History() { munmap(cells, bytes); }
