//===- WarpgroupProducts.h - Products of a warpgroup that are under way ------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// wgmma: four warps ask for products of matrices in shared memory, which are computed later. A warp has 16 rows of each, and
// what it has depends on no other warp, so that each computes its own. What a product gives the threads at once are words that
// stand for its sums: a NaN with the sums' number and position. They become numbers when somebody takes them, which is a fault
// as long as nobody has waited for the product.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_WARPGROUPPRODUCTS_H
#define FUSE_LIB_RUNTIME_EMULATOR_WARPGROUPPRODUCTS_H

#include "Worker.h"

#include <vector>

namespace mlir::fuse::emulator {

/// What a product reads of shared memory at once: a piece of a line.
inline constexpr int64_t kPieceBytes = 16;

/// A matrix in shared memory, as its descriptor says: where rows and steps of it lie.
struct SharedMatrix {
  int64_t begin = 0;      ///< from where shared memory begins
  int64_t apart = 0;      ///< bytes between blocks of 128 bytes along memory
  int64_t linesApart = 0; ///< and between those of 8 lines
  bool isTurned = false;  ///< whether memory runs along the rows

  /// Where an element of two bytes lies, from where shared memory begins.
  int64_t place(int64_t row, int64_t step) const;
};

/// One warp's part of a product.
struct WarpgroupProduct {
  int32_t columns = 0, left = 0, right = 0;
  SharedMatrix a, b;
  int32_t site = -1;
  int64_t group = 0; ///< counted from 0; open until committed
  int64_t sums = 0;  ///< their id
  bool isDone = false;
};

/// The sums of one warp that products are added to.
struct WarpgroupSums {
  int64_t id = 0;
  uint32_t number = 0; ///< that words which stand for them have; another one after each product
  int32_t count = 0;   ///< of a lane
  int32_t products = 0, site = -1; ///< not waited for yet, and the last one
  std::vector<uint32_t> values; ///< of lane 0, then of lane 1, …
};

/// A product that a warpgroup asks for: the descriptors, and where and by which warp it is asked for first.
struct WarpgroupAsked {
  uint64_t left, right;
  int32_t site, warp;
};

/// What a warp has asked for.
struct WarpgroupProducts {
  std::vector<WarpgroupProduct> underWay; ///< oldest first
  std::vector<WarpgroupSums> sums;
  int64_t numSums = 0;
  uint32_t next = 0; ///< the last number of sums
  /// All that its warpgroup has asked for, of the first warp of one, and how much of that this one has.
  std::vector<WarpgroupAsked> asked;
  size_t numAsked = 0;
  int64_t groups = 0;    ///< committed
  bool isFenced = false; ///< since the warp last waited

  void clear();
  /// Forgets what is under way at the end of a block.
  void abandon(Worker &worker);
};

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_WARPGROUPPRODUCTS_H
