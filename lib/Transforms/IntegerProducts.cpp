//===- IntegerProducts.cpp - The pass fuse-integer-products ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   Σ (x − a) s · (w − b) t = (Σ x · w − a · Σ w − b · (Σ x − K · a)) · (s · t)
//
// with bytes x and w, their zero points a and b, and their scales s and t. All sums are of i32 and exact: the bytes are
// multiplied by one instruction for four of them, Σ w is that of parameters as a rule, and most weights have b = 0.
//
//===----------------------------------------------------------------------------------------===//

#include "ReadNumerics.h"

#include "fuse/Analysis/AffineChain.h"
#include "fuse/Analysis/Dequantized.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/OpText.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEINTEGERPRODUCTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Steps of a reduction that one instruction sums, at the least: three of four are as good as four.
constexpr int64_t kLeastSteps = 3;

/// A product or a convolution, with what a rewrite asks of either.
struct Product {
  Operation *op;
  Dequantized x, w;
  /// Of one sum: terms, and the innermost of its loops, whose steps are summed in groups.
  int64_t terms = ShapedType::kDynamic, steps = ShapedType::kDynamic;

  Conv2dOp getConv() const { return dyn_cast<Conv2dOp>(op); }
  bool sumsIntegers() const { return isa<IntegerType>(getElementTypeOrSelf(op->getResult(0))); }
  int64_t getRank(unsigned operand) const {
    return cast<RankedTensorType>(op->getOperand(operand).getType()).getRank();
  }
  bool isTransposed(unsigned operand) const {
    auto product = cast<MatmulOp>(op);
    return operand == 0 ? product.getTransposeLhs() : product.getTransposeRhs();
  }
  /// The dimension of the result that one of an operand is; −1 for one that is summed along, or read in windows.
  int64_t getResultDim(unsigned operand, int64_t dim) const {
    if (Conv2dOp conv = getConv()) {
      int64_t filters = conv.getLayout() == ConvLayout::NchwFchw ? 0 : 3;
      return operand == 1 && dim == filters ? getChannelDim(conv) : -1;
    }
    int64_t rank = getRank(operand), all = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    if (dim < rank - 2)
      return dim + all - rank;
    bool isFirst = (dim == rank - 2) != isTransposed(operand);
    if (operand == 0)
      return isFirst ? all - 2 : -1;
    return isFirst ? -1 : all - 1;
  }
};

std::optional<Product> getProduct(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if ((!element.isF32() && !element.isSignlessInteger(32)) || getElementTypeOrSelf(op->getOperand(0)) != element)
    return std::nullopt;
  std::optional<Dequantized> x = matchDequantized(op->getOperand(0));
  std::optional<Dequantized> w = x ? matchDequantized(op->getOperand(1)) : std::nullopt;
  if (!w)
    return std::nullopt;
  Product product{op, *x, *w};
  auto filter = cast<RankedTensorType>(op->getOperand(1).getType());
  if (Conv2dOp conv = product.getConv()) {
    bool isFirst = conv.getLayout() == ConvLayout::NchwFchw;
    ArrayRef<int64_t> shape = filter.getShape();
    if (!ShapedType::isDynamicShape(shape)) {
      product.terms = filter.getNumElements() / std::max<int64_t>(1, shape[isFirst ? 0 : 3]);
      product.steps = shape[isFirst ? 1 : 2];
    }
    return product;
  }
  auto left = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t right = filter.getDimSize(filter.getRank() - (product.isTransposed(1) ? 1 : 2));
  int64_t depth = left.getDimSize(left.getRank() - (product.isTransposed(0) ? 2 : 1));
  product.terms = product.steps = ShapedType::isDynamic(depth) ? right : depth;
  return product;
}

/// Why a product stays as it is: a stable name, the reason, and what would allow it.
struct Refusal {
  StringRef name;
  std::string reason, needs;
};

/// Builds what replaces one product.
class Replacement {
public:
  explicit Replacement(const Product &product)
      : product(product), builder(product.op), b(builder, product.op->getLoc()), i32(builder.getI32Type()) {}

