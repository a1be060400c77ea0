//===- Races.h - Who touched what, and whether anything ordered it ------------ -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_RACES_H
#define FUSE_LIB_RUNTIME_EMULATOR_RACES_H

#include <cstdint>

namespace mlir::fuse::emulator {

/// Whose access it was. Reads of several threads are kept as one.
enum class Accessor : uint8_t { None, Thread, Warp, Block, Grid };

/// An access, and when it was: epochs begin with barriers.
struct Access {
  int64_t block =
      0; // of the grid; 0 for all in shared memory, whose epochs go on from block to block
  uint32_t epoch = 0, warpEpoch = 0;
  int32_t site = -1;
  uint16_t thread = 0; // of the block; one of several
  Accessor by = Accessor::None;
  bool isAtomic = false;
};

/// Whether `before` surely came before `now`, an access of one thread.
bool isOrdered(const Access &before, const Access &now);

/// The last accesses to a granule of memory that may matter.
struct Cell {
  Access write, read;
  /// An asynchronous copy to it that its thread has not waited for yet.
  int32_t copySite = -1;
  uint16_t copyThread = 0;
  bool isCopied = false; // whether there is one
  /// How many warps read it by products that they have not waited for yet, and the last of these.
  uint16_t products = 0, productThread = 0;
  int32_t productSite = -1;
  /// How many proxy fences its last writer had behind it.
  uint32_t fences = 0;

  /// Each remembers the access and returns an earlier one that races with it, or null.
  const Access *noteRead(const Access &now);
  const Access *noteWrite(const Access &now);
};

/// Cells for a range of memory, all zero at first.
class History {
public:
  static History *create(int64_t granules); // null without memory
  History(const History &) = delete;
  History &operator=(const History &) = delete;
  ~History();

  Cell &operator[](int64_t granule) { return cells[granule]; }

private:
  History(Cell *cells, int64_t bytes) : cells(cells), bytes(bytes) {}
  Cell *cells;
  int64_t bytes;
};

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_RACES_H
