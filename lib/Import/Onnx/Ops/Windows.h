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

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_OPS_WINDOWS_H
