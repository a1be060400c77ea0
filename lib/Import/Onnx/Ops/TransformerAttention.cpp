//===- TransformerAttention.cpp - ONNX Runtime's attention operators -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/ComputedNumbers.h"
#include "../../Common/Indices.h"
#include "HeadAttention.h"
#include "Quantized.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// The keys, or values, of calls before in front of those of this one, where operand `past` is there.
static Value addPast(Node &n, size_t past, Value now) {
  return n.hasInput(past) ? n.b.concat({n.getInput(past), now}, 2) : now;
}

//===- Attention and QAttention -------------------------------------------------------------===//

/// Attention of what is projected, [B, S, Q + K + V] elements; `past` is [2, B, N, P, H].
static LogicalResult attendProjected(Node &n, Value projected, size_t mask, size_t past, size_t bias) {
  FuseBuilder &b = n.b;
  int64_t heads = n.getInt("num_heads", 0), width = b.shapeOf(projected)[2];
  if (ShapedType::isDynamic(width))
    return n.fail("expected weights of static shape");
  SmallVector<int64_t> sizes = n.getInts("qkv_hidden_sizes", {width / 3, width / 3, width - 2 * (width / 3)});
  if (heads < 1 || sizes.size() != 3 || sizes[0] != sizes[1] || llvm::any_of(sizes, [&](int64_t size) {
        return size < heads || size % heads != 0;
      }) || sizes[0] + sizes[1] + sizes[2] != width)
    return n.fail("expected widths of queries, keys and values that num_heads divides, found " + Twine(width));
  if (sizes[1] != sizes[2] && (n.hasInput(past) || n.wantsOutput(1)))
    return n.fail("expected keys and values of one size, since one tensor holds both for the next call; found widths " +
                  Twine(sizes[1]) + " and " + Twine(sizes[2]));
  if (n.getInt("past_present_share_buffer", 0) || n.getInt("do_rotary", 0))
    return n.fail("past_present_share_buffer and do_rotary are not supported");
  SmallVector<Value, 3> parts;
  int64_t offset = 0;
  for (int64_t size : sizes) {
    FailureOr<Value> part = splitHeads(n, b.slice(projected, 2, offset, size), heads);
    if (failed(part))
      return failure();
    parts.push_back(*part);
    offset += size;
  }
  HeadAttention attention{parts[0], parts[1], parts[2], Value()};
  AffineExpr before = n.getConstant(0);
  if (n.hasInput(past)) {
    if (n.getRank(past) != 5 || n.getShape(past)[0] != 2)
      return n.fail("expected past keys and values [2, batch, heads, length, size]");
    before = n.getExtents(past)[3];
    auto take = [&](int64_t i, Value now) {
      SmallVector<AffineExpr> extents = n.getExtents(past);
      extents.erase(extents.begin());
      return b.concat({n.reshape(b.slice(n.getInput(past), 0, i, 1), extents), now}, 2);
    };
    attention.key = take(0, attention.key);
    attention.value = take(1, attention.value);
  }
  if (n.wantsOutput(1))
    n.setResult(1, b.concat({b.insertUnitDims(attention.key, {0}), b.insertUnitDims(attention.value, {0})}, 0));
  SmallVector<AffineExpr> queries = n.getExtents(attention.query), keys = n.getExtents(attention.key);
  bool isCausal = n.getInt("unidirectional", 0) != 0;
  FailureOr<Value> masked = buildMask(n, mask, {queries[0], queries[2], keys[2], before}, isCausal,
                                      n.getFloat("mask_filter_value", -10000.0), b.getBuilder().getF32Type());
  if (failed(masked))
    return failure();
  attention.bias = *masked;
  if (n.hasInput(bias))
    attention.bias = *masked ? b.add(*masked, b.widen(n.getInput(bias))) : n.getInput(bias);
  attention.scale = n.getFloat("scale", 0);
  return n.setResult(joinHeads(b, attention.build(n)));
}

static LogicalResult importAttention(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getRank(0) != 3 || n.getRank(1) != 2)
    return n.fail("expected an input of rank 3 and a matrix of weights");
  Value projected = b.matmul(n.getInput(0), n.getInput(1));
  if (n.hasInput(2))
    projected = b.add(projected, n.getInput(2));
  if (n.hasInput(6))
    return n.fail("past_sequence_length is not supported");
  return attendProjected(n, projected, 3, 4, 5);
}

