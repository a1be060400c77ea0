//===- BufferizationModels.cpp - Launches in one-shot bufferization ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::bufferization;

namespace {

/// Inputs are read, outs are written and not read, results are the outs.
template <typename OpT>
struct LaunchModel
    : DstBufferizableOpInterfaceExternalModel<LaunchModel<OpT>, OpT> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return cast<DestinationStyleOpInterface>(op).isDpsInput(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto launch = cast<DestinationStyleOpInterface>(op);
    SmallVector<Value> operands, results;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = *buffer;
        if (launch.isDpsInit(&operand))
          results.push_back(value);
      }
      operands.push_back(value);
    }
    OperationState clone(op->getLoc(), op->getName(), operands, TypeRange(), op->getAttrs());
    clone.propertiesAttr = op->getPropertiesAsAttribute();
    rewriter.create(clone);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

void mlir::fuse::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FuseDialect *) {
    LaunchOp::attachInterface<LaunchModel<LaunchOp>>(*context);
    LaunchHostOp::attachInterface<LaunchModel<LaunchHostOp>>(*context);
  });
}
