//===- Movements.cpp - Constants, shapes, and elements that move -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Movements.h"
#include "../GraphImporter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

SmallVector<int64_t> mlir::fuse::stablehlo::invert(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return inverse;
}

TypedAttr mlir::fuse::stablehlo::makeNumberAttr(Node &n, double value, Type element) {
  DenseElementsAttr one = HostArray::splat(*toElementType(element), {}, value).toAttribute(n.b.getContext());
  return cast<TypedAttr>(one.getSplatValue<Attribute>());
}

//===- Constants ----------------------------------------------------------------------------===//

static LogicalResult importConstant(Node &n) {
  auto value = n.getOperation()->getAttrOfType<DenseElementsAttr>("value");
  bool isOfBody = n.getImporter().bodyShape.has_value(); // where it stands for a tensor of as many
  if (!value || value.getElementType() != n.getResultElement() || (!isOfBody && value.getType() != n.getResultType()))
    return n.fail("expected elements of the result's type as 'value'");
  Type element = value.getElementType();
  if (isOfBody && value.getType().getRank() != 0)
    return n.fail("expected numbers in the body of a reduction");
  bool areNumbers = element.isInteger(1) || element.isSignlessInteger(32) || element.isSignlessInteger(64);
  if (areNumbers && !isOfBody && value.getNumElements() <= kMostNumbers) {
    SmallVector<AffineExpr> list;
    for (const APInt &each : value.getValues<APInt>())
      list.push_back(n.getConstant(element.isInteger(1) ? each.getZExtValue() : each.getSExtValue()));
    return n.setNumbers(std::move(list));
  }
  if (value.isSplat()) {
    auto one = RankedTensorType::get({}, element);
    return n.setResult(n.b.constant(DenseElementsAttr::get(one, value.getSplatValue<Attribute>())));
  }
  return n.setResult(n.b.constant(value));
}

static LogicalResult importIota(Node &n, ArrayRef<AffineExpr> extents) {
  int64_t dim = n.getInt("iota_dimension");
  if (dim < 0 || dim >= n.getResultType().getRank())
    return n.fail("expected a dimension of the result, found " + Twine(dim));
  if (n.getResultElement().isInteger(1))
    return n.fail("booleans cannot count");
  // Numbers along one dimension; the others repeat them.
  SmallVector<AffineExpr> shape(extents.size() - dim, n.getConstant(1));
  shape[0] = extents[dim];
  return n.setResult(n.b.iota(n.getSizes(shape), 0, n.getResultElement()), extents);
}

//===- Shapes -------------------------------------------------------------------------------===//

/// The extents that an operand says, which must be as many as the result has dimensions, and at least 0.
static FailureOr<SmallVector<AffineExpr>> getWantedExtents(Node &n, unsigned i) {
  FailureOr<SmallVector<AffineExpr>> extents = n.getNumbers(i);
  if (failed(extents))
    return failure();
  if (static_cast<int64_t>(extents->size()) != n.getResultType().getRank())
    return n.fail("expected " + Twine(n.getResultType().getRank()) + " extents, found " + Twine(extents->size()));
  for (auto [expr, extent] : llvm::zip(*extents, n.getResultType().getShape())) {
    auto number = dyn_cast<AffineConstantExpr>(expr);
    if (number && (number.getValue() < 0 || (!ShapedType::isDynamic(extent) && extent != number.getValue())))
      return n.fail("expected the extents of the result, found " + Twine(number.getValue()));
    if (!number && !ShapedType::isDynamic(extent)) {
      n.assume(expr, extent);
      expr = n.getConstant(extent);
    }
  }
  return extents;
}

static SmallVector<AffineExpr> getKnownExtents(Node &n) {
  return llvm::map_to_vector(n.getResultType().getShape(), [&](int64_t extent) { return n.getConstant(extent); });
}

