//===- ComputedNumbers.h - Operators some of whose lists are known when the model runs -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_COMPUTEDNUMBERS_H
#define FUSE_IMPORT_ONNX_COMPUTEDNUMBERS_H

#include "../Common/ComputedNumbers.h"
#include "Node.h"

namespace mlir::fuse::onnx {

// Operators some of whose lists are computed (see Node::isComputed).
LogicalResult importComputedReshape(Node &n);
LogicalResult importComputedSqueeze(Node &n);
LogicalResult importComputedUnsqueeze(Node &n);
LogicalResult importComputedRange(Node &n);
LogicalResult importComputedSlice(Node &n);
LogicalResult importComputedPad(Node &n);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_COMPUTEDNUMBERS_H
