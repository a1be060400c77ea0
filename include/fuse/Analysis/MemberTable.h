//===- MemberTable.h - The facts of a block's ops that planning works from -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Planning asks the same questions of an op many times. The answers are collected once per block,
// as plain numbers, so that the questions about groups need no IR (and are tested without any).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_MEMBERTABLE_H
#define FUSE_ANALYSIS_MEMBERTABLE_H

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Analysis/SourceAccess.h"
#include "fuse/IR/ScatterShape.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include <array>

namespace mlir::fuse {

/// One position of an operand that is read through a window: the loops whose iterations add up to it.
struct WindowPosition {
  int64_t extent; ///< ShapedType::kDynamic where unknown
  /// What the iterations of its one loop are divided by, if not 1: the groups of a convolution count so
  /// through its filters.
  int64_t divisor;
  SmallVector<unsigned, 2> loops;
  SmallVector<int64_t, 2> steps; ///< by how much each of them goes on
  int64_t likely = extent;       ///< what an unknown extent is priced as

  /// Whether several loops add up to the position, or one that skips elements.
  bool isWindow() const { return loops.size() > 1 || (loops.size() == 1 && steps.front() != 1); }
};

/// One operand of an op, seen at the source of its views.
struct MemberRead {
  unsigned value;    ///< number of the source
  unsigned producer; ///< the node that computes it, FusionGraph::kNone if no op of the block does
  int64_t bytes = 0; ///< what is read of it, with likely extents: the smaller of view and source; 0 if free
  int64_t elementBytes = 0; ///< of one of its elements
  /// Per position of the source that is no static 1.
  SmallVector<PositionAccess, 4> positions;
  bool isPlain = true; ///< no loop is split or merged
  bool isKnown = true; ///< every position is along loops
  /// The reshape that it is read through, if one makes an unknown extent more than a dimension of that extent (?x8 as ?): the
  /// loops of the reader tell nothing of the source's then. Else null.
  ReshapeOp hidingReshape;
  /// Of an operand read through a window, its positions; blocks lay theirs out anew where it is padded,
  /// stored in another order than vectors read it in, or computed in the kernel element by element.
  SmallVector<WindowPosition, 4> window;
  bool isCopied = false;   ///< for one of the first two reasons
  bool isReordered = false; ///< for the second
  /// The loop of a reduction whose steps lie in groups next to each other, with the groups elsewhere: weights of
  /// bytes, [k / 4, n, k mod 4] (see fuse-pack-parameters). The loop is one nevertheless.
  std::optional<unsigned> groupedLoop;

