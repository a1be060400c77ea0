//===- FuseInterfaces.cpp - What passes need to know of an op -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

#include "fuse/IR/FuseInterfaces.cpp.inc"

SmallVector<utils::IteratorType> mlir::fuse::detail::getIteratorTypes(AffineMap result) {
  SmallVector<utils::IteratorType> iterators(result.getNumDims(), utils::IteratorType::reduction);
  for (AffineExpr expr : result.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      iterators[dim.getPosition()] = utils::IteratorType::parallel;
  return iterators;
}

SmallVector<int64_t> mlir::fuse::detail::getStaticLoopRanges(FusableOpInterface op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> ranges(maps.back().getNumDims(), ShapedType::kDynamic);
  auto read = [&](Value value, AffineMap map) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!map || !type)
      return;
    for (auto [expr, extent] : llvm::zip(map.getResults(), type.getShape()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && !ShapedType::isDynamic(extent))
        ranges[dim.getPosition()] = extent;
  };
  unsigned numOperands = op->getNumOperands();
  for (OpOperand &operand : op->getOpOperands())
    read(operand.get(), maps[operand.getOperandNumber()]);
  for (OpResult result : op->getResults())
    read(result, maps[numOperands + result.getResultNumber()]);
  // A pooling's window is no operand; its loops come last.
  if (auto kernel = op->getAttrOfType<DenseI64ArrayAttr>("kernel"))
    llvm::copy(kernel.asArrayRef(), ranges.end() - kernel.size());
  return ranges;
}

int64_t mlir::fuse::getByteSize(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 0;
  int64_t bytes = llvm::divideCeil(shaped.getElementTypeBitWidth(), 8);
  for (int64_t extent : shaped.getShape()) {
    if (ShapedType::isDynamic(extent))
      return 0;
    if (llvm::MulOverflow(bytes, extent, bytes))
      return std::numeric_limits<int64_t>::max();
  }
  return bytes;
}

int64_t mlir::fuse::detail::getTrafficBytes(Operation *op) {
  int64_t total = 0;
  auto add = [&](int64_t bytes) {
    if (llvm::AddOverflow(total, bytes, total))
      total = std::numeric_limits<int64_t>::max();
  };
  llvm::SmallPtrSet<Value, 4> seen;
  for (Value operand : op->getOperands()) {
    int64_t bytes = getByteSize(operand.getType());
    // Through views: what is read is the smaller of the view and what it views.
    while (auto view = operand.getDefiningOp<CostOpInterface>()) {
      if (!view.isMetadata())
        break;
      operand = view->getOperand(0);
      bytes = std::min(bytes, getByteSize(operand.getType()));
    }
    DenseElementsAttr constant;
    if (!seen.insert(operand).second ||
        (matchPattern(operand, m_Constant(&constant)) && constant.isSplat()))
      continue;
    add(bytes);
  }
  for (Value result : op->getResults())
    add(getByteSize(result.getType()));
  return total;
}
