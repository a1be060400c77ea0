//===- Activations.cpp - Activations -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// A kind of the dialect, as it is.
static LogicalResult importKind(Node &n, UnaryKind kind) {
  Value x = n.tensor("self");
  if (!isa<FloatType>(n.b.elementOf(x)) && kind != UnaryKind::Relu)
    return n.fail("expected floats");
  if (n.b.elementOf(x).isInteger(1))
    return n.fail("expected numbers, found bools");
  return n.setResult(n.b.unary(kind, x));
}

/// A formula that eager mode computes in f32 for shorter floats, and rounds once.
static LogicalResult importActivation(Node &n, llvm::function_ref<Value(FuseBuilder &, Value)> build) {
  Value x = n.tensor("self");
  if (!isa<FloatType>(n.b.elementOf(x)))
    return n.fail("expected floats");
  return n.setResult(n.b.cast(build(n.b, n.b.widen(x)), n.b.elementOf(x)));
}

static LogicalResult importGelu(Node &n) {
  std::string form = n.getString("approximate", "none");
  if (form != "none" && form != "tanh")
    return n.fail("expected approximate = none or tanh, found '" + form + "'");
  Value x = n.tensor("self");
  if (!isa<FloatType>(n.b.elementOf(x)))
    return n.fail("expected floats");
  Value result = n.b.unary(UnaryKind::Gelu, x);
  result.getDefiningOp<UnaryOp>().setApproximate(form == "tanh" ? GeluForm::Tanh : GeluForm::None);
  return n.setResult(result);
}

/// scale · (x where it is above 0, else alpha · (exp(inputScale · x) − 1))
static LogicalResult importElu(Node &n, double alpha, double scale, double inputScale) {
  return importActivation(n, [&](FuseBuilder &b, Value x) {
    Value negative = b.mul(b.unary(UnaryKind::Expm1, b.mul(x, inputScale)), alpha * scale);
    return b.select(b.compare(ComparePredicate::Le, x, 0.0), negative, b.mul(x, scale));
  });
}

static LogicalResult importCelu(Node &n) {
  double alpha = n.getFloat("alpha", 1);
  return importElu(n, alpha, 1, 1 / alpha);
}

static LogicalResult importHardtanh(Node &n) {
  Value x = n.tensor("self");
  Number low, high;
  low.kind = high.kind = Number::Float;
  low.value = -1;
  high.value = 1;
  Type element = n.b.elementOf(x);
  if (element.isInteger(1))
    return n.fail("expected numbers, found bools");
  x = n.b.binary(BinaryKind::Max, x, n.makeScalar(n.getNumber("min_val", low), element));
  return n.setResult(n.b.binary(BinaryKind::Min, x, n.makeScalar(n.getNumber("max_val", high), element)));
}

static LogicalResult importSoftplus(Node &n) {
  double beta = n.getFloat("beta", 1), threshold = n.getFloat("threshold", 20);
  return importActivation(n, [&](FuseBuilder &b, Value x) {
    Value scaled = beta == 1 ? x : b.mul(x, beta);
    Value soft = b.unary(UnaryKind::Log1p, b.unary(UnaryKind::Exp, scaled));
    return b.select(b.compare(ComparePredicate::Gt, scaled, threshold), x, beta == 1 ? soft : b.div(soft, beta));
  });
}

static LogicalResult importPrelu(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), weight = n.tensor("weight");
  // One slope for each of the channels, the second dimension; the inner op has it in shape already.
  if (b.rankOf(weight) == 1 && b.shapeOf(weight)[0] != 1 && b.rankOf(x) > 2) {
    SmallVector<int64_t> shape(b.rankOf(x) - 1, 1);
    shape.front() = b.shapeOf(weight)[0];
    weight = b.reshape(weight, shape);
  } else if (b.rankOf(weight) == 1 && b.rankOf(x) < 1) {
    weight = b.reshape(weight, ArrayRef<int64_t>());
  }
  return n.setResult(b.select(b.compare(ComparePredicate::Gt, x, 0.0), x, b.mul(weight, x)));
}

