//===- DotBody.h - Sums of groups of short products -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_DOTBODY_H
#define FUSE_LIB_CODEGEN_CPU_DOTBODY_H

#include "VectorBody.h"

namespace mlir::fuse {

/// The reductions of a contraction that is planned with `plan.dot`.
class DotBody : VectorBody {
public:
  /// `inner`: the reduction loops, outermost first. Allocates the packed columns, if there are any.
  DotBody(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan, ArrayRef<unsigned> inner);

  /// Where the reductions begin and end: the last one at a multiple of the group.
  struct Range {
    ArrayRef<Value> from, to;
  };
  /// Packs the columns of one vector for `range`, unless memory has them so, and sums up what the shift of signed
  /// rows adds, unless the rows are so few that this is done beside them; the loops stand at `positions`.
  void pack(ArrayRef<Value> positions, Range range, int64_t lanes, Value mask);
  /// Where the kernel lays columns out in groups, [reductions..., groups, lanes * group]; null elsewhere.
  Value getPacked() const { return packed; }
  /// Columns that are not packed, as they are: a vector of them with the reductions at `ivs`.
  using ReadColumns = llvm::function_ref<Value(ArrayRef<Value> ivs)>;
  /// The sums of the rows at `unrolled` behind `range`, which were `starts` before.
  SmallVector<Value> sum(ArrayRef<Value> positions, ArrayRef<Value> unrolled, Range range,
                         ArrayRef<Value> starts, int64_t lanes, Value mask, ReadColumns readColumns);

private:
  using Values = SmallVector<Value>;
  /// What one group does to the values carried; `count`: its steps that are there.
  using GroupCode = llvm::function_ref<Values(ArrayRef<Value>, int64_t count)>;

  /// 128 in each byte of a word.
  static constexpr uint32_t kShift = 0x80808080;

  Value splatWords(uint32_t word);
  Value read(OpOperand &, int64_t, Value) override { llvm_unreachable("reads groups"); }
  Values forGroups(unsigned depth, ArrayRef<Value> carried, GroupCode emit);
  /// The same, where loop `depth` runs from `from` to `to`.
  Values forGroupsOf(unsigned depth, Value from, Value to, ArrayRef<Value> carried, GroupCode emit);
  /// The same for sums, some of which are made by themselves (see ContractionPlan::partialSums).
  Values sumGroups(unsigned depth, ArrayRef<Value> carried, GroupCode emit);
  Values makeLoop(Value from, Value to, int64_t step, unsigned loop, ArrayRef<Value> carried,
                  llvm::function_ref<Values(ArrayRef<Value>)> emit);
  Values packIndices(int64_t element);
  Value asBits(Value vector);
  Value loadGroup(OpOperand &operand, int64_t count);
  void packRows(OpOperand &operand, int64_t lanes, Value mask);
  void packScattered(OpOperand &operand, int64_t lanes, Value mask);
  void addUpShift(int64_t lanes);
  Value loadWords(int64_t piece);
  Value unpack(Value value, Value elements, IRMapping &scalars);
  Value slice(Value vector, int64_t piece);
  Value makeRowWords(int64_t count);
  Value readCopy(int64_t row);
  Value multiplyGroups(Value sum, Value row, Value column);
  /// The even and the odd bytes of words as 16 bits, or as they are for instructions that take bytes.
  Values widenBytes(Value words, bool isSigned);
  Value multiplyPairs(Value sum, Value row, Value column);
  int64_t getWays(int64_t sums);
  Values joinWays(ArrayRef<Value> sums);
  Values sumPacked(ArrayRef<Value> unrolled, ArrayRef<Value> before, int64_t pieces, int64_t count);
  Values sumWidened(ArrayRef<Value> unrolled, ArrayRef<Value> before, int64_t pieces, int64_t count,
                    ReadColumns readColumns);
  Value multiplyAdd(Value row, Value column, Value sum);
  Value makeWidenedRow(Value words, int64_t step);
  void copyRows(ArrayRef<Value> unrolled);
  Value callInt8(Value sum, Value unsignedWords, Value signedWords);

  const ContractionPlan &plan;
  const DotPlan &dot;
  SmallVector<unsigned> inner;
  Range range;
  Type bits;        ///< what an element is as an integer
  VectorType words; ///< a register of groups
  Value copies;     ///< [rows, steps] of f32
  Value packed;     ///< [reductions…, groups, lanes · group] of `bits`
  Value shifts;     ///< per lane, what shifted rows add to a sum; null if that is summed up beside them
  Value mask;       ///< of the columns at hand, if memory does not have them all
  bool hasRoomBehind = false; ///< steps that are left over may be read with what lies behind a row
  bool readsBehind = false;   ///< and are so at the moment
  int64_t ways = 1; ///< sums that one is made of, for as many groups at a time
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_DOTBODY_H
