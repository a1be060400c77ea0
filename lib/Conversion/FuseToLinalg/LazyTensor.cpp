//===- LazyTensor.cpp - A tensor and how its dimensions lie in memory -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LazyTensor.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<int64_t> fuse::dropUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept;
  for (int64_t extent : shape)
    if (extent != 1)
      kept.push_back(extent);
  return kept;
}

LazyTensor LazyTensor::inOrder(Value base, ArrayRef<int64_t> shape, Type element) {
  LazyTensor value;
  value.base = base;
  value.element = element;
  auto type = cast<RankedTensorType>(base.getType());
  int64_t next = 0;
  for (int64_t extent : shape) {
    auto &factors = value.factors.emplace_back();
    // The tensor may know an extent that the value's type does not.
    value.shape.push_back(extent == 1 ? 1 : type.getDimSize(next));
    if (extent != 1)
      factors.push_back({next++, value.shape.back()});
  }
  return value;
}

static SmallVector<TensorFactor, 1> repeat(int64_t extent) {
  if (extent == 1)
    return {};
  return {{TensorFactor::kRepeated, extent}};
}

LazyTensor LazyTensor::ofSplat(TypedAttr splat, ArrayRef<int64_t> shape, Type element) {
  LazyTensor value;
  value.splat = splat;
  value.shape.assign(shape.begin(), shape.end());
  value.element = element;
  for (int64_t extent : shape)
    value.factors.push_back(repeat(extent));
  return value;
}

bool LazyTensor::isInOrder() const {
  if (!base)
    return false;
  int64_t next = 0;
  for (ArrayRef<TensorFactor> dim : factors)
    for (const TensorFactor &factor : dim)
      if (factor.dim != next++)
        return false;
  return true;
}

bool LazyTensor::isRepeated(int64_t dim) const {
  return llvm::all_of(factors[dim], [](const TensorFactor &factor) {
    return factor.dim == TensorFactor::kRepeated;
  });
}

bool fuse::isComputed(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (isa<linalg::GenericOp, ScatterRowsOp>(op))
      return true;
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
             tensor::CastOp>(op))
      return false;
    tensor = op->getOperand(0);
  }
  return false;
}

OpFoldResult fuse::getExtent(ImplicitLocOpBuilder &b, const LazyTensor &value, int64_t dim) {
  if (!ShapedType::isDynamic(value.shape[dim]))
    return b.getIndexAttr(value.shape[dim]);
  return tensor::DimOp::create(b, value.base, value.factors[dim].front().dim).getResult();
}

/// Per dimension that is no unit, its position and those of the units beside it.
static SmallVector<ReassociationIndices> groupUnits(ArrayRef<int64_t> shape) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [position, extent] : llvm::enumerate(shape)) {
    if (extent != 1) {
      groups.emplace_back();
      if (groups.size() == 1)
        groups.back() = leading;
    }
    (groups.empty() ? leading : groups.back()).push_back(position);
  }
  return groups;
}

LazyTensor fuse::collapseUnits(ImplicitLocOpBuilder &b, Value whole, Type element) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(whole.getType()).getShape();
  if (llvm::is_contained(shape, 1))
    whole = tensor::CollapseShapeOp::create(b, whole, groupUnits(shape));
  return LazyTensor::inOrder(whole, shape, element);
}

Value fuse::expandUnits(ImplicitLocOpBuilder &b, const LazyTensor &value, RankedTensorType type) {
  Value whole = value.base;
  if (llvm::is_contained(value.shape, 1)) {
    auto known = RankedTensorType::get(value.shape, type.getElementType());
    SmallVector<OpFoldResult> extents;
    for (int64_t dim = 0; dim < value.getRank(); ++dim)
      extents.push_back(getExtent(b, value, dim));
    whole = tensor::ExpandShapeOp::create(b, known, whole, groupUnits(value.shape), extents);
  }
  return whole.getType() == type ? whole : tensor::CastOp::create(b, type, whole).getResult();
}

LazyTensor fuse::transpose(const LazyTensor &value, ArrayRef<int64_t> permutation) {
  LazyTensor result = value;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    result.factors[to] = value.factors[from];
    result.shape[to] = value.shape[from];
  }
  return result;
}

