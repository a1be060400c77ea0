//===- ModelDiagnostics.h - Messages about nodes of a model -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_MODELDIAGNOSTICS_H
#define FUSE_DRIVER_MODELDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::fuse {

/// Prints what is said about a model as `model.onnx: error: node 'conv1' (Conv): …`: models have no
/// lines. Other diagnostics, remarks among them, go to the handler below.
class ModelDiagnosticHandler : public ScopedDiagnosticHandler {
public:
  explicit ModelDiagnosticHandler(MLIRContext *context);
};

} // namespace mlir::fuse

#endif // FUSE_DRIVER_MODELDIAGNOSTICS_H
