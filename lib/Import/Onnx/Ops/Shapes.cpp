//===- Shapes.cpp - Operators that read shapes and give the same elements another one -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"
#include "../OpTable.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static LogicalResult importShape(Node &n) {
  int64_t rank = n.getRank(0);
  auto clampAxis = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clampAxis(n.getInt("start", 0)), end = clampAxis(n.getInt("end", rank));
  ArrayRef<int64_t> shape = n.getShape(0);
  if (start < end)
    shape = shape.slice(start, end - start);
  else
    shape = {};
  if (ShapedType::isDynamicShape(shape)) {
    n.setSymbolicResult(ArrayRef(n.getExtents(0)).slice(start, end - start));
    return success();
  }
  n.setResult(0, HostArray::fromInts(ElementType::I64, {int64_t(shape.size())}, shape));
  return success();
}

static LogicalResult importSize(Node &n) {
  if (!n.getType(0).hasStaticShape()) {
    n.setSymbolicResult(n.getProduct(n.getExtents(0)), /*isScalar=*/true);
    return success();
  }
  n.setResult(0, HostArray::fromInts(ElementType::I64, {}, n.getType(0).getNumElements()));
  return success();
}

/// 0 takes the operand's extent over (unless `allowzero`), one −1 is what the others leave. Extents may be expressions of
/// open dimensions.
static LogicalResult importReshape(Node &n) {
  if (n.isComputed(1))
    return importComputedReshape(n);
  SmallVector<AffineExpr> from = n.getExtents(0), to = n.getSymbolicIntegers(1, "shape");
  std::optional<size_t> open;
  int64_t product = 1;
  bool isKnown = n.getType(0).hasStaticShape();
  for (auto [dim, extent] : llvm::enumerate(to)) {
    auto number = dyn_cast<AffineConstantExpr>(extent);
    if (number && number.getValue() == 0 && !n.getInt("allowzero", 0)) {
      if (dim >= from.size())
        return n.fail("0 in the shape stands for extent " + Twine(dim) + " of an operand of rank " +
                      Twine(from.size()));
      extent = from[dim];
      number = dyn_cast<AffineConstantExpr>(extent);
    }
    if (!number) {
      isKnown = false;
    } else if (number.getValue() == -1) {
      if (open)
        return n.fail("expected at most one −1 in the shape, found two");
      open = dim;
    } else if (number.getValue() < 0) {
      return n.fail("expected extents of at least −1 in the shape, found " + Twine(number.getValue()));
    } else if (llvm::MulOverflow(product, number.getValue(), product)) {
      return n.fail("no tensor has the shape");
    }
  }
  if (n.hasFailed())
    return failure();
  if (open) {
    int64_t elements = isKnown ? n.getType(0).getNumElements() : 0;
    if (isKnown && (product == 0 || elements % product != 0))
      return n.fail("no extent in place of the −1 makes the shape hold " + Twine(elements) + " elements");
    SmallVector<AffineExpr> others(to);
    others.erase(others.begin() + *open);
    to[*open] = divideExactly(from, others, n.b.getContext()).value_or(AffineExpr());
  }
  SmallVector<int64_t> shape = getStaticExtents(to); // null: no expression says what is left
  auto pairs = pairDynamicDims(n.getShape(0), shape);
  bool areSame = !pairs.empty() && llvm::all_of(pairs, [&](auto pair) {
    return from[pair.first] == to[pair.second] || open == pair.second;
  });
  bool isFree = llvm::count_if(shape, ShapedType::isDynamic) > 1 && !areSame;
  if (isFree && llvm::is_contained(to, AffineExpr()))
    return importComputedReshape(n);
  RankedTensorType type = n.b.makeType(shape, n.getElementType(0));
  if (n.hasFailed())
    return failure();
  if (n.getType(0).hasStaticShape() && type.hasStaticShape() &&
      type.getNumElements() != n.getType(0).getNumElements())
    return n.fail("expected a shape of " + Twine(n.getType(0).getNumElements()) +
                  " elements, found one of " + Twine(type.getNumElements()));
  return n.setResult(isFree ? n.b.reshape(n.getInput(0), n.getSizes(to)) : n.b.reshape(n.getInput(0), shape));
}

static LogicalResult importFlatten(Node &n) {
  int64_t rank = n.getRank(0);
  int64_t axis = n.getInt("axis", 1);
  if (axis < -rank || axis > rank)
    return n.fail("expected an axis in [" + Twine(-rank) + ", " + Twine(rank) + "], found " +
                  Twine(axis));
  axis = axis < 0 ? axis + rank : axis;
  SmallVector<AffineExpr> extents = n.getExtents(0);
  return n.setResult(n.reshape(n.getInput(0), {n.getProduct(ArrayRef(extents).take_front(axis)),
                                               n.getProduct(ArrayRef(extents).drop_front(axis))}));
}

