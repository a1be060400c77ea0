//===- Dequantized.cpp - Tensors that are computed from bytes, a zero point and scales ------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/Dequantized.h"
#include "Labels/LabelOps.h"
#include "fuse/IR/TypeOf.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isByte(Type element) { return element.isSignlessInteger(8) || element.isUnsignedInteger(8); }

std::optional<double> mlir::fuse::getKnownNumber(Value value) {
  constexpr int kMostCasts = 4;
  for (int depth = 0; depth < kMostCasts; ++depth) {
    if (std::optional<double> number = getSplatConstant(value))
      return number;
    // A number that is not known beforehand to be one of the type may change in the cast.
    auto cast = getViewSource(value).getDefiningOp<CastOp>();
    if (!cast || !isa<IntegerType>(getElementTypeOrSelf(cast.getOperand())) || isByte(getElementTypeOrSelf(cast.getResult())))
      return std::nullopt;
    value = cast.getOperand();
  }
  return std::nullopt;
}

int64_t Dequantized::getLargest() const {
  int64_t least = isUnsigned() ? 0 : -128, most = least + 255;
  if (!zero)
    return std::max(-least, most);
  if (!zero->number)
    return most - least;
  double offset = zero->isInverse ? -*zero->number : *zero->number;
  return static_cast<int64_t>(std::max(std::abs(least - offset), std::abs(most - offset)));
}

//===- Scales and zero points ---------------------------------------------------------------===//

/// `value` beside a tensor of `rank` dimensions.
static QuantizationFactor makeFactor(Value value, int64_t rank, bool isInverse) {
  QuantizationFactor factor{value, {}, getKnownNumber(value), isInverse};
  if (factor.number)
    return factor;
  int64_t own = typeOf(value).getRank();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(rank - own, rank));
  while (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> kept;
    for (auto [i, dim] : llvm::enumerate(dims))
      if (!llvm::is_contained(broadcast.getDimensions(), static_cast<int64_t>(i)))
        kept.push_back(dim);
    value = broadcast.getOperand();
    dims = kept;
  }
  for (auto [dim, extent] : llvm::zip(dims, typeOf(value).getShape()))
    factor.dims.push_back(extent == 1 ? -1 : dim);
  factor.value = value;
  return factor;
}

/// Whether all elements are integers of 32 bits, whatever their type.
static bool isIntegral(Value value) {
  value = getViewSource(value);
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getOperand();
  if (auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value)))
    return type.getWidth() > 1 && type.getWidth() <= 32;
  DenseElementsAttr elements;
  constexpr float kMost = 1 << 16;
  return matchPattern(value, m_Constant(&elements)) && elements.getElementType().isF32() &&
         llvm::all_of(elements.getValues<float>(),
                      [](float number) { return std::nearbyint(number) == number && std::abs(number) < kMost; });
}

//===- What the values are made of ----------------------------------------------------------===//

/// Moves what is known of a view's operand to its result.
static bool moveBehind(Dequantized &value, Operation *view) {
  auto move = [&](QuantizationFactor &factor) {
    if (factor.isOne())
      return true;
    // Part of a list would have to be cut out.
    if (!isa<TransposeOp, ReshapeOp, CopyOp, BroadcastOp>(view))
      return false;
    if (isa<CopyOp>(view))
      return true;
    for (int64_t &dim : factor.dims)
      if (dim >= 0) {
        std::optional<int64_t> behind = getViewResultDim(view, dim);
        if (!behind)
          return false;
        dim = *behind;
      }
    return true;
  };
  value.views.push_back(view);
  return (!value.zero || move(*value.zero)) && llvm::all_of(value.scales, move);
}

static std::optional<Dequantized> match(Value value, int depth);

