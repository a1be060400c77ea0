//===- CollapseDims.cpp - Dimensions that a kernel treats alike become one --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product of [batch, length, 768] and [768, 3072] has batch * length rows. As two loops, neither of which is known to be
// long, its tiles have few rows for one sequence of eight words or eight sequences of one; as one loop they have eight.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSECOLLAPSEDIMS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

RankedTensorType getType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// The shape with dimensions `dim` and `dim` + 1 as one.
RankedTensorType collapseType(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  bool isDynamic = ShapedType::isDynamic(shape[dim]) || ShapedType::isDynamic(shape[dim + 1]);
  shape[dim] = isDynamic ? ShapedType::kDynamic : shape[dim] * shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  return RankedTensorType::get(shape, type.getElementType());
}

/// `dims` where `dim` and `dim` + 1 have become one; neither is among them.
SmallVector<int64_t> shift(ArrayRef<int64_t> dims, int64_t dim) {
  return llvm::map_to_vector(dims, [&](int64_t each) { return each > dim ? each - 1 : each; });
}

/// Reshapes that give kernels' results their dimensions back, and which of these became one.
using Expansions = llvm::DenseMap<Operation *, int64_t>;

/// A pair of neighboring dimensions of one result of a kernel, and of everything in the kernel that has the same loops.
class DimPair {
public:
  DimPair(KernelOp kernel, Expansions &expansions) : kernel(kernel), expansions(expansions) {}

  /// Follows the pair from dimension `dim` of `value` on. Fails where an op has one of the two without the other.
  LogicalResult find(Value value, int64_t dim) {
    if (failed(note(value, dim)))
      return failure();
    while (!pending.empty())
      if (failed(follow(pending.pop_back_val())))
        return failure();
    // Where results are given back, an operand says how long each of the two is.
    return success(llvm::any_of(kernel.getBody().getArguments(),
                                [&](BlockArgument argument) { return pairs.contains(argument); }));
  }

  /// Makes the two one, in the kernel's body and outside of it, where reshapes give and take what it works on.
  void collapse() {
    for (Operation *op : ops)
      setAttributes(op);
    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    Value source; // an operand with the pair
    int64_t sourceDim = 0;
    for (auto [argument, input] : llvm::zip_equal(kernel.getBody().getArguments(), kernel.getInputsMutable())) {
      auto it = pairs.find(argument);
      if (it == pairs.end())
        continue;
      source = input.get();
      sourceDim = it->second;
      auto expansion = expansions.find(source.getDefiningOp());
      bool isUndone = expansion != expansions.end() && expansion->second == sourceDim;
      input.set(isUndone ? expansion->first->getOperand(0) : join(builder, loc, source, sourceDim));
    }
    builder.setInsertionPointAfter(kernel);
    for (auto [result, yielded] : llvm::zip_equal(kernel.getResults(), kernel.getYield().getOperands())) {
      auto it = pairs.find(yielded);
      if (it == pairs.end())
        continue;
      RankedTensorType type = getType(result);
      result.setType(collapseType(type, it->second));
      SmallVector<Value> sizes;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (!type.isDynamicDim(dim))
          continue;
        int64_t offset = dim - it->second;
        bool isOfPair = offset == 0 || offset == 1;
        sizes.push_back(isOfPair ? tensor::DimOp::create(builder, loc, source, sourceDim + offset)
                                 : tensor::DimOp::create(builder, loc, result, dim > it->second ? dim - 1 : dim));
      }
      auto expanded = ReshapeOp::create(builder, loc, type, result, sizes);
      expansions[expanded] = it->second;
      llvm::SmallPtrSet<Operation *, 4> users = {expanded};
      for (Value size : sizes)
        users.insert(size.getDefiningOp());
      result.replaceAllUsesExcept(expanded, users);
    }
    for (auto [value, dim] : pairs)
      value.setType(collapseType(getType(value), dim));
  }