static LogicalResult importThreshold(Node &n) {
  Value x = n.tensor("self");
  Type element = n.b.elementOf(x);
  Value bound = n.makeScalar(n.getNumber("threshold"), element), value = n.makeScalar(n.getNumber("value"), element);
  return n.setResult(n.b.select(n.b.compare(ComparePredicate::Le, x, bound), value, x));
}

static LogicalResult importGlu(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t dim = n.getDim("dim", -1, b.rankOf(x));
  if (n.hasFailed())
    return failure();
  if (b.rankOf(x) == 0 || ShapedType::isDynamic(b.shapeOf(x)[dim]) || b.shapeOf(x)[dim] % 2 != 0)
    return n.fail("expected an even extent that is known before the program runs");
  int64_t half = b.shapeOf(x)[dim] / 2;
  Value left = b.slice(x, dim, 0, half), right = b.slice(x, dim, half, half);
  return n.setResult(b.mul(left, b.unary(UnaryKind::Sigmoid, right)));
}

static LogicalResult importDropout(Node &n, StringRef flag) {
  if (n.getBool(flag, false) && n.getFloat("p", 0.5) != 0)
    return n.fail("dropout of training is not supported: it draws random numbers");
  Value x = n.tensor(n.has("self") ? "self" : "input");
  n.setResult(0, x);
  if (n.wants(1)) {
    Number yes;
    yes.kind = Number::Bool;
    yes.integer = 1;
    yes.value = 1;
    n.setResult(1, n.fill(yes, n.getExtents(x), n.b.getBuilder().getI1Type()));
  }
  return success();
}

/// Softmax in the result's type: of shorter floats in f32, as eager mode computes it.
static LogicalResult importSoftmax(Node &n, bool isLog) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  Type result = n.getType("dtype", b.elementOf(x));
  if (n.getBool("half_to_float", false))
    result = b.getBuilder().getF32Type();
  int64_t dim = n.getDim("dim", -1, b.rankOf(x));
  if (n.hasFailed())
    return failure();
  if (!isa<FloatType>(result))
    return n.fail("expected floats");
  bool isScalar = b.rankOf(x) == 0;
  x = b.cast(x, result);
  if (isScalar)
    x = b.reshape(x, {1});
  Value wide = isLog ? b.widen(x) : x, y;
  if (isLog) {
    Value shifted = b.sub(wide, b.reduce(ReduceKind::Max, wide, {dim}, true));
    Value sum = b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Exp, shifted), {dim}, true);
    y = b.cast(b.sub(shifted, b.unary(UnaryKind::Log, sum)), result);
  } else {
    y = SoftmaxOp::create(b.getBuilder(), wide.getType(), wide, dim);
  }
  return n.setResult(isScalar ? b.reshape(y, ArrayRef<int64_t>()) : y);
}

