//===- UnaryParams.h - Parameters of the unary kinds ------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_UNARYPARAMS_H
#define FUSE_SUPPORT_UNARYPARAMS_H

#include "fuse/Support/OpKinds.h"

namespace mlir::fuse {

/// The attributes of the kinds that have some; the others ignore them.
///  - leaky_relu: x where x >= 0, else alpha * x
///  - elu: x where x >= 0, else alpha * (exp(x) - 1)
///  - hard_sigmoid: max(0, min(1, alpha * x + beta))
///  - gelu: form
struct UnaryParams {
  double alpha = 0.0;
  double beta = 0.0;
  GeluForm form = GeluForm::None;
};

/// leaky_relu 0.01, elu 1, hard_sigmoid 0.2 and 0.5, gelu none: ONNX's defaults (PyTorch's too,
/// but for hard_sigmoid, where PyTorch has 1/6).
UnaryParams getDefaultParams(UnaryKind kind);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_UNARYPARAMS_H
