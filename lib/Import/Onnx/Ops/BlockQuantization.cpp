//===- BlockQuantization.cpp - Weights of few bits, with scales of blocks -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// ONNX Runtime's products and look-ups of weights with 2, 4 or 8 bits. Packed weights stay packed in
// memory: the program takes them apart.
//
//===----------------------------------------------------------------------------------------===//

#include "Quantized.h"
#include "fuse/IR/WidenedOperand.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Numbers of `bits` bits that are packed along the last axis of ui8, the first one in the lowest bits, as ui8.
static Value unpackBits(FuseBuilder &b, Value packed, int64_t bits) {
  if (bits == 8)
    return packed;
  Type ui8 = b.elementOf(packed);
  SmallVector<int64_t> shifts, shape(b.shapeOf(packed));
  for (int64_t shift = 0; shift < 8; shift += bits)
    shifts.push_back(shift);
  int64_t perByte = static_cast<int64_t>(shifts.size());
  Value split = b.insertUnitDims(packed, {b.rankOf(packed)});
  Value moved = b.binary(BinaryKind::ShiftRight, split, b.constant(shifts, ui8, {perByte}));
  Value numbers = b.binary(BinaryKind::And, moved, b.constant({(1 << bits) - 1}, ui8, {}));
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() *= perByte;
  return b.reshape(numbers, shape);
}