LazyTensor fuse::broadcast(const LazyTensor &value, ArrayRef<int64_t> added,
                           ArrayRef<int64_t> shape) {
  LazyTensor result = value;
  for (int64_t dim : added) {
    result.factors.insert(result.factors.begin() + dim, repeat(shape[dim]));
    result.shape.insert(result.shape.begin() + dim, shape[dim]);
  }
  return result;
}

LazyTensor fuse::joinDims(const LazyTensor &value, int64_t first) {
  LazyTensor joined = value;
  llvm::append_range(joined.factors[first], value.factors[first + 1]);
  joined.factors.erase(joined.factors.begin() + first + 1);
  joined.shape[first] *= value.shape[first + 1];
  joined.shape.erase(joined.shape.begin() + first + 1);
  return joined;
}

//===- slice --------------------------------------------------------------------------------===//

namespace {
/// What is taken of one factor: `size` elements from `offset` on.
struct FactorRange {
  int64_t offset, size, stride;
};
} // namespace

/// What a slice of a dimension takes of its factors. Of the 24 elements of the factors [4, 6] the 12 from 6
/// on are the rows 1 and 2, and the 3 from 7 on lie in row 1. Fails where it takes parts of several rows,
/// or takes steps.
static LogicalResult sliceFactors(ArrayRef<TensorFactor> factors, FactorRange range,
                                  SmallVectorImpl<FactorRange> &ranges) {
  if (range.stride != 1 && range.size != 1)
    return failure();
  int64_t row = 1;
  for (const TensorFactor &factor : factors)
    row *= factor.extent;
  for (const TensorFactor &factor : factors) {
    row /= factor.extent;
    int64_t first = range.offset / row, last = (range.offset + range.size - 1) / row;
    if (first != last && (range.offset % row != 0 || range.size % row != 0))
      return failure();
    ranges.push_back({first, last - first + 1, 1});
    range.offset %= row;
    range.size = std::min(range.size, row);
  }
  return success();
}

/// Splits each dimension of which one of several equal parts is taken, so that the part is an
/// element of a dimension of parts: such a slice hides no loop. What a member computes lies in such
/// parts already where its loops are factored so.
static LazyTensor splitParts(ImplicitLocOpBuilder &b, const LazyTensor &value,
                             ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> strides) {
  if (isComputed(value.base))
    return value;
  SmallVector<int64_t> shape, partDims;
  for (int64_t dim = 0; dim < value.getRank(); ++dim) {
    int64_t extent = value.shape[dim], size = sizes[dim];
    bool isPart = value.factors[dim].size() == 1 && !value.isRepeated(dim) &&
                  !ShapedType::isDynamic(extent) && size > 1 && size < extent &&
                  strides[dim] == 1 && extent % size == 0 && offsets[dim] % size == 0;
    if (isPart) {
      partDims.push_back(shape.size());
      shape.push_back(extent / size);
    }
    shape.push_back(isPart ? size : extent);
  }
  if (partDims.empty())
    return value;
  FailureOr<LazyTensor> split = reshape(b, value, shape);
  if (failed(split))
    return value;
  for (int64_t dim : llvm::reverse(partDims))
    split = joinDims(*split, dim);
  return *split;
}

