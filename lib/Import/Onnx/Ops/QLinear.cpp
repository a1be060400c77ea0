//===- QLinear.cpp - Operators from quantized tensors to quantized tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What ONNX Runtime computes for them on a CPU, in the order in which it rounds.
//
//===----------------------------------------------------------------------------------------===//

#include "Quantized.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {
/// A quantized tensor with its scale (f32) and zero point (its own type, null for 0), both of rank 0.
struct QLinearOperand {
  Value value, scale, zero;
};
} // namespace

/// The operand `first` and the two behind it.
static FailureOr<QLinearOperand> getOperand(Node &n, size_t first, StringRef name) {
  auto element = dyn_cast<IntegerType>(n.getElementType(first));
  if (!element || element.getWidth() > 16 || element.getWidth() < 8)
    return n.fail("expected '" + name + "' of integers of 8 or 16 bits, found " + n.getElementName(first));
  if (!n.getElementType(first + 1).isF32())
    return n.fail("expected a scale of FLOAT, found " + n.getElementName(first + 1));
  if (failed(checkZeroType(n, first + 2, first, name)))
    return failure();
  QLinearOperand operand{n.getInput(first), getOne(n, first + 1, (name + "_scale").str()),
                         getZero(n, first + 2, (name + "_zero_point").str())};
  if (n.hasFailed())
    return failure();
  return operand;
}

/// scale · (x − zero point).
static Value dequantize(FuseBuilder &b, const QLinearOperand &x) {
  return dequantize(b, x.value, x.zero, x.scale);
}

/// Numbers with the scale and the zero point that are operands `scale` and behind, those of `name`.
static LogicalResult setQuantized(Node &n, Value x, size_t scale, StringRef name, Type element) {
  FuseBuilder &b = n.b;
  Value divided = b.div(x, getOne(n, scale, (name + "_scale").str()));
  Value zero = getZero(n, scale + 1, (name + "_zero_point").str());
  return n.hasFailed() ? failure() : n.setResult(quantize(b, divided, zero, element));
}

//===- Element by element -------------------------------------------------------------------===//

/// A zero point as a float of rank 0.
static Value zeroAsFloat(FuseBuilder &b, Value zero, Type element) {
  return zero ? b.cast(zero, element) : b.scalar(0, element);
}

/// x · y + z, rounded once to f32.
static Value multiplyAdd(FuseBuilder &b, Value x, Value y, Value z) {
  Type f64 = b.getBuilder().getF64Type(), f32 = b.getBuilder().getF32Type();
  return b.cast(b.add(b.mul(b.cast(x, f64), b.cast(y, f64)), b.cast(z, f64)), f32);
}

/// Whether the second operand, and the result by its zero point, are of the type of the first.
static LogicalResult checkSameType(Node &n) {
  if (n.getElementType(3) != n.getElementType(0))
    return n.fail("expected 'B' of the type of 'A', " + n.getElementName(0) + ", found " + n.getElementName(3));
  return checkZeroType(n, 7, 0, "C");
}

/// (a − za) · sa / sc + (b − zb) · sb / sc + zc: what does not depend on elements is summed first.
static LogicalResult importQLinearAdd(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<QLinearOperand> x = getOperand(n, 0, "A"), y = getOperand(n, 3, "B");
  if (failed(x) || failed(y) || failed(checkSameType(n)))
    return failure();
  Type f32 = b.getBuilder().getF32Type();
  Value scale = getOne(n, 6, "C_scale"), zero = getZero(n, 7, "C_zero_point");
  if (n.hasFailed())
    return failure();
  Value xRatio = b.div(x->scale, scale), yRatio = b.div(y->scale, scale);
  Value yPart = b.mul(yRatio, zeroAsFloat(b, y->zero, f32));
  Value fixed = b.sub(zeroAsFloat(b, zero, f32), multiplyAdd(b, xRatio, zeroAsFloat(b, x->zero, f32), yPart));
  // A number beside a row is added first.
  auto isOne = [&](const QLinearOperand &each) {
    return b.rankOf(each.value) == 0 || b.shapeOf(each.value).back() == 1;
  };
  if (isOne(*x) && !isOne(*y)) {
    std::swap(*x, *y);
    std::swap(xRatio, yRatio);
  }
  Value sum = multiplyAdd(b, b.cast(y->value, f32), yRatio, fixed);
  sum = multiplyAdd(b, b.cast(x->value, f32), xRatio, sum);
  return n.setResult(b.cast(b.unary(UnaryKind::RoundEven, sum), n.getElementType(0)));
}

