//===- Pads.cpp - Tensors with borders, made up or of their own elements -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/ComputedNumbers.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

namespace {

/// What a dimension gets on both sides; what is below 0 is cut off.
struct Pads {
  SmallVector<AffineExpr> low, high;

  bool areKnown() const {
    auto isNumber = [](AffineExpr pad) { return isa<AffineConstantExpr>(pad); };
    return llvm::all_of(low, isNumber) && llvm::all_of(high, isNumber);
  }
};

} // namespace

static SmallVector<int64_t> getKnownPads(ArrayRef<AffineExpr> pads) {
  return llvm::map_to_vector(pads, [](AffineExpr pad) { return cast<AffineConstantExpr>(pad).getValue(); });
}

/// Of a pad: how much of the tensor it cuts off, and how much it adds. One of both is 0.
static std::pair<AffineExpr, AffineExpr> getCutAndAdded(Node &n, AffineExpr pad) {
  AffineExpr zero = n.getConstant(0), opposite = simplifyExtent(-pad);
  if (n.getLeast(pad).value_or(-1) >= 0)
    return {zero, pad};
  if (n.getMost(pad).value_or(1) <= 0)
    return {opposite, zero};
  ComputedNumbers a(n);
  return {n.getExtent(a.max(a.number(opposite), a.number(0))), n.getExtent(a.max(a.number(pad), a.number(0)))};
}

/// Pads of open sizes are parts of one value.
static Value padOpen(Node &n, Value x, const Pads &pads, const Number &value) {
  FuseBuilder &b = n.b;
  AffineExpr zero = n.getConstant(0);
  for (int64_t dim = 0; dim < b.rankOf(x); ++dim) {
    auto [cutLow, low] = getCutAndAdded(n, pads.low[dim]);
    auto [cutHigh, high] = getCutAndAdded(n, pads.high[dim]);
    SmallVector<AffineExpr> extents = n.getExtents(x);
    AffineExpr kept = simplifyExtent(extents[dim] - cutLow - cutHigh);
    if (kept != extents[dim]) {
      n.assumeAtLeast(kept, zero);
      x = b.slice(x, dim, n.getSize(cutLow), n.getSize(kept));
    }
    SmallVector<Value> parts{x};
    auto add = [&](AffineExpr added, bool isFront) {
      if (added == zero)
        return;
      extents[dim] = added;
      parts.insert(isFront ? parts.begin() : parts.end(), n.fill(value, extents, b.elementOf(x)));
    };
    add(low, true);
    add(high, false);
    if (parts.size() > 1)
      x = b.concat(parts, dim);
  }
  return x;
}

/// The elements that a dimension with pads has, as their places in the tensor, where all sizes are known.
static SmallVector<int64_t> listPlaces(StringRef mode, int64_t extent, int64_t low, int64_t high) {
  SmallVector<int64_t> places;
  for (int64_t at = -low; at < extent + high; ++at) {
    if (mode == "replicate")
      places.push_back(std::clamp<int64_t>(at, 0, extent - 1));
    else if (mode == "circular")
      places.push_back(((at % extent) + extent) % extent);
    else
      places.push_back(at < 0 ? -at : at >= extent ? 2 * (extent - 1) - at : at);
  }
  return places;
}

/// The same, computed. No pad is longer than the tensor.
static Value computePaddedPlaces(Node &n, StringRef mode, AffineExpr extent, AffineExpr low, AffineExpr high) {
  FuseBuilder &b = n.b;
  Type type = b.getBuilder().getI64Type();
  auto number = [&](AffineExpr expr) { return n.getNumber(simplifyExtent(expr), type); };
  Value at = b.sub(b.iota(n.getSizes({simplifyExtent(extent + low + high)}), 0, type), number(low));
  Value last = number(extent - 1), count = number(extent);
  if (mode == "replicate")
    return b.binary(BinaryKind::Min, b.binary(BinaryKind::Max, at, number(n.getConstant(0))), last);
  if (mode == "circular")
    return b.binary(BinaryKind::Rem, b.add(at, count), count);
  // Reflected at the end, then at the begin: at most one of both changes a place.
  return b.unary(UnaryKind::Abs, b.sub(last, b.unary(UnaryKind::Abs, b.sub(last, at))));
}