private:
  /// `value` with dimensions `dim` and `dim` + 1 as one.
  static Value join(OpBuilder &builder, Location loc, Value value, int64_t dim) {
    RankedTensorType type = collapseType(getType(value), dim);
    SmallVector<Value> sizes;
    for (int64_t to = 0; to < type.getRank() && type.getNumDynamicDims() > 1; ++to) {
      if (!type.isDynamicDim(to))
        continue;
      auto getExtent = [&](int64_t from) { return tensor::DimOp::create(builder, loc, value, from).getResult(); };
      if (to != dim) {
        sizes.push_back(getExtent(to > dim ? to + 1 : to));
        continue;
      }
      AffineExpr product = builder.getAffineSymbolExpr(0) * builder.getAffineSymbolExpr(1);
      sizes.push_back(affine::AffineApplyOp::create(builder, loc, AffineMap::get(0, 2, product),
                                                    ValueRange{getExtent(dim), getExtent(dim + 1)}));
    }
    return ReshapeOp::create(builder, loc, type, value, sizes);
  }

  LogicalResult note(Value value, int64_t dim) {
    RankedTensorType type = getType(value);
    if (!type || dim + 1 >= type.getRank())
      return failure();
    auto [it, isNew] = pairs.try_emplace(value, dim);
    if (!isNew)
      return success(it->second == dim);
    if (Operation *op = value.getDefiningOp())
      if (ops.insert(op))
        pending.push_back(op);
    for (Operation *user : value.getUsers())
      if (!isa<YieldOp>(user) && ops.insert(user))
        pending.push_back(user);
    // A later note of one of its values asks an op again.
    for (Operation *op : ops)
      if (!llvm::is_contained(pending, op) && touches(op, value))
        pending.push_back(op);
    return success();
  }

  static bool touches(Operation *op, Value value) {
    return llvm::is_contained(op->getOperands(), value) || llvm::is_contained(op->getResults(), value);
  }

  LogicalResult follow(Operation *op) {
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      return followReshape(reshape);
    auto fusable = dyn_cast<FusableOpInterface>(op);
    if (!fusable || op->getNumResults() != 1 ||
        !(fusable.isElementwise() || isa<ReduceOp, MatmulOp, GatherOp, TransposeOp, CopyOp, BroadcastOp>(op)))
      return failure();
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    SmallVector<AffineMap> maps = fusable.getIndexingMapsArray();
    AffineExpr first, second; // the loops of the pair
    for (auto [value, map] : llvm::zip_equal(values, maps))
      if (auto it = pairs.find(value); it != pairs.end() && !first) {
        first = map ? map.getResult(it->second) : AffineExpr();
        second = map ? map.getResult(it->second + 1) : AffineExpr();
      }
    auto iterators = fusable.getIteratorTypesArray();
    for (AffineExpr loop : {first, second}) {
      auto dim = dyn_cast_if_present<AffineDimExpr>(loop);
      if (!dim || iterators[dim.getPosition()] != utils::IteratorType::parallel)
        return failure();
    }
    int64_t resultRank = getType(op->getResult(0)).getRank();
    int64_t innerLoop = cast<AffineDimExpr>(second).getPosition(); // of an element-wise op: the result's dimension
    for (auto [value, map] : llvm::zip_equal(values, maps)) {
      RankedTensorType type = getType(value);
      if (!type)
        continue; // a number
      if (!map)
        return failure();
      std::optional<unsigned> outer = map.getResultPosition(first), inner = map.getResultPosition(second);
      bool isAmongOthers = llvm::any_of(map.getResults(), [&](AffineExpr expr) {
        return expr != first && expr != second &&
               (expr.isFunctionOfDim(cast<AffineDimExpr>(first).getPosition()) ||
                expr.isFunctionOfDim(cast<AffineDimExpr>(second).getPosition()));
      });
      if (isAmongOthers || outer.has_value() != inner.has_value())
        return failure();
      if (outer) {
        if (*inner != *outer + 1 || failed(note(value, *outer)))
          return failure();
      } else if (isa<BroadcastOp>(op) || (fusable.isElementwise() && resultRank - type.getRank() <= innerLoop)) {
        return failure(); // the pair is added here, or two ones stand for it
      }
    }
    return success();
  }

  LogicalResult followReshape(ReshapeOp op) {
    if (!op.getSizes().empty())
      return failure();
    auto from = pairs.find(op.getOperand()), to = pairs.find(op.getResult());
    SmallVector<ReshapeGroup> groups = op.getGroups();
    auto isPlain = [](const ReshapeGroup &group) { return group.from.size() == 1 && group.to.size() == 1; };
    for (size_t i = 0; i + 1 < groups.size(); ++i) {
      const ReshapeGroup &outer = groups[i], &inner = groups[i + 1];
      if (!isPlain(outer) || !isPlain(inner))
        continue;
      bool isFrom = from != pairs.end() && outer.from.front() == from->second && inner.from.front() == from->second + 1;
      bool isTo = to != pairs.end() && outer.to.front() == to->second && inner.to.front() == to->second + 1;
      bool areNext = inner.from.front() == outer.from.front() + 1 && inner.to.front() == outer.to.front() + 1;
      if ((isFrom || isTo) && areNext)
        return success(succeeded(note(op.getOperand(), outer.from.front())) &&
                       succeeded(note(op.getResult(), outer.to.front())));
    }
    return failure();
  }

  /// While the types of its operands are still what they were.
  void setAttributes(Operation *op) {
    auto getDim = [&](Value value) {
      auto it = pairs.find(value);
      return it == pairs.end() ? std::nullopt : std::optional(it->second);
    };
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      reduce.setDimensions(shift(reduce.getDimensions(), *getDim(reduce.getOperand())));
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      broadcast.setDimensions(shift(broadcast.getDimensions(), *getDim(broadcast.getResult())));
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      std::optional<int64_t> dim = getDim(gather.getOperand());
      int64_t along = static_cast<int64_t>(gather.getDimension());
      gather.setDimension(dim && along > *dim ? along - 1 : along);
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      SmallVector<int64_t> permutation(transpose.getPermutation());
      permutation.erase(permutation.begin() + *getDim(transpose.getResult()) + 1);
      transpose.setPermutation(shift(permutation, *getDim(transpose.getOperand())));
    }
  }

  KernelOp kernel;
  Expansions &expansions;
  llvm::MapVector<Value, int64_t> pairs; ///< where each value has the pair
  llvm::SetVector<Operation *> ops;      ///< those that have it
  SmallVector<Operation *> pending;
};

/// Collapses one pair of dimensions, if there is one of which one is open.
bool collapseOne(KernelOp kernel, Expansions &expansions) {
  for (Value value : kernel.getYield().getOperands()) {
    RankedTensorType type = getType(value);
    for (int64_t dim = 0; type && dim + 1 < type.getRank(); ++dim) {
      bool isOpen = type.isDynamicDim(dim) || type.isDynamicDim(dim + 1);
      if (!isOpen || type.getDimSize(dim) == 1 || type.getDimSize(dim + 1) == 1)
        continue;
      DimPair pair(kernel, expansions);
      if (failed(pair.find(value, dim)))
        continue;
      pair.collapse();
      return true;
    }
  }
  return false;
}

struct CollapseDims : fuse::impl::FuseCollapseDimsBase<CollapseDims> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    Expansions expansions;
    for (KernelOp kernel : kernels)
      while (collapseOne(kernel, expansions)) {
      }
  }
};

} // namespace