  Value build() {
    Value x = buildBytes(product.x), w = buildBytes(product.w);
    std::optional<QuantizationFactor> xZero = product.x.zero, wZero = product.w.zero;
    Value a = xZero ? buildZero(*xZero, 0) : Value(), c = wZero ? buildZero(*wZero, 1) : Value();
    // Unsigned bytes by signed ones are what instructions multiply.
    if (b.elementOf(w).isUnsignedInteger()) {
      constexpr double kHalf = 128;
      w = b.cast(b.sub(b.cast(w, i32), kHalf), builder.getI8Type());
      std::optional<double> known = wZero ? getZero(*wZero) : 0;
      if (known)
        c = *known == kHalf ? Value() : b.scalar(*known - kHalf, i32);
      else
        c = b.sub(c, kHalf);
    }
    Value sum = product.getConv() ? convolve(x, w, a, c) : multiply(x, w, a, c);
    if (product.sumsIntegers())
      return addBias(sum);
    Value scaled = b.mul(b.cast(sum, builder.getF32Type()), buildScale());
    return addBias(scaled);
  }

private:
  static double getZero(const QuantizationFactor &zero, double number) { return zero.isInverse ? -number : number; }
  static std::optional<double> getZero(const QuantizationFactor &zero) {
    return zero.number ? std::optional(getZero(zero, *zero.number)) : std::nullopt;
  }

  Value buildBytes(const Dequantized &from) {
    IRMapping mapping;
    Value value = from.bytes;
    for (Operation *view : from.views) {
      mapping.map(view->getOperand(0), value);
      Operation *copy = builder.clone(*view, mapping);
      Type element = b.elementOf(value);
      if (auto pad = dyn_cast<PadOp>(copy)) {
        int64_t border = from.zero ? static_cast<int64_t>(*getZero(*from.zero)) : 0;
        pad.setValueAttr(builder.getIntegerAttr(element, border));
      }
      copy->getResult(0).setType(b.typeOf(copy->getResult(0)).clone(element));
      value = copy->getResult(0);
    }
    return value;
  }

  /// A factor of an operand, so that it broadcasts against the result.
  Value place(const QuantizationFactor &factor, unsigned operand) {
    int64_t rank = b.rankOf(product.op->getResult(0));
    SmallVector<std::pair<int64_t, int64_t>> kept; // the result's dimension, and the factor's
    for (auto [i, dim] : llvm::enumerate(factor.dims))
      if (dim >= 0)
        kept.push_back({product.getResultDim(operand, dim), static_cast<int64_t>(i)});
    llvm::sort(kept);
    Value value = factor.value;
    SmallVector<int64_t> order, shape(kept.empty() ? 0 : rank - kept.front().first, 1);
    for (auto [dim, own] : kept) {
      order.push_back(own);
      shape[dim - (rank - static_cast<int64_t>(shape.size()))] = b.shapeOf(value)[own];
    }
    if (!llvm::is_sorted(order)) {
      for (auto [i, dim] : llvm::enumerate(factor.dims))
        if (dim < 0)
          order.push_back(static_cast<int64_t>(i));
      value = b.transpose(value, order);
    }
    return b.shapeOf(value) == ArrayRef<int64_t>(shape) ? value : b.reshape(value, shape);
  }

  Value buildZero(const QuantizationFactor &zero, unsigned operand) {
    if (std::optional<double> number = getZero(zero))
      return b.scalar(*number, i32);
    Value value = b.cast(place(zero, operand), i32);
    return zero.isInverse ? b.unary(UnaryKind::Neg, value) : value;
  }

  /// s · t, where what is known is one number.
  Value buildScale() {
    float known = 1;
    Value all;
    for (unsigned operand : {0u, 1u})
      for (const QuantizationFactor &scale : (operand == 0 ? product.x : product.w).scales) {
        if (scale.number) {
          auto number = static_cast<float>(*scale.number);
          known = scale.isInverse ? known / number : known * number;
          continue;
        }
        Value value = place(scale, operand);
        if (scale.isInverse)
          all = b.div(all ? all : b.scalarLike(1, value), value);
        else
          all = all ? b.mul(all, value) : value;
      }
    if (!all)
      return b.scalar(known, builder.getF32Type());
    return known == 1 ? all : b.mul(all, known);
  }

  Value sumAlong(Value bytes, ArrayRef<int64_t> axes) {
    return b.reduce(ReduceKind::Sum, b.cast(bytes, i32), axes, /*keepDims=*/true);
  }