static std::optional<Dequantized> matchBinary(BinaryOp op, int depth) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getResult()));
  BinaryKind kind = op.getKind();
  bool isScale = kind == BinaryKind::Mul || kind == BinaryKind::Div;
  bool isOffset = kind == BinaryKind::Sub || kind == BinaryKind::Add;
  if (!(isOffset || (isScale && isFloat)))
    return std::nullopt;
  bool isSymmetric = kind == BinaryKind::Mul || kind == BinaryKind::Add;
  for (bool isLeft : {true, false}) {
    if (!isLeft && !isSymmetric)
      break;
    Value tensor = isLeft ? op.getLhs() : op.getRhs(), other = isLeft ? op.getRhs() : op.getLhs();
    if (tensor.getType() != op.getResult().getType())
      continue;
    std::optional<Dequantized> inner = match(tensor, depth + 1);
    if (!inner)
      continue;
    QuantizationFactor factor = makeFactor(other, typeOf(tensor).getRank(), !(kind == BinaryKind::Mul || kind == BinaryKind::Sub));
    if (isScale) {
      inner->scales.push_back(factor);
      return inner;
    }
    if (inner->zero || !inner->scales.empty() || !isIntegral(other))
      continue;
    if (factor.number != 0.0)
      inner->zero = factor;
    return inner;
  }
  return std::nullopt;
}

static std::optional<Dequantized> match(Value value, int depth) {
  constexpr int kMostDepth = 16;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMostDepth)
    return std::nullopt;
  if (auto cast = dyn_cast<CastOp>(op)) {
    Type from = getElementTypeOrSelf(cast.getOperand()), to = getElementTypeOrSelf(cast.getResult());
    if (!to.isF32() && !to.isSignlessInteger(32) && !to.isSignlessInteger(16))
      return std::nullopt;
    if (isByte(from))
      return Dequantized{cast.getOperand(), {}, {}, {}};
    // Differences of two bytes, which both types hold.
    if (from.isSignlessInteger(16) || (from.isSignlessInteger(32) && to.isF32()))
      return match(cast.getOperand(), depth + 1);
    return std::nullopt;
  }
  if (auto binary = dyn_cast<BinaryOp>(op))
    return matchBinary(binary, depth);
  bool isMove = isa<TransposeOp, ReshapeOp, SliceOp, BroadcastOp, CopyOp>(op);
  if (auto pad = dyn_cast<PadOp>(op)) {
    auto border = dyn_cast<FloatAttr>(pad.getValue());
    auto number = dyn_cast<IntegerAttr>(pad.getValue());
    isMove = (border && border.getValue().isZero()) || (number && number.getValue().isZero());
  }
  if (!isMove)
    return std::nullopt;
  std::optional<Dequantized> inner = match(op->getOperand(0), depth + 1);
  if (!inner || (isa<PadOp>(op) && inner->zero && !inner->zero->number) || !moveBehind(*inner, op))
    return std::nullopt;
  return inner;
}

std::optional<Dequantized> mlir::fuse::matchDequantized(Value value) { return match(value, 0); }

//===- Quantizing ---------------------------------------------------------------------------===//

std::optional<Quantization> mlir::fuse::matchQuantization(CastOp cast) {
  constexpr double kLeastScale = 0x1p-100, kMostScale = 0x1p+100;
  if (!isByte(getElementTypeOrSelf(cast.getResult())) || !getElementTypeOrSelf(cast.getOperand()).isF32())
    return std::nullopt;
  Quantization found;
  Value value = cast.getOperand();
  found.zero = 0;
  if (auto offset = value.getDefiningOp<BinaryOp>(); offset && offset.getKind() == BinaryKind::Add) {
    bool isLeft = !getKnownNumber(offset.getRhs());
    std::optional<double> zero = getKnownNumber(isLeft ? offset.getLhs() : offset.getRhs());
    if (!zero || std::nearbyint(*zero) != *zero || std::abs(*zero) > 255)
      return std::nullopt;
    found.zero = static_cast<int64_t>(*zero);
    found.offset = offset;
    value = isLeft ? offset.getRhs() : offset.getLhs();
  }
  found.rounding = value.getDefiningOp<UnaryOp>();
  if (!found.rounding || found.rounding.getKind() != UnaryKind::RoundEven)
    return std::nullopt;
  found.division = found.rounding.getOperand().getDefiningOp<BinaryOp>();
  if (!found.division || found.division.getKind() != BinaryKind::Div)
    return std::nullopt;
  std::optional<double> scale = getKnownNumber(found.division.getRhs());
  if (!scale || !(*scale >= kLeastScale && *scale <= kMostScale))
    return std::nullopt;
  found.scale = *scale;
  found.input = found.division.getLhs();
  return found;
}
