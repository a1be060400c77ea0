//===- LaneConstant.h - The number that all lanes of a vector are -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_LANECONSTANT_H
#define FUSE_LIB_CODEGEN_CPU_LANECONSTANT_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fuse {

/// The float that all lanes of a vector are, as a splat constant or a broadcast of one says; also that of a scalar.
inline std::optional<APFloat> getLaneConstant(Value value) {
  if (auto spread = value.getDefiningOp<vector::BroadcastOp>())
    value = spread.getSource();
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) ? std::optional(number) : std::nullopt;
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_LANECONSTANT_H
