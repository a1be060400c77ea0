//===- Node.h - One node of a model while it is imported -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the importer of an operator works with: operands as values or as known arrays, attributes
// with their defaults, and the ops to build. Wrong lists and attributes are remembered as the
// node's failure, so that importers read straight on; the caller looks at it at the end.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_NODE_H
#define FUSE_IMPORT_ONNX_NODE_H

#include "../Common/OpContext.h"
#include "Formats.h"
#include "ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include <deque>
#include <functional>
#include <memory>

namespace mlir::fuse::onnx {

/// A value of the model: an array that is known while importing, or a value of the program, or
/// both; or a sequence of such values, which has no type.
struct ModelValue {
  std::string name;
  RankedTensorType type;
  HostArray known;
  Value value; ///< null until somebody needs it, if it is known
  /// The model's dimensions without an extent, of which its own may be computed: symbols, places.
  SmallVector<std::string, 0> openDims = {};
  /// The elements, in row-major order, of an array of integers that is known but for the extents of open dimensions. `known`
  /// is empty then, and `value` null: the array exists only while importing.
  SmallVector<AffineExpr, 0> symbolic = {};
  std::shared_ptr<const std::vector<ModelValue>> sequence = {};
  /// How the elements are to be read, where the dialect has no type for them.
  const Format *format = nullptr;
  bool exists() const { return known || value || sequence || !symbolic.empty(); }
};

/// "; give the extents with --dim batch=N", of all open dimensions that values depend on; empty where there are none. Much of
/// what cannot be imported can be where all extents are known.
std::string describeOpenDims(ArrayRef<const ModelValue *> values);

/// How errors name a node: `node 'conv1' (Conv)`.
std::string describeNode(const NodeProto &node);

class Node : public OpContext {
public:
  /// Makes the value of an operand that is known so far.
  using Materialize = std::function<Value(ModelValue &)>;
  /// Says what an operand that is not known is computed from.
  using Describe = std::function<std::string(const ModelValue &)>;

  Node(const NodeProto &proto, int64_t opset, const ModelFile &file, Budget &budget,
       ExtentValues &extents, ArrayRef<ModelValue *> inputs, ImplicitLocOpBuilder &builder,
       Materialize materialize)
      : OpContext(builder, extents, budget), proto(proto), opset(opset), file(file), inputs(llvm::to_vector(inputs)),
        materialize(std::move(materialize)), results(proto.output_size()) {}

  void setDescribe(Describe made) { describe = std::move(made); }
  int64_t getOpset() const { return opset; }

  //===- Operands ---------------------------------------------------------------------------===//

  size_t getNumInputs() const { return inputs.size(); }
  /// Optional operands may be missing in the middle and at the end.
  bool hasInput(size_t i) const { return i < inputs.size() && inputs[i]; }
  Value getInput(size_t i);
  /// Puts a value in the place of an operand that is there.
  void setInput(size_t i, Value value) {
    made.push_back(makeElement(value));
    made.back().openDims = inputs[i]->openDims;
    inputs[i] = &made.back();
  }
  RankedTensorType getType(size_t i) const { return inputs[i]->type; }
  ArrayRef<int64_t> getShape(size_t i) const { return getType(i).getShape(); }
  int64_t getRank(size_t i) const { return getType(i).getRank(); }
  /// Whether all extents of an operand are known, but for the first one, the batch.
  bool isStaticBehindBatch(size_t i) const {
    return !ShapedType::isDynamicShape(getShape(i).drop_front(getRank(i) > 0));
  }
  Type getElementType(size_t i) const { return getType(i).getElementType(); }
  /// How the elements of an operand are to be read; null where their type says it.
  const Format *getElementFormat(size_t i) const { return hasInput(i) ? inputs[i]->format : nullptr; }
  /// The name of an operand's element type, as ONNX spells it.
  std::string getElementName(size_t i) const {
    const Format *format = getElementFormat(i);
    return format ? getDataTypeName(format->dataType) : getDataTypeName(*toElementType(getElementType(i)));
  }
  /// Whether an operand is an array that is computed from extents of open dimensions.
  bool isSymbolic(size_t i) const;
  /// Whether an operand is a short list of numbers, or one, that is an input of the model, or is computed from such as
  /// extents are computed from each other: it is known when the model runs.
  bool isComputed(size_t i) const;
  /// The array that an operand is known to be; no array if it is not.
  HostArray getKnown(size_t i) const { return hasInput(i) ? inputs[i]->known : HostArray(); }
  /// The same where nothing can be imported without: fails if it is not known.
  FailureOr<HostArray> getRequired(size_t i, StringRef name);
  /// The elements of a list of integers that must be known; an operand, or before some opset an
  /// attribute of that name. `fallback` where both are missing. Empty after a failure.
  SmallVector<int64_t> getIntegers(size_t i, StringRef name, ArrayRef<int64_t> fallback = {});
  /// The same of integers that may be computed from the extents of open dimensions, or when the model runs; in the latter case
  /// they are extents, and a call in which one is below 0 is an error.
  SmallVector<AffineExpr> getSymbolicIntegers(size_t i, StringRef name);
  /// The same as values of type `index`, of any sign (see ComputedNumbers.h).
  SmallVector<Value> getNumbers(size_t i, StringRef name);
  /// The same of an operand that must be one number; null after a failure.
  Value getNumber(size_t i, StringRef name);
  std::string getDescription() const override { return describeNode(proto); }
  /// The extents of an operand that is a value of the program.
  SmallVector<AffineExpr> getExtents(size_t i);
  using OpContext::getExtents;
  using OpContext::getNumber;
  /// The only element of an operand that must be known; 0 after a failure.
  int64_t getInteger(size_t i, StringRef name);

