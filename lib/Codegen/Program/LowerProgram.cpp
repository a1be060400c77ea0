//===- LowerProgram.cpp - Results in memory of the caller's ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReshapeLowering.h"
#include "fuse/Analysis/ReadBack.h"
#include "fuse/Codegen/Program/Passes.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/ShapeConditions.h"
#include "fuse/IR/Variants.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSELOWERPROGRAM
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// The type that a value has in memory.
Type toStorage(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(getStorageType(shaped.getElementType())) : type;
}

void convertToStorage(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    argument.setType(toStorage(argument.getType()));
  function.walk([](Operation *op) {
    for (Value result : op->getResults())
      result.setType(toStorage(result.getType()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(toStorage(argument.getType()));
    // An element that leaves memory has its own type again.
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      Type stored = extract.getTensor().getType().getElementType();
      Type type = extract.getResult().getType();
      if (type != stored) {
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfter(op);
        extract.getResult().setType(stored);
        auto element = arith::TruncIOp::create(builder, op->getLoc(), type, extract.getResult());
        extract.getResult().replaceAllUsesExcept(element, element);
      }
    }
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant || !isa<ShapedType>(constant.getType()))
      return;
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || elements.getType() == constant.getType())
      return;
    Type element = cast<ShapedType>(constant.getType()).getElementType();
    unsigned width = element.getIntOrFloatBitWidth();
    if (elements.getElementType().isInteger(1))
      elements = cast<DenseIntElementsAttr>(elements).mapValues(
          element, [&](const APInt &value) { return value.zext(width); });
    else
      elements = elements.bitcast(element);
    constant.setValueAttr(elements);
  });
  SmallVector<Type> arguments(llvm::map_range(function.getArgumentTypes(), toStorage));
  SmallVector<Type> results(llvm::map_range(function.getResultTypes(), toStorage));
  function.setType(FunctionType::get(function.getContext(), arguments, results));
}

/// Whether the elements fill more than 64 KiB; static.
bool isLarge(RankedTensorType type) {
  if (!type.getElementType().isIntOrFloat() || llvm::is_contained(type.getShape(), 0))
    return false;
  int64_t count = 1;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(count, extent, count))
      return true;
  return count > 64 * 1024 * 8 / type.getElementTypeBitWidth();
}

class ProgramLowering {
public:
  explicit ProgramLowering(func::FuncOp function)
      : function(function), builder(function.getContext()), loc(function.getLoc()) {}

  LogicalResult run() {
    if (!function.getBody().hasOneBlock())
      return function.emitError() << "expected a function of one block";
    for (Type type : function.getResultTypes())
      if (!isa<RankedTensorType>(type))
        return function.emitError() << "expected ranked tensors as results, found " << type;
    for (Type type : function.getArgumentTypes())
      if (!isa<RankedTensorType, MemRefType>(type))
        return function.emitError() << "expected ranked tensors and memrefs as arguments, found "
                                    << type;
    noteReadBack();
    convertToStorage(function);
    fillSplats();
    lowerControlFlow();
    if (hasFailed || failed(lowerHostOps()))
      return failure();
    reshapes.run();
    takeAssertions();
    addConditions();
    makeShapes();
    return moveResults();
  }

private:
  /// What is returned and who computes it can be told only while results are values.
  void noteReadBack() {
    ReadBack readBack = computeReadBack(function.getBody().front().getTerminator()->getOperands());
    if (!readBack.results.empty())
      function->setAttr(kReadBack, builder.getDenseI64ArrayAttr(readBack.results));
    if (readBack.waits)
      function->setAttr(kWaitsAtEnd, builder.getUnitAttr());
  }

