//===- Normalizations.cpp - Softmax and the norms -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Moments.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// What `build` makes of the operand and an axis of it: before opset 13 of all axes from that one
/// on, as one.
static LogicalResult alongAxis(Node &n, function_ref<Value(Value x, int64_t axis)> build) {
  FuseBuilder &b = n.b;
  Value x = n.getInput(0);
  bool isOld = n.getOpset() < 13;
  int64_t rank = n.getRank(0), axis = n.getAxis(isOld ? 1 : -1, rank);
  if (n.hasFailed())
    return failure();
  SmallVector<AffineExpr> extents = n.getExtents(0);
  if (isOld && axis != rank - 1) {
    x = n.reshape(x, {n.getProduct(ArrayRef(extents).take_front(axis)),
                      n.getProduct(ArrayRef(extents).drop_front(axis))});
    axis = 1;
  }
  return n.setResult(n.reshape(build(x, axis), extents));
}

static LogicalResult importSoftmax(Node &n) {
  return alongAxis(n, [&](Value x, int64_t axis) -> Value {
    return SoftmaxOp::create(n.b.getBuilder(), x.getType(), x, axis);
  });
}

static LogicalResult importLogSoftmax(Node &n) {
  FuseBuilder &b = n.b;
  return alongAxis(n, [&](Value x, int64_t axis) {
    Value shifted = b.sub(x, b.reduce(ReduceKind::Max, x, {axis}, true));
    Value sum = b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Exp, shifted), {axis}, true);
    return b.sub(shifted, b.unary(UnaryKind::Log, sum));
  });
}

/// One at the first largest element, zero elsewhere.
static LogicalResult importHardmax(Node &n) {
  FuseBuilder &b = n.b;
  return alongAxis(n, [&](Value x, int64_t axis) {
    Value largest = b.argmax(x, axis, /*keepDims=*/true);
    Value index = b.iota(n.getSizes(n.getExtents(x)), axis, b.getBuilder().getI64Type());
    return b.cast(b.compare(ComparePredicate::Eq, index, largest), b.elementOf(x));
  });
}

/// The type that norms compute in.
static Type getStashType(Node &n) {
  auto type = getTensorElement(n.getInt("stash_type", TensorProto::FLOAT));
  Type element = n.getElementType(0);
  if (!type || !isFloatElement(*type))
    return element;
  Type stash = toMLIRType(*type, n.b.getContext());
  // Nothing computes in less than the operand's type.
  return stash.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth() ? element : stash;
}

static LogicalResult importLayerNormalization(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  SmallVector<int64_t> axes = getAxesFrom(n.getAxis(-1, rank), rank);
  double epsilon = n.getFloat("epsilon", 1e-5);
  if (n.hasFailed())
    return failure();
  Value x = n.getInput(0), scale = n.getInput(1), offset = n.hasInput(2) ? n.getInput(2) : Value();
  Type element = n.getElementType(0), stash = getStashType(n);
  if (stash == element && !n.wantsOutput(1) && !n.wantsOutput(2))
    return n.setResult(LayerNormOp::create(b.getBuilder(), x.getType(), x, scale,
                                           offset, axes, APFloat(epsilon)));
  Moments moments(b, b.cast(x, stash), axes);
  Value deviation = moments.invert(b, epsilon);
  Value normal = b.cast(b.mul(moments.centered, deviation), element);
  Value result = b.mul(normal, scale);
  if (offset)
    result = b.add(result, offset);
  n.setResult(0, result);
  n.setResult(1, moments.mean);
  n.setResult(2, deviation);
  return success();
}

static LogicalResult importRmsNormalization(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  SmallVector<int64_t> axes = getAxesFrom(n.getAxis(-1, rank), rank);
  double epsilon = n.getFloat("epsilon", 1e-5);
  if (n.hasFailed())
    return failure();
  Type element = n.getElementType(0), stash = getStashType(n);
  Value x = b.cast(n.getInput(0), stash);
  Value mean = b.reduce(ReduceKind::Mean, b.mul(x, x), axes, true);
  Value root = b.unary(UnaryKind::Sqrt, b.add(mean, epsilon));
  Value normal = b.cast(b.div(x, root), element);
  return n.setResult(b.cast(b.mul(normal, b.cast(n.getInput(1), element)),
                            n.getElementType(1)));
}

