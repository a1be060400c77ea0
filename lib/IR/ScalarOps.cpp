//===- ScalarOps.cpp - Ops on single elements -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/ScalarBody.h"

using namespace mlir;
using namespace mlir::fuse;

bool GateOp::takes(UnaryKind kind) {
  return kind == UnaryKind::Sigmoid || kind == UnaryKind::Silu || kind == UnaryKind::Gelu;
}

LogicalResult GateOp::verify() {
  if (!takes(getKind()))
    return emitOpError() << "expected sigmoid, silu or gelu, found '"
                         << stringifyUnaryKind(getKind()) << "'";
  if (getApproximate() && getKind() != UnaryKind::Gelu)
    return emitOpError() << "'" << stringifyUnaryKind(getKind())
                         << "' has no parameter 'approximate'";
  return success();
}

Value GateOp::buildArithmetic(ImplicitLocOpBuilder &builder, Value x) {
  UnaryParams params = getDefaultParams(getKind());
  params.form = getApproximate().value_or(params.form);
  return buildUnary(builder, getKind(), params, builder.getF32Type(), x);
}