static LogicalResult importSqueeze(Node &n) {
  if (n.isComputed(1))
    return importComputedSqueeze(n);
  SmallVector<int64_t> axes = n.getIntegers(1, "axes");
  int64_t rank = n.getRank(0);
  bool allUnits = !n.hasInput(1) && !n.hasAttribute("axes");
  SmallVector<bool> drops(rank, false);
  for (int64_t axis : axes) {
    axis = n.normalizeAxis(axis, rank);
    if (n.hasFailed())
      return failure();
    drops[axis] = true;
  }
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> extents = n.getExtents(0), kept;
  for (auto [dim, extent] : llvm::enumerate(n.getShape(0))) {
    if (drops[dim] && ShapedType::isDynamic(extent))
      n.assume(n.getExtents(0)[dim], 1);
    else if (drops[dim] && extent != 1)
      return n.fail("expected extent 1 at axis " + Twine(dim) + ", found " +
                    describeExtent(extent));
    if (!drops[dim] && !(allUnits && extent == 1)) {
      shape.push_back(extent);
      kept.push_back(extents[dim]);
    }
  }
  bool dropsOpen = llvm::any_of(llvm::enumerate(n.getShape(0)), [&](auto entry) {
    return drops[entry.index()] && ShapedType::isDynamic(entry.value());
  });
  if (!dropsOpen)
    return n.setResult(n.b.reshape(n.getInput(0), shape));
  // The extents are those that are kept, whatever the dropped ones are.
  SmallVector<Value> sizes;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(n.getSizes(kept), sizes, statics);
  return n.setResult(ReshapeOp::create(n.b.getBuilder(), n.b.makeType(shape, n.getElementType(0)), n.getInput(0), sizes));
}

static LogicalResult importUnsqueeze(Node &n) {
  if (n.isComputed(1))
    return importComputedUnsqueeze(n);
  SmallVector<int64_t> axes = n.getIntegers(1, "axes");
  int64_t rank = n.getRank(0) + static_cast<int64_t>(axes.size());
  for (int64_t &axis : axes)
    axis = n.normalizeAxis(axis, rank);
  llvm::sort(axes);
  if (n.hasFailed())
    return failure();
  if (std::unique(axes.begin(), axes.end()) != axes.end())
    return n.fail("expected axes that differ");
  return n.setResult(n.b.insertUnitDims(n.getInput(0), axes));
}

static LogicalResult importTranspose(Node &n) {
  int64_t rank = n.getRank(0);
  SmallVector<int64_t> reversed;
  for (int64_t dim = rank; dim-- > 0;)
    reversed.push_back(dim);
  SmallVector<int64_t> permutation = n.getInts("perm", reversed);
  SmallVector<int64_t> sorted;
  for (int64_t &dim : permutation)
    sorted.push_back(dim = n.normalizeAxis(dim, rank));
  llvm::sort(sorted);
  if (n.hasFailed())
    return failure();
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return n.fail("expected a permutation of " + Twine(rank) + " axes");
  return n.setResult(n.b.transpose(n.getInput(0), permutation));
}

/// An expansion to a shape that is computed from extents. Where the operand has another extent than 1, both are taken
/// to be equal.
static LogicalResult expandSymbolic(Node &n, ArrayRef<AffineExpr> wanted) {
  SmallVector<AffineExpr> from = n.getExtents(0), to(wanted);
  AffineExpr one = getAffineConstantExpr(1, n.b.getContext());
  if (to.size() < from.size())
    to.insert(to.begin(), from.size() - to.size(), one);
  size_t added = to.size() - from.size();
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(to)) {
    AffineExpr own = dim < added ? one : from[dim - added];
    if (extent == one)
      extent = own;
    auto number = dyn_cast<AffineConstantExpr>(extent), known = dyn_cast<AffineConstantExpr>(own);
    if (number && (number.getValue() < 0 || (known && own != one && own != extent)))
      return n.fail("expected extent " + Twine(dim) + " of the shape to be that of the operand, or this to be 1, found " +
                    Twine(number.getValue()));
    if (own != one && n.isComputed(1)) {
      ComputedNumbers a(n);
      Value given = a.number(extent);
      a.require(a.either(a.equal(given, a.number(1)), a.equal(given, a.number(own))),
                "expected extent " + Twine(dim) + " of the shape to be 1 or that of the operand");
    }
    if (own != one)
      extent = known || !number ? own : extent;
    number = dyn_cast<AffineConstantExpr>(extent);
    shape.push_back(number ? number.getValue() : ShapedType::kDynamic);
  }
  if (std::optional<std::string> problem = findShapeProblem(*toElementType(n.getElementType(0)), shape))
    return n.fail(*problem);
  return n.setResult(n.b.broadcastTo(n.getInput(0), n.getSizes(to)));
}

