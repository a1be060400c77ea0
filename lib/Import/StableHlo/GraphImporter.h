//===- GraphImporter.h - A program's ops, in order, as ops of a function -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_GRAPHIMPORTER_H
#define FUSE_IMPORT_STABLEHLO_GRAPHIMPORTER_H

#include "../Common/TakenNames.h"
#include "OpTable.h"
#include "fuse/Import/StableHlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse::stablehlo {

/// The values that a region sees: its own, and those of the region around it. Functions have none around them.
struct Scope {
  llvm::DenseMap<Value, ModelValue> values;
  Scope *outer = nullptr;
};

/// A loop that counts, while its body is imported.
struct Loop {
  Block *block;       ///< what is built of the body
  AffineExpr counter; ///< from 0 up
  AffineExpr steps;
  Value number; ///< the counter as a tensor of rank 0 and type i64
  /// A tensor from outside that is read at the counter's place.
  struct Sequence {
    Value tensor;  ///< the counter's dimension first
    bool runsBack; ///< step t reads element steps − 1 − t
    Value element; ///< an argument of the block
  };
  SmallVector<Sequence> sequences;
  /// How a buffer is written: along which dimension, and whether from the last element on.
  struct Writes {
    int64_t dim;
    bool runsBack;
  };
  llvm::DenseMap<unsigned, Writes> buffers; ///< by the buffer's number

  /// Whether `place` is steps − 1 − counter (true) or the counter (false); none for anything else.
  std::optional<bool> runsBack(AffineExpr place) const {
    place = simplifyExtent(place);
    if (place == counter)
      return false;
    return place == simplifyExtent(steps - 1 - counter) ? std::optional(true) : std::nullopt;
  }
  /// Whether a value is there before the loop is.
  bool isOutside(Value value) const { return value.getParentBlock() != block; }
};

class GraphImporter {
public:
  GraphImporter(ModuleOp source, const StableHloImportOptions &options, StableHloModel &model);
  ~GraphImporter();

  /// Fills in the model.
  LogicalResult run();

  //===- For ops with regions -----------------------------------------------------------------===//

  /// Imports a block whose arguments are `arguments`, and gives what its terminator does.
  FailureOr<SmallVector<ModelValue>> importBlock(Block &block, ArrayRef<ModelValue> arguments, Scope *outer);
  Scope *getScope() { return scope; }
  /// The function of a name, which has a body; null where there is none.
  func::FuncOp findFunction(StringRef name) { return source.lookupSymbol<func::FuncOp>(name); }
  /// Before a function's ops are built once more, `depth` calls deep.
  bool takeCall(func::FuncOp callee);
  /// The innermost loop that is imported; null outside of loops.
  Loop *loop = nullptr;
  /// While the body of a reduction is built for tensors: their shape, which its numbers have then.
  std::optional<SmallVector<int64_t>> bodyShape;
  /// How many calls and regions are around.
  unsigned depth = 0;
  /// The parameter of a name, with the type that the program says.
  FailureOr<Value> getWeight(StringRef name, RankedTensorType type, Location loc);
  /// Extents that are known to be at least 1.
  llvm::DenseSet<AffineExpr> positive;
  ImplicitLocOpBuilder &getBuilder() { return builder; }
  /// A number that is none yet, as an expression: a loop's counter.
  AffineExpr makeCounter();
  /// A region that stays until the import ends: extents are known by their values, which must not be those of others
  /// later.
  Region &makeRegion() { return *regions.emplace_back(std::make_unique<Region>()); }
  /// What is imported is given up: its nodes are not the program's.
  size_t countNodes() const { return model.nodes.size(); }
  void dropNodes(size_t count) { model.nodes.resize(count); }

private:
  InFlightDiagnostic emitError(const Twine &text) const;
  FailureOr<func::FuncOp> findEntry();
  /// All ops that cannot be imported are named at once, each with its first place.
  LogicalResult checkOps(func::FuncOp entry);
  LogicalResult addInputs(func::FuncOp entry, SmallVectorImpl<ModelValue> &arguments);
  FailureOr<RankedTensorType> getInputType(func::FuncOp entry, unsigned i, StringRef name);
  void addRanges(func::FuncOp entry, unsigned i, Value argument);
  std::optional<DimRange> findRange(StringRef symbol, StringRef place) const;
  LogicalResult addOutputs(func::FuncOp entry, MutableArrayRef<ModelValue> results);
  LogicalResult importOp(Operation &op);
  LogicalResult checkResult(ModelValue &result, StringRef description);
  Value addArgument(RankedTensorType type, StringRef name, bool isParameter);
  void dropRegions();

  ModuleOp source;
  const StableHloImportOptions &options;
  StableHloModel &model;
  MLIRContext *context;
  func::FuncOp function;
  ImplicitLocOpBuilder builder;
  ExtentValues extents;
  Budget budget;
  int64_t calledOps = 0;
  SmallVector<Operation *> counters;
  std::vector<std::unique_ptr<Region>> regions;
  Scope *scope = nullptr;
  SmallVector<Attribute> argumentAttributes;
  llvm::StringMap<Value> weights;
  llvm::StringMap<int64_t> known; ///< extents given by options or arrays, by name
  llvm::StringMap<HostArray> given;
  std::vector<std::string> inputNames;
  llvm::StringMap<unsigned> nodeNames, takenNames;
};

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_GRAPHIMPORTER_H