  Value multiply(Value x, Value w, Value a, Value c) {
    bool isXTransposed = product.isTransposed(0), isWTransposed = product.isTransposed(1);
    Value sum = b.matmul(x, w, isXTransposed, isWTransposed, i32);
    int64_t xRank = b.rankOf(x), wRank = b.rankOf(w);
    if (a) {
      Value columns = sumAlong(w, wRank - (isWTransposed ? 1 : 2));
      if (isWTransposed)
        columns = b.swap(columns, wRank - 2, wRank - 1);
      sum = b.sub(sum, b.mul(columns, a));
    }
    if (!c)
      return sum;
    Value rows = sumAlong(x, xRank - (isXTransposed ? 2 : 1));
    if (isXTransposed)
      rows = b.swap(rows, xRank - 2, xRank - 1);
    if (a)
      rows = b.sub(rows, b.mul(a, static_cast<double>(product.terms)));
    return b.sub(sum, b.mul(rows, c));
  }

  /// `list`, of the result's channels, as it broadcasts against the result; numbers stay.
  Value alongChannels(Value list) {
    if (b.rankOf(list) != 1 || product.getConv().getLayout() != ConvLayout::NchwFchw)
      return list;
    return b.reshape(list, {b.shapeOf(list)[0], 1, 1});
  }

  Value convolve(Value x, Value w, Value a, Value c) {
    Conv2dOp conv = product.getConv();
    bool isFirst = conv.getLayout() == ConvLayout::NchwFchw;
    SmallVector<int64_t> padding(conv.getPadding());
    if (a && llvm::any_of(padding, [](int64_t pad) { return pad != 0; })) {
      SmallVector<int64_t> low(4, 0), high(4, 0);
      int64_t rows = isFirst ? 2 : 1;
      low[rows] = padding[0];
      low[rows + 1] = padding[1];
      high[rows] = padding[2];
      high[rows + 1] = padding[3];
      x = padWithZeroPoint(x, low, high);
      padding.assign(4, 0);
    }
    auto create = [&](Value image, Value filter, int64_t groups, RankedTensorType type) -> Value {
      return Conv2dOp::create(b.getBuilder(), type, image, filter, Value(), conv.getStrides(), conv.getDilations(),
                              padding, groups, conv.getLayout());
    };
    RankedTensorType type = b.typeOf(conv.getResult()).clone(i32);
    Value sum = create(x, w, conv.getGroups(), type);
    if (a) {
      SmallVector<int64_t> axes = isFirst ? SmallVector<int64_t>{1, 2, 3} : SmallVector<int64_t>{0, 1, 2};
      Value filters = b.reduce(ReduceKind::Sum, b.cast(w, i32), axes, /*keepDims=*/false);
      sum = b.sub(sum, alongChannels(b.mul(filters, a)));
    }
    if (!c)
      return sum;
    // Σ x of a window: over the channels, then over its taps.
    Value image = sumAlong(x, {isFirst ? 1 : 3});
    SmallVector<int64_t> taps(b.shapeOf(w)), windows(type.getShape());
    taps[0] = taps[isFirst ? 1 : 3] = 1;
    if (!isFirst) {
      taps.assign(b.shapeOf(w).begin(), b.shapeOf(w).end());
      taps[2] = taps[3] = 1;
    }
    windows[isFirst ? 1 : 3] = 1;
    Value sums = create(image, b.splat(1, RankedTensorType::get(taps, i32)), 1, RankedTensorType::get(windows, i32));
    if (a)
      sums = b.sub(sums, b.mul(a, static_cast<double>(product.terms)));
    return b.sub(sum, b.mul(sums, c));
  }

  Value padWithZeroPoint(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    Type element = b.elementOf(x);
    if (Value padded = padBeforeQuantizing(x, low, high))
      return padded;
    if (std::optional<double> known = getZero(*product.x.zero))
      return b.pad(x, low, high, builder.getIntegerAttr(element, static_cast<int64_t>(*known)));
    // A border is one constant: elsewhere the image, where it is.
    SmallVector<int64_t> shape(4, 1);
    Type i1 = builder.getI1Type();
    for (int64_t dim = 0; dim < 4; ++dim)
      if (low[dim] != 0 || high[dim] != 0)
        shape[dim] = b.shapeOf(x)[dim];
    Value inside = b.pad(b.splat(1, RankedTensorType::get(shape, i1)), low, high, builder.getBoolAttr(false));
    Value zero = b.cast(buildZero(*product.x.zero, 0), element);
    return b.select(inside, b.pad(x, low, high, builder.getIntegerAttr(element, 0)), zero);
  }

