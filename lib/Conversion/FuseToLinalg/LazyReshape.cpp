//===- LazyReshape.cpp - Reshapes of lazy tensors -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LazyTensor.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fuse;

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

/// Splits dimension `position` of `source` into `shape`, dynamic in one entry at most but for those that `sizes`
/// gives.
void appendSplit(ImplicitLocOpBuilder &b, Value source, int64_t position, ArrayRef<int64_t> shape,
                 ArrayRef<Value> sizes, SmallVectorImpl<OpFoldResult> &extents) {
  int64_t rest = 1;
  for (int64_t extent : shape)
    rest *= ShapedType::isDynamic(extent) ? 1 : extent;
  for (auto [number, extent] : llvm::enumerate(shape)) {
    if (number < sizes.size() && sizes[number]) {
      extents.push_back(sizes[number]);
      continue;
    }
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

/// Whether a slice takes all elements along a dimension.
static bool takesAll(tensor::ExtractSliceOp slice, int64_t dim) {
  OpFoldResult size = slice.getMixedSizes()[dim];
  auto number = dyn_cast<Value>(size);
  if (!number)
    return slice.getStaticSizes()[dim] == slice.getSourceType().getDimSize(dim);
  auto extent = number.getDefiningOp<tensor::DimOp>();
  return extent && extent.getSource() == slice.getSource() && extent.getConstantIndex() == dim;
}

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
      bool isWhole = !dropped.test(dim + 1) && takesAll(slice, dim + 1);
      joinable[position++] = source[dim] && isWhole && slice.getStaticStrides()[dim] == 1;
    }
  }
  return joinable;
}

namespace {

/// A factor of the result of a reshape: (i / divisor) mod extent of a base's dimension i, or of the number that
/// it is the innermost digit of once it is joined with those outside of it.
struct Part {
  int64_t dim, divisor, extent;
};

/// What becomes of a base where dimensions are joined, then split.
class BaseReshape {
public:
  explicit BaseReshape(Value base)
      : base(base), rank(cast<RankedTensorType>(base.getType()).getRank()),
        joinable(findJoinable(base)), joins(rank), known(rank, ShapedType::kDynamic),
        leaders(llvm::to_vector(llvm::seq<int64_t>(0, rank))) {}

  /// Joins the dimensions that `factors` are, and splits what they become into `extents`, one of
  /// which may be unknown, or several where `sizes` gives them. Fails where that would move elements.
  LogicalResult join(ArrayRef<TensorFactor> factors, ArrayRef<int64_t> extents, ArrayRef<Value> sizes = {}) {
    if (!canJoin(factors))
      return failure();
    int64_t first = factors.front().dim;
    for (const TensorFactor &factor : factors)
      leaders[factor.dim] = first;
    joins[first].count = factors.size();
    joins[first].extents.assign(extents.begin(), extents.end());
    joins[first].sizes.assign(sizes.begin(), sizes.end());
    return success();
  }
  bool canJoin(ArrayRef<TensorFactor> factors) const {
    int64_t first = factors.empty() ? 0 : factors.front().dim;
    return llvm::all_of(llvm::enumerate(factors), [&](auto entry) {
      int64_t offset = entry.index(), dim = entry.value().dim;
      return dim >= 0 && dim == first + offset && (offset == 0 || joinable[dim - 1]);
    });
  }
  /// Joins `inner`, and what it is joined with, with the dimension right outside of it, if that is `outer`.
  bool joinOutwards(int64_t outer, int64_t inner) {
    if (outer < 0 || inner < 0 || outer != leaders[inner] - 1 || !joinable[outer])
      return false;
    joins[outer].count = joins[leaders[inner]].count + 1;
    for (int64_t dim = outer; dim < outer + joins[outer].count; ++dim)
      leaders[dim] = outer;
    return true;
  }
  void setKnown(int64_t dim, int64_t extent) { known[dim] = extent; }
  /// Splits a dimension so that it has `part` as a factor.
  void split(const Part &part) {
    if (part.dim < 0)
      return;
    auto &divisors = joins[leaders[part.dim]].divisors;
    if (!llvm::is_contained(divisors, part.divisor))
      divisors.push_back(part.divisor);
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
    int64_t position = 0;
    for (int64_t dim = 0; dim < rank; dim += joins[dim].count, ++position) {
      ArrayRef<int64_t> group = split[position];
      appendSplit(b, base, position, ArrayRef<int64_t>(splitShape).slice(group.front(), group.size()),
                  joins[dim].sizes, extents);
    }
    return base = tensor::ExpandShapeOp::create(b, RankedTensorType::get(splitShape, storage), base,
                                                split, extents);
  }

