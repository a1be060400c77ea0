//===- TransposeWeights.h - Weights the way products read them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Exporters write y = x·Wᵀ, where columns of the product are rows of the weight: scattered in memory for
// the vectors of a result's row. A weight that nothing else reads is turned around when it is read, so
// that it is still copied once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_TRANSPOSEWEIGHTS_H
#define FUSE_IMPORT_ONNX_TRANSPOSEWEIGHTS_H

#include "ModelFile.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse::onnx {

/// What is not to be touched: initializers by name, and operators of the default domain that a
/// model defines itself.
struct KeptNames {
  llvm::StringSet<> initializers, operators;
};

/// The large matrices among the initializers that one node of `graph` reads, transposed: a Transpose or
/// a Gemm with transB. Those nodes are rewritten to read them as they will be.
llvm::StringSet<> takeTransposedWeights(GraphProto &graph, const KeptNames &kept);

/// The transposed matrix, in memory of its own.
llvm::Expected<HostArray> transposeMatrix(const HostArray &matrix);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_TRANSPOSEWEIGHTS_H