/// With the mean and the variance of the batch, as training has it, and as standardized weights are
/// exported; further results are what the running mean and variance become.
static LogicalResult importTrainingBatchNormalization(Node &n, ArrayRef<Value> parameters) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  Value x = n.getInput(0);
  SmallVector<int64_t> axes = {0};
  llvm::append_range(axes, llvm::seq<int64_t>(2, rank));
  SmallVector<Value> lists;
  for (Value list : parameters)
    lists.push_back(alongChannels(b, list, rank));
  Moments moments(b, x, axes);
  Value normal = b.mul(moments.centered, moments.invert(b, n.getFloat("epsilon", 1e-5)));
  n.setResult(0, b.add(b.mul(normal, lists[0]), lists[1]));
  double momentum = n.getFloat("momentum", 0.9);
  for (auto [number, now] : llvm::enumerate(ArrayRef<Value>{moments.mean, moments.variance})) {
    Value list = b.reshape(now, b.shapeOf(parameters[2 + number]));
    n.setResult(1 + number,
                b.add(b.mul(parameters[2 + number], momentum), b.mul(list, 1 - momentum)));
  }
  return success();
}

static LogicalResult importBatchNormalization(Node &n) {
  if (n.getOpset() < 9 && !n.getInt("spatial", 1))
    return n.fail("spatial = 0 is not supported");
  if (n.getRank(0) < 2)
    return n.fail("expected rank 2 or more, found " + Twine(n.getRank(0)));
  FuseBuilder &b = n.b;
  Type element = n.getElementType(0);
  SmallVector<Value> parameters;
  for (size_t i = 1; i < 5; ++i) {
    if (n.getRank(i) != 1)
      return n.fail("expected lists as scale, offset, mean and variance");
    parameters.push_back(b.cast(n.getInput(i), element));
  }
  if (n.getInt("training_mode", 0))
    return importTrainingBatchNormalization(n, parameters);
  Value x = n.getInput(0);
  return n.setResult(BatchNormOp::create(b.getBuilder(), x.getType(), x, parameters[0], parameters[1],
                                         parameters[2], parameters[3],
                                         n.b.getBuilder().getF64FloatAttr(n.getFloat("epsilon", 1e-5)),
                                         n.b.getBuilder().getI64IntegerAttr(1)));
}

static LogicalResult importInstanceNormalization(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  if (rank < 3 || n.getRank(1) != 1 || n.getRank(2) != 1)
    return n.fail("expected rank 3 or more, and lists as scale and offset");
  Value normal =
      normalize(b, b.widen(n.getInput(0)), getAxesFrom(2, rank), n.getFloat("epsilon", 1e-5));
  normal = b.cast(normal, n.getElementType(0));
  return n.setResult(b.add(b.mul(normal, alongChannels(b, n.getInput(1), rank)),
                           alongChannels(b, n.getInput(2), rank)));
}

/// Before opset 21 scale and offset were those of the groups, from then on of the channels.
static LogicalResult importGroupNormalization(Node &n) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> shape(n.getShape(0));
  int64_t groups = n.getInt("num_groups", 0), rank = n.getRank(0);
  if (rank < 3 || ShapedType::isDynamic(shape[1]) || groups < 1 || shape[1] % groups != 0 ||
      n.getRank(1) != 1 || n.getRank(2) != 1)
    return n.fail("expected rank 3 or more, and channels that num_groups divides");
  Type element = n.getElementType(0), stash = getStashType(n);
  SmallVector<int64_t> split(shape);
  split[1] /= groups;
  split.insert(split.begin() + 1, groups);
  Value x = b.reshape(b.cast(n.getInput(0), stash), split);
  Value normal = b.cast(normalize(b, x, getAxesFrom(2, rank + 1), n.getFloat("epsilon", 1e-5)), element);
  Value scale = n.getInput(1), offset = n.getInput(2);
  bool isOfGroups = n.getShape(1)[0] == groups && groups != shape[1];
  if (isOfGroups) {
    normal = b.add(b.mul(normal, alongChannels(b, scale, rank + 1)),
                   alongChannels(b, offset, rank + 1));
    return n.setResult(b.reshape(normal, shape));
  }
  normal = b.reshape(normal, shape);
  return n.setResult(b.add(b.mul(normal, alongChannels(b, scale, rank)),
                           alongChannels(b, offset, rank)));
}

