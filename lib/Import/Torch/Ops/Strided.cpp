//===- Strided.cpp - Elements by their places in memory -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// The dimensions in the order that they have in memory, where no element lies between two others: the outermost first. None
/// where there are gaps, or where no expression says that there are none. With `isAssumed`, a call in which the dimensions that
/// expressions leave open do not lie in their order is an error.
static std::optional<SmallVector<int64_t>> findDenseOrder(Node &n, ArrayRef<AffineExpr> extents,
                                                          ArrayRef<AffineExpr> strides, bool isAssumed = false) {
  AffineExpr dense = n.getConstant(1);
  SmallVector<int64_t> inward;
  // Where an extent is 1 its stride says nothing. Of several that fit, the last dimension is the innermost one.
  auto isOne = [&](int64_t dim) { return extents[dim] == n.getConstant(1); };
  while (true) {
    int64_t found = -1;
    for (int64_t dim = static_cast<int64_t>(extents.size()) - 1; dim >= 0 && found < 0; --dim)
      if (!isOne(dim) && !llvm::is_contained(inward, dim) && strides[dim] == dense)
        found = dim;
    for (int64_t dim = static_cast<int64_t>(extents.size()) - 1; isAssumed && dim >= 0 && found < 0; --dim)
      if (!isOne(dim) && !llvm::is_contained(inward, dim) && !isa<AffineConstantExpr>(strides[dim] - dense)) {
        n.assumeEqual(strides[dim], dense);
        found = dim;
      }
    if (found < 0)
      break;
    inward.push_back(found);
    dense = simplifyExtent(dense * extents[found]);
  }
  for (int64_t dim = static_cast<int64_t>(extents.size()) - 1; dim >= 0; --dim) {
    if (llvm::is_contained(inward, dim))
      continue;
    if (!isOne(dim))
      return std::nullopt;
    inward.push_back(dim);
  }
  return llvm::to_vector(llvm::reverse(inward));
}

/// Places that several elements may share, computed: offset + Σ iₖ · strideₖ.
static Value computeStridedPlaces(Node &n, ArrayRef<AffineExpr> size, ArrayRef<AffineExpr> stride, AffineExpr offset) {
  FuseBuilder &b = n.b;
  Type type = b.getBuilder().getI64Type();
  SmallVector<OpFoldResult> extents = n.getSizes(size);
  Value places;
  for (auto [dim, step] : llvm::enumerate(stride)) {
    if (step == n.getConstant(0) || size[dim] == n.getConstant(1))
      continue;
    Value along = b.iota(extents, static_cast<int64_t>(dim), type);
    if (step != n.getConstant(1))
      along = b.mul(along, n.getNumber(step, type));
    places = places ? b.add(places, along) : along;
  }
  if (!places)
    return b.broadcastTo(n.getNumber(offset, type), extents);
  return offset == n.getConstant(0) ? places : b.add(places, n.getNumber(offset, type));
}

static LogicalResult importAsStrided(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  SmallVector<AffineExpr> size = n.getExprs("size"), stride = n.getExprs("stride"), extents = n.getExtents(x);
  std::optional<SmallVector<AffineExpr>> own = n.getStrides("self");
  // Offsets count from the beginning of the memory, where x itself may begin later.
  AffineExpr ownOffset = n.getStorageOffset("self"), offset = n.getConstant(0);
  if (n.has("storage_offset") && ownOffset)
    offset = simplifyExtent(n.getExpr("storage_offset", 0) - ownOffset);
  if (n.hasFailed())
    return failure();
  if (!own || !ownOffset || own->size() != extents.size() || size.size() != stride.size())
    return n.fail("expected a tensor whose strides are expressions of sizes");
  std::optional<SmallVector<int64_t>> order = findDenseOrder(n, extents, *own, n.wasContiguous("self"));
  if (!order)
    return n.fail("expected a tensor without gaps in memory");
  AffineExpr zero = n.getConstant(0), last = offset, count = n.getProduct(size), dense = n.getProduct(extents);
  for (auto [extent, step] : llvm::zip(size, stride)) {
    if (n.getMost(extent).value_or(0) < 0 || n.getMost(step).value_or(0) < 0)
      return n.fail("expected sizes and strides of at least 0");
    n.assumeAtLeast(step, zero);
    last = simplifyExtent(last + (extent - 1) * step);
  }
  if (count != zero) {
    if (n.getMost(offset).value_or(0) < 0 || n.getMost(simplifyExtent(dense - last)).value_or(1) < 1)
      return n.fail("expected elements within the tensor's memory");
    n.assumeAtLeast(offset, zero);
    n.assumeAtLeast(dense, simplifyExtent(last + 1));
  }
  Value memory = n.reshape(b.transpose(x, *order), {dense});
  if (std::optional<SmallVector<int64_t>> wanted = findDenseOrder(n, size, stride); wanted && count != zero) {
    SmallVector<AffineExpr> laid;
    SmallVector<int64_t> back(size.size());
    for (auto [place, dim] : llvm::enumerate(*wanted)) {
      laid.push_back(size[dim]);
      back[dim] = static_cast<int64_t>(place);
    }
    if (offset != zero || count != dense)
      memory = b.slice(memory, 0, n.getSize(offset), n.getSize(count));
    return n.setResult(b.transpose(n.reshape(memory, laid), back));
  }
  return n.setResult(b.gather(memory, computeStridedPlaces(n, size, stride, offset), 0));
}

void mlir::fuse::torch::addStridedOps(OpTable &table) {
  table.addView("as_strided.default as_strided_copy.default", "self", importAsStrided);
  table.add("sym_stride.int", "self", [](Node &n) {
    Value x = n.tensor("self");
    int64_t dim = n.getDim("dim", 0, n.b.rankOf(x));
    std::optional<SmallVector<AffineExpr>> strides = n.getStrides("self");
    if (n.hasFailed() || !strides || static_cast<int64_t>(strides->size()) != n.b.rankOf(x) || strides->empty())
      return n.fail("expected a tensor whose strides are expressions of sizes");
    return n.setExtent((*strides)[dim]);
  });
}
