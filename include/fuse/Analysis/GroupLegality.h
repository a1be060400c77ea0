//===- GroupLegality.h - Whether a group could be an honest kernel -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What index maps allow is not yet a kernel worth its launch. These are the limits that hold whatever
// the price: enough blocks to run in parallel, scratch that stays near the core, and what one kernel
// may have of operands and members.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_GROUPLEGALITY_H
#define FUSE_ANALYSIS_GROUPLEGALITY_H

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Analysis/Legality.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "fuse/IR/FuseAttributes.h"

namespace mlir::fuse {

/// What a kernel may be on a target.
struct KernelLimits {
  /// A kernel has this many blocks at least, or as many as its widest member has parallel points;
  /// unless it has fewer than `serialPoints` points of iteration in all, where one thread is enough.
  int64_t minBlocks = kWantedBlocks;
  int64_t serialPoints = kSerialPoints;
  /// Temporaries of one block, in bytes.
  int64_t scratchBytes = 1 << 20;
  /// Values read from and written to memory.
  int64_t maxOperands = 256;
  /// Values that a loop over elements can hold without putting some of them aside.
  int64_t registers = 32;
  /// Ops of one kernel. Bounds the time that planning and compiling one takes.
  int64_t maxMembers = 128;
  /// Iterations of a streamed dim whose values stand in scratch at once.
  int64_t streamTile = 256;
  /// Whether dims may be streamed, which reassociates sums. Else rows stand in scratch whole, however long they are.
  /// Follows from the numerics that a program asks for, not from the target.
  bool mayStream;

  explicit KernelLimits(bool mayStream) : mayStream(mayStream) {}

  static KernelLimits get(TargetAttr target, bool mayStream);
};

/// Whether a member's value needs no memory of its own within a kernel: its one reader takes it
/// element by element and becomes one loop nest with it.
bool staysInRegisters(const MemberTable &table, unsigned node);

/// How many values the loops over elements hold at once, in the best order of evaluation: what is
/// read once stays in a register, so that expressions are trees (the number of Sethi and Ullman).
/// `widest` gets the member that needs most.
int64_t computeHeldValues(const MemberTable &table, const GroupDomain &domain,
                          unsigned *widest = nullptr);

/// The least scratch of one block, in bytes: tiles of one point along each shared dim, of all values
/// that are read other than element by element. `largest` gets the member that needs most of it.
/// `streamed`: a class of the domain that is taken in tiles.
int64_t computeMinScratch(const MemberTable &table, const GroupDomain &domain,
                          const KernelLimits &limits, unsigned *largest = nullptr,
                          std::optional<unsigned> streamed = std::nullopt);

/// Names a node in messages.
using DescribeNode = llvm::function_ref<std::string(unsigned node)>;

/// How many blocks the kernel must have at least; 1 where it is small enough for one thread.
int64_t getWantedBlocks(const MemberTable &table, const GroupDomain &domain,
                        const KernelLimits &limits);

/// A kernel reads buffers in place and writes them while it runs: it stores once, last, and what it
/// loads goes element by element into the store. `nodes`: fusable ops, ascending.
Legality checkInPlace(const MemberTable &table, ArrayRef<unsigned> nodes);

/// Whether a kernel may have so many members.
Legality checkSize(int64_t count, const KernelLimits &limits);

/// The first scatter among `nodes`.
std::optional<unsigned> findScatter(const MemberTable &table, ArrayRef<unsigned> nodes);

/// What a kernel with a scatter may hold: it ends with it, and the others compute nothing but what it
/// reads, element by element (see lib/Codegen/Kernel/ScatterLoop.cpp).
Legality checkScatter(const MemberTable &table, const GroupDomain &domain, DescribeNode describe);

/// What holds of the members whatever the schedule: how many they are, what they read and write, how
/// far the kernel could be cut at most, and the least scratch.
Legality checkLimits(const MemberTable &table, const GroupDomain &domain,
                     const KernelLimits &limits, DescribeNode describe);

/// The member with the most parallel points: the one that a kernel of one member has most blocks for.
unsigned getWidestMember(const MemberTable &table, const GroupDomain &domain,
                         const KernelLimits &limits);

/// What holds of the blocks that the schedule makes.
Legality checkBlocks(const MemberTable &table, const GroupDomain &domain, int64_t blocks,
                     const KernelLimits &limits, DescribeNode describe);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_GROUPLEGALITY_H
