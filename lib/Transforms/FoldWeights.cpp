//===- FoldWeights.cpp - The pass fuse-fold-weights -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Parameters.h"
#include "ReadNumerics.h"

#include "fuse/Analysis/AffineChain.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/OpText.h"
#include "fuse/IR/TypeOf.h"
#include "fuse/Support/Plural.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFOLDWEIGHTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Makes the scale and shift of each channel from the steps of a chain: y ↦ y·scale + shift.
class ChannelAffine {
public:
  ChannelAffine(OpBuilder &builder, Location loc, Type elementType, int64_t channels)
      : builder(builder), loc(loc), channels(channels),
        computeType(elementType.getIntOrFloatBitWidth() < 32 ? builder.getF32Type()
                                                              : elementType) {}

  LogicalResult add(const AffineStep &step) {
    if (auto norm = dyn_cast<BatchNormOp>(step.op))
      return addNorm(norm);
    Value by = toVector(step.other);
    if (!by)
      return failure();
    switch (step.kind) {
    case AffineStep::Kind::Add:
      shift = shift ? binary(BinaryKind::Add, shift, by) : by;
      break;
    case AffineStep::Kind::Sub:
      shift = shift ? binary(BinaryKind::Sub, shift, by) : negate(by);
      break;
    case AffineStep::Kind::SubFrom:
      scale = negate(scale ? scale : number(1));
      shift = shift ? binary(BinaryKind::Sub, by, shift) : by;
      break;
    case AffineStep::Kind::Mul:
      scale = scale ? binary(BinaryKind::Mul, scale, by) : by;
      shift = shift ? binary(BinaryKind::Mul, shift, by) : shift;
      break;
    case AffineStep::Kind::Div:
      scale = binary(BinaryKind::Div, scale ? scale : number(1), by);
      shift = shift ? binary(BinaryKind::Div, shift, by) : shift;
      break;
    default:
      return failure();
    }
    return success();
  }

  Value binary(BinaryKind kind, Value lhs, Value rhs) {
    return BinaryOp::create(builder, loc, kind, lhs, rhs);
  }
  Value cast(Value value, Type elementType) {
    RankedTensorType type = typeOf(value);
    if (type.getElementType() == elementType)
      return value;
    return CastOp::create(builder, loc, type.clone(elementType), value);
  }
  Value toCompute(Value value) { return cast(value, computeType); }
  /// A scale or shift as a vector of all channels.
  Value spread(Value value) {
    if (typeOf(value).getRank() == 1 && typeOf(value).getDimSize(0) == channels)
      return value;
    return BroadcastOp::create(builder, loc,
                               RankedTensorType::get({channels}, typeOf(value).getElementType()),
                               value, ArrayRef<int64_t>{0});
  }

  Value scale, shift; // of shape [channels] or []; null: 1 and 0

private:
  LogicalResult addNorm(BatchNormOp norm) {
    Value factor = toVector(norm.getScale()), offset = toVector(norm.getOffset());
    Value mean = toVector(norm.getMean()), variance = toVector(norm.getVariance());
    Value epsilon = number(norm.getEpsilon().convertToDouble());
    Value deviation = UnaryOp::create(builder, loc, UnaryKind::Sqrt,
                                      binary(BinaryKind::Add, variance, epsilon));
    Value by = binary(BinaryKind::Div, factor, deviation);
    Value centered = shift ? binary(BinaryKind::Sub, shift, mean) : negate(mean);
    shift = binary(BinaryKind::Add, binary(BinaryKind::Mul, centered, by), offset);
    scale = scale ? binary(BinaryKind::Mul, scale, by) : by;
    return success();
  }

  Value negate(Value value) { return UnaryOp::create(builder, loc, UnaryKind::Neg, value); }
  Value number(double value) {
    auto type = RankedTensorType::get({}, computeType);
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, builder.getFloatAttr(computeType, value)));
  }

  /// The numbers of the channels behind views and broadcasts: [channels], or [] where it is one.
  Value toVector(Value value) {
    while (true) {
      RankedTensorType type = typeOf(value);
      if (!type.hasStaticShape())
        return {};
      int64_t count = type.getNumElements();
      if (count == 1 || count == channels) {
        SmallVector<int64_t> shape;
        if (count != 1)
          shape.push_back(channels);
        if (type.getShape() != ArrayRef<int64_t>(shape))
          value = ReshapeOp::create(builder, loc, type.clone(shape), value);
        return toCompute(value);
      }
      DenseElementsAttr elements;
      Operation *def = value.getDefiningOp();
      if (def && isa<BroadcastOp, ReshapeOp>(def)) {
        value = def->getOperand(0);
        continue;
      }
      if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
        auto scalar = RankedTensorType::get({}, type.getElementType());
        return toCompute(
            arith::ConstantOp::create(builder, loc, elements.resizeSplat(scalar)));
      }
      return {};
    }
  }

  OpBuilder &builder;
  Location loc;
  int64_t channels;
  Type computeType;
};