FailureOr<LazyTensor> fuse::slice(ImplicitLocOpBuilder &b, const LazyTensor &whole,
                                  ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                                  ArrayRef<int64_t> strides) {
  LazyTensor result = whole;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!ShapedType::isDynamic(whole.shape[dim]) && size >= 0)
      result.shape[dim] = size;
  if (!whole.base)
    return LazyTensor::ofSplat(whole.splat, result.shape, whole.element);
  if (result.shape == whole.shape)
    return result;
  Type storage = getElementTypeOrSelf(whole.base);
  if (llvm::is_contained(result.shape, 0)) {
    // An empty part may lie behind the last element, where upstream's slices must not.
    SmallVector<OpFoldResult> extents;
    for (auto [dim, extent] : llvm::enumerate(result.shape))
      if (extent != 1)
        extents.push_back(getExtent(b, extent == whole.shape[dim] ? whole : result, dim));
    return LazyTensor::inOrder(tensor::EmptyOp::create(b, extents, storage), result.shape,
                               whole.element);
  }

  LazyTensor value = splitParts(b, whole, offsets, sizes, strides);
  auto baseType = cast<RankedTensorType>(value.base.getType());
  int64_t baseRank = baseType.getRank();
  SmallVector<OpFoldResult> from(baseRank, b.getIndexAttr(0)), step(baseRank, b.getIndexAttr(1));
  SmallVector<OpFoldResult> extents;
  for (int64_t position = 0; position < baseRank; ++position)
    extents.push_back(tensor::getMixedSize(b, b.getLoc(), value.base, position));
  SmallVector<int64_t> baseShape(baseType.getShape());
  for (auto [dim, factors] : llvm::enumerate(value.factors)) {
    if (result.shape[dim] == value.shape[dim]) {
      result.factors[dim] = factors;
      continue;
    }
    SmallVector<FactorRange> ranges;
    FactorRange range = {offsets[dim], sizes[dim], strides[dim]};
    if (factors.size() == 1)
      ranges.push_back(range);
    else if (failed(sliceFactors(factors, range, ranges)))
      return failure();
    result.factors[dim].clear();
    for (auto [factor, range] : llvm::zip_equal(factors, ranges)) {
      if (range.size != 1)
        result.factors[dim].push_back({factor.dim, range.size});
      if (factor.dim == TensorFactor::kRepeated)
        continue;
      from[factor.dim] = b.getIndexAttr(range.offset);
      extents[factor.dim] = b.getIndexAttr(range.size);
      // One element takes no step; upstream tells a dimension that left by its stride.
      if (range.size != 1)
        step[factor.dim] = b.getIndexAttr(range.stride);
      baseShape[factor.dim] = range.size;
    }
  }
  // A dimension that shrank to one element leaves the tensor; those behind it move up.
  SmallVector<int64_t> moved(baseRank, TensorFactor::kRepeated);
  int64_t next = 0;
  for (auto [position, extent] : llvm::enumerate(baseShape))
    if (extent != 1)
      moved[position] = next++;
  for (auto &factors : result.factors)
    for (TensorFactor &factor : factors)
      if (factor.dim != TensorFactor::kRepeated)
        factor.dim = moved[factor.dim];
  auto type = RankedTensorType::get(dropUnits(baseShape), storage);
  result.base = value.base;
  if (baseShape != baseType.getShape())
    result.base = tensor::ExtractSliceOp::create(b, type, value.base, from, extents, step);
  return result;
}

//===- reshape ------------------------------------------------------------------------------===//

namespace {

/// `shape` with its one dynamic extent computed from the static shape that it comes from.
SmallVector<int64_t> resolveShape(ArrayRef<int64_t> from, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> resolved(shape);
  if (ShapedType::isDynamicShape(from) || !ShapedType::isDynamicShape(shape))
    return resolved;
  int64_t rest = 1;
  for (int64_t extent : shape)
    rest *= ShapedType::isDynamic(extent) ? 1 : extent;
  for (int64_t &extent : resolved)
    if (ShapedType::isDynamic(extent))
      extent = rest == 0 ? 0 : ShapedType::getNumElements(from) / rest;
  return resolved;
}

/// Splits dimension `position` of `source` into `shape`, dynamic in one entry at most.
void appendSplit(ImplicitLocOpBuilder &b, Value source, int64_t position, ArrayRef<int64_t> shape,
                 SmallVectorImpl<OpFoldResult> &extents) {
  int64_t rest = 1;
  for (int64_t extent : shape)
    rest *= ShapedType::isDynamic(extent) ? 1 : extent;
  for (int64_t extent : shape) {
    if (!ShapedType::isDynamic(extent)) {
      extents.push_back(b.getIndexAttr(extent));
      continue;
    }
    Value whole = tensor::DimOp::create(b, source, position);
    if (rest != 1)
      whole = arith::DivUIOp::create(b, whole, arith::ConstantIndexOp::create(b, rest));
    extents.push_back(whole);
  }
}

} // namespace

