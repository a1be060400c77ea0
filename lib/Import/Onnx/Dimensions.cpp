//===- Dimensions.cpp - Extents that a model leaves open -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dimensions.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse::onnx;

std::optional<int64_t> mlir::fuse::onnx::getExtent(const Dimension &dim) {
  if (!dim.has_dim_value() || dim.dim_value() == -1)
    return std::nullopt;
  return dim.dim_value();
}

/// What exporters, and the scripts that open up the extents of exported models, write for an extent
/// that nobody knows, in lower case.
static constexpr StringRef kUnknownNames[] = {
    "?",   "-1",  "*",       "none",    "null",    "nan",
    "any", "unk", "unknown", "dynamic", "unsized", "__dynamic_dimension__"};

StringRef mlir::fuse::onnx::getSymbol(const Dimension &dim) {
  StringRef name = dim.dim_param();
  return llvm::is_contained(kUnknownNames, StringRef(name.trim().lower())) ? StringRef() : name;
}

std::string mlir::fuse::onnx::getPlace(const ValueInfoProto &input, int dim) {
  return input.name() + ":" + std::to_string(dim);
}
