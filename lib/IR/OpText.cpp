//===- OpText.cpp - How reports name an op -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/OpText.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/Support/Plural.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

ArrayRef<int64_t> shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

std::string extent(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

std::string describeConv(Conv2dOp op) {
  ArrayRef<int64_t> filter = shapeOf(op.getFilter());
  bool filtersFirst = op.getLayout() == ConvLayout::NchwFchw;
  int64_t channels = filtersFirst ? filter[0] : filter[3];
  SmallVector<int64_t> window(filtersFirst ? filter.drop_front(2) : filter.take_front(2));
  return "conv2d(" + extent(channels) + " channels, " + formatShape(window) + ")";
}

std::string describeMatmul(MatmulOp op) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), result = shapeOf(op.getResult());
  size_t rank = result.size();
  SmallVector<int64_t> sizes(result.drop_back());
  sizes.push_back(lhs[lhs.size() - (op.getTransposeLhs() ? 2 : 1)]);
  sizes.push_back(result[rank - 1]);
  return "matmul(" + formatShape(sizes) + ")";
}

std::string describeAttention(AttentionOp op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery());
  return "attention(" + extent(query[query.size() - 3]) + " heads, " + extent(query.back()) + ")";
}

std::string describeGroup(ProcessGroupAttr group) {
  return pluralize(group.getGroupSize(), "rank");
}

std::string describeBatchNorm(BatchNormOp op) {
  return "batch_norm(" + formatShape(shapeOf(op.getScale())) + ")";
}

} // namespace

std::string mlir::fuse::describeOp(Operation *op) {
  if (auto origin = op->getAttrOfType<OriginAttr>(attr::kOrigin))
    return origin.getText().str();
  std::string name = op->getName().getStringRef().str();
  if (isa_and_nonnull<FuseDialect>(op->getDialect()))
    name = op->getName().stripDialect().str();
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<UnaryOp>([](auto op) { return stringifyUnaryKind(op.getKind()).str(); })
      .Case<BinaryOp>([](auto op) { return stringifyBinaryKind(op.getKind()).str(); })
      .Case<CompareOp>(
          [](auto op) { return "compare " + stringifyComparePredicate(op.getPredicate()).str(); })
      .Case<ReduceOp>([](auto op) { return "reduce " + stringifyReduceKind(op.getKind()).str(); })
      .Case<Conv2dOp>(describeConv)
      .Case<MatmulOp>(describeMatmul)
      .Case<AttentionOp>(describeAttention)
      .Case<BatchNormOp>(describeBatchNorm)
      .Case<MaxPool2dOp, AvgPool2dOp>(
          [&](auto op) { return name + "(" + formatShape(op.getKernel()) + ")"; })
      .Case<HostCallOp>([](auto op) { return "host_call @" + op.getCallee().str(); })
      .Case<AllReduceOp, ReduceScatterOp>([&](auto op) {
        return name + "(" + stringifyReduceKind(op.getKind()).str() + ", " +
               describeGroup(op.getGroup()) + ")";
      })
      .Case<AllGatherOp, AllToAllOp, AllSliceOp, BroadcastFromOp>(
          [&](auto op) { return name + "(" + describeGroup(op.getGroup()) + ")"; })
      .Default([&](Operation *) { return name; });
}

std::string mlir::fuse::describeType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  StringRef inner = text;
  if (inner.consume_front("tensor<") || inner.consume_front("memref<"))
    inner.consume_back(">");
  return inner.str();
}