/// The same, of a quantized input and quantized weights.
static LogicalResult importQAttention(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getRank(0) != 3 || n.getRank(1) != 2)
    return n.fail("expected an input of rank 3 and a matrix of weights");
  FailureOr<QuantizedOperand> x = getQuantized(n, 0, 6, "input"), w = getQuantized(n, 1, 7, "weight");
  if (failed(x) || failed(w) || failed(checkShape(n, 2, "bias", {{n.getShape(1)[1]}})) ||
      failed(checkParameter(n, 3, "input_scale", {})) || failed(checkOfColumns(n, 4, "weight_scale", n.getShape(1))) ||
      failed(checkParameter(n, 6, "input_zero_point", {})) || failed(checkOfColumns(n, 7, "weight_zero_point", n.getShape(1))))
    return failure();
  if (x->zero)
    x->zero = b.reshape(x->zero, ArrayRef<int64_t>{});
  Value factor = b.mul(n.getInput(4), getOne(n, 3, "input_scale"));
  if (n.hasFailed())
    return failure();
  Value projected = b.mul(b.cast(multiplyIntegers(n, *x, *w), b.elementOf(factor)), factor);
  return attendProjected(n, b.add(projected, n.getInput(2)), 5, 8, /*bias=*/n.getNumInputs());
}

//===- MultiHeadAttention -------------------------------------------------------------------===//

/// Element `i` of the dimension before the last of [B, S, N, count, H], as [B, N, S, H].
static Value takePacked(Node &n, Value packed, int64_t i) {
  SmallVector<AffineExpr> extents = n.getExtents(packed);
  Value part = n.reshape(n.b.slice(packed, 3, i, 1), {extents[0], extents[1], extents[2], extents[4]});
  return n.b.transpose(part, {0, 2, 1, 3});
}

static LogicalResult importMultiHeadAttention(Node &n) {
  FuseBuilder &b = n.b;
  int64_t heads = n.getInt("num_heads", 0);
  bool hasKey = n.hasInput(1), hasValue = n.hasInput(2);
  int64_t rank = n.getRank(0), keyRank = hasKey ? n.getRank(1) : 0;
  if (heads < 1 || (rank != 3 && rank != 5) || (rank == 5) == hasKey || (hasKey && keyRank < 3) || keyRank > 5 ||
      hasValue != (keyRank == 3 || keyRank == 4) || (hasValue && n.getRank(2) != keyRank))
    return n.fail("expected queries of rank 3 with keys and values, with keys packed with values, or packed with both");
  if (n.hasInput(6) != n.hasInput(7))
    return n.fail("expected past_key and past_value together");
  if (n.hasInput(8) || n.hasInput(9))
    return n.fail("past_sequence_length and cache_indirection are not supported");
  HeadAttention attention;
  auto split = [&](size_t i, Value &to) {
    FailureOr<Value> made = splitHeads(n, n.getInput(i), heads);
    to = failed(made) ? Value() : *made;
    return succeeded(made);
  };
  if (rank == 5) {
    attention.query = takePacked(n, n.getInput(0), 0);
    attention.key = takePacked(n, n.getInput(0), 1);
    attention.value = takePacked(n, n.getInput(0), 2);
  } else {
    if (!split(0, attention.query))
      return failure();
    if (keyRank == 5) {
      attention.key = takePacked(n, n.getInput(1), 0);
      attention.value = takePacked(n, n.getInput(1), 1);
    } else if (keyRank == 4) {
      attention.key = n.getInput(1);
      attention.value = n.getInput(2);
    } else if (!split(1, attention.key) || !split(2, attention.value)) {
      return failure();
    }
  }
  for (Value each : {attention.query, attention.key, attention.value})
    if (b.shapeOf(each)[1] != heads || ShapedType::isDynamic(b.shapeOf(each)[3]))
      return n.fail("expected " + Twine(heads) + " heads of a static size");
  if (n.hasInput(3)) {
    if (n.getRank(3) != 1)
      return n.fail("expected a list as bias");
    int64_t offset = 0;
    for (Value *each : {&attention.query, &attention.key, &attention.value}) {
      int64_t size = b.shapeOf(*each)[3], width = heads * size;
      if (keyRank == 4 && each != &attention.query)
        break; // of keys and values that were computed before
      Value part = b.reshape(b.slice(n.getInput(3), 0, offset, width), {heads, 1, size});
      *each = b.add(*each, part);
      offset += width;
    }
  }
  AffineExpr before = n.hasInput(6) ? n.getExtents(6)[2] : n.getConstant(0);
  attention.key = addPast(n, 6, attention.key);
  attention.value = addPast(n, 7, attention.value);
  n.setResult(1, attention.key);
  n.setResult(2, attention.value);
  SmallVector<AffineExpr> queries = n.getExtents(attention.query), keys = n.getExtents(attention.key);
  bool isCausal = n.getInt("unidirectional", 0) != 0;
  FailureOr<Value> masked = buildMask(n, 4, {queries[0], queries[2], keys[2], before}, isCausal,
                                      n.getFloat("mask_filter_value", -10000.0), b.getBuilder().getF32Type());
  if (failed(masked))
    return failure();
  attention.bias = *masked;
  if (n.hasInput(5))
    attention.bias = *masked ? b.add(*masked, b.widen(n.getInput(5))) : n.getInput(5);
  attention.scale = n.getFloat("scale", 0);
  Value result = joinHeads(b, attention.build(n));
  if (n.wantsOutput(3))
    n.setResult(3, b.cast(attention.scores, b.elementOf(result)));
  return n.setResult(result);
}

