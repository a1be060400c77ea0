//===- Classical.cpp - Linear models, and what stands beside them (ai.onnx.ml) -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Rows of features in f32, whatever their type; one line of them is a row. Null after a failure.
static Value getRows(Node &n) {
  FuseBuilder &b = n.b;
  Value x = b.cast(n.getInput(0), b.getBuilder().getF32Type());
  if (n.getRank(0) == 1)
    return b.insertUnitDims(x, {0});
  if (n.getRank(0) == 2)
    return x;
  (void)n.fail("expected rows of features, found rank " + Twine(n.getRank(0)));
  return {};
}

static Value makeList(FuseBuilder &b, ArrayRef<double> values, ArrayRef<int64_t> shape) {
  return b.constant(HostArray::fromFloats(ElementType::F32, shape, values));
}

/// (x − offset) · scale.
static LogicalResult importScaler(Node &n) {
  FuseBuilder &b = n.b;
  Value x = getRows(n);
  if (!x)
    return failure();
  int64_t features = b.shapeOf(x)[1];
  SmallVector<double> offset = n.getFloats("offset"), scale = n.getFloats("scale");
  for (ArrayRef<double> list : {ArrayRef(offset), ArrayRef(scale)})
    if (list.size() > 1 && static_cast<int64_t>(list.size()) != features)
      return n.fail("expected one number, or one for each of " + describeExtent(features) + " features, found " +
                    Twine(list.size()));
  if (!offset.empty())
    x = b.sub(x, makeList(b, offset, {int64_t(offset.size())}));
  if (!scale.empty())
    x = b.mul(x, makeList(b, scale, {int64_t(scale.size())}));
  return n.setResult(b.reshape(x, n.getShape(0)));
}

/// Rows over their largest element, their sum of magnitudes or their length; by 0 nothing is divided.
static LogicalResult importNormalizer(Node &n) {
  FuseBuilder &b = n.b;
  Value x = getRows(n);
  if (!x)
    return failure();
  std::string norm = n.getString("norm", "MAX");
  Value size;
  if (norm == "MAX")
    size = b.reduce(ReduceKind::Max, x, {1}, true);
  else if (norm == "L1")
    size = b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Abs, x), {1}, true);
  else if (norm == "L2")
    size = b.unary(UnaryKind::Sqrt, b.reduce(ReduceKind::Sum, b.mul(x, x), {1}, true));
  else
    return n.fail("expected norm = MAX, L1 or L2, found '" + norm + "'");
  Value isZero = b.compare(ComparePredicate::Eq, size, 0.0);
  x = b.div(x, b.select(isZero, b.scalarLike(1, size), size));
  return n.setResult(b.reshape(x, n.getShape(0)));
}

/// x · coefficientsᵀ + intercepts, [rows, targets]; null after a failure.
static Value scoreRows(Node &n, int64_t targets) {
  FuseBuilder &b = n.b;
  Value x = getRows(n);
  if (!x)
    return {};
  SmallVector<double> coefficients = n.getFloats("coefficients"), intercepts = n.getFloats("intercepts");
  int64_t features = b.shapeOf(x)[1], count = static_cast<int64_t>(coefficients.size());
  if (targets < 1 || ShapedType::isDynamic(features) || count / targets != features || count % targets != 0 ||
      (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != targets)) {
    (void)n.fail("expected coefficients and intercepts for " + describeExtent(features) + " features and " +
                 Twine(targets) + " targets, found " + Twine(count) + " and " + Twine(intercepts.size()));
    return {};
  }
  Value scores = b.matmul(x, makeList(b, coefficients, {targets, features}), false, /*transposeRhs=*/true);
  return intercepts.empty() ? scores : b.add(scores, makeList(b, intercepts, {targets}));
}

/// A softmax among the scores that are not 0, as ONNX Runtime has it: those that are stay next to 0.
static Value takeSoftmaxOfNonZero(FuseBuilder &b, Value scores) {
  Value largest = b.reduce(ReduceKind::Max, scores, {1}, /*keepDims=*/true);
  Value counts = b.compare(ComparePredicate::Gt, b.unary(UnaryKind::Abs, scores), double(1e-7f));
  Value powers = b.unary(UnaryKind::Exp, b.sub(scores, largest));
  Value sum = b.reduce(ReduceKind::Sum, b.select(counts, powers, b.scalarLike(0, scores)), {1}, /*keepDims=*/true);
  Value rest = b.mul(scores, b.unary(UnaryKind::Exp, b.unary(UnaryKind::Neg, largest)));
  return b.div(b.select(counts, powers, rest), sum);
}

