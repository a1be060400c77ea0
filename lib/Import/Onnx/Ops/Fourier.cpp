//===- Fourier.cpp - Discrete Fourier transforms -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Transforms are products with matrices of cosines and sines: those of models are short, and so
// they fuse as other products do. Complex numbers are a last dimension of real and imaginary parts.
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

/// What a transform along the last dimension takes and gives.
struct Transform {
  int64_t length;  ///< n, of each period
  int64_t inputs;  ///< elements read, at most n
  int64_t outputs; ///< elements computed
  bool isInverse;
};

/// cos or sin of 2π · i · k / n, [inputs, outputs], as parameters of the program.
Value makeTable(FuseBuilder &b, const Transform &t, bool isSine, Type element) {
  const double pi = std::acos(-1.0);
  HostArray table(*toElementType(element), {t.inputs, t.outputs});
  double scale = t.isInverse ? 1.0 / double(t.length) : 1.0;
  for (int64_t i = 0; i < t.inputs; ++i)
    for (int64_t k = 0; k < t.outputs; ++k) {
      // Of large products only the place in the period counts.
      auto turn = static_cast<int64_t>((static_cast<__int128>(i) * k) % t.length);
      double angle = 2 * pi * double(turn) / double(t.length);
      table.setFloat(i * t.outputs + k, scale * (isSine ? std::sin(angle) : std::cos(angle)));
    }
  return b.constant(table);
}

/// Real and imaginary parts of a transform along the last dimension; `imaginary` may be null.
std::pair<Value, Value> transform(FuseBuilder &b, const Transform &t, Value real, Value imaginary) {
  Type element = b.elementOf(real);
  Value cosines = makeTable(b, t, false, element), sines = makeTable(b, t, true, element);
  // (x + iy)(cos ∓ i·sin), the upper sign forwards.
  double sign = t.isInverse ? 1 : -1;
  Value xc = b.matmul(real, cosines), xs = b.mul(b.matmul(real, sines), sign);
  if (!imaginary)
    return {xc, xs};
  Value yc = b.matmul(imaginary, cosines), ys = b.mul(b.matmul(imaginary, sines), sign);
  return {b.sub(xc, ys), b.add(xs, yc)};
}

/// How often each element of one side of a spectrum counts.
HostArray makeOneSidedWeights(const Transform &t, Type element) {
  HostArray weights(*toElementType(element), {t.inputs});
  for (int64_t i = 0; i < t.inputs; ++i)
    weights.setFloat(i, i == 0 || 2 * i == t.length ? 1 : 2);
  return weights;
}

} // namespace

/// A transform along one of the dimensions before the last.
static LogicalResult importDft(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  if (rank < 2 || !isa<FloatType>(n.getElementType(0)))
    return n.fail("expected floats of rank 2 or more");
  int64_t axis = n.getInt("axis", 1);
  if (n.hasInput(2))
    axis = n.getInteger(2, "axis");
  else if (n.getOpset() >= 20)
    axis = -2;
  axis = n.normalizeAxis(axis, rank);
  if (n.hasFailed())
    return failure();
  int64_t parts = n.getShape(0).back(), extent = n.getShape(0)[axis];
  if (axis == rank - 1 || (parts != 1 && parts != 2) || ShapedType::isDynamic(extent))
    return n.fail("expected a static extent along an axis before the last, and one or two parts");
  int64_t length = n.hasInput(1) ? n.getInteger(1, "dft_length") : extent;
  bool isInverse = n.getInt("inverse", 0), isOneSided = n.getInt("onesided", 0);
  if (length < 1)
    return n.fail("expected a length of at least 1, found " + Twine(length));
  // One side of a spectrum is all that is needed of a real signal, and makes one.
  bool takesOneSide = isInverse && isOneSided, givesOneSide = !isInverse && isOneSided;
  if (takesOneSide && !n.hasInput(1))
    length = 2 * (extent - 1);
  if (takesOneSide && (parts != 2 || length < 1))
    return n.fail("expected one side of a complex spectrum");
  if (takesOneSide)
    extent = std::min(extent, length / 2 + 1); // more is the other side
  Transform t{length, std::min(extent, length), givesOneSide ? length / 2 + 1 : length, isInverse};
  if (failed(n.takeListed(t.inputs)) || failed(n.takeListed(t.outputs)) ||
      failed(n.takeListed(2 * t.inputs * t.outputs)))
    return failure();

  Value x = b.slice(n.getInput(0), axis, 0, t.inputs);
  // A product is along the last dimension.
  auto getPart = [&](int64_t part) {
    Value one = b.slice(x, rank - 1, part, 1);
    return b.swap(one, axis, rank - 1);
  };
  Value first = getPart(0), second = parts == 2 ? getPart(1) : Value();
  if (takesOneSide) {
    // The other side adds the same again, but for the ends, which have no partner.
    Value weights = b.constant(makeOneSidedWeights(t, b.elementOf(first)));
    auto sum = transform(b, t, b.mul(first, weights), b.mul(second, weights));
    return n.setResult(b.swap(sum.first, axis, rank - 1));
  }
  auto [real, imaginary] = transform(b, t, first, second);
  return n.setResult(
      b.concat({b.swap(real, axis, rank - 1), b.swap(imaginary, axis, rank - 1)}, rank - 1));
}

/// Transforms of frames of a signal, each times a window.
static LogicalResult importStft(Node &n) {
  FuseBuilder &b = n.b;
  int64_t step = n.getInteger(1, "frame_step");
  int64_t rank = n.getRank(0);
  if (rank != 2 && !(rank == 3 && n.getShape(0)[2] == 1))
    return n.fail("expected a real signal of rank 2 or 3");
  int64_t samples = n.getShape(0)[1];
  int64_t length = n.hasInput(3)   ? n.getInteger(3, "frame_length")
                   : n.hasInput(2) ? n.getShape(2)[0]
                                   : samples;
  if (step < 1 || length < 1 || ShapedType::isDynamic(samples) || samples < length ||
      (n.hasInput(2) && n.getShape(2) != ArrayRef<int64_t>{length}))
    return n.fail("expected a static signal no shorter than a frame of " + Twine(length) +
                  " samples, and a window as long");
  bool isOneSided = n.getInt("onesided", 1);
  int64_t frames = (samples - length) / step + 1;
  Transform t{length, length, isOneSided ? length / 2 + 1 : length, false};
  if (failed(n.takeListed(2 * t.inputs)) || failed(n.takeListed(2 * t.inputs * t.outputs)) ||
      failed(n.takeListed(frames * length)))
    return failure();
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < frames; ++i)
    for (int64_t k = 0; k < length; ++k)
      places.push_back(i * step + k);
  int64_t batch = n.getShape(0)[0];
  Value x = b.reshape(n.getInput(0), {batch, samples});
  x = b.reshape(b.gather(x, places, 1), {batch, frames, length});
  if (n.hasInput(2))
    x = b.mul(x, n.getInput(2));
  auto [real, imaginary] = transform(b, t, x, Value());
  return n.setResult(
      b.concat({b.insertUnitDims(real, {3}), b.insertUnitDims(imaginary, {3})}, 3));
}

void mlir::fuse::onnx::addFourierOps(OpTable &table) {
  table.add("DFT", 1, 3, importDft, {1, 2});
  table.add("STFT", 2, 4, importStft, {1, 3});
}
