//===- Fiber.cpp - Stacks and switches between them ---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Fiber.h"

#include <boost/context/detail/fcontext.hpp>

#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUSE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define FUSE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif
#endif

using namespace mlir::fuse::emulator;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace {
constexpr size_t kPageBytes = 4096;
constexpr size_t kStackBytes = 128 * 1024;
/// Stacks begin at different places of their pages: the caches would hold few of them otherwise,
/// since what threads use of their stacks would fall into the same sets.
constexpr size_t kStagger = 832, kStaggerPeriod = 16 * 1024;

/// Both ends of a switch. It lives on the stack that is left.
struct Switch {
  Fiber *from, *to;
};

/// The first thing on the other side.
void arrive(transfer_t transfer, [[maybe_unused]] void *fakeStack) {
  Fiber &from = *static_cast<Switch *>(transfer.data)->from;
  from.context = transfer.fctx;
#ifdef FUSE_ADDRESS_SANITIZER
  const void *stack;
  size_t bytes;
  __sanitizer_finish_switch_fiber(fakeStack, &stack, &bytes);
  if (!from.stack) { // a thread of the system, which nobody has asked before
    from.stack = const_cast<void *>(stack);
    from.stackBytes = bytes;
  }
#endif
}

void begin(transfer_t transfer) {
  Fiber &self = *static_cast<Switch *>(transfer.data)->to;
  arrive(transfer, nullptr);
  self.run(self);
  __builtin_trap();
}
} // namespace

void mlir::fuse::emulator::start(Fiber &fiber, void (*run)(Fiber &)) {
#ifdef FUSE_ADDRESS_SANITIZER
  // Frames that were left without returning still count as such.
  __asan_unpoison_memory_region(fiber.stack, fiber.stackBytes);
#endif
  fiber.run = run;
  fiber.context =
      make_fcontext(static_cast<char *>(fiber.stack) + fiber.stackBytes, fiber.stackBytes, begin);
#ifdef FUSE_THREAD_SANITIZER
  if (fiber.sanitizer)
    __tsan_destroy_fiber(fiber.sanitizer);
  fiber.sanitizer = __tsan_create_fiber(0);
#endif
}

void mlir::fuse::emulator::switchFiber(Fiber &from, Fiber &to) {
  Switch ends = {&from, &to};
  void *fakeStack = nullptr;
#ifdef FUSE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&fakeStack, to.stack, to.stackBytes);
#endif
#ifdef FUSE_THREAD_SANITIZER
  if (!from.sanitizer)
    from.sanitizer = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.sanitizer, 0);
#endif
  arrive(jump_fcontext(to.context, &ends), fakeStack);
}

Stacks::~Stacks() {
  for (int32_t i = 0; i < count; ++i)
    munmap(memory[i], kPageBytes + kStackBytes);
}

bool Stacks::reserve(int32_t wanted) {
  while (count < wanted) {
    void *bytes = mmap(nullptr, kPageBytes + kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
      return false;
    mprotect(bytes, kPageBytes, PROT_NONE);
    memory[count++] = static_cast<char *>(bytes);
  }
  return true;
}

void Stacks::lend(int32_t index, Fiber &fiber) const {
  fiber.stack = memory[index] + kPageBytes;
  fiber.stackBytes = kStackBytes - index * kStagger % kStaggerPeriod / 64 * 64;
}
