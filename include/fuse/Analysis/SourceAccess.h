//===- SourceAccess.h - How a loop nest touches a value behind views -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A view costs nothing: kernels absorb it into their index maps. So what counts for fusion is how a
// member's loops run along the *source* of a chain of views. Transposes permute, broadcasts drop
// positions; a reshape splits or merges them. Split and merged loops are written as digits of a
// mixed-radix number, the one form in which both directions look alike:
//
//   reshape 2x12x64 -> 2x768 of a source s, read by loops (b, k):
//     s is touched at  b,  (k / 64) mod 12,  (k / 1) mod 64
//   reshape 24 -> 2x12 of a source s, read by loops (i, j):
//     s is touched at  [i, j], the number with the digits i and j, j having extent 12
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_SOURCEACCESS_H
#define FUSE_ANALYSIS_SOURCEACCESS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fuse {

/// The factor (iteration / divisor) mod extent of a loop. A whole loop has divisor 1 and its extent,
/// which may be dynamic.
struct LoopDigit {
  /// In the place of a loop: the factor is touched in another way (a window, a slice).
  static constexpr unsigned kNoLoop = ~0u;

  unsigned loop;
  int64_t divisor;
  int64_t extent;

  bool isLoop() const { return loop != kNoLoop; }
};

/// How one position of a value is touched: by the number that the digits form, the outermost first.
/// Their extents multiply to that of the position. No digits: the extent is 1.
struct PositionAccess {
  SmallVector<LoopDigit, 1> digits;
  /// Of a position that is along no loop the digits that a slice, or a reshape without common factors,
  /// hides: which loops move it, but not how far.
  SmallVector<LoopDigit, 1> hidden;
  bool isStrided = false; ///< of such a slice: it takes steps of several elements

  bool isKnown() const {
    return llvm::all_of(digits, [](const LoopDigit &digit) { return digit.isLoop(); });
  }
};

struct SourceAccess {
  /// What stands at the end of the views; no view itself.
  Value source;
  SmallVector<PositionAccess, 4> positions;
  /// The views between, from the source on, name nothing but permutations of whole loops.
  bool isPlain = true;
};

/// How an op with loops of `loopExtents` touches the source of `operand`, which it reads at `map`; a
/// null map knows no position. Positions of extent 1 have no digits.
///
/// With `throughFronts`, the front of a longer dimension (a slice from 0 on, of stride 1) is the
/// factor of its loop modulo the longer extent: the 360 columns of a weight that lies in 12 blocks of
/// 32 are read at (n / 32 mod 12, n mod 32). Else such a position is none along a loop.
SourceAccess getSourceAccess(Value operand, AffineMap map, ArrayRef<int64_t> loopExtents,
                             bool throughFronts = false);

/// The same of a tensor of `shape` itself, whatever it is a view of.
SmallVector<PositionAccess, 4> getPositions(ArrayRef<int64_t> shape, AffineMap map,
                                            ArrayRef<int64_t> loopExtents);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_SOURCEACCESS_H
