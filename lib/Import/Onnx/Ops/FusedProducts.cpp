//===- FusedProducts.cpp - Products and convolutions with what follows them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Operators of ONNX Runtime that its optimizer makes of several of ONNX: products with transpositions and factors,
// convolutions with a sum and an activation, activations with a bias.
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Recurrences.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// x [rows, batch ..., columns] as [batch ..., rows, columns].
static Value moveRowsBehindBatch(FuseBuilder &b, Value x) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, b.rankOf(x) - 1));
  order.push_back(0);
  order.push_back(b.rankOf(x) - 1);
  return b.transpose(x, order);
}

/// alpha · A · B, of matrices behind batch dimensions.
static LogicalResult importFusedMatMul(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.getInput(0), y = n.getInput(1);
  int64_t lhsRank = n.getRank(0), rhsRank = n.getRank(1);
  if (lhsRank < 1 || rhsRank < 1)
    return n.fail("expected rank 1 or more, found 0");
  // Vectors have nothing to transpose.
  bool transA = lhsRank > 1 && n.getInt("transA", 0), transB = rhsRank > 1 && n.getInt("transB", 0);
  if (lhsRank > 2 && n.getInt("transBatchA", 0))
    x = moveRowsBehindBatch(b, x);
  if (rhsRank > 2 && n.getInt("transBatchB", 0))
    y = moveRowsBehindBatch(b, y);
  if (lhsRank == 1)
    x = b.insertUnitDims(x, {0});
  if (rhsRank == 1)
    y = b.insertUnitDims(y, {1});
  Value product = b.matmul(x, y, transA, transB);
  SmallVector<int64_t> shape(b.shapeOf(product));
  if (lhsRank == 1)
    shape.erase(shape.end() - 2);
  if (rhsRank == 1)
    shape.pop_back();
  product = b.reshape(product, shape);
  double alpha = n.getFloat("alpha", 1);
  return n.setResult(alpha == 1 ? product : b.mul(product, alpha));
}

/// An activation as fused operators name it; fails for one that none of them has.
static FailureOr<Value> applyActivation(Node &n, Value x, ArrayRef<double> parameters) {
  std::string name = n.getString("activation", "");
  if (name.empty())
    return x;
  FuseBuilder &b = n.b;
  auto get = [&](size_t i, double fallback) { return i < parameters.size() ? parameters[i] : fallback; };
  if (name == "Clip")
    return b.clamp(x, b.scalarLike(get(0, std::numeric_limits<float>::lowest()), x),
                   b.scalarLike(get(1, std::numeric_limits<float>::max()), x));
  static constexpr struct {
    const char *name;
    double alpha, beta;
  } kKnown[] = {{"Relu", 0, 0}, {"Tanh", 0, 0}, {"Sigmoid", 0, 0}, {"LeakyRelu", 0.01, 0}, {"Softsign", 0, 0},
                {"Softplus", 0, 0}, {"Elu", 1, 0}, {"HardSigmoid", 0.2, 0.5}, {"ThresholdedRelu", 1, 0}};
  for (const auto &known : kKnown)
    if (name == known.name)
      return activate(b, {StringRef(name).lower(), get(0, known.alpha), get(1, known.beta)}, x);
  return n.fail("the activation '" + name + "' is not supported");
}

/// activation(alpha · A · B + beta · C).
static LogicalResult importFusedGemm(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getRank(0) != 2 || n.getRank(1) != 2)
    return n.fail("expected two matrices");
  double alpha = n.getFloat("alpha", 1), beta = n.getFloat("beta", 1);
  Value result = b.matmul(n.getInput(0), n.getInput(1), n.getInt("transA", 0) != 0, n.getInt("transB", 0) != 0);
  if (alpha != 1)
    result = b.mul(result, alpha);
  if (n.hasInput(2) && beta != 0)
    result = b.add(result, beta == 1 ? n.getInput(2) : b.mul(n.getInput(2), beta));
  SmallVector<double> parameters;
  for (const char *name : {"activation_alpha", "activation_beta", "activation_gamma"})
    if (n.hasAttribute(name))
      parameters.push_back(n.getFloat(name, 0));
  FailureOr<Value> activated = applyActivation(n, result, parameters);
  return failed(activated) ? failure() : n.setResult(*activated);
}