/// For each dimension of a tensor whether one step along it leads behind the last element of the
/// next dimension: then the two can be joined without a copy. Slices part what they cut.
///
/// Example: of tensor<2x6x4xf32>, cut to tensor<2x3x4xf32>, the last two can be joined.
static llvm::SmallBitVector findJoinable(Value tensor) {
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  llvm::SmallBitVector joinable(rank, true);
  Operation *view = tensor.getDefiningOp();
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(view))
    return findJoinable(cast.getSource());
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(view)) {
    llvm::SmallBitVector source = findJoinable(collapse.getSrc());
    for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices()))
      joinable[dim] = source[group.back()];
  } else if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(view)) {
    llvm::SmallBitVector source = findJoinable(expand.getSrc());
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      joinable[group.back()] = source[dim];
  } else if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(view)) {
    llvm::SmallBitVector source = findJoinable(slice.getSource()), dropped = slice.getDroppedDims();
    ArrayRef<int64_t> shape = slice.getSourceType().getShape();
    unsigned position = 0;
    for (unsigned dim = 0; dim + 1 < shape.size(); ++dim) {
      if (dropped.test(dim))
        continue;
      // Unknown extents are never cut.
      bool isWhole = !dropped.test(dim + 1) && slice.getStaticSizes()[dim + 1] == shape[dim + 1];
      joinable[position++] = source[dim] && isWhole && slice.getStaticStrides()[dim] == 1;
    }
  }
  return joinable;
}

namespace {

/// A factor of the result of a reshape: (i / divisor) mod extent of a base's dimension i.
struct Part {
  int64_t dim, divisor, extent;
};

/// Gives a list of factors, the innermost last, to dimensions of `extents`. Fails where a boundary
/// lies within a factor that it does not divide.
LogicalResult redistribute(ArrayRef<TensorFactor> factors, ArrayRef<int64_t> extents,
                           MutableArrayRef<SmallVector<Part, 1>> dims) {
  SmallVector<Part> parts;
  for (const TensorFactor &factor : factors) {
    if (ShapedType::isDynamic(factor.extent))
      return failure();
    parts.push_back({factor.dim, 1, factor.extent});
  }
  for (size_t at = extents.size(); at-- > 0;)
    for (int64_t need = extents[at]; need != 1;) {
      if (ShapedType::isDynamic(need) || parts.empty())
        return failure();
      Part &last = parts.back();
      if (need % last.extent == 0) {
        need /= last.extent;
        dims[at].insert(dims[at].begin(), last);
        parts.pop_back();
      } else if (last.extent % need == 0) {
        dims[at].insert(dims[at].begin(), {last.dim, last.divisor, need});
        last.divisor *= need;
        last.extent /= need;
        need = 1;
      } else {
        return failure();
      }
    }
  return success(parts.empty());
}

/// What becomes of a base where dimensions are joined, then split.
class BaseReshape {
public:
  explicit BaseReshape(Value base)
      : base(base), rank(cast<RankedTensorType>(base.getType()).getRank()),
        joinable(findJoinable(base)), joins(rank), known(rank, ShapedType::kDynamic) {}

  /// Joins the dimensions that `factors` are, and splits what they become into `extents`, one of
  /// which may be unknown. Fails where that would move elements.
  LogicalResult join(ArrayRef<TensorFactor> factors, ArrayRef<int64_t> extents) {
    if (!canJoin(factors))
      return failure();
    int64_t first = factors.front().dim;
    joins[first].count = factors.size();
    joins[first].extents.assign(extents.begin(), extents.end());
    return success();
  }
  bool canJoin(ArrayRef<TensorFactor> factors) const {
    int64_t first = factors.empty() ? 0 : factors.front().dim;
    return llvm::all_of(llvm::enumerate(factors), [&](auto entry) {
      int64_t offset = entry.index(), dim = entry.value().dim;
      return dim >= 0 && dim == first + offset && (offset == 0 || joinable[dim - 1]);
    });
  }
  void setKnown(int64_t dim, int64_t extent) { known[dim] = extent; }
  /// Splits a dimension so that it has `part` as a factor.
  void split(const Part &part) {
    if (part.dim >= 0 && !llvm::is_contained(joins[part.dim].divisors, part.divisor))
      joins[part.dim].divisors.push_back(part.divisor);
  }

