//===- Legality.h - Why two ops may or may not share a kernel -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_LEGALITY_H
#define FUSE_ANALYSIS_LEGALITY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::fuse {

/// What keeps two ops apart. One list for all strategies; a strategy gives the first that holds.
enum class Barrier {
  None,
  HostOp,             ///< one of them runs on the host
  ForeignOp,          ///< one of them is of another dialect: nobody plans it
  AlreadyFormed,      ///< one of them is a kernel already
  KeptAlone,          ///< `fuse.alone`
  KeptTogether,       ///< `fuse.together` fixes the members of a kernel
  Composite,          ///< a written composite is a kernel of its own
  MemoryOrder,        ///< a write that may alias lies between
  MemoryAccess,       ///< a load or a store
  Reduction,          ///< a reduction
  NotElementwise,     ///< a contraction, a window, data movement
  Escapes,            ///< the value is returned or leaves its block
  UsedInRegion,       ///< the value is used within a region of an op
  SeveralConsumers,   ///< the value has several consumers
  ViewBetween,        ///< the value is read through a view
  ShapeDiffers,       ///< their results have different shapes
  JoinedElsewhere,    ///< the consumer is in the chain of another operand
  RoundsIfDuplicated, ///< computing the value twice may give two different values
  OtherBlock,         ///< they are in different blocks
  Cycle,              ///< an op outside the kernel lies between its members
  SearchLimit,        ///< looking for a cycle would take too long
  TooFewBlocks,       ///< too little of the kernel could run in parallel
  Scratch,            ///< the temporaries of a block would not stay near the core
  Registers,          ///< a loop would hold more values than there are registers
  TooManyOperands,    ///< the kernel would read and write too many values
  TooManyMembers,     ///< the kernel would have too many ops
  UnknownExtent,      ///< a result's extent is not that of any operand of the kernel
  AliasingStore,      ///< the kernel would write a buffer that other elements are read from
  Recomputation,      ///< price: what is computed again costs more than what is saved
  Rereading,          ///< price: what is read again costs more than what is saved
  Overlap,            ///< price: loading and computing would wait for each other
  MinGain,            ///< price: the group gains less than the target asks for
  Disabled,           ///< the pattern is switched off
  Fuel,               ///< the action of the merge was not executed
  NoEdge,             ///< neither reads what the other computes
  PatternEnds,        ///< the op is no part of the only pattern that is looked for
  NotPlanned,         ///< nothing but the plan keeps them apart
  Scatter,            ///< a scatter ends its kernel, and computes what it reads update by update
};

/// The stable name of a barrier, e.g. `several-consumers`.
llvm::StringRef stringifyBarrier(Barrier barrier);

/// What kind of thing a barrier is: `legality` (the planner never makes such a kernel), `price` (it would not pay), or
/// `request` (the user or the plan asked for it).
llvm::StringRef getBarrierKind(Barrier barrier);

/// The answer to "may these share a kernel?": yes, or what blocks it and what would allow it.
struct Legality {
  Barrier barrier = Barrier::None;
  /// One sentence for people: the blocking op and the facts.
  std::string reason;
  /// What would allow it; empty where nothing would.
  std::string needs;

  static Legality legal() { return {}; }
  explicit operator bool() const { return barrier == Barrier::None; }
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_LEGALITY_H
