//===- Chains.cpp - The legality of element-wise chains -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/Chains.h"
#include "fuse/IR/OpText.h"
#include "fuse/IR/Shapes.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

std::string quote(Operation *op) { return "'" + describeOp(op) + "'"; }

/// What the op itself says, whatever its partner is.
Legality checkMember(const FusionGraph &graph, unsigned node) {
  Operation *op = graph.getOp(node);
  switch (graph.getKind(node)) {
  case NodeKind::Device:
    break;
  case NodeKind::Host:
    return {Barrier::HostOp, quote(op) + " runs on the host", "an equivalent op on the device"};
  case NodeKind::Kernel:
    return {Barrier::AlreadyFormed, "a kernel is formed already", "planning before forming"};
  default:
    return {Barrier::ForeignOp, quote(op) + " is an op of another dialect that nobody plans",
            "a conversion to the fuse dialect"};
  }
  if (op->hasAttr(attr::kAlone))
    return {Barrier::KeptAlone, quote(op) + " is marked fuse.alone", "the mark removed"};
  if (op->hasAttr(attr::kTogether))
    return {Barrier::KeptTogether, quote(op) + " belongs to a kernel that fuse.together fixes",
            "the mark removed"};
  if (getOriginId(op))
    return {Barrier::Composite, quote(op) + " is a composite, a kernel of its own in chains",
            "a strategy that merges more than chains"};
  return Legality::legal();
}

Legality checkElementwise(Operation *op) {
  switch (classifyPattern(op)) {
  case OpPattern::Elementwise:
    return Legality::legal();
  case OpPattern::Composite:
    return {Barrier::Composite, quote(op) + " is a composite, a kernel of its own in chains",
            "a strategy that merges more than chains"};
  case OpPattern::Reduction:
    return {Barrier::Reduction, quote(op) + " is a reduction, which is never in a chain",
            "a strategy that merges more than chains"};
  case OpPattern::Memory:
    return {Barrier::MemoryAccess, quote(op) + " accesses memory, which is never in a chain",
            "a strategy that merges more than chains"};
  default:
    return {Barrier::NotElementwise, quote(op) + " is not element-wise",
            "a strategy that merges more than chains"};
  }
}

} // namespace

Legality mlir::fuse::checkChainEdge(const FusionGraph &graph, unsigned producer,
                                    unsigned consumer) {
  for (unsigned node : {producer, consumer})
    if (Legality legality = checkMember(graph, node); !legality)
      return legality;
  Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
  for (const FusionGraph::Edge &edge : graph.getSuccessors(producer))
    if (edge.kind == FusionGraph::EdgeKind::Memory && edge.to < consumer)
      return {Barrier::MemoryOrder,
              quote(graph.getOp(edge.to)) + " may write what " + quote(from) +
                  " reads before the value is used",
              "buffers that cannot alias"};
  for (Operation *op : {from, to})
    if (Legality legality = checkElementwise(op); !legality)
      return legality;
  const Consumers &consumers = graph.getConsumers(producer);
  if (consumers.escapes)
    return {Barrier::Escapes, "the result of " + quote(from) + " leaves the block",
            "a kernel with several results"};
  if (consumers.inRegion)
    return {Barrier::UsedInRegion, "the result of " + quote(from) + " is used inside a region",
            "a kernel with several results"};
  if (consumers.second != FusionGraph::kNone) {
    unsigned other = consumers.first == consumer ? consumers.second : consumers.first;
    return {Barrier::SeveralConsumers,
            "the result of " + quote(from) + " is also read by " + quote(graph.getOp(other)),
            "a kernel with several results"};
  }
  if (consumers.throughView)
    return {Barrier::ViewBetween,
            "the result of " + quote(from) + " is read by " + quote(to) + " through a view",
            "a strategy that absorbs views within a kernel"};
  auto fromShape = cast<ShapedType>(from->getResult(0).getType()).getShape();
  auto toShape = cast<ShapedType>(to->getResult(0).getType()).getShape();
  if (fromShape != toShape)
    return {Barrier::ShapeDiffers,
            quote(from) + " gives shape " + formatShape(fromShape) + ", " + quote(to) + " " +
                formatShape(toShape),
            "equal shapes"};
  return Legality::legal();
}
