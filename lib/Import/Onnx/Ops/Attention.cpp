//===- Attention.cpp - Attention and what stands beside it in transformers -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

/// softmax(scale · Q·Kᵀ + bias) · V. Queries are [B, G, H/G, L, D] where H heads share G groups of
/// keys [B, G, 1, S, D], else [B, H, L, D].
class AttentionImporter {
public:
  explicit AttentionImporter(Node &n) : n(n), b(n.b) {}

  LogicalResult run() {
    if (failed(readShapes()))
      return failure();
    Value query = splitHeads(0, heads), key = splitHeads(1, groups), value = splitHeads(2, groups);
    if (n.hasInput(4)) {
      key = b.concat({n.getInput(4), key}, 2);
      value = b.concat({n.getInput(5), value}, 2);
      offset = n.getExtents(4)[2];
    }
    n.setResult(1, key);
    n.setResult(2, value);
    keys = n.getExtents(key)[2];
    if (failed(buildBias()))
      return failure();

    bool isGrouped = heads != groups;
    if (isGrouped) {
      query = split(query, 1, groups);
      key = b.insertUnitDims(key, {2});
      value = b.insertUnitDims(value, {2});
    }
    double headSize = double(b.shapeOf(query).back());
    double scale = n.getFloat("scale", 1 / std::sqrt(headSize));
    Value scores = b.mul(b.matmul(query, key, false, /*transposeRhs=*/true), scale);
    int64_t mode = n.getInt("qk_matmul_output_mode", 0);
    if (mode == 0)
      keepScores(scores);
    if (double cap = n.getFloat("softcap", 0); cap > 0)
      scores = b.mul(b.unary(UnaryKind::Tanh, b.div(scores, cap)), cap);
    if (mode == 1)
      keepScores(scores);
    if (bias)
      scores = b.add(scores, bias);
    if (mode == 2)
      keepScores(scores);
    Value weights = buildSoftmax(scores);
    if (n.hasFailed())
      return failure();
    if (mode == 3)
      keepScores(weights);
    Value result = mergeGroups(b.matmul(weights, value));
    if (n.getRank(0) == 3) {
      result = b.transpose(result, {0, 2, 1, 3});
      ArrayRef<int64_t> shape = b.shapeOf(result);
      result = b.reshape(result, {shape[0], shape[1], shape[2] * shape[3]});
    }
    return n.setResult(result);
  }

private:
  LogicalResult readShapes() {
    int64_t rank = n.getRank(0);
    if ((rank != 3 && rank != 4) || n.getRank(1) != rank || n.getRank(2) != rank)
      return n.fail("expected operands of rank 3 or 4");
    if (n.hasInput(4) != n.hasInput(5))
      return n.fail("expected past_key and past_value together");
    for (size_t i : {4, 5})
      if (n.hasInput(i) && n.getRank(i) != 4)
        return n.fail("expected past keys and values of rank 4, found " + Twine(n.getRank(i)));
    if (n.hasInput(6) && n.getRank(6) != 1)
      return n.fail("expected a list of lengths as nonpad_kv_seqlen, found rank " +
                    Twine(n.getRank(6)));
    if (ShapedType::isDynamic(n.getShape(0).back()))
      return n.fail("expected a static head size");
    if (rank == 3) {
      heads = n.getInt("q_num_heads", 0);
      groups = n.getInt("kv_num_heads", 0);
      queries = n.getExtents(0)[1];
    } else {
      heads = n.getShape(0)[1];
      groups = n.getShape(1)[1];
      queries = n.getExtents(0)[2];
    }
    if (heads < 1 || groups < 1 || heads % groups != 0)
      return n.fail("expected a multiple of " + Twine(groups) + " heads, found " + Twine(heads));
    for (size_t i = 0; i < 3 && rank == 3; ++i) {
      int64_t width = n.getShape(i)[2], count = i == 0 ? heads : groups;
      if (ShapedType::isDynamic(width) || width % count != 0)
        return n.fail("expected a width that " + Twine(count) + " heads divide, found " +
                      Twine(width));
    }
    return success();
  }