/// What post_transform says of scores; of one score alone ONNX Runtime leaves it out.
static FailureOr<Value> transformScores(Node &n, Value scores) {
  std::string transform = n.getString("post_transform", "NONE");
  bool isOne = n.b.shapeOf(scores)[1] == 1;
  if (transform == "NONE" || (isOne && llvm::is_contained({"LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"}, transform)))
    return scores;
  if (transform == "SOFTMAX_ZERO")
    return takeSoftmaxOfNonZero(n.b, scores);
  if (transform == "LOGISTIC")
    return n.b.unary(UnaryKind::Sigmoid, scores);
  if (transform == "SOFTMAX")
    return Value(SoftmaxOp::create(n.b.getBuilder(), scores.getType(), scores, 1));
  return n.fail("post_transform " + transform + " is not supported");
}

static LogicalResult importLinearRegressor(Node &n) {
  Value scores = scoreRows(n, n.getInt("targets", 1));
  FailureOr<Value> result = scores ? transformScores(n, scores) : FailureOr<Value>(failure());
  return failed(result) ? failure() : n.setResult(*result);
}

/// The class with the highest score, and the scores of all. Two classes may share one score: that of the second.
static LogicalResult importLinearClassifier(Node &n) {
  FuseBuilder &b = n.b;
  if (n.hasAttribute("classlabels_strings"))
    return n.fail("classlabels_strings are not supported");
  SmallVector<int64_t> labels = n.getInts("classlabels_ints");
  if (labels.empty())
    return n.fail("expected classlabels_ints");
  int64_t classes = static_cast<int64_t>(labels.size());
  bool isShared = classes == 2 && n.getFloats("intercepts").size() == 1;
  Value scores = scoreRows(n, isShared ? 1 : classes);
  if (!scores)
    return failure();
  Value best, result;
  if (isShared) {
    Value isSecond = b.compare(ComparePredicate::Gt, scores, 0.0);
    best = b.reshape(b.cast(isSecond, b.getBuilder().getI64Type()), {b.shapeOf(scores)[0]});
    bool isLogistic = n.getString("post_transform", "NONE") == "LOGISTIC";
    Value first = isLogistic ? b.unary(UnaryKind::Neg, scores) : b.sub(b.scalarLike(1, scores), scores);
    result = b.concat({first, scores}, 1);
    if (isLogistic)
      result = b.unary(UnaryKind::Sigmoid, result);
  } else {
    best = b.argmax(scores, 1, /*keepDims=*/false);
    FailureOr<Value> transformed = transformScores(n, scores);
    if (failed(transformed))
      return failure();
    result = *transformed;
  }
  n.setResult(0, b.gather(b.constant(labels), best, 0));
  n.setResult(1, result);
  return success();
}

/// The elements along the last axis that indices name.
static LogicalResult importArrayFeatureExtractor(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getRank(0) < 1 || !n.getType(1).hasStaticShape())
    return n.fail("expected rank 1 or more, and a list of indices of a known length");
  Value indices = b.reshape(n.getInput(1), {n.getType(1).getNumElements()});
  Value taken = b.gather(n.getInput(0), indices, n.getRank(0) - 1);
  return n.setResult(n.getRank(0) == 1 ? b.insertUnitDims(taken, {0}) : taken);
}

void mlir::fuse::onnx::addClassicalOps(OpTable &table) {
  table.add("ai.onnx.ml.Scaler", 1, 1, importScaler);
  table.add("ai.onnx.ml.Normalizer", 1, 1, importNormalizer);
  table.add("ai.onnx.ml.LinearRegressor", 1, 1, importLinearRegressor);
  table.add("ai.onnx.ml.LinearClassifier", 1, 1, importLinearClassifier);
  table.add("ai.onnx.ml.ArrayFeatureExtractor", 2, 2, importArrayFeatureExtractor);
}
