//===- KeepBytes.cpp - The pass fuse-keep-bytes ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Between two kernels of a quantized program the tensor in memory is one of bytes. Four steps, none of which changes a
// result:
//
//   1. What moves or compares dequantized elements before they are quantized by the same numbers moves or compares bytes.
//   2. A bound that lies beyond what the bytes can hold bounds nothing.
//   3. Bytes that the program quantizes and only dequantizes become unsigned, which is what instructions multiply by signed
//      weights.
//   4. Each reader of a dequantized tensor dequantizes it: three operations instead of four bytes in place of one.
//
//===----------------------------------------------------------------------------------------===//

#include "Parameters.h"

#include "fuse/Analysis/Dequantized.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/TypeOf.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKEEPBYTES
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<CastOp> collectCasts(FunctionOpInterface function, llvm::function_ref<bool(CastOp)> isWanted) {
  SmallVector<CastOp> casts;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    if (auto cast = dyn_cast<CastOp>(op); cast && isWanted(cast))
      casts.push_back(cast);
    return WalkResult::advance();
  });
  return casts;
}

/// The least and the largest byte.
static std::pair<int64_t, int64_t> getRange(Type element) {
  int64_t least = element.isUnsignedInteger() ? 0 : -128;
  return {least, least + 255};
}

/// What a number is quantized to.
static int64_t quantize(double number, const Quantization &by, Type element) {
  auto [least, most] = getRange(element);
  auto divided = static_cast<float>(number) / static_cast<float>(by.scale);
  double rounded = std::nearbyint(divided) + static_cast<double>(by.zero);
  return static_cast<int64_t>(std::clamp(rounded, static_cast<double>(least), static_cast<double>(most)));
}

//===- 1. Moves -----------------------------------------------------------------------------===//

namespace {

/// Computes on bytes what is computed on their dequantized values in front of one quantization. Quantizing keeps the order
/// of numbers, so that it may come before whatever takes one of several elements.
class BytesOf {
public:
  BytesOf(CastOp cast, const Quantization &by)
      : by(by), element(getElementTypeOrSelf(cast.getResult())), builder(cast), b(builder, cast.getLoc()) {}

