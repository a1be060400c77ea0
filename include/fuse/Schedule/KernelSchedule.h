//===- KernelSchedule.h - Tile sizes of a kernel from facts and a target -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A pure function (kernel facts, target) -> #fuse.schedule. Facts come from the ops of a group (GroupFacts.h): for its
// price before the kernel exists, and, once it is outlined, for the schedule that its code is built with.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_KERNELSCHEDULE_H
#define FUSE_SCHEDULE_KERNELSCHEDULE_H

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Analysis/SharedTiles.h"
#include "fuse/IR/FuseAttributes.h"

namespace mlir::fuse {

/// How a contraction that has no tiles of matrices (see ThinProduct.h) walks its larger operand.
struct ThinProduct {
  /// Memory runs along what is folded, along its points, or along both.
  enum class Order { Rows, Columns, Windows };
  Order order = Order::Windows;
  unsigned columns = 0;             ///< the shared dim that memory runs along, if it does along one
  SmallVector<unsigned> rereadDims; ///< shared dims along which the operand is read again
};

/// What a schedule is made from.
struct KernelFacts {
  /// Extent of each shared dim, in loop order; ShapedType::kDynamic where unknown.
  SmallVector<int64_t> extents;
  /// What each of them is scheduled for, where some are unknown; empty: 1024 for such.
  SmallVector<int64_t> likely;
  int64_t getLikely(unsigned dim) const;
  /// The shared dims in the order in which blocks are numbered, the last fastest; empty: as they
  /// are. What a contraction does not have comes last, so that neighbours share what it computes.
  SmallVector<int64_t> blockOrder;
  /// Sets it.
  void orderBlocks();
  /// What is computed, once per tile along the shared dims that it has. None stands for one
  /// element-wise member.
  struct Member {
    SmallVector<unsigned> dims;  ///< the shared dims that it has
    int64_t privateElements = 1; ///< iterations behind one point of those; kDynamic where unknown
    bool isContraction = false;  ///< several operands folded along a reduction
    int64_t scratchBytes = 0;    ///< of its value behind one point, where that is no result
    int64_t largestBytes = 0;    ///< the same, of the largest of several values
    int64_t rereadBytes = 0;     ///< of results behind one point that other members of the tile read
    /// Of sums behind one point, which a CPU keeps beside the value where extents are open: products of f16 and bf16 are
    /// added as f32.
    int64_t sumBytes = 0;
    bool isStreamed = false;     ///< that value runs along the dim that can be streamed
    /// Every block computes it, since scratch never holds all that the next block could use.
    bool isRepeated = false;
    SmallVector<WindowDim, 0> windows = {}; ///< it lays out what these go over, which is more than a tile
    std::optional<ThinProduct> thin = {}; ///< of a contraction; on a GPU it is scheduled as what it says
    int64_t likelyElements = 0; ///< what `privateElements` is scheduled for where unknown; 0: 1024
    int64_t getLikely() const;
  };
  SmallVector<Member> members;
  /// Members that are computed for the same tiles count as one: large kernels have few kinds.
  void add(Member member);
  /// Notes how long the rows of a member that is no contraction are; kDynamic where unknown.
  void addRow(int64_t elements);
  /// Notes whether a member folds along memory, and whether along memory that its points are next
  /// to each other in too: a window. Long windows are rows, short ones belong to their points.
  void addFold(const Member &member, bool alongMemory, bool isWindow);
  /// Notes a member that folds rows, by the shared dims that it has.
  void addRowDims(ArrayRef<unsigned> dims);
  /// The most private iterations of a member that is no contraction: how long rows are.
  int64_t rowElements = 1;
  /// The shared dims of all members that fold rows along memory (no contractions), if there are any:
  /// they tell rows apart.
  std::optional<SmallVector<unsigned>> rowDims;
  /// Whether a member reduces over private loops.
  bool hasReductions = false;
  /// Whether memory is contiguous along the last shared dim (element-wise kernels, column sums,
  /// contractions) and not along a private one (row kernels).
  bool lastDimIsContiguous = true;
  /// Shared dims along which memory is contiguous (a transposed operand): a tile has whole
  /// cache lines along them. Operands of one dim alone do not count.
  SmallVector<unsigned> lineDims;
  /// Notes an operand of several dims that memory runs along `dim` of; `dims`: the shared dims
  /// along which it changes.
  void addLine(unsigned dim, ArrayRef<unsigned> dims);
  struct Line {
    unsigned dim;
    SmallVector<unsigned> dims;
  };
  SmallVector<Line> lines;
  /// Whether two of them lie across each other. What changes along one of their dims alone (an
  /// index for each row, a scale) does not.
  bool isTurned() const;
  /// Whether what a member folds lies in memory along its points as well: the windows of a pooling.
  bool hasWindows = false;
  /// A dim along which a contraction uses again what it has loaded (the rows of a matrix product).
  std::optional<unsigned> reuseDim;
  /// Shared dims along which contractions run in vectors: a tile has whole ones, also where another
  /// dim is the last.
  SmallVector<unsigned> vectorDims;
  /// For each of them the extent of the contraction's loop, of which the dim is the innermost factor: 68 columns that
  /// other members take as 17 by 4 have vectors of 4.
  SmallVector<int64_t> vectorLoops;
  /// Whether a contraction runs in vectors along a loop that is no shared dim: the pixels of a convolution of whole images in
  /// front of their mean. Tiles need no whole vectors then.
  bool hasPrivateColumns = false;
  /// What a contraction uses again, where it is a parameter that lies as it is read, in blocks of
  /// columns (see fuse-pack-parameters).
  struct PackedWeights {
    SmallVector<unsigned> dims; ///< the shared dims along which it changes, in loop order
    SmallVector<unsigned> rows; ///< the others that the contraction has; a kernel may have still more
    int64_t bytes = 0;          ///< of all of it
    int64_t rowBytes = 0;       ///< what one row of the other operand has along the reductions
  };
  std::optional<PackedWeights> packed;
  /// Shared dims that count through blocks of so many columns: tiles have whole ones.
  SmallVector<std::pair<unsigned, int64_t>> columnBlocks;
  /// The shared dim of the channels, where each tile lays out its own image of them for a window: that of a
  /// depthwise convolution or a pool, whose memory runs along channels. The borders of such images are least in
  /// tiles of few channels that are high and wide.
  std::optional<unsigned> windowDim;
  /// Whether a load of some contraction's operand serves several rows.
  bool hasProducts = false;
  /// Whether tensor cores, where a target has them, take all contractions that are not thin, of f16, bf16 or bytes.
  bool areTensorProducts = true;
  /// Bytes of their widest operand's element, and those that lie in one piece of the operand with the shortest pieces, at most
  /// those of an access of 16. Extents that are not known may be odd.
  int64_t tensorBytes = 1, tensorAccessBytes = 16;
  /// Whether warpgroups, where a target has them, can multiply the operands of all of them (WarpgroupTile.h).
  bool suitsWarpgroups = true;
  /// The kernel is one step of a recurrence: a thread runs all steps of a block, so that one block for
  /// each thread is enough, and what rows read together is read in each step.
  bool isStep = false;
  /// The extent of a private dim that can be streamed (see StreamedDim.h), if there is one;
  /// ShapedType::kDynamic where unknown.
  std::optional<int64_t> streamExtent;
  /// Whether a member that is no contraction folds that dim: rows of scores have a maximum and a sum. What
  /// lies between two products alone is better off in memory than in tiles of few rows.
  bool foldsStream = false;
  /// Bytes of the widest element that the kernel touches.
  int64_t elementBytes = 4;
  /// And of the narrowest that memory has along the last shared dim; 0 if there is none.
  int64_t narrowBytes = 0;
  void addNarrow(int64_t bytes) {
    if (bytes > 0)
      narrowBytes = narrowBytes == 0 ? bytes : std::min(narrowBytes, bytes);
  }
};

/// Whether one thread folds so many elements as well as several would.
bool isShortFold(int64_t elements);

/// What a kernel costs with tiles of `sizes`, in evaluations of a cheap element: all its blocks,
/// what they compute again included, and one block on average. Saturates.
struct KernelWork {
  int64_t total = 0, perBlock = 0, blocks = 1;
  /// Bytes of temporaries in a block, if none shares memory with another.
  int64_t scratchBytes = 0;
  /// Those that every block needs: of what neighbours share, the last and largest value.
  int64_t nearBytes = 0;
  /// Of results that other members of the tile read once they are written.
  int64_t rereadBytes = 0;
};
/// `ranges`: see countComputing.
KernelWork computeWork(const KernelFacts &facts, ArrayRef<int64_t> sizes,
                       int64_t ranges = kBlockRanges);

/// What part of its time more a CPU takes for a kernel with tiles of `sizes` that are narrow:
/// contractions with fewer columns than vectors have lanes, or other tiles with parts of lines.
double getNarrowPart(const KernelFacts &facts, ArrayRef<int64_t> sizes, TargetAttr target);

/// One level over blocks, with a tile size for each shared dim; and a sequential one for the dim
/// after them, the streamed one, where tiles of many rows and its whole extent do not stay near the
/// core. An unknown extent is streamed by a schedule that a user wrote only.
ScheduleAttr computeSchedule(MLIRContext *context, const KernelFacts &facts, TargetAttr target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_KERNELSCHEDULE_H