  /// An image that is given as floats: 0 is quantized to the zero point. It is padded while it is quantized, so that blocks
  /// of the convolution read a padded image.
  Value padBeforeQuantizing(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    auto cast = x.getDefiningOp<CastOp>();
    std::optional<Quantization> by = cast ? matchQuantization(cast) : std::nullopt;
    if (!by || !isa<BlockArgument>(getViewSource(by->input)) || !cast->hasOneUse() ||
        static_cast<double>(by->zero) != getZero(*product.x.zero))
      return {};
    Value padded = b.pad(by->input, low, high, builder.getF32FloatAttr(0));
    Value rounded = b.unary(UnaryKind::RoundEven, b.div(padded, by->scale));
    return b.cast(by->zero == 0 ? rounded : b.add(rounded, static_cast<double>(by->zero)), b.elementOf(x));
  }

  Value addBias(Value value) {
    Conv2dOp conv = product.getConv();
    return conv && conv.getBias() ? b.add(value, alongChannels(conv.getBias())) : value;
  }

  const Product &product;
  OpBuilder builder;
  FuseBuilder b;
  Type i32;
};

class ProductRewriter {
public:
  ProductRewriter(FunctionOpInterface function, Numerics numerics)
      : function(function), numerics(numerics), target(TargetAttr::lookup(function)) {}

  bool run() {
    SmallVector<Operation *> candidates;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      if (isa<Conv2dOp, MatmulOp>(op))
        candidates.push_back(op);
      return WalkResult::advance();
    });
    bool hasChanged = false;
    for (Operation *op : candidates)
      if (std::optional<Product> product = getProduct(op))
        hasChanged |= visit(*product);
    return hasChanged;
  }