//===- GroupQueryAttention ------------------------------------------------------------------===//

namespace {

/// Attention with a cache of keys and values. Each line of the batch has its own number of keys: those of the queries
/// are the last ones.
class GroupQueryImporter {
public:
  explicit GroupQueryImporter(Node &n) : n(n), b(n.b) {}

  LogicalResult run() {
    if (failed(readOperands()) || failed(findPositions()) || failed(turn()))
      return failure();
    attention.key = cache(3, attention.key);
    attention.value = cache(4, attention.value);
    n.setResult(1, attention.key);
    n.setResult(2, attention.value);
    attention.bias = buildConditions();
    if (n.hasInput(10) && n.getRank(10) != 4)
      return n.fail("expected an attention_bias of rank 4, found " + Twine(n.getRank(10)));
    if (n.hasInput(10))
      attention.bias = b.add(attention.bias, b.widen(fitBias(n.getInput(10))));
    attention.scale = n.getFloat("scale", 0);
    attention.softcap = n.getFloat("softcap", 0);
    Type f32 = b.getBuilder().getF32Type();
    if (n.hasInput(11))
      attention.sink = b.reshape(n.getInput(11), {1, heads, 1, 1});
    else if (n.getInt("smooth_softmax", 0) == 1)
      attention.sink = b.splat(0, b.makeType({1, heads, 1, 1}, f32));
    return n.setResult(joinHeads(b, attention.build(n)));
  }

private:
  LogicalResult readOperands();
  LogicalResult findPositions();
  LogicalResult turn();
  Value cache(size_t past, Value now);
  Value buildConditions();
  /// A bias may be for other keys than the cache has room for: what is behind is not read.
  Value fitBias(Value bias);

