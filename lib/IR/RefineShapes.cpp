//===- RefineShapes.cpp - Known extents of arguments, carried through a function -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/RefineShapes.h"

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/SymbolicShapes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/FoldUtils.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Refinement {
public:
  explicit Refinement(FunctionOpInterface function)
      : function(function), shapes(function.getContext()), folder(function.getContext()) {}

  LogicalResult run(TypeRange arguments) {
    Block &entry = function.getFunctionBody().front();
    for (auto [argument, type] : llvm::zip_equal(entry.getArguments(), arguments))
      setType(argument, type);
    for (Block &block : function.getFunctionBody())
      if (failed(refine(block)))
        return failure();
    castCarried();
    SmallVector<Type> results(function.getResultTypes());
    if (function.getFunctionBody().hasOneBlock())
      results = SmallVector<Type>(entry.getTerminator()->getOperandTypes());
    function.setType(function.cloneTypeWith(arguments, results));
    return success();
  }

private:
  LogicalResult refine(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Of extents numbers are computed. What else folds does so later, where types are right again.
      bool isOfExtents = isa<tensor::DimOp, memref::DimOp>(op) ||
                         (op.getNumRegions() == 0 && !op.hasTrait<OpTrait::ConstantLike>() &&
                          !llvm::any_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>));
      bool isSameOp = false;
      if (isOfExtents && succeeded(folder.tryToFold(&op, &isSameOp)) && !isSameOp)
        continue; // the op is gone
      if (auto cast = dyn_cast<tensor::CastOp>(op); cast && hasMoreExtents(cast.getSource(), cast.getResult())) {
        cast.replaceAllUsesWith(cast.getSource());
        cast.erase();
        continue;
      }
      passIn(&op);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(refine(inner)))
            return failure();
      for (OpResult result : op.getResults())
        if (failed(refine(result)))
          return failure();
    }
    return success();
  }

  static bool hasMoreExtents(Value value, Value than) {
    auto from = dyn_cast<RankedTensorType>(value.getType()), to = dyn_cast<RankedTensorType>(than.getType());
    return from && to && llvm::all_of(llvm::zip(from.getShape(), to.getShape()), [](auto extents) {
             return !ShapedType::isDynamic(std::get<0>(extents)) || ShapedType::isDynamic(std::get<1>(extents));
           });
  }

  /// Gives the arguments of a kernel's or a recurrence's body the extents of its operands.
  void passIn(Operation *op) {
    if (!isa<KernelOp, ScanOp>(op))
      return;
    for (BlockArgument argument : op->getRegion(0).getArguments()) {
      auto type = dyn_cast<ShapedType>(argument.getType());
      if (!type || !type.hasRank())
        continue;
      SmallVector<int64_t> extents(type.getShape());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          extents[dim] = getStaticExtent(shapes.getExtent(argument, dim));
      setType(argument, type.clone(extents));
    }
  }

  LogicalResult refine(OpResult result) {
    auto type = dyn_cast<ShapedType>(result.getType());
    if (!type || !type.hasRank() || type.hasStaticShape() || isa<LoopLikeOpInterface>(result.getOwner()))
      return success();
    SmallVector<int64_t> extents(type.getShape());
    if (auto reshape = dyn_cast<ReshapeOp>(result.getOwner()); reshape && reshape.getSizes().empty())
      refineReshape(reshape, extents);
    refineBroadcast(result.getOwner(), extents);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!ShapedType::isDynamic(extents[dim]))
        continue;
      AffineExpr extent = shapes.getExtent(result, dim);
      extents[dim] = getStaticExtent(extent);
      if (isa<AffineConstantExpr>(extent) && extents[dim] < 0)
        return result.getOwner()->emitError()
               << "dimension " << dim << " of the result, " << type << ", would have the extent " << extents[dim];
    }
    if (auto concat = dyn_cast<ConcatOp>(result.getOwner()))
      extents[concat.getDimension()] = narrowConcat(concat, extents);
    if (ArrayRef(extents) == type.getShape())
      return success();
    dropSizes(result.getOwner(), extents);
    setType(result, type.clone(extents));
    return success();
  }

  /// The extent along the axis that the type of a concat has once the others are `extents`. The sum of parts that are open may be a
  /// number all the same (s0 and 2 - s0): then users read the concat with that extent.
  int64_t narrowConcat(ConcatOp concat, ArrayRef<int64_t> extents) {
    auto axis = static_cast<int64_t>(concat.getDimension());
    bool areOpen = llvm::any_of(concat->getOperandTypes(),
                                [&](Type type) { return cast<ShapedType>(type).isDynamicDim(axis); });
    if (!areOpen || ShapedType::isDynamic(extents[axis]))
      return extents[axis];
    auto type = cast<RankedTensorType>(concat.getType());
    ImplicitLocOpBuilder builder(concat.getLoc(), concat->getContext());
    builder.setInsertionPointAfter(concat);
    SmallVector<Value> sizes;
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (ShapedType::isDynamic(extent))
        sizes.push_back(tensor::DimOp::create(builder, concat.getResult(), dim));
    auto reshape = ReshapeOp::create(builder, type.clone(extents), concat.getResult(), sizes);
    concat.getResult().replaceUsesWithIf(reshape.getResult(), [&](OpOperand &use) {
      return use.getOwner() != reshape && !isa<tensor::DimOp>(use.getOwner());
    });
    return ShapedType::kDynamic;
  }

  void setType(Value value, Type type) {
    written.try_emplace(value, value.getType());
    value.setType(type);
  }

  /// Which dimensions become which is a matter of the shapes as written: ?x?x2x4 becomes ?x?x8 one by one, where of
  /// ?x1x2x4 nothing says that its second dimension is the second of the result.
  void refineReshape(ReshapeOp reshape, MutableArrayRef<int64_t> extents) {
    auto now = cast<ShapedType>(reshape.getOperand().getType());
    auto type = written.find(reshape.getOperand());
    ArrayRef<int64_t> from = type == written.end() ? now.getShape() : cast<ShapedType>(type->second).getShape();
    SmallVector<int64_t> to(extents);
    for (const ReshapeGroup &group : matchReshape(from, to)) {
      int64_t elements = 1, known = 1;
      std::optional<int64_t> open;
      bool isKnown = true;
      for (int64_t dim : group.from) {
        isKnown &= !now.isDynamicDim(dim);
        elements *= now.isDynamicDim(dim) ? 1 : now.getDimSize(dim);
      }
      for (int64_t dim : group.to) {
        if (!ShapedType::isDynamic(to[dim])) {
          known *= to[dim];
          continue;
        }
        isKnown &= !open;
        open = dim;
      }
      if (isKnown && open && known > 0 && elements % known == 0)
        extents[*open] = elements / known;
    }
  }

  /// What operands that are broadcast to one shape say of its extents. (By an op's maps the first operand says it, and of an
  /// extent of 1 they tell nothing.)
  static void refineBroadcast(Operation *op, MutableArrayRef<int64_t> extents) {
    auto fusable = dyn_cast<FusableOpInterface>(op);
    bool isMatmul = isa<MatmulOp>(op);
    if (!isMatmul && !(fusable && fusable.isElementwise()))
      return;
    int64_t unshared = isMatmul ? 2 : 0; // rows and columns, the last two
    SmallVector<ArrayRef<int64_t>> shapes;
    for (Type type : op->getOperandTypes())
      if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.getRank() >= unshared)
        shapes.push_back(shaped.getShape().drop_back(unshared));
    FailureOr<SmallVector<int64_t>> shape = inferBroadcastShape(shapes);
    if (failed(shape) || shape->size() + unshared != extents.size())
      return; // the verifier says what is wrong
    for (auto [extent, inferred] : llvm::zip(extents, *shape))
      if (ShapedType::isDynamic(extent))
        extent = inferred;
  }

  /// Removes the operands that give extents of the result of `op` that are numbers now.
  static void dropSizes(Operation *op, ArrayRef<int64_t> extents) {
    auto drop = [&](MutableOperandRange sizes, ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
      unsigned next = 0;
      for (auto [was, is] : llvm::zip_equal(before, after)) {
        if (!ShapedType::isDynamic(was))
          continue;
        if (ShapedType::isDynamic(is))
          ++next;
        else if (next < sizes.size())
          sizes.erase(next);
      }
    };
    ArrayRef<int64_t> shape = cast<ShapedType>(op->getResult(0).getType()).getShape();
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      if (!reshape.getSizes().empty())
        drop(reshape.getSizesMutable(), shape, extents);
    } else if (auto iota = dyn_cast<IotaOp>(op)) {
      drop(iota.getSizesMutable(), shape, extents);
    } else if (auto resize = dyn_cast<ResizeNearestOp>(op)) {
      if (!resize.getSizes().empty())
        drop(resize.getSizesMutable(), shape, extents);
    } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      drop(empty.getDynamicSizesMutable(), shape, extents);
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      SmallVector<int64_t> before, after;
      for (int64_t dim : broadcast.getDimensions()) {
        before.push_back(shape[dim]);
        after.push_back(extents[dim]);
      }
      drop(broadcast.getSizesMutable(), before, after);
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      SmallVector<int64_t> sizes(slice.getSizes()), after(sizes);
      for (auto [size, extent] : llvm::zip_equal(after, extents))
        size = ShapedType::isDynamic(extent) ? size : extent;
      drop(slice.getDynamicSizesMutable(), sizes, after);
      slice.setSizes(after);
    }
  }

  /// What a loop carries and a branch yields has one type.
  void castCarried() {
    OpBuilder builder(function.getContext());
    auto castTo = [&](OpOperand &operand, Type type) {
      if (operand.get().getType() == type)
        return;
      builder.setInsertionPoint(operand.getOwner());
      operand.set(tensor::CastOp::create(builder, operand.getOwner()->getLoc(), type, operand.get()));
    };
    auto castAll = [&](MutableArrayRef<OpOperand> operands, TypeRange types) {
      for (auto [operand, type] : llvm::zip(operands, types))
        castTo(operand, type);
    };
    function->walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        castAll(loop.getInitArgsMutable(), loop.getResultTypes());
        castAll(loop.getBody()->getTerminator()->getOpOperands(), loop.getResultTypes());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        castAll(loop.getInitsMutable(), ValueRange(loop.getBeforeArguments()).getTypes());
        castAll(loop.getYieldOp()->getOpOperands(), ValueRange(loop.getBeforeArguments()).getTypes());
        castAll(loop.getConditionOp()->getOpOperands().drop_front(), loop.getResultTypes());
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty())
            castAll(region->front().getTerminator()->getOpOperands(), branch.getResultTypes());
      }
    });
  }

  FunctionOpInterface function;
  SymbolicShapes shapes;
  OperationFolder folder;
  DenseMap<Value, Type> written; ///< the types that values had before
};

} // namespace

LogicalResult mlir::fuse::refineShapes(FunctionOpInterface function, TypeRange arguments) {
  return Refinement(function).run(arguments);
}