private:
  bool visit(const Product &product) {
    if (std::optional<Refusal> refusal = check(product)) {
      if (product.sumsIntegers())
        return shortenOperands(product, *refusal);
      remark::missed(product.op->getLoc(), describe(refusal->name))
          << remark::add("{0} of dequantized tensors stays a product of floats", describeOp(product.op))
          << remark::reason("{0}", refusal->reason) << remark::suggest("{0}", refusal->needs);
      return false;
    }
    std::string name = describeOp(product.op);
    Operation *before = product.op->getPrevNode();
    Value result = Replacement(product).build();
    // What a composite was made of stays together, and so do the marks of the planner.
    for (Operation *op = product.op->getPrevNode(); op != before; op = op->getPrevNode())
      for (StringRef mark : {attr::kOrigin, attr::kAlone, attr::kTogether})
        if (Attribute value = product.op->getAttr(mark); value && classifyNode(op) == NodeKind::Device)
          op->setAttr(mark, value);
    remark::passed(product.op->getLoc(), describe("integer-product"))
        << remark::add("{0} of dequantized tensors is a product of bytes", name);
    product.op->getResult(0).replaceAllUsesWith(result);
    product.op->erase();
    return true;
  }

  /// Bytes less their zero points take 9 bits. A product of i32 that cannot be one of bytes reads them as i16: half of the
  /// memory, and the same sums.
  bool shortenOperands(const Product &product, const Refusal &refusal) {
    constexpr int64_t kMostShort = std::numeric_limits<int16_t>::max();
    if (product.x.getLargest() > kMostShort || product.w.getLargest() > kMostShort)
      return false;
    OpBuilder builder(product.op);
    FuseBuilder b(builder, product.op->getLoc());
    for (OpOperand &operand : product.op->getOpOperands().take_front(2))
      operand.set(b.cast(operand.get(), builder.getI16Type()));
    remark::passed(product.op->getLoc(), describe("short-product"))
        << remark::add("{0} of bytes less their zero points reads integers of 16 bits", describeOp(product.op))
        << remark::reason("{0}", refusal.reason) << remark::suggest("{0}", refusal.needs);
    return true;
  }

  remark::RemarkOpts describe(StringRef name) {
    return remark::RemarkOpts::name(name).category("fuse-integer-products").function(function.getName());
  }

  static bool isPowerOfTwo(const QuantizationFactor &scale) {
    int exponent;
    return scale.number && std::abs(std::frexp(*scale.number, &exponent)) == 0.5;
  }

  /// Whether the product of floats rounds nothing either.
  static bool isExact(const Product &product, double most) {
    constexpr double kExactIntegers = 1 << 24;
    if (product.getConv() && product.getConv().getBias() && !product.sumsIntegers())
      return false; // which sums may begin with
    return product.sumsIntegers() || (most <= kExactIntegers && llvm::all_of(product.x.scales, isPowerOfTwo) &&
                                      llvm::all_of(product.w.scales, isPowerOfTwo));
  }

  std::optional<Refusal> check(const Product &product) {
    if (target.getFigure("int8_flops_per_ns") <= target.getFigure("matmul_flops_per_ns"))
      return Refusal{"no-instruction", "the target multiplies bytes no faster than floats",
                     "a target with a larger int8_flops_per_ns than matmul_flops_per_ns"};
    if (ShapedType::isDynamic(product.terms))
      return Refusal{"overflow", "the number of terms of a sum is not known", "a static extent"};
    double most = static_cast<double>(product.terms) * static_cast<double>(product.x.getLargest()) *
                  static_cast<double>(product.w.getLargest());
    if (!product.sumsIntegers() && most > std::numeric_limits<int32_t>::max())
      return Refusal{"overflow",
                     "a sum of " + std::to_string(product.terms) + " products of at most " +
                         std::to_string(product.x.getLargest()) + " by " + std::to_string(product.w.getLargest()) +
                         " may leave 32 bits",
                     "fewer terms"};
    // Windows of single channels gain what they read: bytes in place of floats.
    bool isGrouped = product.getConv() && product.getConv().getGroups() > 1;
    if (product.steps < kLeastSteps && !isGrouped)
      return Refusal{"few-steps",
                     "an instruction sums four products of neighbors, and there are " + std::to_string(product.steps) +
                         " along the innermost loop of a sum",
                     "at least " + std::to_string(kLeastSteps) + " channels"};
    if (std::optional<Refusal> refusal = checkFactors(product))
      return refusal;
    if (numerics < Numerics::Folds && !isExact(product, most))
      return Refusal{"numerics",
                     "sums of integers are exact where those of floats round; products of bytes take " +
                         llvm::formatv("{0:F2}", target.getFigure("matmul_flops_per_ns") / target.getFigure("int8_flops_per_ns")).str() +
                         " of the time",
                     "numerics=folds"};
    return std::nullopt;
  }

  /// Whether all scales and zero points can be taken out of the sum.
  static std::optional<Refusal> checkFactors(const Product &product) {
    Conv2dOp conv = product.getConv();
    for (unsigned operand : {0u, 1u}) {
      const Dequantized &side = operand == 0 ? product.x : product.w;
      auto leavesSum = [&](const QuantizationFactor &factor) {
        SmallVector<int64_t> shape;
        for (auto [dim, extent] : llvm::zip(factor.dims, cast<RankedTensorType>(factor.value.getType()).getShape()))
          if (dim >= 0) {
            if (product.getResultDim(operand, dim) < 0)
              return false;
            shape.push_back(extent);
          }
        return llvm::count_if(shape, ShapedType::isDynamic) <= 1;
      };
      if (!llvm::all_of(side.scales, leavesSum) || (side.zero && !leavesSum(*side.zero)))
        return Refusal{"factor-in-sum", "a scale or a zero point changes along what is summed, or is of several open extents",
                       "one scale and zero point for each sum"};
    }
    if (!conv)
      return std::nullopt;
    bool isShifted = product.w.isUnsigned() || product.w.zero;
    if (product.w.isUnsigned() && product.w.zero)
      isShifted = product.w.zero->number != 128.0;
    if (isShifted && conv.getGroups() != 1)
      return Refusal{"zero-point-of-filters", "filters of a grouped convolution have a zero point",
                     "filters of i8 with the zero point 0"};
    bool isPadded = llvm::any_of(conv.getPadding(), [](int64_t pad) { return pad != 0; });
    auto image = cast<RankedTensorType>(conv.getInput().getType());
    if (isPadded && product.x.zero && !product.x.zero->number &&
        ShapedType::isDynamicShape(image.getShape().drop_front()))
      return Refusal{"open-image", "padding of an image of open extents stands for a zero point that is computed",
                     "static extents, or a zero point that is known"};
    return std::nullopt;
  }

  FunctionOpInterface function;
  Numerics numerics;
  TargetAttr target;
};

struct IntegerProducts : fuse::impl::FuseIntegerProductsBase<IntegerProducts> {
  using FuseIntegerProductsBase::FuseIntegerProductsBase;

  void runOnOperation() override {
    std::optional<Numerics> allowed = readNumerics(getOperation(), numerics);
    if (!allowed)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        makeIntegerProducts(function, *allowed);
  }
};

} // namespace

void mlir::fuse::makeIntegerProducts(FunctionOpInterface function, Numerics numerics) {
  if (ProductRewriter(function, numerics).run())
    eraseDeadOps(function);
}
