//===- PrivateTiles.cpp - Temporaries that live in registers ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PrivateTiles.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of the 255 registers of a thread, half are left to computing.
static constexpr int64_t kRegisterBytes = 128 * 4;

/// The one name that all members have for the memory of `alloc`: itself or a view; null if they
/// have several, or others than members touch it.
static Value findOnlyName(memref::AllocOp alloc) {
  Value name;
  for (OpOperand &use : alloc->getUses()) {
    Value mine = alloc;
    if (isa<memref::SubViewOp>(use.getOwner()))
      mine = use.getOwner()->getResult(0);
    if (isa<memref::DimOp, memref::DeallocOp>(use.getOwner()))
      continue;
    if (name && name != mine)
      return {};
    name = mine;
  }
  if (!name)
    return {};
  for (Operation *user : name.getUsers())
    if (!isa<linalg::GenericOp, memref::DimOp, memref::DeallocOp>(user))
      return {};
  return name;
}

/// The pattern that all members touch `name` in.
static std::optional<AccessPattern> findPattern(Value name, const MappedMembers &members) {
  std::optional<AccessPattern> pattern;
  for (OpOperand &use : name.getUses()) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!op)
      continue;
    std::optional<AccessPattern> mine = getPattern(op, use, members.find(op)->second);
    if (!mine || (pattern && !(*pattern == *mine)))
      return std::nullopt;
    pattern = mine;
  }
  return pattern;
}

/// The shape of the part of one thread; none where it is not known.
static std::optional<SmallVector<int64_t>> getThreadShape(const AccessPattern &pattern) {
  int64_t rows = 1, columns = 1;
  bool isRow = true;
  unsigned next = 0;
  for (int64_t dim : pattern.dims) {
    if (dim < 0) {
      isRow = false;
      continue;
    }
    int64_t bound = pattern.bounds[next++];
    if (ShapedType::isDynamic(bound))
      return std::nullopt;
    (isRow ? rows : columns) *= bound;
  }
  int64_t rowTrips = llvm::divideCeil(rows, pattern.groups);
  if (pattern.isReplicated)
    return SmallVector<int64_t>{rowTrips};
  return SmallVector<int64_t>{
      rowTrips, static_cast<int64_t>(llvm::divideCeil(columns / pattern.chunk, pattern.lanes)),
      pattern.chunk};
}

DenseMap<Value, PrivateTile> mlir::fuse::placeInRegisters(func::FuncOp function,
                                                          const MappedMembers &members) {
  struct Candidate {
    Value name;
    AccessPattern pattern;
    MemRefType type;
    int64_t bytes;
  };
  SmallVector<Candidate> candidates;
  function.walk([&](memref::AllocOp alloc) {
    Value name = findOnlyName(alloc);
    if (!name)
      return;
    std::optional<AccessPattern> pattern = findPattern(name, members);
    if (!pattern)
      return;
    std::optional<SmallVector<int64_t>> shape = getThreadShape(*pattern);
    if (!shape)
      return;
    auto space = gpu::AddressSpaceAttr::get(alloc.getContext(), gpu::AddressSpace::Private);
    auto type = MemRefType::get(*shape, alloc.getType().getElementType(),
                                MemRefLayoutAttrInterface(), space);
    // A register has 4 bytes.
    int64_t bytes =
        type.getNumElements() * std::max<int64_t>(4, type.getElementTypeBitWidth() / 8);
    candidates.push_back({name, *pattern, type, bytes});
  });
  llvm::stable_sort(candidates,
                    [](const Candidate &a, const Candidate &b) { return a.bytes < b.bytes; });
  DenseMap<Value, PrivateTile> tiles;
  OpBuilder builder(function.getBody());
  int64_t left = kRegisterBytes;
  for (Candidate &candidate : candidates) {
    if (candidate.bytes > left)
      break;
    left -= candidate.bytes;
    Value memory = memref::AllocaOp::create(builder, candidate.name.getLoc(), candidate.type);
    tiles[candidate.name] = {memory, candidate.pattern};
  }
  return tiles;
}