  /// After build(): the dimension of the new base that is a part, or part number `number` of what
  /// was joined from `dim` on.
  int64_t getDim(const Part &part) const {
    if (part.dim < 0)
      return part.dim;
    const Join &join = joins[leaders[part.dim]];
    const auto *divisor = llvm::find(join.divisors, part.divisor);
    return join.position + (join.divisors.end() - divisor) - 1;
  }
  int64_t getDim(int64_t dim, int64_t number) const { return joins[dim].position + number; }

private:
  /// Dimensions that become one, then several.
  struct Join {
    int64_t count = 1;
    SmallVector<int64_t> extents;     ///< what they are split into, the outermost first
    SmallVector<Value, 2> sizes;      ///< of those that are unknown
    SmallVector<int64_t, 2> divisors; ///< of the parts, where a single dimension is split
    int64_t position = 0;             ///< of the first of those in the new base
  };

  Value base;
  int64_t rank;
  llvm::SmallBitVector joinable;
  SmallVector<Join> joins;
  SmallVector<int64_t> known;   ///< extents that the base does not know
  SmallVector<int64_t> leaders; ///< per dimension the outermost one that it is joined with
};

/// Gives a list of factors, the innermost last, to dimensions of `extents`; joins those between which no
/// boundary lies. Of the factors [3, 5, 2] the extents [5, 6] get 5 and 3 of 15, which 3 and 5 are joined to, and 2.
/// Fails where a boundary lies within a factor that it does not divide, and that cannot be joined.
LogicalResult redistribute(ArrayRef<TensorFactor> factors, ArrayRef<int64_t> extents,
                           BaseReshape &base, MutableArrayRef<SmallVector<Part, 1>> dims) {
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
      } else if (parts.size() > 1 && base.joinOutwards(parts[parts.size() - 2].dim, last.dim)) {
        last.extent *= parts[parts.size() - 2].extent;
        parts.erase(parts.end() - 2);
      } else {
        return failure();
      }
    }
  return success(parts.empty());
}

/// The sizes of `splat`, a reshape of the splat `value`, that are not given.
void fillSplatSizes(ImplicitLocOpBuilder &b, const LazyTensor &value, LazyTensor &splat) {
  auto pairs = pairDynamicDims(value.shape, splat.shape);
  auto multiply = [&](Value product, OpFoldResult extent) -> Value {
    Value factor = getValueOrCreateConstantIndexOp(b, b.getLoc(), extent);
    return product ? arith::MulIOp::create(b, product, factor).getResult() : factor;
  };
  for (int64_t dim = 0; dim < splat.getRank(); ++dim) {
    if (!ShapedType::isDynamic(splat.shape[dim]) || splat.sizes[dim])
      continue;
    const auto *pair = llvm::find_if(pairs, [&](auto each) { return each.second == dim; });
    if (pair != pairs.end()) {
      splat.sizes[dim] = getValueOrCreateConstantIndexOp(b, b.getLoc(), getExtent(b, value, pair->first));
      continue;
    }
    // What the other dimensions leave of all elements.
    Value all, others;
    for (int64_t from = 0; from < value.getRank(); ++from)
      all = multiply(all, getExtent(b, value, from));
    for (int64_t other = 0; other < splat.getRank(); ++other)
      if (other != dim)
        others = multiply(others, b.getIndexAttr(splat.shape[other]));
    splat.sizes[dim] = others ? arith::DivUIOp::create(b, all, others).getResult() : all;
  }
}

} // namespace

