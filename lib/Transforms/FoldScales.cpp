//===- FoldScales.cpp - The pass fuse-fold-scales --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Parameters.h"
#include "ReadNumerics.h"

#include "fuse/Analysis/Dequantized.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFOLDSCALES
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Divides a value by a positive number, within what computes it where parameters take the number.
class Division {
public:
  Division(Operation *place, double by) : by(by), builder(place), b(builder, place->getLoc()) {}

  /// Whether the division is gone: all that is divided in the end are numbers and parameters.
  bool isFree(Value value, int depth = 0) const {
    constexpr int kMostDepth = 16;
    if (isGiven(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || depth == kMostDepth || !value.hasOneUse())
      return false;
    auto recurse = [&](Value operand) { return isFree(operand, depth + 1); };
    if (auto binary = dyn_cast<BinaryOp>(op)) {
      if (binary.getKind() == BinaryKind::Mul)
        return isGiven(binary.getLhs()) || isGiven(binary.getRhs());
      return isLinear(binary.getKind()) && recurse(binary.getLhs()) && recurse(binary.getRhs());
    }
    if (auto unary = dyn_cast<UnaryOp>(op))
      return (unary.getKind() == UnaryKind::Relu || unary.getKind() == UnaryKind::Neg) && recurse(unary.getOperand());
    if (auto clamp = dyn_cast<ClampOp>(op))
      return isGiven(clamp.getLow()) && isGiven(clamp.getHigh()) && recurse(clamp.getOperand());
    if (isa<Conv2dOp, MatmulOp>(op))
      return b.elementOf(value).isF32() && b.elementOf(op->getOperand(1)).isF32() &&
             llvm::all_of(op->getOperands().drop_front(), isGiven);
    return isa<ReshapeOp, TransposeOp>(op) && recurse(op->getOperand(0));
  }

  Value divide(Value value) {
    if (std::optional<double> number = getKnownNumber(value))
      return b.scalar(static_cast<float>(*number) / static_cast<float>(by), b.elementOf(value));
    if (isParameter(value))
      return b.div(value, by);
    Operation *op = value.getDefiningOp();
    IRMapping mapping;
    if (auto binary = dyn_cast<BinaryOp>(op)) {
      bool isProduct = binary.getKind() == BinaryKind::Mul, isLeft = isGiven(binary.getLhs());
      Value lhs = binary.getLhs(), rhs = binary.getRhs();
      if (!isProduct || isLeft)
        lhs = divide(lhs);
      if (!isProduct || !isLeft)
        rhs = divide(rhs);
      return b.binary(binary.getKind(), lhs, rhs, b.typeOf(value));
    }
    if (auto clamp = dyn_cast<ClampOp>(op))
      return b.clamp(divide(clamp.getOperand()), divide(clamp.getLow()), divide(clamp.getHigh()));
    if (isa<Conv2dOp, MatmulOp>(op))
      for (Value operand : op->getOperands().drop_front())
        mapping.map(operand, b.div(operand, by)); // of its shape, even where it is one number
    else
      mapping.map(op->getOperand(0), divide(op->getOperand(0)));
    return builder.clone(*op, mapping)->getResult(0);
  }

private:
  static bool isLinear(BinaryKind kind) {
    return llvm::is_contained({BinaryKind::Add, BinaryKind::Sub, BinaryKind::Max, BinaryKind::Min}, kind);
  }
  static bool isGiven(Value value) { return getKnownNumber(value) || isParameter(value); }

  double by;
  OpBuilder builder;
  FuseBuilder b;
};

struct FoldScales : fuse::impl::FuseFoldScalesBase<FoldScales> {
  using FuseFoldScalesBase::FuseFoldScalesBase;

  void runOnOperation() override {
    std::optional<Numerics> allowed = readNumerics(getOperation(), numerics);
    if (!allowed)
      return signalPassFailure();
    if (*allowed >= Numerics::Folds)
      for (auto function : getOperation().getOps<FunctionOpInterface>())
        if (!function.isExternal())
          foldScales(function);
  }
};

} // namespace