static LogicalResult importMeanVarianceNormalization(Node &n) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> axes = n.getInts("axes", {0, 2, 3});
  for (int64_t &axis : axes)
    axis = n.normalizeAxis(axis, n.getRank(0));
  if (n.hasFailed())
    return failure();
  Moments moments(b, b.widen(n.getInput(0)), axes);
  Value deviation = b.add(b.unary(UnaryKind::Sqrt, moments.variance), 1e-9);
  return n.setResult(b.cast(b.div(moments.centered, deviation), n.getElementType(0)));
}

/// Along an axis, by the sum of magnitudes (p = 1) or the Euclidean length; zero over zero is zero.
static LogicalResult importLpNormalization(Node &n) {
  FuseBuilder &b = n.b;
  int64_t axis = n.getAxis(-1, n.getRank(0)), p = n.getInt("p", 2);
  if (n.hasFailed())
    return failure();
  if (p != 1 && p != 2)
    return n.fail("expected p = 1 or 2, found " + Twine(p));
  Value x = b.widen(n.getInput(0));
  Value size = p == 1 ? b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Abs, x), {axis}, true)
                      : b.unary(UnaryKind::Sqrt, b.reduce(ReduceKind::Sum, b.mul(x, x), {axis}, true));
  Value zero = b.scalarLike(0, x);
  Value isZero = b.compare(ComparePredicate::Eq, size, zero);
  return n.setResult(b.cast(b.select(isZero, zero, b.div(x, size)), n.getElementType(0)));
}

/// x / (bias + alpha / size · Σ x² over the neighboring channels)^beta.
static LogicalResult importLrn(Node &n) {
  FuseBuilder &b = n.b;
  int64_t size = n.getInt("size", 0), rank = n.getRank(0);
  if (size < 1 || rank < 2 || ShapedType::isDynamic(n.getShape(0)[1]))
    return n.fail("expected a size of at least 1 and a static number of channels");
  if (failed(n.takeUnrolled(size)))
    return failure();
  Value x = b.widen(n.getInput(0));
  int64_t channels = n.getShape(0)[1], before = (size - 1) / 2;
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  low[1] = before;
  high[1] = size - 1 - before;
  Value squares = b.pad(b.mul(x, x), low, high, 0.0);
  Value sum;
  for (int64_t i = 0; i < size; ++i) {
    Value part = b.slice(squares, 1, i, channels);
    sum = sum ? b.add(sum, part) : part;
  }
  Value base = b.add(b.mul(sum, n.getFloat("alpha", 1e-4) / double(size)), n.getFloat("bias", 1.0));
  Value power = b.binary(BinaryKind::Pow, base, b.scalarLike(n.getFloat("beta", 0.75), x));
  return n.setResult(b.cast(b.div(x, power), n.getElementType(0)));
}

void mlir::fuse::onnx::addNormalizationOps(OpTable &table) {
  table.add("Softmax", 1, 1, importSoftmax);
  table.add("LogSoftmax", 1, 1, importLogSoftmax);
  table.add("Hardmax", 1, 1, importHardmax);
  table.add("BatchNormalization", 5, 5, importBatchNormalization);
  table.add("LayerNormalization", 2, 3, importLayerNormalization);
  table.add("RMSNormalization", 2, 2, importRmsNormalization);
  table.add("InstanceNormalization", 3, 3, importInstanceNormalization);
  table.add("GroupNormalization", 3, 3, importGroupNormalization);
  table.add("MeanVarianceNormalization", 1, 1, importMeanVarianceNormalization);
  table.add("LpNormalization", 1, 1, importLpNormalization);
  table.add("LRN", 1, 1, importLrn);
}