void mlir::fuse::torch::addActivationOps(OpTable &table) {
  table.add("relu.default", "self", [](Node &n) { return importKind(n, UnaryKind::Relu); });
  table.add("silu.default", "self", [](Node &n) { return importKind(n, UnaryKind::Silu); });
  table.add("gelu.default", "self", importGelu);
  table.add("relu6.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    if (n.b.elementOf(x).isInteger(1))
      return n.fail("expected numbers, found bools");
    return n.setResult(n.b.clamp(x, n.b.scalarLike(0, x), n.b.scalarLike(6, x)));
  });
  table.add("hardtanh.default", "self", importHardtanh);
  table.add("hardsigmoid.default", "self", [](Node &n) {
    return importActivation(n, [](FuseBuilder &b, Value x) {
      Value shifted = b.clamp(b.add(x, 3.0), b.scalarLike(0, x), b.scalarLike(6, x));
      return b.div(shifted, 6.0);
    });
  });
  table.add("hardswish.default", "self", [](Node &n) {
    return importActivation(n, [](FuseBuilder &b, Value x) {
      return b.div(b.mul(x, b.clamp(b.add(x, 3.0), b.scalarLike(0, x), b.scalarLike(6, x))), 6.0);
    });
  });
  table.add("leaky_relu.default", "self", [](Node &n) {
    double slope = n.getFloat("negative_slope", 0.01);
    return importActivation(n, [&](FuseBuilder &b, Value x) {
      return b.select(b.compare(ComparePredicate::Gt, x, 0.0), x, b.mul(x, slope));
    });
  });
  table.add("elu.default", "self", [](Node &n) {
    return importElu(n, n.getFloat("alpha", 1), n.getFloat("scale", 1), n.getFloat("input_scale", 1));
  });
  table.add("selu.default", "self", [](Node &n) {
    return importElu(n, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
  });
  table.add("celu.default", "self", importCelu);
  table.add("mish.default", "self", [](Node &n) {
    return importActivation(
        n, [](FuseBuilder &b, Value x) { return b.mul(x, b.unary(UnaryKind::Tanh, b.unary(UnaryKind::Softplus, x))); });
  });
  table.add("softplus.default", "self", importSoftplus);
  table.add("softshrink.default", "self", [](Node &n) {
    double lambda = n.getFloat("lambd", 0.5);
    return importActivation(n, [&](FuseBuilder &b, Value x) {
      Value high = b.select(b.compare(ComparePredicate::Gt, x, lambda), b.sub(x, lambda), b.mul(x, 0.0));
      return b.select(b.compare(ComparePredicate::Lt, x, -lambda), b.add(x, lambda), high);
    });
  });
  table.add("hardshrink.default", "self", [](Node &n) {
    double lambda = n.getFloat("lambd", 0.5);
    return importActivation(n, [&](FuseBuilder &b, Value x) {
      Value isInside = b.binary(BinaryKind::And, b.compare(ComparePredicate::Ge, x, -lambda),
                                b.compare(ComparePredicate::Le, x, lambda));
      return b.select(isInside, b.scalarLike(0, x), x);
    });
  });
  table.add("log_sigmoid.default log_sigmoid_forward.default", "self", [](Node &n) {
    auto getExp = [](FuseBuilder &b, Value x) {
      return b.unary(UnaryKind::Exp, b.unary(UnaryKind::Neg, b.unary(UnaryKind::Abs, x)));
    };
    Value x = n.tensor("self");
    // What the gradient reads beside.
    if (!n.hasFailed() && n.wants(1))
      n.setResult(1, n.b.cast(getExp(n.b, n.b.widen(x)), n.b.elementOf(x)));
    return importActivation(n, [&](FuseBuilder &b, Value x) {
      Value low = b.binary(BinaryKind::Min, x, b.scalarLike(0, x));
      return b.sub(low, b.unary(UnaryKind::Log1p, getExp(b, x)));
    });
  });
  table.add("prelu.default _prelu_kernel.default", "self weight", importPrelu);
  table.add("threshold.default", "self", importThreshold);
  table.add("glu.default", "self", importGlu);
  table.add("rrelu.default", "self", [](Node &n) -> LogicalResult {
    if (n.getBool("training", false))
      return n.fail("training is not supported: it draws random numbers");
    double slope = (n.getFloat("lower", 0.125) + n.getFloat("upper", 1.0 / 3)) / 2;
    return importActivation(n, [&](FuseBuilder &b, Value x) {
      return b.select(b.compare(ComparePredicate::Gt, x, 0.0), x, b.mul(x, slope));
    });
  });
  table.addView("dropout.default feature_dropout.default alpha_dropout.default feature_alpha_dropout.default",
                "input|self", [](Node &n) { return importDropout(n, "train"); });
  table.add("native_dropout.default", "input", [](Node &n) { return importDropout(n, "train"); });
  table.add("softmax.int _softmax.default", "self", [](Node &n) { return importSoftmax(n, false); });
  table.add("log_softmax.int _log_softmax.default", "self", [](Node &n) { return importSoftmax(n, true); });
}
