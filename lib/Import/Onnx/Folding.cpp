//===- Folding.cpp - Nodes that are computed while importing -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "fuse/Interpreter/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Nodes that read and write as many elements are computed even if large ones are not any more.
static constexpr int64_t kSmallWork = 1024;

/// How many elements the interpreter reads and writes, about; more than kMostBytes for what cannot
/// be said.
static int64_t estimateWork(func::FuncOp function) {
  double work = 0;
  function.walk([&](Operation *op) {
    if (op == function)
      return;
    double product = 1;
    for (Type each : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                        SmallVector<Type>(op->getResultTypes()))) {
      auto type = dyn_cast<RankedTensorType>(each);
      if (!type || !type.hasStaticShape()) {
        work = double(kMostBytes);
        return;
      }
      work += double(type.getNumElements());
    }
    // Products read each element of an operand at most once for each of the other.
    if (isa<MatmulOp, Conv2dOp>(op))
      for (Value operand : op->getOperands().take_front(2))
        product *= double(cast<RankedTensorType>(operand.getType()).getNumElements());
    // Nobody derives shapes by pooling.
    work += isa<MaxPool2dOp, AvgPool2dOp>(op) ? double(kMostBytes) : product;
  });
  return static_cast<int64_t>(std::min(work, double(kMostBytes)));
}

FailureOr<bool> GraphImporter::evaluate(const OpImporter &importer, const NodeProto &proto,
                                        int64_t opset, ArrayRef<ModelValue *> inputs,
                                        SmallVectorImpl<ModelValue> &results) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(builder.getLoc());
  ImplicitLocOpBuilder inner(builder.getLoc(), context);
  inner.setInsertionPointToEnd(scratch->getBody());
  auto scratchFunction = func::FuncOp::create(inner, "fold", inner.getFunctionType({}, {}));
  inner.setInsertionPointToStart(scratchFunction.addEntryBlock());
  // The operands' own values belong to the program.
  std::deque<ModelValue> copies;
  SmallVector<ModelValue *> operands;
  for (ModelValue *input : inputs) {
    operands.push_back(nullptr);
    if (!input)
      continue;
    copies.push_back({input->name, input->type, input->known, {}});
    copies.back().format = input->format;
    operands.back() = &copies.back();
  }
  Node node(proto, opset, file, budget, extents, operands, inner, [&](ModelValue &value) {
    value.value = arith::ConstantOp::create(inner, value.known.toAttribute(context));
    return value.value;
  });
  if (failed(build(importer, node)))
    return failure();
  SmallVector<Value> computed;
  for (ModelValue &result : node.getResults()) {
    if (!result.value)
      continue;
    if (!result.type.hasStaticShape() || result.type.getNumElements() > kMostFolded)
      return false;
    computed.push_back(result.value);
  }
  int64_t work = estimateWork(scratchFunction);
  if (!Budget::take(work <= kSmallWork ? budget.foldedSmall : budget.folded, work))
    return false;
  func::ReturnOp::create(inner, computed);
  scratchFunction.setType(inner.getFunctionType({}, ValueRange(computed).getTypes()));
  if (failed(verify(*scratch)))
    return node.fail("its operands do not fit each other");
  auto arrays = interpret(scratchFunction, {});
  if (failed(arrays))
    return node.fail("cannot be computed");
  size_t next = 0;
  for (ModelValue &result : node.getResults()) {
    results.push_back(result);
    if (!result.value)
      continue;
    results.back().known = (*arrays)[next++];
    results.back().value = {};
  }
  return true;
}
