//===- Windows.h - Attributes of operators that slide a window -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_OPS_WINDOWS_H
#define FUSE_IMPORT_ONNX_OPS_WINDOWS_H

#include "../OpTable.h"

namespace mlir::fuse::onnx {

/// A window over the spatial dimensions, those behind batch and channels; one entry for each.
struct Window {
  SmallVector<int64_t> kernel, strides, dilations;
  SmallVector<int64_t> low, high; ///< padding
  SmallVector<int64_t> extra;     ///< beyond `high`, so that a rounded-up extent is filled
  /// Of auto_pad along open dimensions: where the padding depends on the extent. Such an operand is padded before.
  bool isSame = false, putsMoreInFront = false;

  size_t rank() const { return kernel.size(); }
  /// How far a kernel reaches.
  int64_t getReach(size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

/// Reads strides, dilations, pads and auto_pad for a kernel over the spatial extents of operand 0.
/// `roundsUp`: of the result's extents (ceil_mode). `isCut`: a window that is less than a stride too large
/// takes what there is, as that of a pool does in ONNX Runtime. Else fails where the window does not fit.
FailureOr<Window> getWindow(Node &n, ArrayRef<int64_t> kernel, bool roundsUp = false,
                            bool isCut = false);

/// The operand with the padding of auto_pad, which no window then adds: as many windows as positions that are a stride
/// apart.
FailureOr<Value> padSame(Node &n, Value x, Window &v, double value);

/// Convolution of any spatial rank up to 3: lines are images of one row, and volumes are sums over
/// the taps of their depth. `bias` may be null.
Value convolve(FuseBuilder &b, Value x, Value w, Value bias, const Window &v, int64_t groups);

/// ConvTranspose.
LogicalResult importConvTranspose(Node &n);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_OPS_WINDOWS_H
