//===- Fiber.h - Stacks and switches between them ----------------------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_FIBER_H
#define FUSE_LIB_RUNTIME_EMULATOR_FIBER_H

#include <cstddef>
#include <cstdint>

namespace mlir::fuse::emulator {

/// A stack with something to run on it, and where that goes on.
struct Fiber {
  void *context = nullptr;        // null: not started
  void (*run)(Fiber &) = nullptr; // must not return
  void *stack = nullptr;          // the lowest byte
  size_t stackBytes = 0;
  void *sanitizer = nullptr; // what a sanitizer knows of it

  bool owns(const void *address) const {
    return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(stack) < stackBytes;
  }
};

/// Makes `fiber` call `run` at the next switch to it. Whatever ran there before is forgotten; its
/// frames are not unwound.
void start(Fiber &fiber, void (*run)(Fiber &));

/// Goes on in `to` until something switches back. `from`: where the caller runs.
void switchFiber(Fiber &from, Fiber &to);

/// Stacks of equal size, each with a page below that must not be touched.
class Stacks {
public:
  static constexpr int32_t kMost = 1024;

  Stacks() = default;
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;
  ~Stacks();

  /// Makes sure of `count` stacks; false if memory can't be had.
  bool reserve(int32_t count);
  /// Gives stack number `index` to a fiber.
  void lend(int32_t index, Fiber &fiber) const;

private:
  char *memory[kMost] = {};
  int32_t count = 0;
};

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_FIBER_H
