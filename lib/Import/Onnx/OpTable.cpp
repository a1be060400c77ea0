//===- OpTable.cpp - Which operators are imported, and by what -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "OpTable.h"
#include "fuse/Import/Onnx.h"

using namespace mlir;
using namespace mlir::fuse::onnx;

const OpTable &OpTable::get() {
  static const OpTable table = [] {
    OpTable made;
    addAttentionOps(made);
    addBitOps(made);
    addBlockQuantizationOps(made);
    addClassicalOps(made);
    addConstantOps(made);
    addContractionOps(made);
    addConvolutionOps(made);
    addDeterminantOps(made);
    addElementwiseOps(made);
    addFourierOps(made);
    addFusedProductOps(made);
    addGridOps(made);
    addIndexOps(made);
    addIntegerProductOps(made);
    addLinearAttentionOps(made);
    addMovementOps(made);
    addNormalizationOps(made);
    addPoolingOps(made);
    addQLinearOps(made);
    addQuantizationOps(made);
    addRecurrenceOps(made);
    addReductionOps(made);
    addResizeOps(made);
    addScanOps(made);
    addSequenceOps(made);
    addShapeOps(made);
    addSkipNormalizationOps(made);
    addTransformerAttentionOps(made);
    addOperandTypes(made);
    return made;
  }();
  return table;
}

SmallVector<StringRef> mlir::fuse::getOnnxOperators() {
  SmallVector<StringRef> names = OpTable::get().getNames();
  names.push_back("If"); // its branches are not operands: see Branches.cpp
  llvm::sort(names);
  return names;
}

const OpImporter *OpTable::lookup(const NodeProto &node) const {
  return NamedImporters::lookup(isDefaultDomain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type());
}

OpImporter &OpTable::add(StringRef op, unsigned leastInputs, unsigned mostInputs,
                         std::function<LogicalResult(Node &)> import,
                         std::initializer_list<unsigned> knownInputs) {
  return insert(op, {std::move(import), leastInputs, mostInputs, knownInputs});
}