FailureOr<LazyTensor> fuse::reshape(ImplicitLocOpBuilder &b, const LazyTensor &value,
                                    ArrayRef<int64_t> wanted, ValueRange sizes, ArrayRef<int64_t> groups) {
  SmallVector<int64_t> shape = resolveShape(value.shape, wanted);
  SmallVector<Value> sizeOf(shape.size());
  for (auto [dim, extent] : llvm::enumerate(wanted))
    if (ShapedType::isDynamic(extent) && !sizes.empty()) {
      sizeOf[dim] = sizes.front();
      sizes = sizes.drop_front();
    }
  bool isFree = llvm::count_if(sizeOf, [](Value size) { return bool(size); }) > 1;
  if (!value.base) {
    LazyTensor splat = LazyTensor::ofSplat(value.splat, shape, value.element);
    if (ShapedType::isDynamicShape(shape)) {
      splat.sizes.assign(sizeOf.begin(), sizeOf.end());
      fillSplatSizes(b, value, splat);
    }
    return splat;
  }
  if (llvm::is_contained(value.shape, 0) || llvm::is_contained(shape, 0)) {
    // Nothing to move.
    SmallVector<OpFoldResult> extents;
    auto pairs = pairDynamicDims(value.shape, shape);
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (extent == 1)
        continue;
      extents.push_back(b.getIndexAttr(ShapedType::isDynamic(extent) ? 0 : extent));
      for (auto [from, to] : pairs)
        if (to == static_cast<int64_t>(dim))
          extents.back() = getExtent(b, value, from);
      if (sizeOf[dim] && ShapedType::isDynamic(extent))
        extents.back() = sizeOf[dim];
    }
    return LazyTensor::inOrder(
        tensor::EmptyOp::create(b, extents, getElementTypeOrSelf(value.base)), shape,
        value.element);
  }

  BaseReshape base(value.base);
  SmallVector<SmallVector<Part, 1>> parts(shape.size());
  // Of a dimension that a joined one is split into: where that began, and its number.
  SmallVector<std::pair<int64_t, int64_t>> joined(shape.size(), {-1, 0});
  LazyTensor result;
  if (!value.sizes.empty())
    result.sizes.resize(shape.size());
  SmallVector<ReshapeGroup> matched = takeReshapeGroups(groups, value.shape, shape);
  if (matched.empty())
    matched = isFree ? matchOpenReshape(value.shape, shape) : matchReshape(value.shape, shape);
  for (const ReshapeGroup &group : matched) {
    SmallVector<TensorFactor> factors;
    SmallVector<int64_t> extents;
    SmallVector<Value> groupSizes;
    for (int64_t dim : group.from)
      llvm::append_range(factors, value.factors[dim]);
    for (int64_t dim : group.to) {
      extents.push_back(shape[dim]);
      groupSizes.push_back(isFree ? sizeOf[dim] : Value());
    }
    bool isOpen = llvm::any_of(group.from, [&](int64_t dim) { return bool(value.getSize(dim)); });
    bool isPair = group.from.size() == 1 && group.to.size() == 1;
    if (llvm::all_of(group.from, [&](int64_t dim) { return value.isRepeated(dim); }) && (!isOpen || isPair)) {
      for (int64_t dim : group.to)
        if (shape[dim] != 1)
          parts[dim].push_back({TensorFactor::kRepeated, 1, shape[dim]});
      if (isOpen && ShapedType::isDynamic(shape[group.to.front()]))
        result.sizes[group.to.front()] = value.getSize(group.from.front());
      continue;
    }
    if (group.from.size() == 1 && group.to.size() == 1) {
      for (const TensorFactor &factor : factors)
        parts[group.to.front()].push_back({factor.dim, 1, factor.extent});
      if (ShapedType::isDynamic(value.shape[group.from.front()]))
        base.setKnown(factors.front().dim, extents.front());
    } else {
      SmallVector<SmallVector<Part, 1>> found(extents.size());
      if (succeeded(redistribute(factors, extents, base, found))) {
        for (auto [dim, list] : llvm::zip(group.to, found))
          parts[dim] = list;
      } else {
        if (failed(base.join(factors, extents, groupSizes)))
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
