//===- ShortenProducts.cpp - The pass fuse-shorten-products -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Parameters.h"
#include "ReadNumerics.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESHORTENPRODUCTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static bool isF32(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

std::vector<WeightedProduct> mlir::fuse::findWeightedProducts(FunctionOpInterface function) {
  std::vector<WeightedProduct> products;
  for (Operation &op : function.getFunctionBody().front()) {
    if (!isa<MatmulOp, Conv2dOp>(op) || !isF32(op.getResult(0)) || !isF32(op.getOperand(0)) || !isF32(op.getOperand(1)))
      continue;
    bool isFirst = isParameter(op.getOperand(0)), isSecond = isParameter(op.getOperand(1));
    if (isFirst == isSecond || (isFirst && isa<Conv2dOp>(op)))
      continue;
    products.push_back({&op, &op.getOpOperand(isFirst), &op.getOpOperand(isSecond)});
  }
  return products;
}

//===- Bytes ------------------------------------------------------------------------------===//

void mlir::fuse::quantizeActivations(FunctionOpInterface function, ArrayRef<ActivationRange> ranges) {
  llvm::MapVector<Value, SmallVector<OpOperand *>> readers;
  for (const WeightedProduct &product : findWeightedProducts(function))
    readers[product.activations->get()].push_back(product.activations);
  for (const ActivationRange &range : ranges) {
    // Quantized zero is a byte: what pads stays 0, and so does what a relu cuts off.
    double low = std::min(range.low, 0.0f), high = std::max(range.high, 0.0f);
    double scale = static_cast<float>((high - low) / 255);
    if (!(scale > 0) || !std::isfinite(scale))
      scale = 1;
    double zero = std::clamp(std::nearbyint(-low / scale), 0.0, 255.0);
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(range.value);
    FuseBuilder b(builder, range.value.getLoc());
    Type f32 = builder.getF32Type(), byte = builder.getIntegerType(8, /*isSigned=*/false);
    Value q = b.add(b.unary(UnaryKind::RoundEven, b.div(range.value, scale)), zero);
    q = b.cast(q, byte);
    Value known = b.mul(b.sub(b.cast(q, f32), zero), scale);
    for (OpOperand *reader : readers.lookup(range.value))
      reader->set(known);
  }
}

/// Whether a value is made of bytes by a cast and arithmetic with numbers that are known.
static bool isDequantized(Value value) {
  value = getViewSource(value);
  if (auto binary = value.getDefiningOp<BinaryOp>())
    return llvm::is_contained({BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul}, binary.getKind()) &&
           isParameter(binary.getRhs()) && isDequantized(binary.getLhs());
  auto cast = value.getDefiningOp<CastOp>();
  return cast && FuseBuilder::elementOf(cast.getOperand()).isInteger(8);
}

/// The dimensions of a product's weights that it sums over.
static SmallVector<int64_t> getSummedDims(const WeightedProduct &product) {
  int64_t rank = FuseBuilder::rankOf(product.weights->get());
  if (auto matmul = dyn_cast<MatmulOp>(product.op)) {
    bool isLhs = product.weights->getOperandNumber() == 0;
    bool isTurned = isLhs ? matmul.getTransposeLhs() : matmul.getTransposeRhs();
    return {isLhs != isTurned ? rank - 1 : rank - 2};
  }
  bool filterFirst = cast<Conv2dOp>(product.op).getLayout() == ConvLayout::NchwFchw;
  return llvm::to_vector(llvm::seq<int64_t>(filterFirst ? 1 : 0, filterFirst ? 4 : 3));
}

namespace {

class Shortening {
public:
  Shortening(func::FuncOp function, Precision precision) : function(function), precision(precision) {}

  void run() {
    for (const WeightedProduct &product : findWeightedProducts(function))
      precision == Precision::BF16 ? roundOperands(product) : quantizeWeights(product);
  }

private:
  void roundOperands(const WeightedProduct &product) {
    for (OpOperand *operand : {product.activations, product.weights}) {
      Value &rounded = changed[operand->get()];
      if (!rounded) {
        OpBuilder builder(function.getContext());
        builder.setInsertionPointAfterValue(operand->get());
        rounded = FuseBuilder(builder, operand->get().getLoc()).cast(operand->get(), builder.getBF16Type());
      }
      operand->set(rounded);
    }
  }

  void quantizeWeights(const WeightedProduct &product) {
    if (!isDequantized(product.activations->get()))
      return;
    Value weights = product.weights->get();
    OpBuilder builder(product.op);
    FuseBuilder b(builder, weights.getLoc());
    // The least scale keeps columns of zeros from a division by zero.
    constexpr double kMostByte = 127, kLeastScale = 1e-30;
    Value size = b.reduce(ReduceKind::Max, b.unary(UnaryKind::Abs, weights), getSummedDims(product), /*keepDims=*/true);
    Value scale = b.binary(BinaryKind::Max, b.div(size, kMostByte), b.scalarLike(kLeastScale, size));
    Value bytes = b.cast(b.unary(UnaryKind::RoundEven, b.div(weights, scale)), builder.getIntegerType(8));
    product.weights->set(b.mul(b.cast(bytes, builder.getF32Type()), scale));
  }

  func::FuncOp function;
  Precision precision;
  DenseMap<Value, Value> changed; ///< operands, rounded
};

struct ShortenProducts : fuse::impl::FuseShortenProductsBase<ShortenProducts> {
  using FuseShortenProductsBase::FuseShortenProductsBase;

  void runOnOperation() override {
    std::optional<Numerics> allowed = readNumerics(getOperation(), numerics);
    std::optional<Precision> wanted = parsePrecision(precision);
    if (!allowed)
      return signalPassFailure();
    if (!wanted) {
      getOperation().emitError() << "unknown precision '" << precision
                                 << "', expected one of: " << llvm::join(getPrecisionNames(), ", ");
      return signalPassFailure();
    }
    if (*wanted == Precision::AsWritten)
      return;
    if (*allowed < Numerics::ReducedPrecision) {
      getOperation().emitError() << "precision=" << precision
                                 << " rounds operands of products: expected numerics=reduced-precision, found numerics="
                                 << numerics;
      return signalPassFailure();
    }
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        Shortening(function, *wanted).run();
  }
};

} // namespace