class WeightFolder {
public:
  WeightFolder(FunctionOpInterface function, Numerics numerics)
      : function(function), isAllowed(numerics >= Numerics::Folds) {}

  void run() {
    SmallVector<Operation *> candidates;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      if (isa<Conv2dOp, MatmulOp>(op))
        candidates.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : candidates)
      visit(op);
  }

private:
  static int64_t getChannels(Operation *op) {
    if (auto conv = dyn_cast<Conv2dOp>(op))
      return getChannelDim(conv);
    return typeOf(op->getResult(0)).getRank() - 1;
  }

  static bool scales(const AffineStep &step) {
    return step.isPerChannel &&
           llvm::is_contained({AffineStep::Kind::Mul, AffineStep::Kind::Div,
                               AffineStep::Kind::BatchNorm},
                              step.kind);
  }

  void refuse(Operation *op, Operation *norm, StringRef name, const Twine &reason,
              StringRef needs) {
    remark::missed(norm->getLoc(), remark::RemarkOpts::name(name)
                                       .category("fuse-fold-weights")
                                       .function(function.getName()))
        << remark::add("{0} is not folded into {1}", describeOp(norm), describeOp(op))
        << remark::reason("{0}", reason.str()) << remark::suggest("{0}", needs);
  }

  void visit(Operation *op) {
    Value result = op->getResult(0);
    if (!isa<FloatType>(typeOf(result).getElementType()) ||
        typeOf(result).isDynamicDim(getChannels(op)))
      return;
    AffineChain chain = followAffineChain(result, getChannels(op));
    // Rounding to another type in between stays where it is.
    auto *cast = llvm::find_if(chain.steps, [](const AffineStep &step) {
      return step.kind == AffineStep::Kind::Cast;
    });
    chain.steps.erase(cast, chain.steps.end());
    auto *norm = llvm::find_if(chain.steps, scales);
    if (norm == chain.steps.end())
      return visitShared(op);
    if (!isAllowed)
      return refuse(op, norm->op, "numerics", "folding rounds weights instead of results",
                    "numerics=folds");
    Value filter = op->getOperand(1);
    if (!isParameter(filter))
      return refuse(op, norm->op, "not-parameters",
                    "the weights of '" + describeOp(op) + "' are computed from inputs",
                    "weights marked fuse.param");
    if (op->getNumOperands() > 2 && !isParameter(op->getOperand(2)))
      return refuse(op, norm->op, "not-parameters",
                    "the bias of '" + describeOp(op) + "' is computed from inputs",
                    "a bias marked fuse.param");
    for (const AffineStep &step : chain.steps)
      for (Value operand : step.op->getOperands())
        if (operand == step.other || (step.kind == AffineStep::Kind::BatchNorm &&
                                      operand != step.op->getOperand(0)))
          if (!isParameter(operand))
            return refuse(op, step.op, "not-parameters",
                          "an operand of '" + describeOp(step.op) + "' is computed from inputs",
                          "operands marked fuse.param");
    fold(op, chain);
  }

  /// A norm of a value that others read too.
  void visitShared(Operation *op) {
    llvm::SetVector<Operation *> users(op->getUsers().begin(), op->getUsers().end());
    if (users.size() < 2)
      return;
    for (Operation *user : users) {
      AffineChain chain = followAffineChain(op->getResult(0), getChannels(op),
                                            [&](Operation *other) { return other == user; });
      if (!chain.steps.empty() && scales(chain.steps.front()))
        return refuse(op, user, "several-consumers",
                      "others read the result of '" + describeOp(op) + "' as it is",
                      "a value that only the batch norm reads");
    }
  }

  void fold(Operation *op, const AffineChain &chain) {
    Operation *last = chain.steps.back().op;
    std::string name = describeOp(op);
    SmallVector<Location> locations{op->getLoc()};
    for (const AffineStep &step : chain.steps)
      locations.push_back(step.op->getLoc());
    Location loc = FusedLoc::get(op->getContext(), locations);
    Value result = op->getResult(0), filter = op->getOperand(1);
    Type element = typeOf(filter).getElementType(), resultElement = typeOf(result).getElementType();
    if (element != resultElement)
      return refuse(op, last, "mixed-types", "weights and results have different element types",
                    "one element type");
    Operation *before = last->getPrevNode(); // the convolution, if nothing else
    OpBuilder builder(last);
    ChannelAffine affine(builder, loc, resultElement, typeOf(result).getDimSize(getChannels(op)));
    for (const AffineStep &step : chain.steps)
      if (failed(affine.add(step))) {
        eraseUnused(before, last);
        return refuse(op, step.op, "not-parameters",
                      "an operand of '" + describeOp(step.op) + "' is no vector of the channels",
                      "one number for each channel");
      }
    SmallVector<Value> operands(op->getOperands());
    Value scaled = affine.toCompute(filter);
    Value factor = placeAtFilter(builder, loc, op, affine.spread(affine.scale));
    scaled = affine.cast(affine.binary(BinaryKind::Mul, scaled, factor), element);
    operands[1] = foldToConstant(builder, scaled);
    Value shift = affine.shift;
    if (operands.size() > 2) {
      Value bias = affine.binary(BinaryKind::Mul, affine.toCompute(operands[2]), affine.scale);
      shift = shift ? affine.binary(BinaryKind::Add, bias, shift) : bias;
    }
    if (shift)
      shift = foldToConstant(builder, affine.cast(affine.spread(shift), resultElement));
    if (shift && isa<Conv2dOp>(op)) {
      operands.resize(2);
      operands.push_back(shift);
    }
    OperationState state(loc, op->getName(), operands, op->getResultTypes(), op->getAttrs());
    Value folded = builder.create(state)->getResult(0);
    if (shift && !isa<Conv2dOp>(op))
      folded = BinaryOp::create(builder, loc, BinaryKind::Add, folded, shift);
    replaceChain(builder, result, chain, folded);
    eraseUnused(before, last);
    mlir::fuse::eraseUnused(last->getResult(0));
    remark::passed(loc, remark::RemarkOpts::name("folded")
                            .category("fuse-fold-weights")
                            .function(function.getName()))
        << remark::add("folded {0} into the weights of {1}", pluralize(chain.steps.size(), "op"), name);
  }

  /// A vector of the channels with dimensions of extent 1, so that it broadcasts against the filter.
  static Value placeAtFilter(OpBuilder &builder, Location loc, Operation *op, Value vector) {
    int64_t after = 0;
    if (auto conv = dyn_cast<Conv2dOp>(op))
      after = conv.getLayout() == ConvLayout::NchwFchw ? 3 : 0;
    else if (cast<MatmulOp>(op).getTransposeRhs())
      after = 1;
    SmallVector<int64_t> shape(after + 1, 1);
    shape[0] = typeOf(vector).getDimSize(0);
    return after ? ReshapeOp::create(builder, loc, typeOf(vector).clone(shape), vector).getResult()
                 : vector;
  }

  /// Puts `folded`, seen through the views that lay between, in the place of the chain's result.
  static void replaceChain(OpBuilder &builder, Value start, const AffineChain &chain,
                           Value folded) {
    SmallVector<Operation *> views;
    for (const AffineStep &step : llvm::reverse(chain.steps)) {
      Value value = step.op->getOperand(0);
      if (step.other && value == step.other)
        value = step.op->getOperand(1);
      for (; value != start && classifyNode(value.getDefiningOp()) == NodeKind::View;
           value = value.getDefiningOp()->getOperand(0))
        views.push_back(value.getDefiningOp());
    }
    for (Operation *view : llvm::reverse(views)) {
      IRMapping mapping;
      mapping.map(view->getOperand(0), folded);
      folded = builder.clone(*view, mapping)->getResult(0);
    }
    Operation *last = chain.steps.back().op;
    last->getResult(0).replaceAllUsesWith(folded);
  }

  /// Erases what was made after `before`, up to `end`, and serves nobody.
  static void eraseUnused(Operation *before, Operation *end) {
    for (Operation *op = end->getPrevNode(); op && op != before;) {
      Operation *previous = op->getPrevNode();
      if (isOpTriviallyDead(op))
        op->erase();
      op = previous;
    }
  }

  FunctionOpInterface function;
  bool isAllowed;
};

struct FoldWeights : fuse::impl::FuseFoldWeightsBase<FoldWeights> {
  using FuseFoldWeightsBase::FuseFoldWeightsBase;

  void runOnOperation() override {
    std::optional<Numerics> allowed = readNumerics(getOperation(), numerics);
    if (!allowed)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      foldWeights(function, *allowed);
  }
};

} // namespace

void mlir::fuse::foldWeights(FunctionOpInterface function, Numerics numerics) {
  if (!function.isExternal())
    WeightFolder(function, numerics).run();
}