/// Takes a number that the left operand of a product of floats is multiplied by into the right one, where that is a parameter.
static bool moveToWeights(Operation *product) {
  Value left = product->getOperand(0), right = product->getOperand(1);
  FuseBuilder b(OpBuilder(product), product->getLoc());
  auto scaled = left.getDefiningOp<BinaryOp>();
  if (!scaled || scaled.getKind() != BinaryKind::Mul || !b.elementOf(left).isF32() || !b.elementOf(right).isF32() ||
      !matchDequantized(left) || !isParameter(right))
    return false;
  bool isLeft = !getKnownNumber(scaled.getRhs());
  Value number = isLeft ? scaled.getLhs() : scaled.getRhs(), value = isLeft ? scaled.getRhs() : scaled.getLhs();
  std::optional<double> known = getKnownNumber(number);
  if (!known || value.getType() != left.getType())
    return false;
  product->setOperand(0, value);
  product->setOperand(1, b.mul(right, *known));
  return true;
}

/// Computes what is made of constants alone, now.
static bool foldConstants(FunctionOpInterface function) {
  constexpr int64_t kMostElements = 1 << 12; // biases, and no large weights
  llvm::SetVector<Value> computed;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    auto isKnown = [&](Value value) {
      Operation *def = value.getDefiningOp();
      return computed.contains(value) || (def && classifyNode(def) == NodeKind::Constant);
    };
    auto fusable = dyn_cast<FusableOpInterface>(op);
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !llvm::all_of(op->getOperands(), isKnown) ||
        !((fusable && fusable.isElementwise()) || classifyNode(op) == NodeKind::View))
      return WalkResult::advance();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (type && type.hasStaticShape() && type.getNumElements() <= kMostElements)
      computed.insert(op->getResult(0));
    return WalkResult::advance();
  });
  bool hasChanged = false;
  for (Value value : computed) {
    bool isRead = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 || !computed.contains(user->getResult(0));
    });
    Operation *op = value.getDefiningOp();
    if (!isRead || classifyNode(op) == NodeKind::View)
      continue;
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value constant = foldToConstant(builder, value);
    if (constant == value)
      continue;
    value.replaceAllUsesWith(constant);
    hasChanged = true;
  }
  return hasChanged;
}

/// Whether `x` is an input of the program, moved or widened at most. What a program is given may lie half-way between two
/// integers, and does so exactly only where it is divided. What a layer computed is rounded itself.
static bool isInput(Value x) {
  while (Operation *op = x.getDefiningOp()) {
    if (!isa<ReshapeOp, TransposeOp, SliceOp, BroadcastOp, CastOp>(op))
      return false;
    x = op->getOperand(0);
  }
  return true;
}

void mlir::fuse::foldScales(FunctionOpInterface function) {
  SmallVector<CastOp> casts;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    if (auto cast = dyn_cast<CastOp>(op); cast && matchQuantization(cast))
      casts.push_back(cast);
    return WalkResult::advance();
  });
  bool hasChanged = false;
  for (CastOp cast : casts) {
    Quantization by = *matchQuantization(cast);
    if (!by.division->hasOneUse())
      continue;
    Division division(by.division, by.scale);
    bool isFree = division.isFree(by.input);
    if (!isFree && isInput(by.input))
      continue;
    FuseBuilder b(OpBuilder(by.division), by.division.getLoc());
    Value divided = isFree ? division.divide(by.input)
                           : b.mul(by.input, static_cast<double>(1 / static_cast<float>(by.scale)));
    if (divided.getType() != by.division.getResult().getType())
      continue;
    by.division.getResult().replaceAllUsesWith(divided);
    hasChanged = true;
  }
  SmallVector<Operation *> products;
  function->walk([&](Operation *op) {
    if (isa<Conv2dOp, MatmulOp>(op) && !op->getParentOfType<KernelOp>() && !op->use_empty())
      products.push_back(op);
  });
  for (Operation *product : products)
    hasChanged |= moveToWeights(product);
  if (hasChanged)
    eraseDeadOps(function);
  hasChanged = foldConstants(function);
  if (hasChanged)
    eraseDeadOps(function);
}