  /// Operand i as [B, heads, length, size].
  Value splitHeads(size_t i, int64_t count) {
    Value x = n.getInput(i);
    if (n.getRank(i) == 4)
      return x;
    ArrayRef<int64_t> shape = n.getShape(i);
    return b.transpose(b.reshape(x, {shape[0], shape[1], count, shape[2] / count}), {0, 2, 1, 3});
  }

  /// Dimension `axis` as `outer` parts.
  Value split(Value x, int64_t axis, int64_t outer) {
    SmallVector<int64_t> shape(b.shapeOf(x));
    shape[axis] /= outer;
    shape.insert(shape.begin() + axis, outer);
    return b.reshape(x, shape);
  }

  Value mergeGroups(Value x) {
    if (heads == groups)
      return x;
    SmallVector<int64_t> shape(b.shapeOf(x));
    shape[1] *= shape[2];
    shape.erase(shape.begin() + 2);
    return b.reshape(x, shape);
  }

  void keepScores(Value scores) {
    if (n.wantsOutput(3))
      n.setResult(3, b.cast(mergeGroups(scores), n.getElementType(0)));
  }

  /// The conditions under which a query may read a key, but for the mask: [B or 1, 1, L or 1, S].
  Value buildConditions() {
    Type index = b.getBuilder().getI64Type();
    int64_t left = n.getInt("left_window_size", -1), right = n.getInt("right_window_size", -1);
    bool isCausal = n.getInt("is_causal", 0);
    Value allowed;
    auto require = [&](Value condition) {
      allowed = allowed ? b.binary(BinaryKind::And, allowed, condition) : condition;
    };
    AffineExpr one = n.getConstant(1);
    Value key = b.iota(n.getSizes({one, one, one, keys}), 3, index);
    Value used; // keys that are filled, per batch element
    if (n.hasInput(6)) {
      used = b.reshape(b.cast(n.getInput(6), index), {n.getShape(6)[0], 1, 1, 1});
      require(b.compare(ComparePredicate::Lt, key, used));
    }
    if (isCausal || left >= 0 || right >= 0) {
      Value query = b.iota(n.getSizes({one, one, queries, one}), 2, index);
      if (used && !n.hasInput(4))
        query = b.add(query, b.sub(used, n.getNumber(queries, index)));
      else if (offset && offset != n.getConstant(0))
        query = b.add(query, n.getNumber(offset, index));
      if (isCausal)
        require(b.compare(ComparePredicate::Le, key, query));
      if (left >= 0)
        require(b.compare(ComparePredicate::Ge, key, b.sub(query, double(left))));
      if (right >= 0)
        require(b.compare(ComparePredicate::Le, key, b.add(query, double(right))));
    }
    return allowed;
  }

  /// What is added to the scores, and which rows have no key at all.
  LogicalResult buildBias() {
    Type element = n.getElementType(0);
    double infinity = std::numeric_limits<double>::infinity();
    Value none = b.scalar(-infinity, element), zero = b.scalar(0, element);
    if (n.hasInput(3)) {
      if (n.getRank(3) < 1 || n.getRank(3) > 4)
        return n.fail("expected a mask of rank 1 to 4, found " + Twine(n.getRank(3)));
      Value mask = n.getInput(3);
      bool isBool = n.getElementType(3).isInteger(1);
      // A shorter mask has none for the last keys; one whose length is open is as long as the keys.
      auto missing = dyn_cast<AffineConstantExpr>(simplifyExtent(keys - n.getExtents(3).back()));
      if (!missing)
        n.assumeEqual(n.getExtents(3).back(), keys);
      if (missing && missing.getValue() > 0) {
        SmallVector<int64_t> low(n.getRank(3), 0), high(n.getRank(3), 0);
        high.back() = missing.getValue();
        mask = b.pad(mask, low, high, isBool ? 0 : -infinity);
      }
      SmallVector<int64_t> shape(b.shapeOf(mask));
      while (shape.size() < 4)
        shape.insert(shape.begin(), 1);
      mask = b.reshape(mask, shape);
      bias = isBool ? b.select(mask, zero, none) : b.cast(mask, element);
    }
    Value allowed = buildConditions();
    bool mayBeEmpty = n.hasInput(3) || n.hasInput(6) || n.getInt("left_window_size", -1) >= 0 ||
                      n.getInt("right_window_size", -1) >= 0;
    if (allowed)
      bias = b.select(allowed, bias ? bias : zero, none);
    if (!bias)
      return success();
    if (heads != groups) {
      SmallVector<int64_t> shape(b.shapeOf(bias));
      bias = shape[1] == 1 ? b.insertUnitDims(bias, {1}) : split(bias, 1, groups);
    }
    if (mayBeEmpty) {
      Value most = b.reduce(ReduceKind::Max, bias, {b.rankOf(bias) - 1}, true);
      isEmpty = b.compare(ComparePredicate::Eq, most, none);
    }
    return success();
  }

