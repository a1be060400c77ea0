//===- TensorTypes.cpp - Which tensors have a form in the dialect -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TensorTypes.h"

#include "fuse/IR/Shapes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

RankedTensorType fuse::getTensorType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isOurs = type && !type.getEncoding() && getTypeClass(type.getElementType()) != NoTypes;
  return isOurs ? type : RankedTensorType();
}

RankedTensorType fuse::getStaticTensorType(Value value) {
  RankedTensorType type = getTensorType(value);
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

bool fuse::isBroadcastOf(ValueRange operands, RankedTensorType result) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : operands) {
    RankedTensorType type = getTensorType(operand);
    if (!type)
      return false;
    shapes.push_back(type.getShape());
  }
  FailureOr<SmallVector<int64_t>> shape = inferBroadcastShape(shapes);
  return succeeded(shape) && llvm::equal(*shape, result.getShape());
}

bool fuse::canBeConstant(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || getTypeClass(tensor.getElementType()) == NoTypes)
    return false;
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  return !integer || integer.isSignless();
}

static void eraseDeadOps(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (!isa_and_nonnull<FuseDialect>(op.getDialect()) && isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      for (Region &inner : op.getRegions())
        ::eraseDeadOps(inner);
    }
}

void fuse::eraseDeadOps(func::FuncOp function) { ::eraseDeadOps(function.getBody()); }
