//===- GraphImporter.h - A graph's nodes, in order, as ops of a function -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_GRAPHIMPORTER_H
#define FUSE_IMPORT_ONNX_GRAPHIMPORTER_H

#include "../Common/TakenNames.h"
#include "OpTable.h"
#include "fuse/Import/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringSet.h"

#include <deque>

namespace mlir::fuse::onnx {

class GraphImporter {
public:
  /// `transposed`: initializers that nodes expect transposed; see TransposeWeights.h.
  GraphImporter(const ModelFile &file, llvm::StringSet<> transposed, const OnnxImportOptions &options, OnnxModel &model);

  /// Fills in the model.
  LogicalResult run();

private:
  /// The values that nodes see by name: of the graph, or of one call of a function. Null for what a
  /// call leaves out.
  using Scope = llvm::StringMap<ModelValue *>;
  using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

  /// What the nodes of a graph, of a function's body or of a branch are read with.
  struct Body {
    const Nodes &nodes;
    llvm::StringMap<int64_t> opsets; ///< by domain; "" is the default one
    Scope scope;
    unsigned depth = 0;
    std::string prefix;          ///< of its nodes' names; empty outside of functions
    const Body *outer = nullptr; ///< a branch sees the values of what it is in, too

    /// Nothing for a name that no value has.
    std::optional<ModelValue *> find(StringRef name) const;
  };

  /// A function of the model.
  struct Function {
    const FunctionProto *proto = nullptr;
    std::vector<AttributeProto> defaults = {}; ///< of attributes that a call may leave out
  };

  InFlightDiagnostic emitError(const Twine &text) const;
  /// Of what the options bind.
  LogicalResult checkNames() const;
  /// An error where two cannot be told apart.
  LogicalResult readFunctions();
  /// All operators that cannot be imported are named at once, each with its first node.
  LogicalResult checkOperators(const Nodes &nodes, unsigned depth);
  /// Adds to `unsupported`; an error only for calls without an end.
  LogicalResult findUnsupported(const Nodes &nodes, unsigned depth);
  /// Makes the elements of an argument numbers, in front of all else.
  void makeSymbolic(ModelValue &argument);
  void findKnownInputs();
  /// `known` of a graph or of one call of a function, `depth` calls deep.
  void findKnown(const Nodes &nodes, unsigned depth, Budget &left, llvm::StringSet<> &known) const;
  /// Remembers the names that nodes read, those within branches as well.
  void addReadNames(const Nodes &nodes);
  LogicalResult addInitializers(const GraphProto &graph, Body &body);
  LogicalResult addInputs(Body &body);
  void findExtents();
  /// Of an open dimension of an input; nothing where it stays open, or its array says it.
  std::optional<int64_t> findExtent(const ValueInfoProto &info, int i) const;
  /// What the options say of an open dimension of an input.
  std::optional<DimRange> findRange(const ValueInfoProto &info, int i) const;
  /// Notes what is known of the extents of the argument that was added last: bounds, and what kernels are planned for.
  void addRanges(const ValueInfoProto &info, RankedTensorType type, Value argument);
  FailureOr<RankedTensorType> getInputType(const ValueInfoProto &info);
  LogicalResult importNodes(Body &body);
  LogicalResult importNode(const NodeProto &proto, Body &body);
  /// `name`: of the calling node.
  LogicalResult callFunction(const NodeProto &proto, const Function &function, Body &caller,
                             StringRef name);
  /// Whether the node chooses between two graphs: an `If` that is no function of the model.
  bool isBranch(const NodeProto &node) const;
  /// The nodes of the branch that is taken are imported in its place. `name`: of the node.
  LogicalResult importBranch(const NodeProto &proto, Body &body, StringRef name);
  /// Imports a branch of an `If` in place: its outputs, in the order of the node's; null for those that are not wanted.
  FailureOr<SmallVector<ModelValue *>> importGraph(const NodeProto &proto, Body &body, StringRef wanted);
  /// Both, for a condition that the program computes.
  FailureOr<SmallVector<ModelValue *>> importBothBranches(const NodeProto &proto, Body &body, Value condition);
  /// A condition as a tensor of rank 0.
  Value materializeCondition(ModelValue &condition);
  /// Whether the array that is given for an input is its value while importing.
  bool isSpecialized(StringRef name, const HostArray &given) const;
  /// What a value that is not known is computed from, and how to make that known.
  std::string describeSources(const ModelValue &value) const;
  /// False where less than one more call is left.
  static bool takeCall(const FunctionProto &callee, Budget &budget);
  /// Converts operands that need not be of the others' type; an error where they must be.
  LogicalResult matchTypes(const OperandTypes &types, const NodeProto &proto,
                           MutableArrayRef<ModelValue *> inputs);
  ModelValue *convert(ModelValue &value, Type element);
  LogicalResult build(const OpImporter &importer, Node &node);
  /// Computes a node whose operands are known. Nothing if its results are too large for that.
  FailureOr<bool> evaluate(const OpImporter &importer, const NodeProto &proto, int64_t opset,
                           ArrayRef<ModelValue *> inputs, SmallVectorImpl<ModelValue> &results);
  /// The same where some of the operands are computed from extents. Nothing where no expressions say the results.
  FailureOr<bool> foldSymbolic(const OpImporter &importer, const NodeProto &proto, int64_t opset,
                               ArrayRef<ModelValue *> inputs, SmallVectorImpl<ModelValue> &results);
  LogicalResult addOutputs(Body &body);
  /// `dimNames`: of open dimensions, one for each dimension; or none at all.
  Value addArgument(RankedTensorType type, StringRef name, bool isParameter,
                    ArrayRef<StringRef> dimNames = {});
  /// A known value as a constant of the program, or as one of its parameters.
  Value materialize(ModelValue &value);
  const Function *findFunction(const NodeProto &node) const;
  const HostArray *findGiven(StringRef name) const;
  ModelValue *add(ModelValue value);
  Location makeLoc(const NodeProto &node) const;
  /// Gives a node a name that no node before it has.
  std::string takeName(const NodeProto &node, const Body &body);

  const ModelFile &file;
  llvm::StringSet<> transposed;
  const OnnxImportOptions &options;
  OnnxModel &model;
  MLIRContext *context;
  func::FuncOp function;
  ImplicitLocOpBuilder builder;
  ExtentValues extents;
  std::deque<ModelValue> values; // addresses stay
  llvm::StringSet<> readNames, knownNames;
  /// The names in `knownNames`, and those that conditions of branches are computed of.
  llvm::StringSet<> decidingNames;
  bool readsConditions = false; ///< findKnown takes conditions of branches for what must be known
  llvm::StringMap<unsigned> nodeNames; ///< and how often each was asked for
  /// The functions of the model by domain, name and overload, and those whose operators were
  /// checked.
  llvm::StringMap<Function> functions;
  llvm::DenseSet<const Function *> checked, inCheck;
  struct Unsupported {
    std::string op; ///< with its domain and overload
    const NodeProto *first;
    int64_t count = 0;
  };
  std::vector<Unsupported> unsupported;
  llvm::StringMap<size_t> unsupportedPlaces; ///< by op
  /// What the arguments so far are; set when all are there, since sets of attributes live as long
  /// as the context.
  SmallVector<Attribute> argumentAttributes;
  llvm::StringSet<> argumentNames;
  /// How many parameters came of values of one name.
  llvm::StringMap<unsigned> parameterCounts;
  Budget budget;
  llvm::StringMap<int64_t> dims;
};

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_GRAPHIMPORTER_H