/// (a − za) · (b − zb) · (sa · sb / sc) + zc, rounded at the end.
static LogicalResult importQLinearMul(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<QLinearOperand> x = getOperand(n, 0, "A"), y = getOperand(n, 3, "B");
  if (failed(x) || failed(y) || failed(checkSameType(n)))
    return failure();
  Type f32 = b.getBuilder().getF32Type();
  Value scale = getOne(n, 6, "C_scale"), zero = getZero(n, 7, "C_zero_point");
  if (n.hasFailed())
    return failure();
  auto shift = [&](const QLinearOperand &each) {
    Value number = b.cast(each.value, f32);
    return each.zero ? b.sub(number, b.cast(each.zero, f32)) : number;
  };
  Value ratio = b.div(b.mul(x->scale, y->scale), scale);
  Value product = b.mul(b.mul(shift(*x), shift(*y)), ratio); // of bytes the first one is exact
  if (zero)
    product = b.add(product, b.cast(zero, f32));
  return n.setResult(b.cast(b.unary(UnaryKind::RoundEven, product), n.getElementType(0)));
}

static LogicalResult importQLinearUnary(Node &n, function_ref<Value(Value)> apply) {
  FailureOr<QLinearOperand> x = getOperand(n, 0, "X");
  return failed(x) ? failure() : setQuantized(n, apply(dequantize(n.b, *x)), 3, "Y", n.getElementType(0));
}

static LogicalResult importQLinearWhere(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<QLinearOperand> x = getOperand(n, 1, "X"), y = getOperand(n, 4, "Y");
  if (failed(x) || failed(y))
    return failure();
  return setQuantized(n, b.select(n.getInput(0), dequantize(b, *x), dequantize(b, *y)), 7, "Z", n.getElementType(1));
}

/// Parts with the scale and zero point of the result are taken as they are.
static LogicalResult importQLinearConcat(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getNumInputs() % 3 != 2)
    return n.fail("expected a scale and a zero point with each part");
  auto isSame = [&](size_t i, size_t k) {
    HostArray one = n.getKnown(i), other = n.getKnown(k);
    return one && other && one.getNumElements() == 1 && other.getNumElements() == 1 &&
           one.getFloat(0) == other.getFloat(0);
  };
  Type element = n.getElementType(1);
  Value scale = getOne(n, 0, "Y_scale"), zero = getZero(n, 1, "Y_zero_point");
  SmallVector<Value> parts;
  for (size_t i = 2; i < n.getNumInputs(); i += 3) {
    FailureOr<QLinearOperand> part = getOperand(n, i, "inputs");
    if (failed(part))
      return failure();
    if (n.getElementType(i) != element || b.rankOf(part->value) != n.getRank(2))
      return n.fail("expected parts of one rank and of the result's type");
    bool isKept = isSame(0, i + 1) && isSame(1, i + 2);
    parts.push_back(isKept ? part->value : quantize(b, b.div(dequantize(b, *part), scale), zero, element));
  }
  int64_t axis = n.getAxis(0, n.getRank(2));
  return n.hasFailed() ? failure() : n.setResult(b.concat(parts, axis));
}

//===- Softmax ------------------------------------------------------------------------------===//

/// Exponentials are those of f64 as f32, all moved by what keeps their sum in range, and 1 / scale is rounded down.
static LogicalResult importQLinearSoftmax(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<QLinearOperand> x = getOperand(n, 0, "X");
  if (failed(x))
    return failure();
  Type f32 = b.getBuilder().getF32Type(), f64 = b.getBuilder().getF64Type(), i32 = b.getBuilder().getI32Type();
  int64_t rank = n.getRank(0);
  bool isOld = n.getInt("opset", 13) < 13;
  int64_t axis = n.getAxis(isOld ? 1 : -1, rank);
  Value inverse = b.unary(UnaryKind::Floor, b.div(b.scalar(1, f32), getOne(n, 3, "y_scale")));
  Value zero = getZero(n, 4, "y_zero_point");
  if (n.hasFailed())
    return failure();
  SmallVector<AffineExpr> extents = n.getExtents(0);
  Value value = x->value;
  if (isOld && axis != rank - 1) {
    value = n.reshape(value, {n.getProduct(ArrayRef(extents).take_front(axis)),
                              n.getProduct(ArrayRef(extents).drop_front(axis))});
    axis = 1;
  }
  // log(max / terms) − 5 over the scale, 0 at least.
  Value terms = n.getNumber(n.getExtents(value)[axis], f32);
  Value room = b.unary(UnaryKind::Log, b.cast(b.div(b.scalar(std::numeric_limits<float>::max(), f32), terms), f64));
  room = b.binary(BinaryKind::Max, b.sub(room, 5), b.scalar(0, f64));
  Value scale = b.cast(x->scale, f64), shift = b.div(room, scale);
  // A byte is at most 255 behind the greatest one: a table has all exponentials that there can be.
  constexpr int64_t kMostBehind = 255;
  Value behind = b.sub(b.iota(kMostBehind + 1, 0, f64), static_cast<double>(kMostBehind));
  Value table = b.cast(b.unary(UnaryKind::Exp, b.mul(b.add(behind, shift), scale)), f32);
  Value greatest = b.cast(b.reduce(ReduceKind::Max, value, {axis}, /*keepDims=*/true), i32);
  Value index = b.add(b.sub(b.cast(value, i32), greatest), static_cast<double>(kMostBehind));
  Value powers = b.gather(table, index, /*axis=*/0);
  Value sum = b.reduce(ReduceKind::Sum, powers, {axis}, /*keepDims=*/true);
  Value result = quantize(b, b.div(b.mul(powers, inverse), sum), zero, n.getElementType(0));
  return n.setResult(n.reshape(result, extents));
}