/// `extents` are those of the result.
static LogicalResult broadcast(Node &n, ArrayRef<AffineExpr> extents) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getResultType().getRank(), own = n.getRank(0);
  SmallVector<int64_t> dims = n.getInts("broadcast_dimensions", own);
  if (n.hasFailed() || failed(n.checkDims(dims, rank, "'broadcast_dimensions'")))
    return failure();
  SmallVector<AffineExpr> given = n.getExtentsOf(0);
  for (auto [expr, dim] : llvm::zip(given, dims)) {
    if (expr == n.getConstant(1) || expr == extents[dim])
      continue;
    if (isa<AffineConstantExpr>(expr) && isa<AffineConstantExpr>(extents[dim]))
      return n.fail("expected operands that are broadcast to the result, found " + describe(n.getOperand(0).type) +
                    " and " + describe(n.getResultType()));
    n.assumeEqual(expr, extents[dim]);
  }
  Value part = n.part(0);
  int64_t count = b.rankOf(part);
  if (count == 0)
    return n.setResult(part, extents);
  // The part's dimensions are the operand's last ones; in the order of the result's.
  SmallVector<int64_t> targets(ArrayRef(dims).take_back(count)), order = llvm::to_vector(llvm::seq<int64_t>(count));
  llvm::sort(order, [&](int64_t x, int64_t y) { return targets[x] < targets[y]; });
  int64_t first = targets[order.front()];
  SmallVector<int64_t> added;
  for (int64_t dim = first; dim < rank; ++dim)
    if (!llvm::is_contained(targets, dim))
      added.push_back(dim - first);
  return n.setResult(b.insertUnitDims(b.transpose(part, order), added), extents);
}

static LogicalResult importReshape(Node &n, ArrayRef<AffineExpr> extents) {
  bool areKnown = n.getOperand(0).type.hasStaticShape() && n.getResultType().hasStaticShape();
  if (areKnown && n.getOperand(0).type.getNumElements() != n.getResultType().getNumElements())
    return n.fail("expected as many elements as the operand has, found " + describe(n.getOperand(0).type) + " and " +
                  describe(n.getResultType()));
  // One number is that whatever the shape.
  Value part = n.part(0);
  if (n.b.typeOf(part).hasStaticShape() && n.b.typeOf(part).getNumElements() == 1)
    return n.setResult(n.b.reshape(part, ArrayRef<int64_t>()), extents);
  return n.setResult(n.reshape(n.tensor(0), extents));
}

static LogicalResult importTranspose(Node &n) {
  int64_t rank = n.getRank(0);
  SmallVector<int64_t> permutation = n.getInts("permutation", rank);
  if (n.hasFailed() || failed(n.checkDims(permutation, rank, "'permutation'")))
    return failure();
  SmallVector<AffineExpr> from = n.getExtentsOf(0), extents;
  for (int64_t dim : permutation)
    extents.push_back(from[dim]);
  Value part = n.part(0);
  int64_t missing = rank - n.b.rankOf(part);
  if (n.b.rankOf(part) == 0)
    return n.setResult(part, extents);
  part = n.b.insertUnitDims(part, llvm::to_vector(llvm::seq<int64_t>(missing)));
  return n.setResult(n.b.transpose(part, permutation), extents);
}

static LogicalResult importConcatenate(Node &n) {
  int64_t axis = n.getInt("dimension"), rank = n.getResultType().getRank();
  if (axis < 0 || axis >= rank)
    return n.fail("expected a dimension of the result, found " + Twine(axis));
  SmallVector<Value> parts;
  for (unsigned i = 0; i < n.getNumOperands(); ++i) {
    if (!n.getOperand(i).type || n.getRank(i) != rank || n.getElement(i) != n.getResultElement())
      return n.fail("expected operands of one rank and element type");
    parts.push_back(n.tensor(i));
    for (int64_t dim = 0; dim < rank && dim != axis; ++dim) {
      int64_t own = n.b.shapeOf(parts.back())[dim], first = n.b.shapeOf(parts.front())[dim];
      if (own != first && !ShapedType::isDynamic(own) && !ShapedType::isDynamic(first))
        return n.fail("expected operands of equal extents beside dimension " + Twine(axis));
    }
  }
  return n.setResult(n.concat(parts, axis));
}

static LogicalResult importReverse(Node &n) {
  SmallVector<int64_t> dims = n.getInts("dimensions");
  if (n.hasFailed() || failed(n.checkDims(dims, n.getRank(0), "'dimensions'")))
    return failure();
  Value x = n.tensor(0);
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(n.b.shapeOf(x)[dim]))
      return n.fail("expected extents that are known before the program runs along what is reversed");
    if (failed(n.takeListed(n.b.shapeOf(x)[dim])))
      return failure();
    x = n.b.reverse(x, dim);
  }
  return n.setResult(x);
}

//===- Padding ------------------------------------------------------------------------------===//

Value mlir::fuse::stablehlo::padBetween(Node &n, Value x, int64_t axis, int64_t count, TypedAttr value) {
  FuseBuilder &b = n.b;
  if (count == 0 || b.shapeOf(x)[axis] == 0 || b.shapeOf(x)[axis] == 1)
    return x;
  Value split = b.insertUnitDims(x, {axis + 1});
  SmallVector<int64_t> low(b.rankOf(split), 0), high(low);
  high[axis + 1] = count;
  SmallVector<AffineExpr> extents = n.getExtents(x);
  extents[axis] = extents[axis] * (count + 1);
  Value wide = n.reshape(b.pad(split, low, high, value), extents);
  low.pop_back();
  high.assign(low.size(), 0);
  high[axis] = -count;
  return b.pad(wide, low, high, value);
}

