//===- LinearAttention.cpp - Attention with a recurrent state, unrolled over time -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// With decay g, update rate β and a state of [B, H, K, V], each step makes
///   S = exp(g) · S + k ⊗ β · (v − kᵀ · exp(g) · S),  output = scale · qᵀ · S,
/// of which each update rule has a part.
static LogicalResult importLinearAttention(Node &n) {
  FuseBuilder &b = n.b;
  std::string rule = n.getString("update_rule", "gated_delta");
  bool decays = rule == "gated" || rule == "gated_delta";
  bool corrects = rule == "delta" || rule == "gated_delta";
  if (!decays && !corrects && rule != "linear")
    return n.fail("expected update_rule = linear, gated, delta or gated_delta, found '" + rule +
                  "'");
  int64_t heads = n.getInt("kv_num_heads", 0), queryHeads = n.getInt("q_num_heads", 0);
  if (heads < 1 || queryHeads < 1 || queryHeads % heads != 0)
    return n.fail("expected q_num_heads to be a multiple of kv_num_heads");
  if (n.hasInput(4) != decays || n.hasInput(5) != corrects)
    return n.fail("expected decay and beta where update_rule = " + rule + " has them only");
  for (size_t i = 0; i < 6; ++i)
    if (n.hasInput(i) && (n.getRank(i) != (i == 3 ? 4 : 3) || !n.getType(i).hasStaticShape()))
      return n.fail("expected static shapes of rank 3, and of rank 4 for the state");
  int64_t batch = n.getShape(0)[0], steps = n.getShape(0)[1], groups = queryHeads / heads;
  int64_t keys = n.getShape(0)[2] / queryHeads, values = n.getShape(2)[2] / heads;
  auto isPacked = [&](size_t i, int64_t size) {
    return n.getShape(i) == ArrayRef<int64_t>{batch, steps, size};
  };
  if (!isPacked(0, queryHeads * keys) || !isPacked(1, heads * keys) ||
      !isPacked(2, heads * values))
    return n.fail("expected queries, keys and values of one length and number of heads");
  if (decays && !isPacked(4, heads) && !isPacked(4, heads * keys))
    return n.fail("expected a decay for each head, or for each element of a key");
  if (corrects && !isPacked(5, heads) && !isPacked(5, 1))
    return n.fail("expected a beta for each head, or one");
  if (n.hasInput(3) && n.getShape(3) != ArrayRef<int64_t>{batch, heads, keys, values})
    return n.fail("expected a state for each head");
  if (steps < 1)
    return n.fail("expected at least one step");
  if (failed(n.takeUnrolled(steps)))
    return failure();

  Type wide = b.getBuilder().getF32Type();
  if (n.getElementType(0).isF64())
    wide = n.getElementType(0);
  // Operand `i` of all steps, [B, T, `each`...].
  auto split = [&](size_t i, ArrayRef<int64_t> each) {
    SmallVector<int64_t> shape{batch, steps};
    shape.append(each.begin(), each.end());
    return b.cast(b.reshape(n.getInput(i), shape), wide);
  };
  Value query = split(0, {heads, groups, keys}), key = split(1, {heads, 1, keys}),
        value = split(2, {heads, 1, values}), decay, beta;
  if (decays) // along the keys of a state
    decay = b.unary(UnaryKind::Exp, split(4, {heads, n.getShape(4)[2] / heads, 1}));
  if (corrects)
    beta = split(5, {n.getShape(5)[2], 1, 1});
  double scale = n.getFloat("scale", 0);
  query = b.mul(query, scale == 0 ? 1 / std::sqrt(double(keys)) : scale);
  auto at = [&](Value x, int64_t step) {
    SmallVector<int64_t> shape(b.shapeOf(x));
    shape.erase(shape.begin() + 1);
    return b.reshape(b.slice(x, 1, step, 1), shape);
  };

  Value state = n.hasInput(3) ? b.cast(n.getInput(3), wide) : Value(); // null: zero
  SmallVector<Value> outputs;
  for (int64_t step = 0; step < steps; ++step) {
    Value k = at(key, step), v = at(value, step);
    if (state && decays)
      state = b.mul(state, at(decay, step));
    if (state && corrects)
      v = b.sub(v, b.matmul(k, state));
    if (corrects)
      v = b.mul(v, at(beta, step));
    Value update = b.mul(b.reshape(k, {batch, heads, keys, 1}), v);
    state = state ? b.add(state, update) : update;
    outputs.push_back(b.reshape(b.matmul(at(query, step), state), {batch, 1, queryHeads * values}));
  }
  n.setResult(0, b.cast(b.concat(outputs, 1), n.getElementType(0)));
  n.setResult(1, b.cast(state, n.getElementType(n.hasInput(3) ? 3 : 0)));
  return success();
}

void mlir::fuse::onnx::addLinearAttentionOps(OpTable &table) {
  table.add("LinearAttention", 3, 6, importLinearAttention);
}
