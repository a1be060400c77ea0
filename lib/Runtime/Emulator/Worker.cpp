//===- Worker.cpp - Runs the threads of one block after the other -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WarpgroupProducts.h"
#include "Worker.h"

#include <cstdarg>
#include <cstring>

using namespace mlir::fuse::emulator;

namespace {
thread_local Thread *current = nullptr;

// Not inlined: a fiber may go on in another thread of the system at the next launch, and must not
// remember from before where a thread_local lies.
__attribute__((noinline)) void setCurrent(Thread *thread) { current = thread; }
} // namespace

__attribute__((noinline)) Thread &mlir::fuse::emulator::getCurrentThread() { return *current; }

Worker::Worker() : products(std::make_unique<WarpgroupProducts[]>(kMostWarps)) {}
Worker::~Worker() = default;

WarpgroupProducts &Worker::getProducts(int32_t warp) { return products[warp]; }

bool Worker::prepare(Launch &next) {
  launch = &next;
  if (!threads) {
    threads = std::make_unique<Thread[]>(kMostThreads);
    for (int32_t i = 0; i < kMostThreads; ++i) {
      threads[i].worker = this;
      threads[i].index = i;
      threads[i].lane = i % kWarpSize;
      threads[i].warp = i / kWarpSize;
    }
  }
  if (!stacks.reserve(next.threads))
    return false;
  int64_t bytes = next.sharedBytes;
  if (!arena || bytes > arenaBytes) {
    arena = std::make_unique<char[]>(bytes + 2 * kMargin + kSharedAlignment);
    arenaBytes = bytes;
    uintptr_t begin = reinterpret_cast<uintptr_t>(arena.get()) + kMargin;
    shared = reinterpret_cast<char *>((begin + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment);
  }
  int64_t granules = bytes / next.description->granule + 1;
  if (next.checksFor(FUSE_EMULATOR_RACES) && granules > historyGranules) {
    sharedHistory.reset(History::create(granules));
    if (!sharedHistory)
      return false;
    historyGranules = granules;
  }
  if (next.checksFor(FUSE_EMULATOR_REQUESTS))
    requests.prepare(next.threads, next.description->num_sites);
  return true;
}

void Worker::run() {
  while (!launch->stopped) {
    int64_t next = launch->next++;
    if (next >= launch->blocks)
      return;
    runBlock(next);
  }
}

void Worker::runBlock(int64_t number) {
  block = number;
  random = launch->seed ^ static_cast<uint64_t>(number);
  int32_t count = launch->threads;
  if (left)
    started = 0; // their stacks hold what the fault has left
  left = false;
  for (; started < count; ++started) {
    stacks.lend(started, threads[started].fiber);
    start(threads[started].fiber, runThread);
  }
  // What nobody has written yet is no number.
  std::memset(shared, 0xff, launch->sharedBytes);
  firstEpoch = ++epoch;
  alive = count;
  readyWarps = 0;
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  for (int32_t w = 0; w * kWarpSize < count; ++w) {
    int32_t lanes = count - w * kWarpSize;
    uint32_t all = lanes >= kWarpSize ? ~0u : (1u << lanes) - 1;
    warps[w] = {all, all, 0, 0, 0};
    readyWarps |= 1u << w;
    products[w].clear();
  }
  for (int32_t i = 0; i < count; ++i) {
    Thread &thread = threads[i];
    for (int d = 0; d < 3; ++d) {
      thread.tid[d] = d == 0 ? i : 0;
      thread.ntid[d] = d == 0 ? count : 1;
      thread.ctaid[d] = d == 0 ? static_cast<int32_t>(number) : 0;
      thread.nctaid[d] = d == 0 ? static_cast<int32_t>(launch->blocks) : 1;
    }
    thread.shared = shared;
    thread.wait = Wait::Nothing;
    thread.copies.clear();
    thread.fences = 0;
    thread.groups = 0;
    thread.lastRegion = nullptr;
  }
  go(home, *takeReady(0));
  // What is still under way hurts nobody: the next block has other memory.
  for (int32_t i = 0; i < count; ++i)
    for (const AsyncCopy &copy : threads[i].copies)
      endCopy(copy);
  for (int32_t w = 0; w * kWarpSize < count; ++w)
    products[w].abandon(*this);
  if (launch->checksFor(FUSE_EMULATOR_REQUESTS))
    requests.finishBlock();
}

uint64_t Worker::draw() {
  // SplitMix64.
  uint64_t z = random += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void Worker::runThread(Fiber &) {
  Thread &thread = getCurrentThread();
  Worker &worker = *thread.worker;
  for (;;) {
    worker.launch->entry(worker.launch->params);
    worker.end(thread);
  }
}

void Worker::go(Fiber &from, Thread &to) {
  setCurrent(&to);
  switchFiber(from, to.fiber);
}

Thread *Worker::takeReady(int32_t w) {
  if (!readyWarps)
    return nullptr;
  // Threads of one warp go on together: their functions need one another first.
  if (!warps[w].ready)
    w = __builtin_ctz(readyWarps);
  Warp &warp = warps[w];
  int32_t lane = __builtin_ctz(warp.ready);
  warp.ready &= warp.ready - 1;
  if (!warp.ready)
    readyWarps &= ~(1u << w);
  return &threads[w * kWarpSize + lane];
}

void Worker::suspend(Thread &thread) {
  Thread *next = takeReady(thread.warp);
  if (!next)
    failDeadlock();
  go(thread.fiber, *next);
}

void Worker::end(Thread &thread) {
  thread.wait = Wait::Ended;
  Warp &warp = warps[thread.warp];
  warp.ended |= 1u << thread.lane;
  --alive;
  // Those that are gone count as arrived.
  for (Barrier &barrier : barriers) {
    if (barrier.arrived == 0 || barrier.count >= 0)
      continue;
    if (launch->checksFor(FUSE_EMULATOR_DIVERGENCE))
      fail("divergent barrier: thread %d has ended, while others wait at %s", thread.index,
           launch->locate(barrier.site));
    if (barrier.arrived >= alive)
      release(barrier);
  }
  for (uint32_t rest = warp.waiting; rest; rest &= rest - 1) {
    const Thread &other = threads[thread.warp * kWarpSize + __builtin_ctz(rest)];
    if (!(other.call.mask >> thread.lane & 1))
      continue;
    if (launch->checksFor(FUSE_EMULATOR_DIVERGENCE))
      fail("divergent %s: thread %d has ended, while thread %d waits for it at %s", other.call.what,
           thread.index, other.index, launch->locate(other.call.site));
    uint32_t mask = other.call.mask & ~warp.ended;
    if (!(mask & ~warp.waiting))
      complete(other, mask);
    break;
  }
  if (alive == 0) {
    switchFiber(thread.fiber, home);
    return;
  }
  suspend(thread);
}

void Worker::release(Barrier &barrier) {
  int32_t count = (launch->threads + kWarpSize - 1) / kWarpSize;
  for (int32_t w = 0; w < count; ++w) {
    for (uint32_t lanes = barrier.lanes[w]; lanes; lanes &= lanes - 1)
      threads[w * kWarpSize + __builtin_ctz(lanes)].wait = Wait::Nothing;
    warps[w].ready |= barrier.lanes[w];
    if (barrier.lanes[w])
      readyWarps |= 1u << w;
  }
  barrier = Barrier();
  ++epoch;
}

void Worker::barrier(Thread &thread, int32_t id, int32_t count, int32_t site) {
  if (id < 0 || id >= kBarriers)
    fail("thread %d at %s: expected a barrier's number from 0 to %d, found %d", thread.index,
         launch->locate(site), kBarriers - 1, id);
  Barrier &barrier = barriers[id];
  if (barrier.arrived > 0 && barrier.count != count)
    fail("barrier %d at %s expects %d threads, at %s %d", id, launch->locate(barrier.site),
         barrier.count, launch->locate(site), count);
  if (launch->checksFor(FUSE_EMULATOR_DIVERGENCE)) {
    if (count < 0 && alive < launch->threads) {
      int32_t gone = 0;
      while (threads[gone].wait != Wait::Ended)
        ++gone;
      fail("divergent barrier: thread %d comes to %s, but thread %d has ended", thread.index,
           launch->locate(site), gone);
    }
    if (barrier.arrived > 0 && barrier.site != site)
      fail("divergent barrier: thread %d waits at %s, while others wait at %s", thread.index,
           launch->locate(site), launch->locate(barrier.site));
  }
  barrier.count = count;
  barrier.site = site;
  thread.wait = Wait::Barrier;
  thread.barrier = id;
  thread.barrierSite = site;
  barrier.lanes[thread.warp] |= 1u << thread.lane;
  if (++barrier.arrived < (count < 0 ? alive : count)) {
    suspend(thread);
    return;
  }
  release(barrier);
  // The last one goes on at once.
  Warp &warp = warps[thread.warp];
  warp.ready &= ~(1u << thread.lane);
  if (!warp.ready)
    readyWarps &= ~(1u << thread.warp);
}

void Worker::together(Thread &thread, const WarpCall &call) {
  Warp &warp = warps[thread.warp];
  uint32_t self = 1u << thread.lane, mask = call.mask & warp.exists;
  if (!(mask & self))
    fail("thread %d, lane %d, calls the %s at %s with mask 0x%x, which lacks it", thread.index,
         thread.lane, call.what, launch->locate(call.site), call.mask);
  if (launch->checksFor(FUSE_EMULATOR_DIVERGENCE) && (mask & warp.ended))
    fail("divergent %s: thread %d comes to %s with mask 0x%x, but lane %d has ended", call.what,
         thread.index, launch->locate(call.site), call.mask, __builtin_ctz(mask & warp.ended));
  thread.call = call;
  thread.call.mask = mask;
  warp.waiting |= self;
  thread.wait = Wait::Warp;
  mask &= ~warp.ended;
  if (mask & ~warp.waiting) {
    suspend(thread);
    return;
  }
  complete(thread, mask);
  warp.ready &= ~self;
  if (!warp.ready)
    readyWarps &= ~(1u << thread.warp);
}

void Worker::complete(const Thread &thread, uint32_t mask) {
  Warp &warp = warps[thread.warp];
  Thread *lanes = &threads[thread.warp * kWarpSize];
  const WarpCall &call = thread.call;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const Thread &other = lanes[__builtin_ctz(rest)];
    if (other.call.complete != call.complete || other.call.kind != call.kind ||
        other.call.mask != call.mask ||
        (other.call.site != call.site && launch->checksFor(FUSE_EMULATOR_DIVERGENCE)))
      fail("lanes of a warp disagree: thread %d at the %s at %s with mask 0x%x, thread %d at the "
           "%s at %s with mask 0x%x",
           thread.index, call.what, launch->locate(call.site), call.mask, other.index,
           other.call.what, launch->locate(other.call.site), other.call.mask);
  }
  call.complete(*this, lanes, mask);
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    lanes[__builtin_ctz(rest)].wait = Wait::Nothing;
  warp.waiting &= ~mask;
  warp.ready |= mask;
  readyWarps |= 1u << thread.warp;
}

void Worker::fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  launch->fail(block, format, args);
  va_end(args);
  left = true;
  // Nothing on the threads' stacks wants to be unwound: compiled code, and functions of the
  // emulator that own nothing.
  switchFiber(getCurrentThread().fiber, home);
  __builtin_unreachable();
}
