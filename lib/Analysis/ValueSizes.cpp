//===- ValueSizes.cpp - Bytes of values, dynamic ones too -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ValueSizes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

using Extents = SmallVector<StatedSize, 4>;

int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::numeric_limits<int64_t>::max() : product;
}

/// Both are of the same extent: the firmer one; of two bounds the lower.
StatedSize getFirmer(StatedSize a, StatedSize b) {
  return std::pair(b.source, b.count) < std::pair(a.source, a.count) ? b : a;
}

/// The static extents; unknown where they are dynamic.
Extents getStated(ShapedType type) {
  Extents extents;
  for (int64_t extent : type.getShape())
    extents.push_back(ShapedType::isDynamic(extent) ? StatedSize()
                                                    : StatedSize{extent, SizeSource::Static});
  return extents;
}

//===- Arguments ----------------------------------------------------------------------------===//

/// What an argument states of one of its dimensions.
StatedSize readStated(FunctionOpInterface function, int64_t argument, int64_t dim) {
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argument]);
  if (!type || !type.hasRank() || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return {type.getDimSize(dim), SizeSource::Static};
  for (auto [name, source] : {std::pair(attr::kDimBounds, SizeSource::Bound),
                              std::pair(attr::kDimHints, SizeSource::Hint)}) {
    auto list = function.getArgAttrOfType<DenseI64ArrayAttr>(argument, name);
    if (list && dim < list.size() && list[dim] >= 0)
      return {list[dim], source};
  }
  return {};
}

/// The same, where dimensions that must be equal speak for each other.
StatedSize findStated(FunctionOpInterface function, int64_t argument, int64_t dim) {
  StatedSize own = readStated(function, argument, dim);
  auto pairs = function->getAttrOfType<DenseI64ArrayAttr>(attr::kEqualDims);
  if (!pairs || own.source == SizeSource::Static)
    return own;
  using Dim = std::pair<int64_t, int64_t>;
  // Each pair names the first dimension of its class; -1 stands for a constant.
  Dim self(argument, dim), first = self;
  for (ArrayRef<int64_t> list = pairs; list.size() >= 4; list = list.drop_front(4))
    if (Dim(list[0], list[1]) == self) {
      if (list[2] < 0)
        return {list[3], SizeSource::Bound};
      first = {list[2], list[3]};
    }
  auto isArgument = [&](int64_t number) {
    return number >= 0 && number < static_cast<int64_t>(function.getNumArguments());
  };
  if (isArgument(first.first))
    own = getFirmer(own, readStated(function, first.first, first.second));
  for (ArrayRef<int64_t> list = pairs; list.size() >= 4; list = list.drop_front(4))
    if (Dim(list[2], list[3]) == first && isArgument(list[0]))
      own = getFirmer(own, readStated(function, list[0], list[1]));
  return own;
}

//===- Results ------------------------------------------------------------------------------===//

/// The product of extents; unknown if one of them is.
StatedSize multiply(ArrayRef<StatedSize> extents) {
  StatedSize product{1, SizeSource::Static};
  for (StatedSize extent : extents) {
    product.count = multiply(product.count, extent.count);
    product.source = std::max(product.source, extent.source);
  }
  return product;
}

/// One dynamic extent takes what the others leave of the elements.
void sizeReshape(ReshapeOp op, ArrayRef<StatedSize> from, Extents &extents) {
  auto set = [&](ArrayRef<int64_t> toDims, ArrayRef<StatedSize> group) {
    StatedSize elements = multiply(group);
    StatedSize *open = nullptr;
    int64_t placed = 1;
    for (int64_t dim : toDims) {
      if (extents[dim].isKnown())
        placed = multiply(placed, extents[dim].count);
      else if (std::exchange(open, &extents[dim]))
        return;
    }
    if (open && elements.isKnown() && placed > 0)
      *open = {elements.count / placed, elements.source};
  };
  ArrayRef<int64_t> fromShape = cast<ShapedType>(op.getOperand().getType()).getShape();
  // By groups first: where several dimensions are dynamic, each has its own partner.
  for (const ReshapeGroup &group : op.getGroups())
    set(group.to, llvm::map_to_vector(group.from, [&](int64_t dim) { return from[dim]; }));
  set(llvm::to_vector(llvm::seq<int64_t>(0, extents.size())), from);
}

template <typename WindowT>
void sizeWindow(WindowT op, ArrayRef<int64_t> kernel, ArrayRef<StatedSize> input,
                Extents &extents) {
  bool nchw = op.getLayout() == ConvLayout::NchwFchw;
  for (int axis : {0, 1}) {
    int64_t dim = (nchw ? 2 : 1) + axis;
    if (extents[dim].isKnown() || !input[dim].isKnown())
      continue;
    int64_t extent =
        getWindowExtent(input[dim].count, kernel[axis], op.getStrides()[axis],
                        op.getDilations()[axis], op.getPadding()[axis], op.getPadding()[axis + 2]);
    extents[dim] = {std::max<int64_t>(extent, 0), input[dim].source};
  }
}

} // namespace

//===- ValueSizes ---------------------------------------------------------------------------===//

