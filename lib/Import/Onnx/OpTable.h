//===- OpTable.h - Which operators are imported, and by what -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A new operator is one function and one line in a file of Ops/.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_OPTABLE_H
#define FUSE_IMPORT_ONNX_OPTABLE_H

#include "../Common/NamedImporters.h"
#include "Node.h"

namespace mlir::fuse::onnx {

/// Which operands are of one type, as bits: the highest stands for all further ones, too.
struct OperandTypes {
  uint64_t alike = 0;
  /// Of these, the ones that are converted to the type of the others where both are floats.
  uint64_t biases = 0;
  /// The same for constants beside what is computed.
  bool convertsConstants = false;
};

struct OpImporter {
  /// Builds ops for the node and sets its results.
  std::function<LogicalResult(Node &)> import;
  /// How many operands are required, and how many there may be.
  unsigned leastInputs, mostInputs;
  /// Operands whose values decide shapes or index maps.
  SmallVector<unsigned, 2> knownInputs;
  /// Whether the result follows from the types of the operands alone.
  bool readsTypesOnly = false;
  /// Operands that may be left out although one behind them is required.
  SmallVector<unsigned, 4> optionalInputs = {};
  /// Whether operands may be of types that the dialect does not have: the importer looks at the format itself, or moves
  /// elements of the first operand, whatever they are.
  bool readsFormats = false, movesFormats = false;
  /// Whether a node is built even where all of its operands are known: what it makes of a small array is large.
  bool keepsOperands = false;
  /// Whether operands or results are sequences.
  bool hasSequences = false;
  OperandTypes types = {};
};

/// Operators of the default domain are called by their name, others by domain and name, as in `com.microsoft.QGemm`.
class OpTable : public importer::NamedImporters<OpImporter> {
public:
  static constexpr unsigned kAny = ~0u;

  static const OpTable &get();

  /// Null for an operator that is not supported.
  const OpImporter *lookup(const NodeProto &node) const;

  OpImporter &add(StringRef op, unsigned leastInputs, unsigned mostInputs,
                  std::function<LogicalResult(Node &)> import,
                  std::initializer_list<unsigned> knownInputs = {});
  void setTypes(StringRef op, OperandTypes types) {
    assert(importers.contains(op) && "an operator of the table");
    importers[op].types = types;
  }
};

void addAttentionOps(OpTable &table);
void addBitOps(OpTable &table);
void addBlockQuantizationOps(OpTable &table);
void addClassicalOps(OpTable &table);
void addConstantOps(OpTable &table);
void addContractionOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addDeterminantOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addFourierOps(OpTable &table);
void addFusedProductOps(OpTable &table);
void addGridOps(OpTable &table);
void addIndexOps(OpTable &table);
void addIntegerProductOps(OpTable &table);
void addLinearAttentionOps(OpTable &table);
void addMovementOps(OpTable &table);
void addNormalizationOps(OpTable &table);
/// Of operators that are there.
void addOperandTypes(OpTable &table);
void addPoolingOps(OpTable &table);
void addQLinearOps(OpTable &table);
void addQuantizationOps(OpTable &table);
void addRecurrenceOps(OpTable &table);
void addReductionOps(OpTable &table);
void addResizeOps(OpTable &table);
void addScanOps(OpTable &table);
void addSkipNormalizationOps(OpTable &table);
void addSequenceOps(OpTable &table);
void addShapeOps(OpTable &table);
void addTransformerAttentionOps(OpTable &table);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_OPTABLE_H