  Value build(ImplicitLocOpBuilder &b) {
    auto type = cast<RankedTensorType>(base.getType());
    SmallVector<ReassociationIndices> joined, split;
    SmallVector<int64_t> joinedShape, splitShape;
    for (int64_t dim = 0; dim < rank;) {
      Join &join = joins[dim];
      join.position = splitShape.size();
      joined.emplace_back();
      int64_t product = 1;
      for (int64_t i = 0; i < join.count; ++i) {
        joined.back().push_back(dim + i);
        product = ShapedType::isDynamic(product) || type.isDynamicDim(dim + i)
                      ? ShapedType::kDynamic
                      : product * type.getDimSize(dim + i);
      }
      if (join.extents.empty()) {
        llvm::sort(join.divisors);
        int64_t whole = ShapedType::isDynamic(product) ? known[dim] : product;
        for (size_t i = join.divisors.size(); i-- > 1;) {
          join.extents.push_back(whole / join.divisors[i]);
          whole = join.divisors[i];
        }
        join.extents.push_back(whole);
        product = ShapedType::isDynamic(product) ? known[dim] : product;
      } else if (!ShapedType::isDynamicShape(join.extents)) {
        product = ShapedType::getNumElements(join.extents); // where the result knows, so must the tensor
      } else if (join.extents.size() == 1) {
        join.extents.front() = product;
      }
      joinedShape.push_back(product);
      split.emplace_back();
      for (int64_t extent : join.extents) {
        split.back().push_back(splitShape.size());
        splitShape.push_back(extent);
      }
      dim += join.count;
    }
    Type storage = type.getElementType();
    if (static_cast<int64_t>(joined.size()) < rank)
      base = tensor::CollapseShapeOp::create(b, base, joined);
    if (cast<RankedTensorType>(base.getType()).getShape() != ArrayRef<int64_t>(joinedShape))
      base = tensor::CastOp::create(b, RankedTensorType::get(joinedShape, storage), base);
    if (splitShape.size() == joinedShape.size())
      return base;
    SmallVector<OpFoldResult> extents;
    for (auto [position, group] : llvm::enumerate(split))
      appendSplit(b, base, position,
                  ArrayRef<int64_t>(splitShape).slice(group.front(), group.size()), extents);
    return base = tensor::ExpandShapeOp::create(b, RankedTensorType::get(splitShape, storage), base,
                                                split, extents);
  }

  /// After build(): the dimension of the new base that is a part, or part number `number` of what
  /// was joined from `dim` on.
  int64_t getDim(const Part &part) const {
    if (part.dim < 0)
      return part.dim;
    const Join &join = joins[part.dim];
    const auto *divisor = llvm::find(join.divisors, part.divisor);
    return join.position + (join.divisors.end() - divisor) - 1;
  }
  int64_t getDim(int64_t dim, int64_t number) const { return joins[dim].position + number; }

private:
  /// Dimensions that become one, then several.
  struct Join {
    int64_t count = 1;
    SmallVector<int64_t> extents;     ///< what they are split into, the outermost first
    SmallVector<int64_t, 2> divisors; ///< of the parts, where a single dimension is split
    int64_t position = 0;             ///< of the first of those in the new base
  };

  Value base;
  int64_t rank;
  llvm::SmallBitVector joinable;
  SmallVector<Join> joins;
  SmallVector<int64_t> known; ///< extents that the base does not know
};

} // namespace

