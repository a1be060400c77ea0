//===- Worker.h - Runs the threads of one block after the other --------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_WORKER_H
#define FUSE_LIB_RUNTIME_EMULATOR_WORKER_H

#include "Fiber.h"
#include "Launch.h"
#include "Requests.h"

#include <memory>
#include <vector>

namespace mlir::fuse::emulator {

class Worker;
struct Thread;
struct WarpgroupProducts;

constexpr int32_t kWarpSize = 32;
constexpr int32_t kMostThreads = 1024;
constexpr int32_t kMostWarps = kMostThreads / kWarpSize;
constexpr int32_t kBarriers = 16;

/// Around shared memory, so that an address a little outside is surely outside.
constexpr int64_t kMargin = 64 * 1024;

/// What shared memory begins at a multiple of.
constexpr int64_t kSharedAlignment = 1024;

/// A function that all lanes named in a mask call together. The last one that comes carries it out
/// for all: the operands are on the lanes' stacks.
struct WarpCall {
  void (*complete)(Worker &worker, Thread *lanes, uint32_t mask) = nullptr;
  const char *what = ""; // "shuffle"
  int32_t kind = 0;      // lanes must agree on it
  uint32_t mask = 0;
  int32_t site = -1;
  void *operands = nullptr;
};

struct AsyncCopy {
  void *shared;
  const void *global;
  int32_t bytes, sourceBytes, site;
  int64_t group;        // counted from 0; open until committed
  bool hasArrived;      // before anybody waits for it
};

enum class Wait : uint8_t { Nothing, Barrier, Warp, Ended };

struct Thread : fuse_emulated_thread {
  Fiber fiber;
  Worker *worker = nullptr;
  int32_t index = 0; // in the block
  Wait wait = Wait::Nothing;
  int32_t barrier = 0, barrierSite = -1;
  WarpCall call;
  std::vector<AsyncCopy> copies; // under way, oldest first
  uint32_t fences = 0;           // that make what it has written readable for products of warpgroups
  int64_t groups = 0;            // committed
  const Region *lastRegion = nullptr;
};

struct Warp {
  uint32_t exists = 0, ready = 0, ended = 0, waiting = 0;
  uint32_t epoch = 0; // one more after each warp barrier
};

struct Barrier {
  int32_t arrived = 0;
  int32_t count = -1; // of those expected; -1: all that have not ended
  int32_t site = -1;
  uint32_t lanes[kMostWarps] = {};
};

/// Runs blocks on one thread of the system. Its fibers are used again for each block.
class Worker {
public:
  Worker();
  ~Worker();
  /// Makes room for a launch's blocks; false without memory.
  bool prepare(Launch &launch);
  /// Runs blocks until none is left or the launch has stopped.
  void run();

  // What threads call.
  void barrier(Thread &thread, int32_t id, int32_t count, int32_t site);
  void together(Thread &thread, const WarpCall &call);
  /// A warp's threads have met at a barrier of theirs.
  void orderWarp(int32_t warp) { ++warps[warp].epoch; }
  /// Checks an access as the launch asks for it.
  void access(Thread &thread, const void *address, int64_t bytes, bool writes, bool isAtomic,
              int32_t site, bool isCounted = true);
  /// Notes that a copy is under way, and that it is no longer. Its place is in shared memory.
  void beginCopy(Thread &thread, const AsyncCopy &copy);
  void endCopy(const AsyncCopy &copy);
  /// Notes that a product of the thread's warp reads 16 bytes of shared memory from now on, and that it has. `offset`: from
  /// where shared memory begins.
  void beginProductRead(Thread &thread, int64_t offset, int32_t site);
  void endProductRead(Thread &thread, int64_t offset, int32_t site);
  void forgetProductRead(int64_t offset);
  /// Of one warp of the block.
  WarpgroupProducts &getProducts(int32_t warp);
  char *getShared() const { return shared; }
  /// A number that follows from the device's seed and the block.
  uint64_t draw();
  /// Sets the launch's fault and leaves the block.
  [[noreturn]] __attribute__((format(printf, 2, 3))) void fail(const char *format, ...);

  Launch &getLaunch() { return *launch; }
  Requests &getRequests() { return requests; }

private:
  static void runThread(Fiber &fiber);
  void runBlock(int64_t block);
  void end(Thread &thread);
  void suspend(Thread &thread);
  void complete(const Thread &thread, uint32_t mask);
  Thread *takeReady(int32_t warp);
  void go(Fiber &from, Thread &to);
  void release(Barrier &barrier);
  [[noreturn]] void failDeadlock();
  [[noreturn]] void failOutside(const Thread &thread, uintptr_t address, int64_t bytes, bool writes,
                                int32_t site);
  [[noreturn]] void failProductUnderWay(int64_t byte, const Cell &cell, const Access &now);
  [[noreturn]] void failUnderWay(int64_t byte, const Cell &cell, const Access &now, bool writes);
  [[noreturn]] void failRace(const char *memory, int64_t byte, const Access &before,
                             const Access &now, bool wrote, bool writes);
  template <typename Note> void noteRequest(int32_t site, Note note);
  void noteShared(int64_t first, int64_t bytes, const Access &now, bool writes);
  void noteGlobal(const Region &region, int64_t first, int64_t bytes, const Access &now,
                  bool writes);

  Launch *launch = nullptr;
  Stacks stacks;
  std::unique_ptr<Thread[]> threads;
  int32_t started = 0; // threads whose fibers wait for a block
  Fiber home;          // where run() is
  bool left = false;   // whether a fault has left the block

  Warp warps[kMostWarps];
  std::unique_ptr<WarpgroupProducts[]> products; // of each of them
  uint32_t readyWarps = 0;
  Barrier barriers[kBarriers];
  int32_t alive = 0;
  int64_t block = 0;
  uint64_t random = 0; // the state of draw()

  std::unique_ptr<char[]> arena; // shared memory between two stretches that nobody may touch
  char *shared = nullptr;
  int64_t arenaBytes = 0;
  std::unique_ptr<History> sharedHistory;
  int64_t historyGranules = 0;
  uint32_t epoch = 1; // goes on from block to block
  uint32_t firstEpoch = 1; // of the block
  Requests requests;
};

/// The thread that runs on this thread of the system.
Thread &getCurrentThread();

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_WORKER_H
