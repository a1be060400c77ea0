//===- MatrixTiles.h - Products in tile registers (AMX) ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Intel's AMX has eight tile registers of up to 16 lines of 64 bytes each, and one instruction that adds the product
// of two of them to a third. For bytes:
//
//   sums[16, 16] += rows[16, 64] x columns[16, 16, 4]      16 x 16 x 64 multiplications, 32-bit sums
//
// The columns lie in groups of steps, columns[k / 4, n, k % 4], as for vectors (see DotPlan.h); for bf16 in groups of
// two. Rows are read where they lie: lines of a tile are a stride apart. A contraction of 49 rows, 64 columns and 256
// steps of bytes runs as
//
//   configure: tiles of sums have 16 and 9 lines, those of rows too, those of columns 16
//   for 32 columns:
//     for 25 rows, from row 0 and from row 24:
//       clear 2 x 2 tiles of sums
//       for 64 steps:
//         load 2 tiles of columns and 2 of rows, 4 multiplications
//       store the sums to scratch[25, 32]
//       for each row that is new:
//         the vector scratch[row, 0..32] goes on as sums of vectors do (an epilogue, the result's memory)
//
// The last rows begin so early that their number is that of all others: an instruction that configures tiles is not
// needed in between.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_MATRIXTILES_H
#define FUSE_LIB_CODEGEN_CPU_MATRIXTILES_H

#include "VectorBody.h"

namespace mlir::fuse {

/// Turns a planned contraction of short numbers into one in tile registers where the machine has them and operands lie
/// so that tiles can be loaded: rows a constant stride apart, steps that are a multiple of a part that fits a tile,
/// whole registers of columns. Leaves the plan as it is elsewhere. `width`: 32-bit numbers of a vector.
void planMatrixTiles(linalg::GenericOp op, ContractionPlan &plan, int64_t width, const VectorFacts &facts);

/// The code of such a contraction's sums.
class MatrixTiles : VectorBody {
public:
  /// `inner`: the reduction loops, outermost first. `packed`: the columns in groups, [reductions..., groups, lanes * group],
  /// where the kernel lays them out; null where memory has them so. Configures the tiles where the builder stands.
  MatrixTiles(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan, ArrayRef<unsigned> inner, Value packed);

  /// Rows that are computed together, as few as make groups of equal size, and how many groups these are.
  Value getRows() const { return rows; }
  Value getGroups() const { return groups; }

  /// Sums up the group of rows that begins at `positions`, over all reductions.
  void multiply(ArrayRef<Value> positions);
  /// The sums of row `row` of the group.
  Value load(Value row);
  /// Gives the tiles' state back: threads are switched faster without it.
  void release();

private:
  Value read(OpOperand &, int64_t, Value) override { llvm_unreachable("reads tiles"); }
  void configure();
  void multiplyTiles(int64_t count);
  void multiplySteps(int64_t count);
  void emitReductions(unsigned depth, llvm::function_ref<void()> emit);
  /// The address of an element, and the bytes from one line of a tile to the next, as LLVM's numbers.
  struct Place {
    Value address, stride;
  };
  Place getRowPlace(int64_t rowTile);
  Place getColumnPlace(int64_t columnTile);
  Place getSumPlace(int64_t rowTile, int64_t columnTile);
  Place makePlace(Value buffer, ValueRange at, Value stride);
  void call(StringRef name, ArrayRef<int64_t> tiles, std::optional<Place> place = {});

  StringRef getProduct() const;
  int64_t getSumRegister(int64_t rowTile, int64_t columnTile) const { return rowTile * numColumnTiles + columnTile; }
  int64_t getRowRegister(int64_t rowTile, int64_t count) const;

  const ContractionPlan &plan;
  const DotPlan &dot;
  SmallVector<unsigned> inner;
  Value packed, sums, rows, groups;
  int64_t elementBytes, numRowTiles, numColumnTiles;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_MATRIXTILES_H