StatedSize ValueSizes::getBytes(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || (type.hasRank() && type.hasStaticShape()))
    return {getByteSize(value.getType()), SizeSource::Static};
  if (!type.hasRank())
    return {};
  const Extents &extents = getExtents(value);
  StatedSize total = multiply(extents);
  if (llvm::is_contained(type.getShape(), 0))
    return {0, SizeSource::Static};
  if (!total.isKnown())
    return {};
  total.count = multiply(total.count, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  return total;
}

StatedSize ValueSizes::getExtent(Value value, int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return {type.getDimSize(dim), SizeSource::Static};
  return getExtents(value)[dim];
}

const ValueSizes::Extents &ValueSizes::getExtents(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  // All of the function in order, bodies before their ops: so that no chain of ops makes a chain of
  // calls.
  Operation *function = value.getParentRegion()->getParentOp();
  while (function && !isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  auto isDynamic = [](Value each) {
    auto type = dyn_cast<ShapedType>(each.getType());
    return type && type.hasRank() && !type.hasStaticShape();
  };
  if (function && visited.insert(function).second)
    function->walk<WalkOrder::PostOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        if (isDynamic(result) && !known.contains(result)) {
          Extents extents = computeExtents(result);
          known[result] = std::move(extents);
        }
    });
  it = known.find(value);
  if (it != known.end())
    return it->second;
  Extents extents = computeExtents(value);
  return known[value] = std::move(extents);
}

ValueSizes::Extents ValueSizes::computeExtents(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return computeResult(result);
  auto argument = cast<BlockArgument>(value);
  Extents extents = getStated(cast<ShapedType>(value.getType()));
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto kernel = dyn_cast_or_null<KernelOp>(owner)) {
    Value outer = kernel.getInputs()[argument.getArgNumber()];
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (!extent.isKnown())
        extent = getExtent(outer, dim);
  } else if (auto function = dyn_cast_or_null<FunctionOpInterface>(owner);
             function && argument.getOwner()->isEntryBlock()) {
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (!extent.isKnown())
        extent = findStated(function, argument.getArgNumber(), dim);
  }
  return extents;
}

ValueSizes::Extents ValueSizes::computeResult(OpResult result) {
  Operation *op = result.getOwner();
  Extents extents = getStated(cast<ShapedType>(result.getType()));
  /// From an operand, dimension by dimension.
  auto takeFrom = [&](Value operand, int64_t begin, int64_t end) {
    for (int64_t dim = begin; dim < end; ++dim)
      if (!extents[dim].isKnown())
        extents[dim] = getExtent(operand, dim);
  };
  auto getAll = [&](Value operand) {
    Extents all;
    for (int64_t dim = 0, end = cast<ShapedType>(operand.getType()).getRank(); dim < end; ++dim)
      all.push_back(getExtent(operand, dim));
    return all;
  };
  int64_t rank = extents.size();
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    takeFrom(kernel.getYield().getResults()[result.getResultNumber()], 0, rank);
    return extents;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    sizeReshape(reshape, getAll(reshape.getOperand()), extents);
    return extents;
  }
  if (auto conv = dyn_cast<Conv2dOp>(op)) {
    ArrayRef<int64_t> filter = cast<ShapedType>(conv.getFilter().getType()).getShape();
    bool nchw = conv.getLayout() == ConvLayout::NchwFchw;
    sizeWindow(conv, filter.slice(nchw ? 2 : 0, 2), getAll(conv.getInput()), extents);
  } else if (auto pool = dyn_cast<MaxPool2dOp>(op)) {
    sizeWindow(pool, pool.getKernel(), getAll(pool.getInput()), extents);
  } else if (auto pool = dyn_cast<AvgPool2dOp>(op)) {
    sizeWindow(pool, pool.getKernel(), getAll(pool.getInput()), extents);
  } else if (auto peaks = dyn_cast<WelchPeaksOp>(op)) {
    StatedSize rows = getExtent(peaks.getSpectrum(), 0);
    if (!extents[0].isKnown() && rows.isKnown())
      extents[0] = {rows.count / static_cast<int64_t>(peaks.getNSegments()), rows.source};
  } else if (isa<LogMelOp, LogMelBackwardOp, SoftmaxOp, LayerNormOp, BatchNormOp>(op)) {
    takeFrom(op->getOperand(0), 0, rank);
  } else if (auto attention = dyn_cast<AttentionOp>(op)) {
    takeFrom(attention.getQuery(), 0, rank - 1);
    takeFrom(attention.getValue(), rank - 1, rank);
  }
  // The extents of loops, as the operands have them.
  auto fusable = dyn_cast<FusableOpInterface>(op);
  if (!fusable)
    return extents;
  AffineMap written = fusable.getIndexingMapMatchingResult(result);
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    auto loop = dyn_cast_or_null<AffineDimExpr>(written ? written.getResult(dim) : AffineExpr());
    if (!loop || extent.isKnown())
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (AffineMap map = fusable.getMatchingIndexingMap(&operand))
        for (auto [at, expr] : llvm::enumerate(map.getResults()))
          if (expr == loop)
            extent = getFirmer(extent, getExtent(operand.get(), at));
  }
  return extents;
}