static FailureOr<int64_t> getBits(Node &n) {
  int64_t bits = n.getInt("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8)
    return n.fail("expected 2, 4 or 8 bits, found " + Twine(bits));
  return bits;
}

/// A · Wᵀ, with W [N, K] = (q − zero point) · scale, which are given for each block of K elements.
static LogicalResult importMatMulNBits(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rows = n.getInt("N", 0), terms = n.getInt("K", 0), block = n.getInt("block_size", 0);
  FailureOr<int64_t> bits = getBits(n);
  if (failed(bits))
    return failure();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (std::min({rows, terms, block}) < 1 || std::max({rows, terms, block}) > kMost || block * *bits % 8 != 0)
    return n.fail("expected N, K and block_size of at least 1, the last one of whole bytes");
  if (n.getInt("weight_prepacked", 0) != 0)
    return n.fail("weight_prepacked is not supported");
  int64_t blocks = (terms + block - 1) / block, bytes = block * *bits / 8;
  auto isByte = [&](size_t i) { return n.getElementType(i).isUnsignedInteger(8); };
  if (!isByte(1) || !n.getType(1).hasStaticShape() || n.getType(1).getNumElements() != rows * blocks * bytes)
    return n.fail("expected weights of " + Twine(rows) + " x " + Twine(blocks) + " x " + Twine(bytes) + " bytes");
  if (!n.getType(2).hasStaticShape() || n.getType(2).getNumElements() != rows * blocks)
    return n.fail("expected " + Twine(rows * blocks) + " scales");
  if (n.getRank(0) < 1 || n.getShape(0).back() != terms)
    return n.fail("expected rows of " + Twine(terms) + " elements");
  Type f32 = b.getBuilder().getF32Type();
  Value weights = b.cast(unpackBits(b, b.reshape(n.getInput(1), {rows, blocks, bytes}), *bits), f32);
  Value scales = b.cast(b.reshape(n.getInput(2), {rows, blocks}), f32);
  Value zeros;
  if (!n.hasInput(3)) {
    zeros = b.scalar(double(int64_t(1) << (*bits - 1)), f32);
  } else if (isByte(3)) {
    int64_t packed = (blocks * *bits + 7) / 8;
    if (!n.getType(3).hasStaticShape() || n.getType(3).getNumElements() != rows * packed)
      return n.fail("expected zero points of " + Twine(rows) + " x " + Twine(packed) + " bytes");
    zeros = b.slice(unpackBits(b, b.reshape(n.getInput(3), {rows, packed}), *bits), 1, 0, blocks);
  } else {
    if (!n.getType(3).hasStaticShape() || n.getType(3).getNumElements() != rows * blocks ||
        !isa<FloatType>(n.getElementType(3)))
      return n.fail("expected " + Twine(rows * blocks) + " zero points");
    zeros = b.reshape(n.getInput(3), {rows, blocks});
  }
  zeros = b.cast(zeros, f32);
  Value unpacked;
  if (n.hasInput(4)) {
    // Each of the K elements says which scale it has.
    if (n.getRank(4) != 1 || n.getShape(4)[0] < terms)
      return n.fail("expected a block for each of " + Twine(terms) + " elements");
    Value index = b.slice(n.getInput(4), 0, 0, terms);
    weights = b.slice(b.reshape(weights, {rows, blocks * block}), 1, 0, terms);
    Value offset = b.rankOf(zeros) == 0 ? zeros : b.gather(zeros, index, 1);
    unpacked = b.mul(b.sub(weights, offset), b.gather(scales, index, 1));
  } else {
    Value offset = b.rankOf(zeros) == 0 ? zeros : b.insertUnitDims(zeros, {2});
    unpacked = b.mul(b.sub(weights, offset), b.insertUnitDims(scales, {2}));
    unpacked = b.slice(b.reshape(unpacked, {rows, blocks * block}), 1, 0, terms);
  }
  Value x = b.widen(n.getInput(0));
  bool isVector = n.getRank(0) == 1;
  if (isVector)
    x = b.insertUnitDims(x, {0});
  Value result = b.matmul(x, b.cast(unpacked, b.elementOf(x)), false, /*transposeRhs=*/true);
  // The least accuracy that the model asks for rows: 4 are 8 bits.
  constexpr int64_t kBytes = 4;
  if (Operation *product = result.getDefiningOp(); product && n.getInt("accuracy_level", 0) == kBytes)
    product->setAttr(attr::kShortLhs, b.getBuilder().getUnitAttr());
  if (isVector)
    result = b.reshape(result, {rows});
  if (n.hasInput(5))
    result = b.add(result, b.widen(n.getInput(5)));
  return n.setResult(b.cast(result, n.getElementType(0)));
}

/// (q − zero point) · scale of the slices that indices name.
static LogicalResult importGatherBlockQuantized(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<int64_t> bits = getBits(n);
  if (failed(bits))
    return failure();
  int64_t rank = n.getRank(0), block = n.getInt("block_size", 128);
  if (rank < 1 || n.getRank(2) != rank)
    return n.fail("expected data and scales of one rank, which is at least 1");
  const Format *format = n.getElementFormat(0);
  bool isFloat = format && format->isFloat, isPacked = !format && *bits < 8;
  if (!isFloat && !n.getElementType(0).isInteger(8))
    return n.fail("expected data of 8 bits or less, found " + n.getElementName(0));
  int64_t gathered = n.normalizeAxis(n.getInt("gather_axis", 0), rank);
  int64_t axis = n.normalizeAxis(n.getInt("quantize_axis", 1), rank);
  if (n.hasFailed())
    return failure();
  if (gathered == axis || block < 0 || block > kMostWindow || (block == 0 && !isFloat))
    return n.fail("expected blocks along another axis than that of the indices");
  int64_t perByte = isPacked ? 8 / *bits : 1;
  if (isPacked && axis != rank - 1)
    return n.fail("expected blocks along the last axis of packed data");
  int64_t extent = n.getShape(0)[axis];
  if (ShapedType::isDynamic(extent) || !n.getType(2).hasStaticShape())
    return n.fail("expected data and scales of static shape");
  extent *= perByte;
  block = block == 0 ? std::max<int64_t>(extent, 1) : block;
  int64_t blocks = (extent + block - 1) / block;
  if (n.getShape(2)[axis] != blocks)
    return n.fail("expected " + Twine(blocks) + " scales along axis " + Twine(axis) + ", found " +
                  Twine(n.getShape(2)[axis]));
  Type f32 = b.getBuilder().getF32Type();
  Value indices = n.getInput(1);
  auto take = [&](Value x) { return b.shapeOf(x)[gathered] == 1 && isFloat ? x : b.gather(x, indices, gathered); };
  int64_t behind = axis > gathered ? axis + n.getRank(1) - 1 : axis;
  Value data = b.gather(n.getInput(0), indices, gathered);
  data = isFloat ? decode(b, *format, data, f32) : b.cast(isPacked ? unpackBits(b, data, *bits) : data, f32);
  Value scales = b.cast(take(n.getInput(2)), f32), zeros;
  if (n.hasInput(3)) {
    Value packed = take(n.getInput(3));
    zeros = isPacked ? b.slice(unpackBits(b, packed, *bits), behind, 0, blocks) : packed;
    zeros = b.cast(zeros, f32);
  } else if (!format) {
    zeros = b.scalar(double(int64_t(1) << (*bits - 1)), f32);
  }
  auto repeat = [&](Value x) { return b.rankOf(x) == 0 ? x : repeatBlocks(n, x, behind, block, extent); };
  if (zeros)
    data = b.sub(data, repeat(zeros));
  return n.setResult(b.cast(b.mul(data, repeat(scales)), n.getElementType(2)));
}

void mlir::fuse::onnx::addBlockQuantizationOps(OpTable &table) {
  table.add("com.microsoft.MatMulNBits", 3, 6, importMatMulNBits).keepsOperands = true;
  OpImporter &gather = table.add("com.microsoft.GatherBlockQuantized", 3, 4, importGatherBlockQuantized);
  gather.readsFormats = gather.keepsOperands = true;
}