/// activation(Conv(X, W, B) + Z).
static LogicalResult importFusedConv(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<Value> convolved = buildConvolution(n);
  if (failed(convolved))
    return failure();
  Value result = *convolved;
  if (n.hasInput(3))
    result = b.add(result, n.getInput(3));
  FailureOr<Value> activated = applyActivation(n, result, n.getFloats("activation_params"));
  return failed(activated) ? failure() : n.setResult(*activated);
}

/// A convolution with channels last, those of the filters [F, ..., C / groups] as well.
static LogicalResult importNhwcConv(Node &n) {
  int64_t rank = n.getRank(1);
  if (rank < 3)
    return n.fail("expected a filter of rank 3 or more, found " + Twine(rank));
  SmallVector<int64_t> order{0, rank - 1};
  order.append(llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
  n.setInput(1, n.b.transpose(n.getInput(1), order));
  FailureOr<Value> result = buildConvolution(n);
  return failed(result) ? failure() : n.setResult(*result);
}

/// Max pooling with channels last.
static LogicalResult importNhwcMaxPool(Node &n) {
  FailureOr<Window> window =
      getWindow(n, n.getInts("kernel_shape"), n.getInt("ceil_mode", 0) != 0, /*isCut=*/true);
  if (failed(window))
    return failure();
  if (window->isSame)
    return n.fail("expected static spatial extents");
  return n.setResult(poolMax(n, n.getInput(0), *window));
}

//===- Activations --------------------------------------------------------------------------===//

static LogicalResult setGelu(Node &n, Value x, GeluForm form) {
  Value result = n.b.unary(UnaryKind::Gelu, x);
  result.getDefiningOp<UnaryOp>().setApproximate(form);
  return n.setResult(result);
}

/// x with the list that may be the second operand added.
static Value addBias(Node &n) {
  return n.hasInput(1) ? n.b.add(n.getInput(0), n.getInput(1)) : n.getInput(0);
}

/// x · sigmoid(alpha · x).
static LogicalResult importQuickGelu(Node &n) {
  Value x = n.getInput(0);
  double alpha = n.getFloat("alpha", 1.702);
  return n.setResult(n.b.mul(x, n.b.unary(UnaryKind::Sigmoid, n.b.mul(x, alpha))));
}

void mlir::fuse::onnx::addFusedProductOps(OpTable &table) {
  auto add = [&](StringRef name, unsigned least, unsigned most, std::function<LogicalResult(Node &)> import) {
    table.add(("com.microsoft." + name).str(), least, most, std::move(import));
  };
  auto always = [](Node &) { return true; };
  add("FusedMatMul", 2, 2, importFusedMatMul);
  add("TransposeMatMul", 2, 2, importFusedMatMul);
  add("FusedGemm", 2, 3, importFusedGemm);
  add("FusedConv", 2, 4, importFusedConv);
  add("NhwcConv", 2, 3, withChannelsLast(importNhwcConv, always));
  add("NhwcMaxPool", 1, 1, withChannelsLast(importNhwcMaxPool, always));
  add("Gelu", 1, 1, [](Node &n) { return setGelu(n, n.getInput(0), GeluForm::None); });
  add("BiasGelu", 2, 2, [](Node &n) { return setGelu(n, addBias(n), GeluForm::None); });
  add("FastGelu", 1, 2, [](Node &n) { return setGelu(n, addBias(n), GeluForm::Tanh); });
  add("QuickGelu", 1, 1, importQuickGelu);
}