  /// Whether `value` has a counterpart of bytes. What costs work is to be read by nobody else.
  bool canBuild(Value value, int depth = 0) {
    constexpr int kMostDepth = 16;
    if (isDequantized(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || depth == kMostDepth)
      return false;
    auto recurse = [&](Value operand) { return canBuild(operand, depth + 1); };
    if (isa<TransposeOp, ReshapeOp, SliceOp, BroadcastOp>(op))
      return recurse(op->getOperand(0));
    if (!value.hasOneUse())
      return false;
    if (auto unary = dyn_cast<UnaryOp>(op))
      return unary.getKind() == UnaryKind::Relu && recurse(unary.getOperand());
    if (auto binary = dyn_cast<BinaryOp>(op))
      return (binary.getKind() == BinaryKind::Max || binary.getKind() == BinaryKind::Min) &&
             llvm::all_of(binary->getOperands(), [&](Value operand) { return isFinite(operand) || recurse(operand); });
    if (auto clamp = dyn_cast<ClampOp>(op))
      return isFinite(clamp.getLow()) && isFinite(clamp.getHigh()) && recurse(clamp.getOperand());
    if (auto pad = dyn_cast<PadOp>(op)) {
      auto border = dyn_cast<FloatAttr>(pad.getValue());
      return border && border.getValue().isFinite() && recurse(pad.getOperand());
    }
    if (isa<ConcatOp>(op))
      return llvm::all_of(op->getOperands(), recurse);
    return isa<CopyOp, GatherOp, ResizeNearestOp, MaxPool2dOp>(op) && recurse(op->getOperand(0));
  }

  Value build(Value value) {
    if (std::optional<Dequantized> known = getDequantized(value)) {
      Value bytes = known->bytes;
      for (Operation *view : known->views)
        bytes = clone(view, bytes);
      return bytes;
    }
    Operation *op = value.getDefiningOp();
    if (auto unary = dyn_cast<UnaryOp>(op))
      return b.binary(BinaryKind::Max, build(unary.getOperand()), number(0));
    if (auto binary = dyn_cast<BinaryOp>(op)) {
      auto buildOne = [&](Value operand) {
        std::optional<double> known = getKnownNumber(operand);
        return known ? number(*known) : build(operand);
      };
      return b.binary(binary.getKind(), buildOne(binary.getLhs()), buildOne(binary.getRhs()));
    }
    if (auto clamp = dyn_cast<ClampOp>(op))
      return b.clamp(build(clamp.getOperand()), number(*getKnownNumber(clamp.getLow())),
                     number(*getKnownNumber(clamp.getHigh())));
    if (isa<ConcatOp>(op)) {
      SmallVector<Value> parts;
      for (Value operand : op->getOperands())
        parts.push_back(build(operand));
      IRMapping mapping;
      mapping.map(op->getOperands(), parts);
      return retype(builder.clone(*op, mapping));
    }
    return clone(op, build(op->getOperand(0)));
  }

private:
  static bool isFinite(Value value) {
    std::optional<double> number = getKnownNumber(value);
    return number && std::isfinite(*number);
  }

  /// Dequantized by the numbers that `by` quantizes by.
  std::optional<Dequantized> getDequantized(Value value) {
    std::optional<Dequantized> known = matchDequantized(value);
    if (!known || getElementTypeOrSelf(known->bytes) != element || known->scales.size() != 1)
      return std::nullopt;
    const QuantizationFactor &scale = known->scales.front();
    if (scale.isInverse || !scale.number || *scale.number != by.scale)
      return std::nullopt;
    if (known->zero && !known->zero->number)
      return std::nullopt;
    double zero = known->zero ? *known->zero->number : 0;
    return (known->zero && known->zero->isInverse ? -zero : zero) == static_cast<double>(by.zero) ? known : std::nullopt;
  }
  bool isDequantized(Value value) { return getDequantized(value).has_value(); }

  Value number(double value) {
    return b.scalar(static_cast<double>(quantize(value, by, element)), element);
  }

  Value retype(Operation *op) {
    op->getResult(0).setType(typeOf(op->getResult(0)).clone(element));
    return op->getResult(0);
  }

  /// An op that moves its first operand, of bytes.
  Value clone(Operation *op, Value bytes) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), bytes);
    Operation *copy = builder.clone(*op, mapping);
    if (auto pad = dyn_cast<PadOp>(copy)) {
      double border = cast<FloatAttr>(pad.getValue()).getValueAsDouble();
      pad.setValueAttr(builder.getIntegerAttr(element, quantize(border, by, element)));
    }
    return retype(copy);
  }

  const Quantization &by;
  Type element;
  OpBuilder builder;
  FuseBuilder b;
};

} // namespace

static bool moveBytes(FunctionOpInterface function) {
  bool hasChanged = false;
  for (CastOp cast : collectCasts(function, [](CastOp cast) { return matchQuantization(cast).has_value(); })) {
    Quantization by = *matchQuantization(cast);
    BytesOf bytes(cast, by);
    if (!bytes.canBuild(by.input))
      continue;
    cast.getResult().replaceAllUsesWith(bytes.build(by.input));
    cast.erase();
    hasChanged = true;
  }
  return hasChanged;
}

//===- 2. Bounds ----------------------------------------------------------------------------===//

/// The value without a bound that bytes do not reach beyond; itself where there is none such.
static Value dropBound(OpBuilder &builder, Value value, const Quantization &by, Type element) {
  auto [least, most] = getRange(element);
  auto quantized = [&](double number) {
    auto divided = static_cast<float>(number) / static_cast<float>(by.scale);
    return std::nearbyint(divided) + static_cast<double>(by.zero);
  };
  if (auto unary = value.getDefiningOp<UnaryOp>())
    return unary.getKind() == UnaryKind::Relu && by.zero == least ? unary.getOperand() : value;
  auto clamp = value.getDefiningOp<ClampOp>();
  if (!clamp)
    return value;
  std::optional<double> low = getKnownNumber(clamp.getLow()), high = getKnownNumber(clamp.getHigh());
  if (!low || !high || !(*low < *high))
    return value;
  bool dropsLow = quantized(*low) <= static_cast<double>(least), dropsHigh = quantized(*high) >= static_cast<double>(most);
  if (!dropsLow && !dropsHigh)
    return value;
  if (dropsLow && dropsHigh)
    return clamp.getOperand();
  FuseBuilder b(builder, clamp.getLoc());
  return b.binary(dropsLow ? BinaryKind::Min : BinaryKind::Max, clamp.getOperand(), b.scalarLike(dropsLow ? *high : *low, value));
}

