//===- Windows.h - What slides over the spatial dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_WINDOWS_H
#define FUSE_IMPORT_COMMON_WINDOWS_H

#include "OpContext.h"

namespace mlir::fuse::importer {

/// A window over the spatial dimensions, those behind batch and channels; one entry for each.
struct Window {
  SmallVector<int64_t> kernel, strides, dilations;
  SmallVector<int64_t> low, high; ///< padding
  SmallVector<int64_t> extra;     ///< beyond `high`, so that a rounded-up extent is filled
  /// Of auto_pad along open dimensions: where the padding depends on the extent. Such an operand is padded before.
  bool isSame = false, putsMoreInFront = false;
  /// Of a convolution of bytes: whether its result is of i32, as the sums are, and not narrowed to bytes.
  bool keepsSums = false;

  size_t rank() const { return kernel.size(); }
  /// How far a kernel reaches.
  int64_t getReach(size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

/// How the padding of a window is found.
enum class AutoPad {
  None,      ///< it is given
  SameUpper, ///< as many windows as positions a stride apart; the odd element of padding is behind
  SameLower  ///< the same, with the odd element in front
};

/// What a model says of a window: lists of one entry for each spatial dimension.
struct WindowSpec {
  SmallVector<int64_t> kernel, strides, dilations, low, high;
  AutoPad autoPad = AutoPad::None;
  /// Of the result's extents (ceil_mode).
  bool roundsUp = false;
  /// A window that is less than a stride too large takes what there is, as that of a pool does in ONNX Runtime.
  bool isCut = false;
};

/// The window of a spec over a tensor of `shape`: batch, channels, and one to three spatial dimensions. Fails where
/// lists are not as long as the kernel, for entries out of range, and where the window does not fit.
FailureOr<Window> makeWindow(OpContext &n, ArrayRef<int64_t> shape, const WindowSpec &spec);

/// The operand with the padding of AutoPad, which no window then adds: as many windows as positions that are a stride
/// apart.
FailureOr<Value> padSame(OpContext &n, Value x, Window &v, double value);

//===- Convolutions -------------------------------------------------------------------------===//

/// Convolution of any spatial rank up to 3: lines are images of one row, and volumes are sums over
/// the taps of their depth. `bias` may be null.
Value convolve(OpContext &n, Value x, Value w, Value bias, const Window &v, int64_t groups);

/// A spatial dimension of a transposed convolution.
struct TransposedDimension {
  AffineExpr extent; ///< of the operand
  int64_t kernel, stride, dilation;
  int64_t before;    ///< what is cut off of the whole result in front
  AffineExpr result; ///< what is left of it: the extent times the stride, and some more or less

  int64_t getReach() const { return dilation * (kernel - 1) + 1; }
};

/// A transposed convolution: x [N, C, …], w [C, F / groups, …] of static shape, `bias` of groups · F / groups elements,
/// or null.
FailureOr<Value> convolveTransposed(OpContext &n, Value x, Value w, Value bias,
                                    ArrayRef<TransposedDimension> dimensions, int64_t groups);

//===- Poolings -----------------------------------------------------------------------------===//

/// The largest element of each window that fits; -inf (the lowest integer) in padding.
Value maxWindows(OpContext &n, Value x, const Window &window);
/// The same where one window takes what there is of an open extent that is less than a stride too small for it.
Value poolMax(OpContext &n, Value x, const Window &window);

/// The largest element of each window, and its index: `index` has the places of the spatial dimensions' elements, and
/// extents of these or of 1 in front. With `findsNan` the last NaN of a window is its
/// largest element, else none is.
FailureOr<std::pair<Value, Value>> poolMaxWithIndices(OpContext &n, Value x, Value index, const Window &v,
                                                      bool findsNan = false);

/// The mean of each window; with `countsPadding` padding is elements of 0.
FailureOr<Value> poolAverage(OpContext &n, Value x, const Window &window, bool countsPadding);

/// The mean of each window, padding being elements of 0.
Value averageWindows(OpContext &n, Value x, const Window &window);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_WINDOWS_H