  //===- Sequences --------------------------------------------------------------------------===//

  /// False for an operand that is a sequence, as those of operators with sequences may be.
  bool isTensor(size_t i) const { return !inputs[i]->sequence; }
  /// The elements of an operand that must be a sequence; none after a failure.
  std::vector<ModelValue> getSequence(size_t i);
  /// An operand that must be a tensor, as an element of a sequence.
  ModelValue getElement(size_t i);
  ModelValue makeElement(Value value) const;
  /// An element as a value of the program.
  Value makeValue(ModelValue &element);
  LogicalResult setSequence(std::vector<ModelValue> elements);
  /// Makes an element the first result.
  void setElement(const ModelValue &element) {
    if (!results.empty())
      results[0] = element;
  }

  //===- Attributes -------------------------------------------------------------------------===//

  bool hasAttribute(StringRef name) const { return findAttribute(name); }
  int64_t getInt(StringRef name, int64_t fallback);
  double getFloat(StringRef name, double fallback);
  std::string getString(StringRef name, StringRef fallback);
  SmallVector<int64_t> getInts(StringRef name, ArrayRef<int64_t> fallback = {});
  SmallVector<double> getFloats(StringRef name, ArrayRef<double> fallback = {});
  std::vector<std::string> getStrings(StringRef name);
  const TensorProto *getTensor(StringRef name);
  /// An attribute that names an element type; fails for one that the dialect does not have.
  FailureOr<ElementType> getElementAttribute(StringRef name, int64_t fallback);
  int64_t getAxis(int64_t fallback, int64_t rank) {
    return normalizeAxis(getInt("axis", fallback), rank);
  }
  const ModelFile &getFile() const { return file; }

  //===- Results ----------------------------------------------------------------------------===//

  size_t getNumOutputs() const { return results.size(); }
  /// Whether somebody may read the output.
  bool wantsOutput(size_t i) const {
    return i < results.size() && !proto.output(static_cast<int>(i)).empty();
  }
  void setResult(size_t i, Value value);
  void setResult(size_t i, HostArray known);
  void setFormat(size_t i, const Format *format) {
    if (i < results.size())
      results[i].format = format;
  }
  /// Makes integers that are computed from extents the first result: a list, or one of rank 0.
  void setSymbolicResult(ArrayRef<AffineExpr> elements, bool isScalar = false);
  LogicalResult setResult(Value value) {
    setResult(0, value);
    return success();
  }
  LogicalResult setResult(FailureOr<Value> value) {
    return failed(value) ? failure() : setResult(*value);
  }
  MutableArrayRef<ModelValue> getResults() { return results; }

private:
  std::string describeRemedy() const override;
  const AttributeProto *findAttribute(StringRef name) const;
  const AttributeProto *findAttribute(StringRef name, AttributeProto::AttributeType type);

  const NodeProto &proto;
  int64_t opset;
  const ModelFile &file;
  SmallVector<ModelValue *> inputs;
  std::deque<ModelValue> made; ///< operands that took others' places
  Materialize materialize;
  Describe describe;
  SmallVector<ModelValue, 1> results;
};

/// Whether a value is an argument that is a short list of numbers, or one number.
bool isNumberList(const ModelValue &value);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_NODE_H