static bool dropBounds(FunctionOpInterface function) {
  bool hasChanged = false;
  for (CastOp cast : collectCasts(function, [](CastOp cast) { return matchQuantization(cast).has_value(); })) {
    Quantization by = *matchQuantization(cast);
    // Others may read a step on the way, or take it to other bytes.
    if (!by.division->hasOneUse() || !by.rounding->hasOneUse() || (by.offset && !by.offset->hasOneUse()))
      continue;
    OpBuilder builder(by.division);
    Value value = dropBound(builder, by.input, by, getElementTypeOrSelf(cast.getResult()));
    if (value == by.input || value.getType() != by.input.getType())
      continue;
    by.division->setOperand(0, value);
    hasChanged = true;
  }
  return hasChanged;
}

//===- 3. Signs -----------------------------------------------------------------------------===//

namespace {

constexpr int64_t kHalf = 128;

/// Makes the bytes of one quantization unsigned.
class Unsigned {
public:
  /// Whether all that reads the bytes, through moves, dequantizes them.
  bool collect(Value bytes) {
    for (Operation *user : bytes.getUsers()) {
      if (auto cast = dyn_cast<CastOp>(user)) {
        Type element = getElementTypeOrSelf(cast.getResult());
        if (!element.isF32() && !element.isSignlessInteger(32) && !element.isSignlessInteger(16))
          return false;
        ends.push_back(cast);
        continue;
      }
      bool isMove = isa<TransposeOp, ReshapeOp, SliceOp, BroadcastOp, CopyOp, PadOp, GatherOp, ResizeNearestOp, MaxPool2dOp>(user);
      if (!isMove || user->getOperand(0) != bytes || llvm::count(user->getOperands(), bytes) != 1)
        return false;
      moves.push_back(user);
      if (!collect(user->getResult(0)))
        return false;
    }
    return true;
  }

  void rewrite(CastOp from, Quantization by) {
    OpBuilder builder(from);
    FuseBuilder b(builder, from.getLoc());
    Type element = IntegerType::get(from.getContext(), 8, IntegerType::Unsigned);
    Value rounded = by.rounding.getResult();
    // Integers below 2^24 are exact, and what is beyond is cut either way.
    int64_t zero = by.zero + kHalf;
    Value moved = zero == 0 ? rounded : b.add(rounded, static_cast<double>(zero));
    Value bytes = b.cast(moved, element);
    from.getResult().replaceAllUsesWith(bytes);
    from.erase();
    for (Operation *move : moves) {
      if (auto pad = dyn_cast<PadOp>(move))
        pad.setValueAttr(builder.getIntegerAttr(element, cast<IntegerAttr>(pad.getValue()).getValue().getSExtValue() + kHalf));
      move->getResult(0).setType(typeOf(move->getResult(0)).clone(element));
    }
    for (CastOp end : ends)
      takeHalf(end);
  }

private:
  /// The same numbers of a cast whose bytes are larger by 128 now: the zero point that is taken off them is, too.
  static void takeHalf(CastOp cast) {
    SmallVector<std::pair<BinaryOp, double>> offsets;
    SmallVector<OpOperand *> others;
    for (OpOperand &use : cast->getUses()) {
      auto offset = dyn_cast<BinaryOp>(use.getOwner());
      std::optional<double> zero;
      if (offset && offset.getKind() == BinaryKind::Sub && use.getOperandNumber() == 0)
        zero = getKnownNumber(offset.getRhs());
      if (zero)
        offsets.push_back({offset, *zero + kHalf});
      else
        others.push_back(&use);
    }
    OpBuilder builder(cast);
    builder.setInsertionPointAfter(cast);
    FuseBuilder b(builder, cast.getLoc());
    if (!others.empty()) {
      Value less = b.sub(cast.getResult(), static_cast<double>(kHalf));
      for (OpOperand *use : others)
        use->set(less);
    }
    for (auto [offset, zero] : offsets) {
      if (zero != 0) {
        offset->setOperand(1, b.scalarLike(zero, offset.getRhs()));
        continue;
      }
      offset.getResult().replaceAllUsesWith(cast.getResult());
      offset.erase();
    }
  }