/// Borders of the tensor's own elements.
static LogicalResult importBorders(Node &n, Value x, StringRef mode, const Pads &pads) {
  FuseBuilder &b = n.b;
  AffineExpr zero = n.getConstant(0);
  for (int64_t dim = 0; dim < b.rankOf(x); ++dim) {
    AffineExpr extent = n.getExtents(x)[dim], low = pads.low[dim], high = pads.high[dim];
    if (low == zero && high == zero)
      continue;
    auto known = dyn_cast<AffineConstantExpr>(extent), knownLow = dyn_cast<AffineConstantExpr>(low),
         knownHigh = dyn_cast<AffineConstantExpr>(high);
    if (known && known.getValue() == 0)
      return n.fail("expected an extent that is not 0");
    if (known && knownLow && knownHigh) {
      int64_t size = known.getValue();
      if (mode == "reflect" && std::max(knownLow.getValue(), knownHigh.getValue()) >= size)
        return n.fail("expected pads below the extent " + Twine(size));
      if (failed(n.takeListed(size + knownLow.getValue() + knownHigh.getValue())))
        return failure();
      x = b.gather(x, listPlaces(mode, size, knownLow.getValue(), knownHigh.getValue()), dim);
      continue;
    }
    n.assumeAtLeast(extent, n.getConstant(1));
    n.assumeAtLeast(simplifyExtent(extent + low + high), zero);
    if (mode != "replicate") {
      AffineExpr most = mode == "reflect" ? simplifyExtent(extent - 1) : extent;
      n.assumeAtLeast(most, low);
      n.assumeAtLeast(most, high);
    }
    x = b.gather(x, computePaddedPlaces(n, mode, extent, low, high), dim);
  }
  return n.setResult(x);
}

/// Pads of dimensions from the last one on, each as low and high.
static LogicalResult importPad(Node &n, StringRef mode, size_t spatial = 0) {
  Value x = n.tensor("self");
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(x);
  SmallVector<AffineExpr> list = n.getExprs(n.has("pad") ? "pad" : "padding");
  Pads pads{SmallVector<AffineExpr>(rank, n.getConstant(0)), SmallVector<AffineExpr>(rank, n.getConstant(0))};
  if (list.size() == 1 && spatial > 0)
    list.assign(2 * spatial, AffineExpr(list.front()));
  if (n.hasFailed() || list.size() % 2 != 0 || static_cast<int64_t>(list.size()) > 2 * rank)
    return n.fail("expected two pads for each of at most " + Twine(rank) + " dimensions");
  for (size_t i = 0; i < list.size() / 2; ++i) {
    int64_t dim = rank - 1 - static_cast<int64_t>(i), extent = b.shapeOf(x)[dim], total = 0;
    pads.low[dim] = list[2 * i];
    pads.high[dim] = list[2 * i + 1];
    bool isSmall = true, areKnown = true;
    for (AffineExpr pad : {list[2 * i], list[2 * i + 1]}) {
      auto number = dyn_cast<AffineConstantExpr>(pad);
      areKnown &= bool(number);
      isSmall &= !number || std::abs(number.getValue()) <= kMostBytes;
      total += number && isSmall ? number.getValue() : 0;
    }
    if (!isSmall || (areKnown && !ShapedType::isDynamic(extent) && extent + total < 0))
      return n.fail("expected pads that leave at least 0 elements along dimension " + Twine(dim));
  }
  if (mode == "constant") {
    Number value = n.has("value") ? n.getNumber("value") : Number{Number::Int, 0.0, 0, AffineExpr(), Value()};
    if (n.hasFailed())
      return failure();
    if (pads.areKnown() && value.value)
      return n.setResult(b.pad(x, getKnownPads(pads.low), getKnownPads(pads.high), *value.value));
    return n.setResult(padOpen(n, x, pads, value));
  }
  if (mode != "reflect" && mode != "replicate" && mode != "circular")
    return n.fail("expected mode = constant, reflect, replicate or circular, found '" + mode + "'");
  return importBorders(n, x, mode, pads);
}

void mlir::fuse::torch::addPadOps(OpTable &table) {
  table.add("constant_pad_nd.default", "self", [](Node &n) { return importPad(n, "constant"); });
  table.add("pad.default", "self", [](Node &n) { return importPad(n, n.getString("mode", "constant")); });
  for (size_t rank = 1; rank <= 3; ++rank) {
    std::string dims = std::to_string(rank) + "d.default";
    table.add("reflection_pad" + dims, "self", [rank](Node &n) { return importPad(n, "reflect", rank); });
    table.add("replication_pad" + dims, "self", [rank](Node &n) { return importPad(n, "replicate", rank); });
  }
  table.add("_pad_circular.default", "self", [](Node &n) { return importPad(n, "circular"); });
}
