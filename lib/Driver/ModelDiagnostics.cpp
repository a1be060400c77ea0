//===- ModelDiagnostics.cpp - Messages about nodes of a model --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/ModelDiagnostics.h"

#include "fuse/Driver/Message.h"

using namespace mlir;
using namespace mlir::fuse;

static LogicalResult print(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    return failure();
  Message message = describeDiagnostic(diagnostic);
  if (!message.isOfModel())
    return failure();
  printMessage(message, llvm::errs());
  return success();
}

ModelDiagnosticHandler::ModelDiagnosticHandler(MLIRContext *context)
    : ScopedDiagnosticHandler(context, print) {}