FailureOr<LazyTensor> fuse::reshape(ImplicitLocOpBuilder &b, const LazyTensor &value,
                                    ArrayRef<int64_t> wanted) {
  SmallVector<int64_t> shape = resolveShape(value.shape, wanted);
  if (!value.base)
    return LazyTensor::ofSplat(value.splat, shape, value.element);
  if (llvm::is_contained(value.shape, 0) || llvm::is_contained(shape, 0)) {
    // Nothing to move.
    SmallVector<OpFoldResult> extents;
    for (int64_t extent : dropUnits(shape))
      extents.push_back(b.getIndexAttr(ShapedType::isDynamic(extent) ? 0 : extent));
    return LazyTensor::inOrder(
        tensor::EmptyOp::create(b, extents, getElementTypeOrSelf(value.base)), shape,
        value.element);
  }

  BaseReshape base(value.base);
  SmallVector<SmallVector<Part, 1>> parts(shape.size());
  // Of a dimension that a joined one is split into: where that began, and its number.
  SmallVector<std::pair<int64_t, int64_t>> joined(shape.size(), {-1, 0});
  for (const ReshapeGroup &group : matchReshape(value.shape, shape)) {
    SmallVector<TensorFactor> factors;
    SmallVector<int64_t> extents;
    for (int64_t dim : group.from)
      llvm::append_range(factors, value.factors[dim]);
    for (int64_t dim : group.to)
      extents.push_back(shape[dim]);
    if (llvm::all_of(group.from, [&](int64_t dim) { return value.isRepeated(dim); })) {
      for (int64_t dim : group.to)
        if (shape[dim] != 1)
          parts[dim].push_back({TensorFactor::kRepeated, 1, shape[dim]});
      continue;
    }
    if (group.from.size() == 1 && group.to.size() == 1) {
      for (const TensorFactor &factor : factors)
        parts[group.to.front()].push_back({factor.dim, 1, factor.extent});
      if (ShapedType::isDynamic(value.shape[group.from.front()]))
        base.setKnown(factors.front().dim, extents.front());
    } else {
      SmallVector<SmallVector<Part, 1>> found(extents.size());
      if (succeeded(redistribute(factors, extents, found))) {
        for (auto [dim, list] : llvm::zip(group.to, found))
          parts[dim] = list;
      } else {
        if (failed(base.join(factors, extents)))
          return failure();
        for (auto [number, dim] : llvm::enumerate(group.to))
          joined[dim] = {factors.front().dim, number};
        continue;
      }
    }
    for (int64_t dim : group.to)
      for (const Part &part : parts[dim])
        base.split(part);
  }

  LazyTensor result;
  result.element = value.element;
  result.base = base.build(b);
  auto type = cast<RankedTensorType>(result.base.getType());
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    auto &factors = result.factors.emplace_back();
    int64_t product = 1;
    auto add = [&](int64_t dim, int64_t extent) {
      factors.push_back({dim, dim < 0 ? extent : type.getDimSize(dim)});
      product = ShapedType::isDynamic(factors.back().extent) ? ShapedType::kDynamic
                                                             : product * factors.back().extent;
    };
    if (joined[dim].first >= 0)
      add(base.getDim(joined[dim].first, joined[dim].second), extent);
    for (const Part &part : parts[dim])
      add(base.getDim(part), part.extent);
    result.shape.push_back(product);
  }
  return result;
}

SmallVector<int64_t> fuse::getJoinedFactors(const LazyTensor &value, int64_t dim) {
  SmallVector<int64_t> extents;
  BaseReshape base(value.base);
  ArrayRef<TensorFactor> factors = value.factors[dim];
  for (size_t i = 0; i < factors.size(); ++i)
    if (i > 0 && base.canJoin(factors.slice(i - 1, 2)))
      extents.back() *= factors[i].extent;
    else
      extents.push_back(factors[i].extent);
  return extents;
}

FailureOr<LazyTensor> fuse::joinFactors(ImplicitLocOpBuilder &b, const LazyTensor &value,
                                        ArrayRef<int64_t> dims) {
  auto isJoined = [&](int64_t dim) {
    return value.factors[dim].size() > 1 && (dims.empty() || llvm::is_contained(dims, dim));
  };
  auto all = llvm::seq<int64_t>(0, value.getRank());
  if (llvm::none_of(all, isJoined))
    return value;
  BaseReshape base(value.base);
  for (int64_t dim : all)
    if (isJoined(dim)) {
      if (failed(base.join(value.factors[dim], value.shape[dim])))
        return failure();
    } else {
      for (const TensorFactor &factor : value.factors[dim])
        base.split({factor.dim, 1, factor.extent});
    }
  LazyTensor result = value;
  result.base = base.build(b);
  for (int64_t dim : all)
    if (isJoined(dim))
      result.factors[dim] = {{base.getDim(value.factors[dim].front().dim, 0), value.shape[dim]}};
    else
      for (TensorFactor &factor : result.factors[dim])
        factor.dim = base.getDim({factor.dim, 1, factor.extent});
  return result;
}