  Value buildSoftmax(Value scores) {
    Type element = n.getElementType(0), precision = element;
    if (int64_t given = n.getInt("softmax_precision", 0)) {
      auto type = getTensorElement(given);
      if (!type || !isFloatElement(*type)) {
        (void)n.fail("softmax_precision " + getDataTypeName(given) +
                     " is not supported");
        return scores;
      }
      precision = toMLIRType(*type, b.getContext());
    }
    Value wide = b.cast(scores, precision);
    Value weights = SoftmaxOp::create(b.getBuilder(), wide.getType(), wide, b.rankOf(wide) - 1);
    if (isEmpty)
      weights = b.select(isEmpty, b.scalarLike(0, weights), weights);
    return b.cast(weights, element);
  }

  Node &n;
  FuseBuilder &b;
  int64_t heads = 0, groups = 0;
  AffineExpr queries, keys;
  AffineExpr offset; ///< keys before the first query's; null for none
  Value bias, isEmpty;
};

} // namespace

/// Pairs of elements turned by angles whose cosines and sines are given by position.
static LogicalResult importRotaryEmbedding(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0), heads = n.getInt("num_heads", 0);
  if ((rank != 3 && rank != 4) || ShapedType::isDynamic(n.getShape(0).back()))
    return n.fail("expected rank 3 or 4 and a static head size");
  SmallVector<int64_t> shape(n.getShape(0));
  Value x = n.getInput(0);
  if (rank == 3) {
    if (heads < 1 || shape[2] % heads != 0)
      return n.fail("expected num_heads to divide the width " + Twine(shape[2]));
    x = b.transpose(b.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
  }
  int64_t size = b.shapeOf(x)[3], turned = n.getInt("rotary_embedding_dim", 0);
  turned = turned == 0 ? size : turned;
  if (turned < 2 || turned > size || turned % 2 != 0)
    return n.fail("expected an even rotary_embedding_dim of at most " + Twine(size) + ", found " +
                  Twine(turned));
  // [B, 1, L, turned / 2]
  if (n.hasInput(3) && (n.getRank(1) < 1 || n.getRank(2) < 1))
    return n.fail("expected tables of cosines and sines, found numbers");
  auto getTable = [&](size_t i) {
    Value table = n.getInput(i);
    if (n.hasInput(3))
      table = b.gather(table, n.getInput(3), 0);
    return b.rankOf(table) == 3 ? b.insertUnitDims(table, {1}) : table;
  };
  Value cosines = getTable(1), sines = getTable(2);
  if (b.rankOf(cosines) < 1 || b.rankOf(sines) < 1)
    return n.fail("expected lists of cosines and sines, found numbers");
  if (b.shapeOf(cosines).back() != turned / 2 || b.shapeOf(sines).back() != turned / 2)
    return n.fail("expected " + Twine(turned / 2) + " cosines and sines for each position");
  bool alternates = n.getInt("interleaved", 0);
  int64_t half = turned / 2;
  Value first = b.slice(x, 3, 0, half, alternates ? 2 : 1);
  Value second = b.slice(x, 3, alternates ? 1 : half, half, alternates ? 2 : 1);
  Value real = b.sub(b.mul(cosines, first), b.mul(sines, second));
  Value imaginary = b.add(b.mul(sines, first), b.mul(cosines, second));
  Value result;
  if (alternates) {
    SmallVector<int64_t> merged(b.shapeOf(x));
    merged[3] = turned;
    result = b.reshape(b.concat({b.insertUnitDims(real, {4}), b.insertUnitDims(imaginary, {4})}, 4),
                       merged);
    if (turned < size)
      result = b.concat({result, b.slice(x, 3, turned, size - turned)}, 3);
  } else {
    SmallVector<Value> parts{real, imaginary};
    if (turned < size)
      parts.push_back(b.slice(x, 3, turned, size - turned));
    result = b.concat(parts, 3);
  }
  if (rank == 3)
    result = b.reshape(b.transpose(result, {0, 2, 1, 3}), shape);
  return n.setResult(result);
}

