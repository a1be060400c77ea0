//===- Legality.cpp - Why two ops may or may not share a kernel -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/Legality.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir::fuse;

llvm::StringRef mlir::fuse::stringifyBarrier(Barrier barrier) {
  switch (barrier) {
  case Barrier::None:
    return "none";
  case Barrier::HostOp:
    return "host-op";
  case Barrier::ForeignOp:
    return "foreign-op";
  case Barrier::AlreadyFormed:
    return "already-formed";
  case Barrier::KeptAlone:
    return "kept-alone";
  case Barrier::KeptTogether:
    return "kept-together";
  case Barrier::Composite:
    return "composite";
  case Barrier::MemoryOrder:
    return "memory-order";
  case Barrier::MemoryAccess:
    return "memory-access";
  case Barrier::Reduction:
    return "reduction";
  case Barrier::NotElementwise:
    return "not-elementwise";
  case Barrier::Escapes:
    return "escapes";
  case Barrier::UsedInRegion:
    return "used-in-region";
  case Barrier::SeveralConsumers:
    return "several-consumers";
  case Barrier::ViewBetween:
    return "view-between";
  case Barrier::ShapeDiffers:
    return "shape-differs";
  case Barrier::JoinedElsewhere:
    return "joined-elsewhere";
  case Barrier::RoundsIfDuplicated:
    return "rounds-if-duplicated";
  case Barrier::OtherBlock:
    return "other-block";
  case Barrier::Cycle:
    return "cycle";
  case Barrier::SearchLimit:
    return "search-limit";
  case Barrier::Scatter:
    return "scatter";
  case Barrier::TooFewBlocks:
    return "too-few-blocks";
  case Barrier::Scratch:
    return "scratch";
  case Barrier::Registers:
    return "registers";
  case Barrier::TooManyOperands:
    return "too-many-operands";
  case Barrier::TooManyMembers:
    return "too-many-members";
  case Barrier::UnknownExtent:
    return "unknown-extent";
  case Barrier::AliasingStore:
    return "aliasing-store";
  case Barrier::Recomputation:
    return "recomputation";
  case Barrier::Rereading:
    return "rereading";
  case Barrier::Overlap:
    return "overlap";
  case Barrier::MinGain:
    return "min-gain";
  case Barrier::Disabled:
    return "disabled";
  case Barrier::Fuel:
    return "fuel";
  case Barrier::NoEdge:
    return "no-edge";
  case Barrier::PatternEnds:
    return "pattern-ends";
  case Barrier::NotPlanned:
    return "not-planned";
  }
  llvm_unreachable("all barriers have names");
}

llvm::StringRef mlir::fuse::getBarrierKind(Barrier barrier) {
  switch (barrier) {
  case Barrier::Recomputation:
  case Barrier::Rereading:
  case Barrier::Overlap:
  case Barrier::MinGain:
    return "price";
  case Barrier::KeptAlone:
  case Barrier::KeptTogether:
  case Barrier::AlreadyFormed:
  case Barrier::Disabled:
  case Barrier::Fuel:
  case Barrier::PatternEnds:
  case Barrier::NotPlanned:
    return "request";
  default:
    return "legality";
  }
}
