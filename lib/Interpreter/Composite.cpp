//===- Composite.cpp - Composites as their decomposition -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

/// Where the op's operands broadcast against its first: what the static types of the arrays would
/// hide is an extent of 1 in a dynamic dimension, which does not broadcast.
static LogicalResult checkDynamicExtents(Operation *op, ArrayRef<HostArray> operands) {
  SmallVector<RankedTensorType> types;
  if (isa<LayerNormOp>(op)) {
    for (Type type : op->getOperandTypes())
      types.push_back(cast<RankedTensorType>(type));
    return getBroadcastShape(op, operands, types);
  }
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || !attention.getMask())
    return success();
  // The scores [..., H, L, S] stand for query and key.
  int64_t rank = operands[0].getRank();
  auto mask = cast<RankedTensorType>(attention.getMask().getType());
  SmallVector<int64_t> scores(operands[0].getShape());
  scores.back() = operands[1].getShape()[rank - 2];
  for (int64_t dim = 0; dim < mask.getRank(); ++dim)
    if (mask.getDimSize(dim) != 1 &&
        failed(expectEqualExtents(op, "extents of scores and mask",
                                  scores[rank - mask.getRank() + dim],
                                  operands[3].getShape()[dim])))
      return failure();
  return success();
}

// The op is cloned into a block of its own, with the static types of the arrays, so that the
// decomposition needs no dynamic shape, and the program stays as it is.
FailureOr<HostArray> interpreter::evaluateComposite(Evaluator &evaluator,
                                                    DecomposableOpInterface op,
                                                    ArrayRef<HostArray> operands) {
  if (failed(checkDynamicExtents(op, operands)))
    return failure();
  MLIRContext *context = op.getContext();
  Block block;
  IRMapping mapping;
  for (auto [value, array] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(value, block.addArgument(array.getTensorType(context), value.getLoc()));
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  Operation *clone = builder.clone(*op, mapping);
  SmallVector<int64_t> shape(operands[0].getShape());
  if (isa<AttentionOp>(clone))
    shape.back() = operands[2].getShape().back();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  clone->getResult(0).setType(type.clone(shape));
  // Extents that must agree are the verifier's to compare, now that all of them are known.
  if (failed(verify(clone)))
    return failure();
  builder.setInsertionPoint(clone);
  SmallVector<Value> results = cast<DecomposableOpInterface>(clone).decompose(builder);
  Environment environment;
  for (auto [argument, array] : llvm::zip_equal(block.getArguments(), operands))
    environment[argument] = array;
  for (Operation &primitive : block) {
    if (&primitive == clone)
      break;
    Arrays inputs;
    for (Value operand : primitive.getOperands())
      inputs.push_back(environment.lookup(operand));
    FailureOr<Arrays> outputs = evaluator.evaluate(&primitive, inputs);
    if (failed(outputs))
      return failure();
    environment[primitive.getResult(0)] = outputs->front();
  }
  return environment.lookup(results.front());
}
