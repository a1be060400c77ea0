//===- SortNodes.h - Nodes behind those that compute their operands -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_SORTNODES_H
#define FUSE_IMPORT_ONNX_SORTNODES_H

#include "OnnxProto.h"

namespace mlir::fuse::onnx {

/// Puts each node of a graph or a function, and of the graphs within, behind those that compute what it reads. ONNX demands that
/// order, but ONNX Runtime does not, and tools that come with it append nodes in any. Of nodes that may stand in either order the
/// first one stays first; nodes of which one reads its own result stay as they are.
void sortNodes(google::protobuf::RepeatedPtrField<NodeProto> &nodes);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_SORTNODES_H