  Node &n;
  FuseBuilder &b;
  int64_t heads = 0, groups = 0;
  HeadAttention attention;
  AffineExpr batch, queries, keys, pastKeys;
  Value before; ///< [B, 1, 1, 1], i64: the keys that each line had before the call
};

LogicalResult GroupQueryImporter::readOperands() {
  heads = n.getInt("num_heads", 0);
  groups = n.getInt("kv_num_heads", 0);
  if (heads < 1 || groups < 1 || heads % groups != 0)
    return n.fail("expected a multiple of kv_num_heads as num_heads, found " + Twine(groups) + " and " + Twine(heads));
  if (n.getRank(0) != 3 || n.hasInput(1) != n.hasInput(2) || n.hasInput(3) != n.hasInput(4))
    return n.fail("expected queries of rank 3, keys with values, and past keys with past values");
  for (size_t i = 12; i < n.getNumInputs(); ++i)
    if (n.hasInput(i))
      return n.fail("operand " + Twine(i) +
                    " (a quantized cache, norms of queries or keys, lengths of queries) is not supported");
  if (n.getInt("qk_output", 0) != 0 || n.wantsOutput(3) || n.getInt("kv_cache_bit_width", 0) != 0 ||
      n.getInt("causal", 1) == 0 || n.getInt("sliding_window_cache", 0) != 0)
    return n.fail("qk_output, kv_cache_bit_width, sliding_window_cache and causal = 0 are not supported");
  Value query = n.getInput(0), key, value;
  if (n.hasInput(1)) {
    key = n.getInput(1);
    value = n.getInput(2);
  } else {
    int64_t width = n.getShape(0)[2], all = heads + 2 * groups;
    if (ShapedType::isDynamic(width) || width % all != 0)
      return n.fail("expected a width that " + Twine(all) + " heads divide, found " + describeExtent(width));
    int64_t size = width / all;
    Value packed = query;
    query = b.slice(packed, 2, 0, heads * size);
    key = b.slice(packed, 2, heads * size, groups * size);
    value = b.slice(packed, 2, (heads + groups) * size, groups * size);
  }
  FailureOr<Value> q = splitHeads(n, query, heads), k = splitHeads(n, key, groups), v = splitHeads(n, value, groups);
  if (failed(q) || failed(k) || failed(v))
    return failure();
  attention.query = *q;
  attention.key = *k;
  attention.value = *v;
  return success();
}

LogicalResult GroupQueryImporter::findPositions() {
  SmallVector<AffineExpr> extents = n.getExtents(attention.query);
  batch = extents[0];
  queries = extents[2];
  pastKeys = n.hasInput(3) ? n.getExtents(3)[2] : n.getConstant(0);
  if (n.hasInput(3) && (n.getRank(3) != 4 || n.getRank(4) != 4))
    return n.fail("expected past keys and values of rank 4");
  SmallVector<AffineExpr> total = n.getSymbolicIntegers(6, "total_sequence_length");
  if (n.hasFailed() || total.size() != 1)
    return n.fail("expected one number as total_sequence_length");
  // The cache has room for all keys, or it grows.
  keys = total.front();
  auto more = dyn_cast<AffineConstantExpr>(simplifyExtent(pastKeys - keys));
  bool grows = simplifyExtent(keys - pastKeys - queries) == n.getConstant(0);
  if (more ? more.getValue() > 0 : (!grows && n.hasInput(3))) {
    ComputedNumbers a(n);
    keys = more ? pastKeys : n.getExtent(a.max(a.number(pastKeys), a.number(keys)));
  }
  Type index = b.getBuilder().getI64Type();
  Value lengths = b.add(b.cast(n.getInput(5), index), 1);
  before = b.sub(lengths, n.getNumber(queries, index));
  before = b.binary(BinaryKind::Max, before, b.scalar(0, index));
  AffineExpr one = n.getConstant(1);
  before = b.reshape(before, n.getSizes({batch, one, one, one}));
  return success();
}

LogicalResult GroupQueryImporter::turn() {
  if (n.getInt("do_rotary", 0) == 0)
    return success();
  if (!n.hasInput(7) || !n.hasInput(8))
    return n.fail("expected cos_cache and sin_cache");
  Value positions;
  AffineExpr one = n.getConstant(1);
  if (n.hasInput(9)) {
    positions = n.getInput(9);
  } else {
    Type index = b.getBuilder().getI64Type();
    Value query = b.iota(n.getSizes({one, queries}), 1, index);
    positions = b.add(b.reshape(before, n.getSizes({batch, one})), query);
  }
  for (Value *each : {&attention.query, &attention.key}) {
    FailureOr<Value> turned = rotate(n, *each, n.getInput(7), n.getInput(8), positions,
                                     n.getInt("rotary_interleaved", 0) != 0);
    if (failed(turned))
      return failure();
    *each = *turned;
  }
  return success();
}

/// The keys before, then those of the call; zeros behind.
Value GroupQueryImporter::cache(size_t past, Value now) {
  Type index = b.getBuilder().getI64Type();
  AffineExpr one = n.getConstant(1), zero = n.getConstant(0);
  SmallVector<AffineExpr> extents = n.getExtents(now), all(extents);
  all[2] = keys;
  Value place = b.iota(n.getSizes({one, one, keys, one}), 2, index);
  Value offset = b.sub(place, before);
  Value isNew = b.binary(BinaryKind::And, b.compare(ComparePredicate::Ge, offset, 0.0),
                         b.compare(ComparePredicate::Lt, offset, n.getNumber(queries, index)));
  Value nearest = b.clamp(offset, b.scalar(0, index), n.getNumber(queries - 1, index));
  Value flat = flatten(n, now);
  Value fresh = b.gather(flat, getPlaces(n, b.broadcastTo(nearest, n.getSizes(all)), extents, 2), 0);
  Value rest = b.scalarLike(0, now);
  if (n.hasInput(past)) {
    Value old = n.getInput(past);
    // Elements behind those of the cache are new, or not read.
    if (simplifyExtent(keys - pastKeys) != zero) {
      SmallVector<AffineExpr> added(n.getExtents(past));
      added[2] = keys - pastKeys;
      old = b.concat({old, b.broadcastTo(b.scalarLike(0, now), n.getSizes(added))}, 2);
    }
    rest = b.select(b.compare(ComparePredicate::Lt, offset, 0.0), old, rest);
  }
  return b.select(isNew, fresh, rest);
}

Value GroupQueryImporter::fitBias(Value bias) {
  AffineExpr given = n.getExtents(bias)[3];
  auto missing = dyn_cast<AffineConstantExpr>(simplifyExtent(keys - given));
  if (!missing)
    n.assumeEqual(given, keys);
  if (missing && missing.getValue() > 0)
    return b.pad(bias, {0, 0, 0, 0}, {0, 0, 0, missing.getValue()}, 0.0);
  if (missing && missing.getValue() < 0)
    return b.slice(bias, 3, n.getSize(n.getConstant(0)), n.getSize(keys));
  return bias;
}

/// Keys up to the query's own, of a window as long as local_window_size.
Value GroupQueryImporter::buildConditions() {
  Type index = b.getBuilder().getI64Type(), f32 = b.getBuilder().getF32Type();
  AffineExpr one = n.getConstant(1);
  Value key = b.iota(n.getSizes({one, one, one, keys}), 3, index);
  Value query = b.add(before, b.iota(n.getSizes({one, one, queries, one}), 2, index));
  Value isRead = b.compare(ComparePredicate::Le, key, query);
  if (int64_t window = n.getInt("local_window_size", -1); window > 0)
    isRead = b.binary(BinaryKind::And, isRead, b.compare(ComparePredicate::Gt, key, b.sub(query, double(window))));
  return b.select(isRead, b.scalar(0, f32), b.scalar(-std::numeric_limits<double>::infinity(), f32));
}

} // namespace