/// a · sigmoid(alpha · a) · b.
static LogicalResult importSwiGlu(Node &n) {
  FuseBuilder &b = n.b;
  Value gate = n.getInput(0);
  double alpha = n.getFloat("alpha", 1);
  Value swish = alpha == 1 ? b.unary(UnaryKind::Silu, gate)
                           : b.mul(gate, b.unary(UnaryKind::Sigmoid, b.mul(gate, alpha)));
  return n.setResult(b.mul(swish, n.getInput(1)));
}

/// A depthwise convolution over a line's past: the last elements of the one before come first.
static LogicalResult importCausalConv(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getRank(0) != 3 || n.getRank(1) != 3 || !n.getType(1).hasStaticShape())
    return n.fail("expected lines [batch, channels, length] and filters [channels, 1, k]");
  SmallVector<int64_t> shape(n.getShape(0));
  int64_t taps = n.getShape(1)[2], past = taps - 1;
  if (n.getShape(1)[0] != shape[1] || n.getShape(1)[1] != 1 || taps < 1)
    return n.fail("expected one filter for each of " + Twine(shape[1]) + " channels");
  if (n.hasInput(3) && (n.getRank(3) != 3 || n.getShape(3)[2] != past))
    return n.fail("expected the last " + Twine(past) + " elements of each line as the past");
  Value x = n.getInput(0);
  Value line = n.hasInput(3) ? b.concat({n.getInput(3), x}, 2)
                             : b.pad(x, {0, 0, past}, {0, 0, 0}, 0.0);
  int64_t length = b.shapeOf(line)[2];
  Value image = b.reshape(line, {shape[0], shape[1], 1, length});
  Value filter = b.reshape(n.getInput(1), {shape[1], 1, 1, taps});
  int64_t ones[] = {1, 1}, none[] = {0, 0, 0, 0};
  int64_t kept = ShapedType::isDynamic(length) ? length : length - past;
  auto type = b.makeType({shape[0], shape[1], 1, kept}, b.elementOf(image));
  Value y = Conv2dOp::create(b.getBuilder(), type, image, filter,
                             n.hasInput(2) ? n.getInput(2) : Value(), ones, ones, none, shape[1],
                             ConvLayout::NchwFchw);
  y = b.reshape(y, {shape[0], shape[1], kept});
  std::string activation = n.getString("activation", "none");
  if (activation == "silu" || activation == "swish")
    y = b.unary(UnaryKind::Silu, y);
  else if (activation != "none")
    return n.fail("expected activation = none, silu or swish, found '" + activation + "'");
  n.setResult(0, y);
  n.setResult(1, b.slice(line, 2, n.getSize(n.getExtents(line)[2] - past), n.getSize(n.getConstant(past))));
  return success();
}

void mlir::fuse::onnx::addAttentionOps(OpTable &table) {
  table.add("Attention", 3, 7, [](Node &n) { return AttentionImporter(n).run(); });
  table.add("RotaryEmbedding", 3, 4, importRotaryEmbedding);
  table.add("SwiGLU", 2, 2, importSwiGlu);
  table.add("CausalConvWithState", 2, 4, importCausalConv);
}