  /// The positions with such a group as one element.
  ArrayRef<PositionAccess> getGroupPositions() const {
    return ArrayRef<PositionAccess>(positions).drop_back(groupedLoop ? 1 : 0);
  }
};

/// What an op does to a value that still changes while a dim is streamed (see StreamedDim.h).
enum class StreamRole {
  Other,
  Cast,        ///< hands it on
  Maximum,     ///< folds by it
  Difference,  ///< of two operands
  Term,        ///< adds
  Exponential, ///< of one operand
  Product,     ///< of two operands, and the sum of such
  Quotient,
  Sum,
};

/// What tensor cores may take of a contraction's operands; f32 where rounding may change. Bytes are what instructions for
/// them sum in groups, on a CPU.
enum class TensorElement { None, Short, F32, Byte };

/// A product of two operands of one type that is summed as f32, or of bytes that is summed as i32.
struct TensorOperands {
  TensorElement element = TensorElement::None;
  /// Parallel loops of the first operand alone, and of the second.
  SmallVector<unsigned, 2> rows, columns;
};

/// An op that a kernel may hold, as loops. Loops of extent 1 stay in the numbering.
struct Member {
  /// False for everything that is no fusable op of the device; nothing else is set then.
  bool isFusable = false;
  OpPattern pattern = OpPattern::Elementwise;
  StreamRole role = StreamRole::Other;
  SmallVector<utils::IteratorType, 4> iterators;
  SmallVector<int64_t, 4> extents; ///< ShapedType::kDynamic where unknown
  /// What each of them is priced as: what is stated of an unknown one, or ValueSizes::kUnknownExtent.
  SmallVector<int64_t, 4> likely;
  /// Where the op itself takes its loops apart, whatever reads it: loop and divisor. A concatenation of parts
  /// of 6 has the cut 6, and a convolution of 8 groups with 64 filters the cut 8, of the filters of one.
  SmallVector<std::pair<unsigned, int64_t>, 2> cuts;
  SmallVector<MemberRead, 2> reads;
  unsigned value = 0;     ///< number of the result
  bool hasResult = false; ///< stores have none
  /// Per position of the result that is no static 1: the loop along it, or DomainAccess::kOther.
  SmallVector<int, 4> writes;
  int64_t resultBytes = 0; ///< with likely extents
  int64_t resultElementBytes = 0; ///< of an element of the result
  int64_t elementBytes = 0;       ///< of the widest element of an operand or the result
  int64_t flopsPerPoint = 0;
  bool isAlone = false;       ///< `fuse.alone`
  StringAttr together;        ///< `fuse.together`
  bool isClosed = false;      ///< an op of that label has `fuse.closed`
  bool isLoad = false, isStore = false;
  /// Not computed: a state of a loop over time takes the value that it has in the next step.
  bool isState = false;
  /// Of a scatter, which reads its operand, its indices and its updates; see checkScatter.
  std::optional<ScatterShape> scatter;
  /// Each element is computed from few of the operands': element-wise ops, gathers, iotas.
  bool isLocal = false;
  TensorOperands tensors;
  bool isVector = true;       ///< it can be computed on vectors (see VectorAccess.h)
  /// A dimension of the result whose extent does not follow from the operands' extents and numbers.
  std::optional<int64_t> unknownDim;
  /// Read by the terminator, within a region, or by what is no fusable op.
  bool escapes = false;
  /// The fusable ops that read the result, through views or not; ascending, distinct.
  SmallVector<unsigned, 2> readers;
  /// The members that bring the result into another order for the block's terminator; see MemberTable.
  SmallVector<unsigned, 1> copies;
  /// A digest of all facts above but names: marks, numbers of values, nodes. Equal for equal facts.
  std::array<uint64_t, 2> fingerprint = {0, 0};

  /// The number of points of the iteration domain, with what extents are likely to be. Saturates.
  int64_t getPoints() const;
  /// The same of the parallel loops alone.
  int64_t getParallelPoints() const;
  /// What a factor of a loop is likely to be: an unknown extent has one factor, itself.
  int64_t getLikely(const LoopDigit &factor) const {
    return ShapedType::isDynamic(factor.extent) ? likely[factor.loop] : factor.extent;
  }
  bool isReduction() const;
  /// Folds several operands: a product, a convolution.
  bool isContraction() const { return isReduction() && reads.size() > 1; }
  /// Whether each operand is read at the position of the element that is computed.
  bool readsInPlace() const;
};

/// Node `i` of the graph is member `i`. Behind the nodes stand members that no op is: a value that leaves
/// the block through a view that is no reshape (`return transpose(conv(x))`) is copied into that order by
/// its kernel. Such a copy is one of the kernel's members, an element-wise one over the dimensions of what
/// leaves; whoever groups the producer groups its `copies`.
class MemberTable {
public:
  /// `states`: of a step of a loop over time, each state, an argument, with the value that it has in the
  /// next step. What reads a state reads what the step before wrote: the two stand behind one member.
  explicit MemberTable(const FusionGraph &graph, ArrayRef<std::pair<Value, Value>> states = {});
  /// For tests: members are nodes 0, 1, …; readers and fingerprints are filled in.
  explicit MemberTable(std::vector<Member> members);

  /// How many nodes there are; copies are numbered from there on.
  unsigned size() const { return numNodes; }
  bool isCopy(unsigned member) const { return member >= numNodes; }
  /// The operand of the terminator that a copy is.
  Value getCopied(unsigned copy) const { return copied[copy - numNodes]; }
  const Member &operator[](unsigned node) const { return members[node]; }

private:
  /// Readers and fingerprints.
  void complete();

  std::vector<Member> members;
  unsigned numNodes = 0;
  SmallVector<Value> copied; ///< by the members behind the nodes
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_MEMBERTABLE_H
