//===- Bounds.h - Memory that a launch may touch ------------------------------ -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_BOUNDS_H
#define FUSE_LIB_RUNTIME_EMULATOR_BOUNDS_H

#include "Races.h"
#include "fuse/Runtime/Device.h"
#include "fuse/Runtime/EmulatedCalls.h"

#include <memory>
#include <vector>

namespace mlir::fuse::emulator {

/// Global memory from `begin` to `end`; several arguments that overlap are one region.
struct Region {
  uintptr_t begin, end;
  int32_t argument;                 // the first one, or -1
  const char *what;                 // where it is no argument
  int64_t granule;                  // bytes that have one history
  std::unique_ptr<History> history; // null: races are not looked for

  /// "argument 2"; `space` is room for it.
  const char *name(char (&space)[48]) const;

  bool contains(uintptr_t address, int64_t bytes) const {
    return address >= begin && address <= end && static_cast<int64_t>(end - address) >= bytes;
  }
};

/// The regions of a launch, in the order of their addresses.
class Regions {
public:
  /// `granule` divides what is accessed.
  void addArgument(const fuse_buffer &buffer, int32_t number, int64_t granule);
  void add(const void *memory, int64_t bytes, int64_t granule, const char *what);

  /// Call when all are added. withHistory: accesses are to be remembered. False without memory.
  bool finish(bool withHistory);

  /// The region that holds all of these bytes, or null.
  const Region *find(uintptr_t address, int64_t bytes) const;

  /// Where an address lies that is in none, as text: "8 bytes behind argument 2 (of 64 bytes)".
  void describe(uintptr_t address, char *text, size_t capacity) const;

private:
  std::vector<Region> regions;
};

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_BOUNDS_H