//===- RotaryEmbedding ----------------------------------------------------------------------===//

static LogicalResult importMicrosoftRotaryEmbedding(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  if (rank != 3 && rank != 4)
    return n.fail("expected rank 3 or 4, found " + Twine(rank));
  if (n.getRank(2) != 2 || n.getRank(3) != 2 || n.getRank(1) > 2)
    return n.fail("expected tables of cosines and sines, and positions of rank 2 at most");
  if (n.getInt("is_packed_batching", 0))
    return n.fail("is_packed_batching is not supported");
  int64_t heads = n.getInt("num_heads", 0), pairs = n.getShape(2)[1];
  Value x = n.getInput(0);
  if (rank == 3) {
    int64_t width = n.getShape(0)[2];
    if (heads == 0)
      heads = ShapedType::isDynamic(width) || pairs < 1 ? 0 : width / (2 * pairs);
    FailureOr<Value> split = splitHeads(n, x, heads);
    if (failed(split))
      return failure();
    x = *split;
  }
  Value positions = n.getRank(1) == 2 ? n.getInput(1) : getOne(n, 1, "position_ids");
  if (n.hasFailed())
    return failure();
  FailureOr<Value> turned = rotate(n, x, n.getInput(2), n.getInput(3), positions, n.getInt("interleaved", 0) != 0);
  if (failed(turned))
    return failure();
  // The attribute `scale` is read by no kernel of ONNX Runtime on a CPU.
  return n.setResult(rank == 3 ? joinHeads(b, *turned) : *turned);
}

void mlir::fuse::onnx::addTransformerAttentionOps(OpTable &table) {
  table.add("com.microsoft.Attention", 2, 7, importAttention);
  table.add("com.microsoft.QAttention", 5, 9, importQAttention);
  table.add("com.microsoft.MultiHeadAttention", 1, 10, importMultiHeadAttention);
  table.add("com.microsoft.GroupQueryAttention", 7, 17, [](Node &n) { return GroupQueryImporter(n).run(); }, {6})
      .optionalInputs = {1, 2, 3, 4};
  table.add("com.microsoft.RotaryEmbedding", 4, 4, importMicrosoftRotaryEmbedding);
}