  /// A constant becomes a global, written out element by element: a splat has any size, and large
  /// ones are filled at run time.
  void fillSplats() {
    SmallVector<arith::ConstantOp> splats;
    function.walk([&](arith::ConstantOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (type && isa<SplatElementsAttr>(op.getValue()) && isLarge(type))
        splats.push_back(op);
    });
    for (arith::ConstantOp op : splats) {
      // Once, in front of loops.
      builder.setInsertionPoint(function.getBody().front().findAncestorOpInBlock(*op));
      auto type = cast<RankedTensorType>(op.getType());
      auto element = cast<SplatElementsAttr>(op.getValue()).getSplatValue<TypedAttr>();
      Value value = arith::ConstantOp::create(builder, op.getLoc(), element);
      Value place =
          tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), type.getElementType());
      auto fill = linalg::FillOp::create(builder, op.getLoc(), value, place);
      op.replaceAllUsesWith(fill->getResult(0));
      op.erase();
    }
  }

  /// Every pass through a loop or branch leaves its values in the same place, given beforehand: so
  /// no buffer is made in it that outlives it.
  ///
  ///   scf.yield %v   →   %p = bufferization.materialize_in_destination %v in %place
  ///                      scf.yield %p
  ///
  /// The place is what a loop carries, which starts as a copy; a branch gets a `tensor.empty` in
  /// front of it.
  void lowerControlFlow() {
    function.walk([&](Operation *op) {
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
        builder.setInsertionPoint(op);
        for (OpOperand &init : loop.getInitsMutable())
          init.set(makeCopy(init.get()));
      }
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        keepInPlace(loop.getBody()->getTerminator(), 0, ValueRange(loop.getRegionIterArgs()));
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        keepInPlace(loop.getConditionOp(), 1, ValueRange(loop.getBeforeArguments()));
        keepInPlace(loop.getYieldOp(), 0, ValueRange(loop.getAfterArguments()));
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        builder.setInsertionPoint(branch);
        SmallVector<Value> places;
        for (Type type : branch.getResultTypes()) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          places.push_back(tensor ? makePlace(branch.getResult(places.size())) : Value());
        }
        for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty())
            keepInPlace(region->front().getTerminator(), 0, places);
      }
    });
  }

  /// Room for a result of a branch, whose dynamic extents follow from the arguments'. Null where they do not.
  Value makePlace(Value result) {
    auto type = cast<RankedTensorType>(result.getType());
    SymbolicShapes shapes(function.getContext());
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      AffineExpr extent = shapes.getExtent(result, dim);
      if (!shapes.isOfArguments(extent, &function.front())) {
        result.getDefiningOp()->emitError() << "has a result of type " << type << " whose dimension " << dim
                                            << " is not computed from the extents of arguments";
        hasFailed = true;
        return {};
      }
      sizes.push_back(shapes.materialize(builder, loc, extent));
    }
    return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  }

  bool isArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &function.getBody().front();
  }

  void keepInPlace(Operation *terminator, unsigned first, ValueRange places) {
    builder.setInsertionPoint(terminator);
    SmallVector<std::pair<OpOperand *, Value>> moves;
    for (auto [i, place] : llvm::enumerate(places)) {
      OpOperand &operand = terminator->getOpOperand(first + i);
      if (place && isa<RankedTensorType>(place.getType()) && operand.get() != place)
        moves.push_back({&operand, place});
    }
    // What may lie in another's place is read before any place is written.
    if (moves.size() > 1)
      for (auto [operand, place] : moves)
        if (!isa_and_nonnull<LaunchOp, LaunchHostOp>(operand->get().getDefiningOp()))
          operand->set(makeCopy(operand->get()));
    for (auto [operand, place] : moves)
      operand->set(bufferization::MaterializeInDestinationOp::create(
                       builder, loc, place.getType(), operand->get(), place)
                       .getResult());
  }

  /// A tensor in memory of its own; other values as they are.
  Value makeCopy(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      return value;
    return bufferization::AllocTensorOp::create(builder, loc, tensor, ValueRange(), value);
  }

  LogicalResult lowerHostOps() {
    SmallVector<HostOpInterface> hostOps;
    function.walk([&](HostOpInterface op) { hostOps.push_back(op); });
    for (HostOpInterface op : hostOps) {
      builder.setInsertionPoint(op);
      SmallVector<Value> outs;
      for (Type type : op->getResultTypes()) {
        auto tensor = cast<RankedTensorType>(type);
        SmallVector<Value> sizes;
        for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
          if (tensor.isDynamicDim(dim))
            sizes.push_back(hostExtent(op, dim));
        outs.push_back(tensor::EmptyOp::create(builder, op.getLoc(), tensor, sizes));
      }
      bool isPure = isMemoryEffectFree(op);
      std::string callee = op.getHostCallee().str();
      if (op->hasAttr(kOverlapNs))
        callee = (kStartPrefix + callee).str();
      auto launch = LaunchHostOp::create(builder, op.getLoc(), op->getResultTypes(), callee,
                                         op.getHostAttributes(), isPure, op->getOperands(), outs);
      op->replaceAllUsesWith(launch);
      op->erase();
    }
    return success();
  }

  /// A host op's dynamic result dimension is the first operand's; welch_peaks averages segments, and
  /// collectives join parts or cut.
  Value hostExtent(HostOpInterface op, int64_t dim) {
    Value extent = tensor::DimOp::create(builder, op.getLoc(), op->getOperand(0), dim);
    if (std::optional<ExtentChange> change = getCollectiveExtentChange(op, dim)) {
      auto makeConstant = [&](int64_t value) -> Value {
        return arith::ConstantIndexOp::create(builder, op.getLoc(), value);
      };
      if (change->times != 1)
        extent = arith::MulIOp::create(builder, op.getLoc(), extent, makeConstant(change->times));
      if (change->over != 1)
        extent = arith::DivUIOp::create(builder, op.getLoc(), extent, makeConstant(change->over));
      return extent;
    }
    auto peaks = dyn_cast<WelchPeaksOp>(op.getOperation());
    if (!peaks)
      return extent;
    Value segments = arith::ConstantIndexOp::create(builder, op.getLoc(), peaks.getNSegments());
    return arith::DivUIOp::create(builder, op.getLoc(), extent, segments);
  }

  /// What is asserted of the caller's extents and elements alone is a condition of the call, which is checked before memory
  /// is asked for.
  void takeAssertions() {
    SmallVector<cf::AssertOp> assertions(function.getBody().front().getOps<cf::AssertOp>());
    for (cf::AssertOp op : assertions) {
      if (!isOfArguments(op.getArg()))
        continue;
      builder.setInsertionPoint(op);
      Value holds = arith::IndexCastUIOp::create(builder, op.getLoc(), builder.getIndexType(), op.getArg());
      checks.push_back({op.getMsg().str(), holds, arith::ConstantIndexOp::create(builder, op.getLoc(), 1)});
      op.erase();
    }
  }

  /// Whether a value is computed from arguments by ops that the host runs.
  bool isOfArguments(Value value) {
    SmallVector<Value> work = {value};
    llvm::SmallPtrSet<Value, 16> seen;
    while (!work.empty()) {
      Value next = work.pop_back_val();
      if (!seen.insert(next).second || isArgument(next))
        continue;
      Operation *op = next.getDefiningOp();
      if (!op || !isMemoryEffectFree(op) || op->getNumRegions() > 0 || isa<LaunchOp, LaunchHostOp>(op))
        return false;
      llvm::append_range(work, op->getOperands());
    }
    return true;
  }

  /// What else must hold of the arguments' extents.
  void addConditions() {
    builder.setInsertionPointToStart(&function.getBody().front());
    llvm::append_range(checks, computeShapeConditions(function, builder));
    function->removeAttr(kShapeConditions);
  }

  /// `@f.shapes`: a copy of the function that only computes extents.
  void makeShapes() {
    builder.setInsertionPoint(function);
    IRMapping mapping;
    auto shapes = cast<func::FuncOp>(builder.clone(*function, mapping));
    shapes.setName((function.getName() + kShapesSuffix).str());
    shapes.setPrivate();
    auto ret = cast<func::ReturnOp>(shapes.getBody().front().getTerminator());
    OpBuilder b(ret);
    SmallVector<Value> extents;
    SymbolicShapes symbolic(function.getContext());
    for (Value value : ret.getOperands())
      for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape()))
        if (ShapedType::isDynamic(extent)) {
          AffineExpr expr = symbolic.getExtent(value, dim);
          extents.push_back(symbolic.isOfArguments(expr, ret->getBlock())
                                ? getValueOrCreateConstantIndexOp(b, loc, symbolic.materialize(b, loc, expr))
                                : tensor::DimOp::create(b, loc, value, dim).getResult());
        }
    SmallVector<Attribute> texts;
    for (const ShapeCheck &check : checks) {
      extents.push_back(mapping.lookup(check.got));
      extents.push_back(mapping.lookup(check.want));
      texts.push_back(builder.getStringAttr(check.text));
    }
    if (!texts.empty())
      shapes->setAttr(kShapeChecks, builder.getArrayAttr(texts));
    ret->setOperands(extents);
    readExtentsOffInits(shapes); // without a value that is computed
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(shapes.getBody().front())))
      if (!isa<func::ReturnOp>(op) && op.use_empty())
        op.erase();
    shapes.setType(builder.getFunctionType(
        shapes.getArgumentTypes(), SmallVector<Type>(extents.size(), builder.getIndexType())));
    shapes.setAllResultAttrs(ArrayRef<DictionaryAttr>());
    for (StringRef name : {attr::kEqualDims, attr::kIndexBounds, attr::kWritten, attr::kBudget,
                           attr::kVariants, attr::kVariantSizes, kReadBack, kWaitsAtEnd})
      shapes->removeAttr(name);
  }

  LogicalResult moveResults() {
    auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    SmallVector<Value> results(ret.getOperands());
    for (unsigned i = 0, end = function.getNumArguments(); i < end; ++i)
      function.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName,
                          builder.getBoolAttr(false));
    llvm::SmallPtrSet<Operation *, 8> claimed;
    for (Value value : results) {
      auto tensor = cast<RankedTensorType>(value.getType());
      auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
      if (failed(function.insertArgument(function.getNumArguments(), type, {}, loc)))
        return failure();
      Value out = function.getArguments().back();
      // Back through reshapes to a launch whose destination is free.
      Value source = value;
      builder.setInsertionPointToStart(&function.getBody().front());
      Value destination = out;
      while (Value undone = reshapes.undoOnBuffer(builder, source.getDefiningOp(), destination)) {
        destination = undone;
        source = source.getDefiningOp()->getOperand(0);
      }
      bool isUndone = true;
      while (Operation *reshape = ReshapeLowering::getReshape(source)) {
        isUndone = false;
        source = reshape->getOperand(0);
      }
      auto launch = source.getDefiningOp<DestinationStyleOpInterface>();
      tensor::EmptyOp empty;
      if (launch && isa<LaunchOp, LaunchHostOp, linalg::FillOp>(launch.getOperation()))
        empty = launch.getTiedOpOperand(cast<OpResult>(source))
                    ->get()
                    .getDefiningOp<tensor::EmptyOp>();
      if (empty && empty->hasOneUse() && claimed.insert(empty).second) {
        if (!isUndone) {
          builder.setInsertionPoint(empty); // Its extents are known there.
          destination = ReshapeLowering::viewAs(builder, out, empty);
        }
        Value tensorOut = bufferization::ToTensorOp::create(
            builder, loc, empty.getType(), destination, /*restrict=*/true, /*writable=*/true);
        empty.replaceAllUsesWith(tensorOut);
        empty.erase();
        value = source;
      } else {
        destination = out;
      }
      builder.setInsertionPoint(ret);
      auto move = bufferization::MaterializeInDestinationOp::create(builder, loc, Type(), value,
                                                                    destination);
      move.setWritable(true);
    }
    ret->setOperands({});
    function.setType(builder.getFunctionType(function.getArgumentTypes(), {}));
    function.setAllResultAttrs(ArrayRef<DictionaryAttr>());
    return success();
  }

  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  SmallVector<ShapeCheck> checks; ///< for the shapes given at run time
  ReshapeLowering reshapes{function, checks};
  bool hasFailed = false;
};

struct LowerProgram : fuse::impl::FuseLowerProgramBase<LowerProgram> {
  void getDependentDialects(DialectRegistry &registry) const override {
    FuseLowerProgramBase::getDependentDialects(registry);
    registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, linalg::LinalgDialect>();
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration() && function.isPublic() &&
          failed(ProgramLowering(function).run()))
        return signalPassFailure();
  }
};

} // namespace