static LogicalResult importExpand(Node &n) {
  if (n.isSymbolic(1) || n.isComputed(1))
    return expandSymbolic(n, n.getSymbolicIntegers(1, "shape"));
  SmallVector<int64_t> shape = n.getIntegers(1, "shape");
  // Both sides broadcast.
  ArrayRef<int64_t> from = n.getShape(0);
  while (shape.size() < from.size())
    shape.insert(shape.begin(), 1);
  size_t added = shape.size() - from.size();
  for (auto [dim, extent] : llvm::enumerate(from)) {
    int64_t &to = shape[added + dim];
    if (to == 1)
      to = extent;
    if ((to < 0 && to != extent) || (extent != 1 && extent != to))
      return n.fail("expected extent 1 or " + Twine(to) + " at axis " + Twine(dim) + ", found " +
                    describeExtent(extent));
  }
  if (llvm::any_of(ArrayRef(shape).take_front(added), [](int64_t extent) { return extent < 0; }))
    return n.fail("expected extents of at least 0");
  return n.setResult(n.b.broadcastTo(n.getInput(0), shape));
}

static LogicalResult importDepthToSpace(Node &n) {
  int64_t block = n.getInt("blocksize", 0);
  std::string mode = n.getString("mode", "DCR");
  ArrayRef<int64_t> s = n.getShape(0);
  if (s.size() != 4 || block < 1 || block > kMostSpread || ShapedType::isDynamic(s[1]) || s[1] % (block * block) != 0)
    return n.fail("expected rank 4 and a multiple of blocksize² channels");
  int64_t channels = s[1] / (block * block);
  Value x = n.getInput(0);
  if (mode == "DCR") {
    x = n.b.reshape(x, {s[0], block, block, channels, s[2], s[3]});
    x = n.b.transpose(x, {0, 3, 4, 1, 5, 2});
  } else if (mode == "CRD") {
    x = n.b.reshape(x, {s[0], channels, block, block, s[2], s[3]});
    x = n.b.transpose(x, {0, 1, 4, 2, 5, 3});
  } else {
    return n.fail("expected mode = DCR or CRD, found '" + mode + "'");
  }
  SmallVector<AffineExpr> extents = n.getExtents(0);
  return n.setResult(n.reshape(x, {extents[0], n.getConstant(channels), extents[2] * block, extents[3] * block}));
}

static LogicalResult importSpaceToDepth(Node &n) {
  int64_t block = n.getInt("blocksize", 0);
  std::string mode = n.getString("mode", "DCR");
  ArrayRef<int64_t> s = n.getShape(0);
  auto divides = [&](int64_t extent) { return ShapedType::isDynamic(extent) || extent % block == 0; };
  if (s.size() != 4 || block < 1 || block > kMostSpread || !divides(s[2]) || !divides(s[3]))
    return n.fail("expected rank 4 and a height and width that blocksize divides");
  if (mode != "DCR" && mode != "CRD")
    return n.fail("expected mode = DCR or CRD, found '" + mode + "'");
  SmallVector<AffineExpr> extents = n.getExtents(0);
  AffineExpr height = extents[2].floorDiv(block), width = extents[3].floorDiv(block), part = n.getConstant(block);
  n.assumeEqual(simplifyExtent(height * block), extents[2]);
  n.assumeEqual(simplifyExtent(width * block), extents[3]);
  Value x = n.reshape(n.getInput(0), {extents[0], extents[1], height, part, width, part});
  if (mode == "DCR")
    x = n.b.transpose(x, {0, 3, 5, 1, 2, 4});
  else
    x = n.b.transpose(x, {0, 1, 3, 5, 2, 4});
  return n.setResult(n.reshape(x, {extents[0], extents[1] * (block * block), height, width}));
}

void mlir::fuse::onnx::addShapeOps(OpTable &table) {
  table.add("Shape", 1, 1, importShape).readsTypesOnly = true;
  table.add("Size", 1, 1, importSize).readsTypesOnly = true;
  table.add("Reshape", 1, 2, importReshape, {1}).movesFormats = true;
  table.add("Flatten", 1, 1, importFlatten).movesFormats = true;
  table.add("Squeeze", 1, 2, importSqueeze, {1}).movesFormats = true;
  table.add("Unsqueeze", 1, 2, importUnsqueeze, {1}).movesFormats = true;
  table.add("Transpose", 1, 1, importTranspose).movesFormats = true;
  table.add("Expand", 2, 2, importExpand, {1}).movesFormats = true;
  table.add("DepthToSpace", 1, 1, importDepthToSpace);
  table.add("SpaceToDepth", 1, 1, importSpaceToDepth);
}
