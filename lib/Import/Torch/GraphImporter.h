//===- GraphImporter.h - A program's nodes, in order, as ops of a function -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_GRAPHIMPORTER_H
#define FUSE_IMPORT_TORCH_GRAPHIMPORTER_H

#include "../Common/TakenNames.h"
#include "OpTable.h"
#include "fuse/Import/Torch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse::torch {

class GraphImporter {
public:
  /// `readWeight`: of a parameter, buffer or constant by its name in the module.
  GraphImporter(const llvm::json::Object &program, const TorchImportOptions &options,
                std::function<llvm::Expected<HostArray>(StringRef)> readWeight, TorchModel &model);

  /// Fills in the model.
  LogicalResult run();

private:
  using Object = llvm::json::Object;
  using Array = llvm::json::Array;

  /// A graph, or one within a node (torch.no_grad makes such).
  struct Graph {
    const Object *graph;
    Scope scope;
    std::string prefix; ///< of its nodes' names
    unsigned depth = 0;
  };
  struct Input {
    StringRef name;        ///< of the value
    std::string argument;  ///< as the program's argument
    bool isWeight = false; ///< an array with the module's name `argument`
    const llvm::json::Value *constant = nullptr;
  };

  InFlightDiagnostic emitError(const Twine &text) const;
  /// All ops that cannot be imported are named at once, each with its first node.
  LogicalResult checkOps(const Object &graph, unsigned depth);
  LogicalResult reportUnsupported();
  /// Numbers the nodes and notes, for each value, the last one that reads it.
  void countUses(const Object &graph);
  void noteUses(const llvm::json::Value &value);
  FailureOr<SmallVector<Input>> readInputs();
  LogicalResult addInputs(Graph &graph);
  LogicalResult addUserInput(Graph &graph, const Input &input);
  void bindIntegers(Graph &graph);
  LogicalResult addWeight(Graph &graph, const Input &input);
  FailureOr<RankedTensorType> getInputType(const Input &input, const Object &meta);
  /// What is known of the extents of the argument that was added last: names, bounds, what kernels are planned for.
  void addRanges(const Input &input, const Object &meta, RankedTensorType type, Value argument);
  std::optional<DimRange> findRange(StringRef symbol, StringRef place) const;
  /// Extents of arguments that the program says as expressions of others.
  void assumeInputs();
  LogicalResult importNodes(Graph &graph);
  LogicalResult importNode(const Object &node, Graph &graph);
  LogicalResult importSubgraph(const Object &node, Graph &graph);
  LogicalResult bindResults(const Object &node, Graph &graph, StringRef description,
                            MutableArrayRef<ModelValue> results, ArrayRef<Expected> expected,
                            const OpImporter &importer, ModelValue *written);
  /// The results that a node has, in order: the names of values, empty for None, and what they are.
  struct Output {
    StringRef name;
    Expected expected;
  };
  SmallVector<Output> readOutputs(const Object &node, const Object &graph);
  Expected readExpected(StringRef name, const Object &graph);
  AffineExpr readExtent(const llvm::json::Value &size);
  /// After a write in place: the values that share memory with `value` hold what `made` is.
  LogicalResult write(ModelValue &value, Value made, StringRef description);
  LogicalResult checkResult(const Expected &expected, ModelValue &result, Location loc, StringRef description);
  ModelValue *add(ModelValue value);
  LogicalResult addOutputs(Graph &graph);
  Value addArgument(RankedTensorType type, StringRef name, bool isParameter);
  Value makeValue(ModelValue &value);

  const Object &program;
  const TorchImportOptions &options;
  std::function<llvm::Expected<HostArray>(StringRef)> readWeight;
  TorchModel &model;
  MLIRContext *context;
  func::FuncOp function;
  ImplicitLocOpBuilder builder;
  ExtentValues extents;
  Budget budget;
  std::deque<ModelValue> values; // addresses stay
  llvm::StringMap<AffineExpr> symbols;
  /// Extents given by options or arrays, by symbol.
  llvm::StringMap<int64_t> known;
  llvm::StringMap<HostArray> given; ///< arrays for inputs
  struct OpenInput {
    Value argument;
    int64_t dim;
    const llvm::json::Value *size;
    std::string text;
  };
  std::vector<OpenInput> computedInputs;
  struct IntegerInput {
    StringRef name;
    Value argument;
    StringRef symbol;
  };
  std::vector<IntegerInput> integers;
  /// Arguments that a program may write to, by what their results are called.
  std::vector<std::pair<std::string, ModelValue *>> writable;
  llvm::DenseMap<Value, std::string> argumentNames;
  SmallVector<Attribute> argumentAttributes;
  llvm::StringMap<unsigned> nodeNames, takenNames;
  llvm::StringMap<size_t> lastUses; ///< of values, by name
  size_t position = 0;
  struct Unsupported {
    SmallVector<NameLoc, 1> nodes;
    std::string trace; ///< of the first one
  };
  llvm::MapVector<StringRef, Unsupported> unsupported;
};

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_GRAPHIMPORTER_H
