//===- Windows.h - Attributes of operators that slide a window -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_OPS_WINDOWS_H
#define FUSE_IMPORT_ONNX_OPS_WINDOWS_H

#include "../../Common/Windows.h"
#include "../OpTable.h"

namespace mlir::fuse::onnx {

/// Reads strides, dilations, pads and auto_pad for a kernel over the spatial extents of operand 0.
/// `roundsUp` and `isCut`: as of WindowSpec.
FailureOr<Window> getWindow(Node &n, ArrayRef<int64_t> kernel, bool roundsUp = false,
                            bool isCut = false);

/// The window of a convolution of operand 0, with the filter [filters, channels of a group, ...] that operand `filter` is.
/// Fails where filter, groups and channels do not fit each other.
FailureOr<Window> getConvolutionWindow(Node &n, size_t filter);

/// The convolution of operand 0 with filters 1 and, where there is one, bias 2, as the attributes of Conv say.
FailureOr<Value> buildConvolution(Node &n);

/// Imports a node that may have its channels last, [batch, ..., channels]: if `isLast` says so, `import` sees operand 0
/// with the channels behind the batch, and its result is turned back.
std::function<LogicalResult(Node &)> withChannelsLast(std::function<LogicalResult(Node &)> import,
                                                      std::function<bool(Node &)> isLast = {});

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_OPS_WINDOWS_H
