//===- OpContext.cpp - What one op of a model is imported with -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "OpContext.h"
#include "ComputedNumbers.h"
#include "fuse/IR/Shapes.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

//===- Extents ------------------------------------------------------------------------------===//

SmallVector<AffineExpr> OpContext::getExtents(Value value) {
  SmallVector<AffineExpr> list;
  for (int64_t dim = 0; dim < b.rankOf(value); ++dim)
    list.push_back(extents.shapes.getExtent(value, dim));
  return list;
}

AffineExpr OpContext::getProduct(ArrayRef<AffineExpr> list) {
  AffineExpr product = getConstant(1);
  for (AffineExpr extent : list)
    product = product * extent;
  return product;
}

Value OpContext::reshape(Value x, ArrayRef<AffineExpr> to) {
  SmallVector<int64_t> shape = getStaticExtents(to);
  SmallVector<AffineExpr> from = getExtents(x);
  auto pairs = pairDynamicDims(b.shapeOf(x), shape);
  bool areSame = !pairs.empty() && llvm::all_of(pairs, [&](auto pair) { return from[pair.first] == to[pair.second]; });
  return areSame ? b.reshape(x, shape) : b.reshape(x, getSizes(to));
}

Value OpContext::concat(ArrayRef<Value> parts, int64_t axis) {
  int64_t rank = b.rankOf(parts.front());
  if (llvm::any_of(parts, [&](Value part) { return b.rankOf(part) != rank; }))
    return b.concat(parts, axis); // which is an error
  SmallVector<int64_t> known(b.shapeOf(parts.front()));
  for (Value part : parts)
    for (int64_t dim = 0; dim < rank; ++dim)
      if (ShapedType::isDynamic(known[dim]))
        known[dim] = b.shapeOf(part)[dim];
  SmallVector<Value> all;
  for (Value part : parts) {
    SmallVector<AffineExpr> to = getExtents(part);
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dim == axis || !ShapedType::isDynamic(b.shapeOf(part)[dim]) || ShapedType::isDynamic(known[dim]))
        continue;
      assume(to[dim], known[dim]);
      to[dim] = getConstant(known[dim]);
    }
    bool isSame = getStaticExtents(to) == SmallVector<int64_t>(b.shapeOf(part));
    all.push_back(isSame ? part : reshape(part, to));
  }
  return b.concat(all, axis);
}

void OpContext::assumeEqual(AffineExpr extent, AffineExpr other) {
  if (extent != other)
    extents.assume(b.getBuilder(), b.getBuilder().getLoc(), extent, other, /*isLeast=*/false, getDescription());
}

void OpContext::assumeAtLeast(AffineExpr extent, AffineExpr least) {
  if (getLeast(simplifyExtent(extent - least)).value_or(-1) < 0)
    extents.assume(b.getBuilder(), b.getBuilder().getLoc(), extent, least, /*isLeast=*/true, getDescription());
}

std::optional<int64_t> OpContext::getLeast(AffineExpr expr) {
  // Of n, which is at least 2, n - 1 is what n + 1 is of an n that is at least 0.
  llvm::DenseMap<AffineExpr, AffineExpr> shifted;
  bool areBounded = true;
  expr.walk([&](AffineExpr part) {
    if (!isa<AffineSymbolExpr>(part))
      return;
    if (auto least = extents.leasts.find(part); least != extents.leasts.end())
      shifted[part] = part + least->second;
    else
      areBounded &= extents.shapes.isOfExtents(part);
  });
  return areBounded ? mlir::fuse::getLeast(simplifyExtent(expr.replace(shifted))) : std::nullopt;
}

std::optional<int64_t> OpContext::getMost(AffineExpr expr) {
  std::optional<int64_t> least = getLeast(simplifyExtent(-expr));
  return least ? std::optional(-*least) : std::nullopt;
}

AffineExpr OpContext::getPlace(AffineExpr at, AffineExpr extent) {
  if (getLeast(at).value_or(-1) >= 0)
    return at;
  if (getMost(at).value_or(0) < 0)
    return simplifyExtent(extent + at);
  return ComputedNumbers(*this).wrapped(at, extent);
}

int64_t OpContext::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  (void)fail("expected an axis in [" + Twine(-rank) + ", " + Twine(rank) + "), found " + Twine(axis));
  return 0;
}

//===- Errors -------------------------------------------------------------------------------===//

LogicalResult OpContext::fail(const Twine &text) {
  if (!isFailed) // what follows from the first is of no interest
    emitError(b.getLoc()) << getDescription() << ": " << text << describeRemedy();
  isFailed = true;
  return failure();
}

LogicalResult OpContext::takeListed(int64_t count) {
  if (Budget::take(budget.listed, count))
    return success();
  return fail("takes a list of " + Twine(count) + " elements, more than are made for a model");
}

LogicalResult OpContext::takeUnrolled(int64_t count) {
  if (Budget::take(budget.unrolled, count))
    return success();
  return fail("takes " + Twine(count) + " steps, more than are built for a model");
}