Value mlir::fuse::stablehlo::padBetween(Node &n, Value x, int64_t axis, int64_t count, double value) {
  return padBetween(n, x, axis, count, makeNumberAttr(n, value, n.b.elementOf(x)));
}

static LogicalResult pad(Node &n, ArrayRef<int64_t> low, ArrayRef<int64_t> high, ArrayRef<int64_t> between) {
  FuseBuilder &b = n.b;
  for (int64_t i = 0; i < n.getRank(0); ++i)
    if (between[i] < 0 || between[i] > kMostWindow || std::abs(low[i]) > kMostBytes || std::abs(high[i]) > kMostBytes)
      return n.fail("expected padding that memory can hold");
  if (n.getRank(1) != 0 || n.getElement(0) != n.getElement(1))
    return n.fail("expected one element of the operand's type as padding");
  auto apply = [&](Value x, TypedAttr value) {
    for (auto [axis, count] : llvm::enumerate(between))
      x = padBetween(n, x, axis, count, value);
    return b.pad(x, low, high, value);
  };
  Value x = n.tensor(0), value = n.tensor(1);
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return n.setResult(apply(x, cast<TypedAttr>(constant.getSplatValue<Attribute>())));
  // A number that the program computes stands where no element is.
  Value isElement = b.broadcastTo(b.scalar(1, b.getBuilder().getI1Type()), n.getSizes(n.getExtents(x)));
  isElement = apply(isElement, b.getBuilder().getBoolAttr(false));
  return n.setResult(b.select(isElement, apply(x, makeNumberAttr(n, 0, n.getElement(0))), value));
}

static LogicalResult importPad(Node &n) {
  size_t rank = n.getRank(0);
  SmallVector<int64_t> low = n.getInts("edge_padding_low", rank), high = n.getInts("edge_padding_high", rank),
                       between = n.getInts("interior_padding", rank);
  return n.hasFailed() ? failure() : pad(n, low, high, between);
}

static LogicalResult importDynamicPad(Node &n) {
  SmallVector<SmallVector<int64_t>, 3> lists;
  for (unsigned i = 2; i < 5; ++i) {
    FailureOr<SmallVector<AffineExpr>> list = n.getNumbers(i);
    if (failed(list))
      return failure();
    SmallVector<int64_t> &numbers = lists.emplace_back();
    for (AffineExpr expr : *list) {
      auto number = dyn_cast<AffineConstantExpr>(expr);
      if (!number)
        return n.fail("expected padding that is known before the program runs");
      numbers.push_back(number.getValue());
    }
    if (static_cast<int64_t>(numbers.size()) != n.getRank(0))
      return n.fail("expected padding for each dimension");
  }
  return pad(n, lists[0], lists[1], lists[2]);
}

void mlir::fuse::stablehlo::addMovementOps(OpTable &table) {
  table.add("constant", 0, importConstant, /*isElementwise=*/true);
  table.add("iota", 0, [](Node &n) { return importIota(n, getKnownExtents(n)); });
  table.add("dynamic_iota", 1, [](Node &n) {
    FailureOr<SmallVector<AffineExpr>> extents = getWantedExtents(n, 0);
    return failed(extents) ? failure() : importIota(n, *extents);
  });
  table.add("broadcast_in_dim", 1, [](Node &n) { return broadcast(n, getKnownExtents(n)); });
  table.add("dynamic_broadcast_in_dim", 2, [](Node &n) {
    FailureOr<SmallVector<AffineExpr>> extents = getWantedExtents(n, 1);
    return failed(extents) ? failure() : broadcast(n, *extents);
  });
  table.add("reshape", 1, [](Node &n) { return importReshape(n, getKnownExtents(n)); });
  table.add("dynamic_reshape", 2, [](Node &n) {
    FailureOr<SmallVector<AffineExpr>> extents = getWantedExtents(n, 1);
    return failed(extents) ? failure() : importReshape(n, *extents);
  });
  table.add("get_dimension_size", 1, [](Node &n) { return n.fail("expected a result of one i32"); });
  table.add("transpose", 1, importTranspose);
  table.add("concatenate", 1, importConcatenate);
  table.add("reverse", 1, importReverse);
  table.add("pad", 2, importPad);
  table.add("dynamic_pad", 5, importDynamicPad);
}
