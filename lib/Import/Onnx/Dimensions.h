//===- Dimensions.h - Extents that a model leaves open ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An open dimension has a name of its own, and dimensions of one name have one extent; or it has
// none. Exporters write "none" in many ways: no name at all, an extent of -1, names like `?`. Those
// stand for an unknown each, however often they are repeated.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_DIMENSIONS_H
#define FUSE_IMPORT_ONNX_DIMENSIONS_H

#include "OnnxProto.h"
#include "fuse/Import/Onnx.h"

#include <optional>
#include <string>

namespace mlir::fuse::onnx {

using Dimension = ::onnx::TensorShapeProto_Dimension;

/// The extent that the model says, negative ones but −1 too; none for an open dimension.
std::optional<int64_t> getExtent(const Dimension &dim);

/// The name that tells an open dimension from others; empty where it has none.
llvm::StringRef getSymbol(const Dimension &dim);

/// How options name a dimension of an input that has no symbol (see fuse/IR/DimNames.h): `x:2`.
std::string getPlace(const ValueInfoProto &input, int dim);

/// Dimensions without a symbol are named by their places where `isInput`.
OnnxDescription::Tensor describeTensor(const ValueInfoProto &info, bool isInput);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_DIMENSIONS_H
