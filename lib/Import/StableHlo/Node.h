//===- Node.h - One op of StableHLO while it is imported -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the importer of an op works with: operands, attributes by name, and the ops to build. The program is parsed
// without its dialect, so that nothing has been verified: attributes of a wrong kind are remembered as the node's
// failure, so that importers read straight on, and the caller looks at it at the end.
//
// A value is kept as small as it can be:
// - What was broadcast keeps its own extents as long as nothing but element-wise ops read it, which broadcast
// themselves:
//   of `broadcast_in_dim %c, dims = []` with %c : tensor<f32>, %c is an operand of fuse.binary.
// - Integers that are constants or follow from extents are expressions. They become tensors where something asks for
// these.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_NODE_H
#define FUSE_IMPORT_STABLEHLO_NODE_H

#include "../Common/OpContext.h"

#include <memory>

namespace mlir::fuse::stablehlo {
using namespace importer;

class GraphImporter;

/// What is asked of two numbers.
struct Condition {
  ComparePredicate predicate;
  AffineExpr left, right;
};

/// A value of the program.
struct ModelValue {
  RankedTensorType type; ///< as the program says; null for a token
  Value tensor;          ///< of `type`, or what broadcasts to it (NumPy); null where `numbers` say what it is
  /// The extents of what is to be broadcast, where `type` has open ones.
  SmallVector<AffineExpr> extents;
  /// Of integers and booleans of few elements: what they are, in row-major order.
  std::optional<SmallVector<AffineExpr>> numbers;
  std::optional<Condition> condition; ///< of one boolean that follows from numbers
  /// Of a loop's buffer that is written to at the counter's place and nowhere else: which of the loop's values it is.
  std::optional<unsigned> buffer;
};

/// Integers with more elements than this are tensors, and no expressions.
inline constexpr int64_t kMostNumbers = 64;

class Node : public OpContext {
public:
  Node(GraphImporter &importer, Operation *op, std::string name, SmallVector<ModelValue> operands,
       ImplicitLocOpBuilder &builder, ExtentValues &extents, Budget &budget);

  std::string getDescription() const override { return description; }
  StringRef getOp() const { return op->getName().getStringRef(); }
  Operation *getOperation() const { return op; }
  GraphImporter &getImporter() const { return importer; }

  //===- Operands ---------------------------------------------------------------------------===//

  unsigned getNumOperands() const { return operands.size(); }
  ModelValue &getOperand(unsigned i) { return operands[i]; }
  ArrayRef<ModelValue> getOperands() const { return operands; }
  Type getElement(unsigned i) const { return operands[i].type.getElementType(); }
  int64_t getRank(unsigned i) const { return operands[i].type.getRank(); }
  /// A tensor with all of its extents.
  Value tensor(unsigned i) { return expand(operands[i]); }
  /// A tensor that broadcasts to its extents, for ops that broadcast themselves.
  Value part(unsigned i) { return getPart(operands[i]); }
  Value expand(ModelValue &value);
  Value getPart(ModelValue &value);
  /// The extents of an operand.
  SmallVector<AffineExpr> getExtentsOf(unsigned i) { return getExtentsOf(operands[i]); }
  SmallVector<AffineExpr> getExtentsOf(ModelValue &value);
  /// The numbers that an operand holds: what is known of them, else what the program computes. Fails for what is no
  /// list of integers.
  FailureOr<SmallVector<AffineExpr>> getNumbers(unsigned i);
  /// One number.
  FailureOr<AffineExpr> getNumberOf(unsigned i);
  /// The one number that all elements of a constant are; none for anything else.
  std::optional<double> getSplat(unsigned i) { return getSplat(operands[i]); }
  static std::optional<double> getSplat(const ModelValue &value);

  //===- Attributes -------------------------------------------------------------------------===//

  int64_t getInt(StringRef name, std::optional<int64_t> fallback = {});
  bool getBool(StringRef name, bool fallback);
  std::string getString(StringRef name, StringRef fallback = "");
  /// `array<i64: …>` or `dense<…>`. With `count`, so many; where the attribute is not there, that many times
  /// `fallback`, or a failure without one.
  SmallVector<int64_t> getInts(StringRef name, std::optional<size_t> count = {}, std::optional<int64_t> fallback = {});
  /// Pairs of low and high padding, of a list of 2 · count.
  std::pair<SmallVector<int64_t>, SmallVector<int64_t>> getPadding(StringRef name, size_t count);
  /// The word of an enum's attribute: LT of `#stablehlo<comparison_direction LT>`.
  StringRef getWord(StringRef name);
  /// The text within the brackets of an attribute of the program's dialect: of `#stablehlo.dot<…>`.
  StringRef getText(StringRef name);
  /// A list of such a text: `lhs_batching_dimensions = [0, 1]`; empty where it is not there. Entries must be below
  /// `limit`, and no two alike.
  SmallVector<int64_t> getListOf(StringRef text, StringRef key, int64_t limit);
  /// A number of such a text: `index_vector_dim = 1`.
  int64_t getIntOf(StringRef text, StringRef key, int64_t fallback);
  /// Fails unless all of `list` are in [0, limit), and no two alike.
  LogicalResult checkDims(ArrayRef<int64_t> list, int64_t limit, StringRef what);

  //===- Results ----------------------------------------------------------------------------===//

  unsigned getNumResults() const { return results.size(); }
  /// As the program says.
  RankedTensorType getResultType(unsigned i = 0) const { return results[i].type; }
  Type getResultElement(unsigned i = 0) const { return results[i].type.getElementType(); }
  /// `value` broadcasts to the result's type, whose extents are `list` where some of them are open.
  LogicalResult setResult(unsigned i, Value value, ArrayRef<AffineExpr> list = {});
  LogicalResult setResult(Value value, ArrayRef<AffineExpr> list = {}) { return setResult(0, value, list); }
  LogicalResult setResult(FailureOr<Value> value) { return failed(value) ? failure() : setResult(0, *value); }
  LogicalResult setNumbers(SmallVector<AffineExpr> list) {
    results[0].numbers = std::move(list);
    return success();
  }
  /// The same value as it stands, such as an operand; its type becomes the result's.
  LogicalResult setValue(unsigned i, ModelValue value);
  MutableArrayRef<ModelValue> getResults() { return results; }
  /// After a failure of something that is tried in another way next.
  void forgive() { isFailed = false; }

private:
  GraphImporter &importer;
  Operation *op;
  std::string description;
  SmallVector<ModelValue> operands, results;
};

/// Folds ops on numbers: sums, products, comparisons, selections and lists of what is constant or follows from extents.
/// False where this op is no such, or what it computes is not known.
bool foldNumbers(Node &n);
/// Of LT, LE, GT, GE, EQ and NE; none for another word.
std::optional<ComparePredicate> getPredicate(StringRef word);

/// A type as messages show it.
std::string describe(Type type);
/// The place in Python's code, "model.py:12", that a location has; empty where it has none.
std::string describePlace(Location loc);
/// The name that a location has; empty where it has none.
StringRef findLocationName(Location loc);

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_NODE_H
