//===- JsonValues.h - Values of the report's JSON -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_JSONVALUES_H
#define FUSE_LIB_REPORT_JSONVALUES_H

#include "llvm/Support/JSON.h"
#include <optional>

namespace mlir::fuse {

template <typename T>
llvm::json::Value orNull(const std::optional<T> &value) {
  return value ? llvm::json::Value(*value) : llvm::json::Value(nullptr);
}

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_JSONVALUES_H