//===- Poolings -----------------------------------------------------------------------------===//

/// The mean over all spatial elements: a sum of integers, scaled once.
static LogicalResult poolAll(Node &n, const QLinearOperand &x) {
  FuseBuilder &b = n.b;
  Type f32 = b.getBuilder().getF32Type(), i32 = b.getBuilder().getI32Type();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, b.rankOf(x.value)));
  SmallVector<AffineExpr> extents = n.getExtents(x.value);
  AffineExpr count = n.getProduct(ArrayRef(extents).drop_front(2));
  Value sum = b.reduce(ReduceKind::Sum, b.cast(x.value, i32), axes, /*keepDims=*/true);
  if (x.zero)
    sum = b.sub(sum, b.mul(b.cast(x.zero, i32), n.getNumber(count, i32)));
  Value factor = b.div(x.scale, b.mul(getOne(n, 3, "y_scale"), n.getNumber(count, f32)));
  Value zero = getZero(n, 4, "y_zero_point");
  return n.hasFailed() ? failure() : n.setResult(requantize(b, sum, factor, zero, n.getElementType(0)));
}

static LogicalResult importQLinearGlobalAveragePool(Node &n) {
  FailureOr<QLinearOperand> x = getOperand(n, 0, "X");
  if (failed(x))
    return failure();
  return n.getRank(0) < 3 ? n.fail("expected rank 3 or more") : poolAll(n, *x);
}

static LogicalResult importQLinearAveragePool(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<QLinearOperand> x = getOperand(n, 0, "X");
  if (failed(x))
    return failure();
  FailureOr<Window> window =
      getWindow(n, n.getInts("kernel_shape"), n.getInt("ceil_mode", 0) != 0, /*isCut=*/true);
  if (failed(window))
    return failure();
  if (window->rank() == 3 && !n.isStaticBehindBatch(0))
    return n.fail("expected a static shape");
  bool isWhole = ArrayRef<int64_t>(window->kernel) == n.getShape(0).drop_front(2) && !window->isSame;
  for (int64_t pad : llvm::concat<int64_t>(window->low, window->high))
    isWhole &= pad == 0;
  if (isWhole)
    return poolAll(n, *x);
  FailureOr<Value> mean = poolAverage(n, dequantize(b, *x), *window, n.getInt("count_include_pad", 0));
  if (failed(mean))
    return failure();
  // The zero point is added before the result is rounded.
  Value result = b.div(*mean, getOne(n, 3, "y_scale"));
  if (Value zero = getZero(n, 4, "y_zero_point"))
    result = b.add(result, b.cast(zero, b.elementOf(result)));
  return n.hasFailed() ? failure()
                       : n.setResult(b.cast(b.unary(UnaryKind::RoundEven, result), n.getElementType(0)));
}

void mlir::fuse::onnx::addQLinearOps(OpTable &table) {
  // Zero points may be left out.
  auto add = [&](StringRef name, unsigned least, unsigned most, std::function<LogicalResult(Node &)> import) {
    table.add(("com.microsoft." + name).str(), least, most, std::move(import)).optionalInputs = {2, 5};
  };
  add("QLinearAdd", 7, 8, importQLinearAdd);
  add("QLinearMul", 7, 8, importQLinearMul);
  add("QLinearSigmoid", 4, 5, [](Node &n) {
    return importQLinearUnary(n, [&](Value x) { return n.b.unary(UnaryKind::Sigmoid, x); });
  });
  add("QLinearLeakyRelu", 4, 5, [](Node &n) {
    return importQLinearUnary(
        n, [&](Value x) { return n.b.unary(UnaryKind::LeakyRelu, x, n.getFloat("alpha", 0.01f)); });
  });
  add("QLinearWhere", 9, 9, importQLinearWhere);
  add("QLinearConcat", 5, OpTable::kAny, importQLinearConcat);
  add("QLinearSoftmax", 4, 5, importQLinearSoftmax);
  add("QLinearGlobalAveragePool", 5, 5, withChannelsLast(importQLinearGlobalAveragePool));
  add("QLinearAveragePool", 4, 5, withChannelsLast(importQLinearAveragePool));
}
