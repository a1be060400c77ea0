//===- HeadAttention.h - What ONNX Runtime's attention operators share -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_OPS_HEADATTENTION_H
#define FUSE_IMPORT_ONNX_OPS_HEADATTENTION_H

#include "../OpTable.h"

namespace mlir::fuse::onnx {

/// Of [B, S, heads · H] or [B, S, heads, H]: [B, heads, S, H]. Fails for a width that is open or that
/// heads do not divide.
FailureOr<Value> splitHeads(Node &n, Value x, int64_t heads);
/// The other way around: [B, S, heads · H].
Value joinHeads(FuseBuilder &b, Value x);

/// softmax(scale · Q · Kᵀ + bias) · V, of queries [B, N, S, H], keys [B, G, T, H] and values
/// [B, G, T, H'], where G divides N.
struct HeadAttention {
  Value query, key, value;
  /// Null, or what broadcasts against scores [B, N, S, T]: added to them, or -inf where a query must not read a key.
  Value bias;
  double scale = 0; ///< 0 for 1 / √H
  double softcap = 0; ///< 0 for none
  /// Null, or the score [1, N, 1, 1] of a key without value.
  Value sink;

  /// [B, N, S, H'].
  Value build(Node &n);
  /// The scores after build(): with the bias, before softmax.
  Value scores;
};

/// What a mask is about.
struct MaskExtents {
  AffineExpr batch, queries, keys;
  AffineExpr past; ///< keys before that of the first query
};

/// The mask that operand `mask` of an attention operator says, and with `isCausal` that no query reads
/// keys behind its own, as a bias of [B or 1, 1, S or 1, T] in `element`; null where nothing is masked.
/// Masks are [B] ends, [2 · B] ends and starts, [B, T] or [B, S, T] of 0 where a key is not read;
/// `filter` is what such keys get.
FailureOr<Value> buildMask(Node &n, size_t mask, const MaskExtents &extents, bool isCausal, double filter,
                           Type element);

/// Turns pairs of elements of x [B, N, S, H] by angles whose cosines and sines the tables have for
/// `positions`: [B, S], or of rank 0 for the first of positions that all lines have. The tables are
/// [positions, R / 2]; the first R elements are turned.
FailureOr<Value> rotate(Node &n, Value x, Value cosines, Value sines, Value positions, bool isInterleaved);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_OPS_HEADATTENTION_H