  SmallVector<CastOp> ends;
  SmallVector<Operation *> moves;
};

} // namespace

static bool makeUnsigned(FunctionOpInterface function) {
  bool hasChanged = false;
  for (CastOp cast : collectCasts(function, [](CastOp cast) {
         return getElementTypeOrSelf(cast.getResult()).isSignlessInteger(8) && matchQuantization(cast);
       })) {
    Unsigned bytes;
    if (!bytes.collect(cast.getResult()))
      continue;
    bytes.rewrite(cast, *matchQuantization(cast));
    hasChanged = true;
  }
  return hasChanged;
}

//===- 4. Readers ---------------------------------------------------------------------------===//

/// The ops from `bytes` up to `end`, which dequantizes them; none if they are not one after the other.
static SmallVector<Operation *> getChain(Operation *end, Value bytes) {
  SmallVector<Operation *> chain{end};
  while (chain.back()->getOperand(0) != bytes) {
    auto next = llvm::find_if(chain.back()->getOpOperands(), [](OpOperand &operand) {
      return operand.get().getDefiningOp() && matchDequantized(operand.get());
    });
    if (next == chain.back()->getOpOperands().end())
      return {};
    chain.push_back(next->get().getDefiningOp());
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Gives each reader of a dequantized tensor its own; the primitives of one composite share theirs.
static void repeatDequantization(FunctionOpInterface function) {
  SmallVector<Operation *> ends;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    if (isa<CastOp, BinaryOp>(op) && !op->use_empty() && !op->hasOneUse() &&
        getElementTypeOrSelf(op->getResult(0)).isF32() && matchDequantized(op->getResult(0)))
      ends.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *end : ends) {
    std::optional<Dequantized> known = matchDequantized(end->getResult(0));
    if (!known || isParameter(known->bytes))
      continue;
    // Part of a longer way from the bytes.
    if (llvm::any_of(end->getUsers(), [](Operation *user) {
          return user->getNumResults() == 1 && isa<BinaryOp, CastOp>(user) && matchDequantized(user->getResult(0));
        }))
      continue;
    llvm::MapVector<std::pair<int64_t, Operation *>, SmallVector<OpOperand *>> readers;
    for (OpOperand &use : end->getUses()) {
      std::optional<int64_t> origin = getOriginId(use.getOwner());
      readers[{origin.value_or(-1), origin ? nullptr : use.getOwner()}].push_back(&use);
    }
    SmallVector<Operation *> chain = getChain(end, known->bytes);
    if (chain.empty())
      continue;
    OpBuilder builder(end);
    builder.setInsertionPointAfter(end);
    for (auto &[reader, uses] : llvm::drop_begin(readers)) {
      IRMapping mapping;
      for (Operation *op : chain)
        builder.clone(*op, mapping);
      for (OpOperand *use : uses)
        use->set(mapping.lookup(end->getResult(0)));
    }
  }
}

//===- The pass -----------------------------------------------------------------------------===//

void mlir::fuse::keepBytes(FunctionOpInterface function) {
  bool hasChanged = moveBytes(function);
  // A result that was computed, quantized, may be a view of other bytes now.
  if (hasChanged)
    materializeEscapingViews(function);
  hasChanged |= dropBounds(function);
  TargetAttr target = TargetAttr::lookup(function);
  if (target.getFigure("int8_flops_per_ns") > target.getFigure("matmul_flops_per_ns"))
    hasChanged |= makeUnsigned(function);
  if (hasChanged)
    eraseDeadOps(function);
  repeatDequantization(function);
}

namespace {
struct KeepBytes : fuse::impl::FuseKeepBytesBase<KeepBytes> {
  using FuseKeepBytesBase::FuseKeepBytesBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        keepBytes(function);
  }
};
} // namespace
