//===- Node.h - One node of an exported program while it is imported -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the importer of an op works with: arguments by their names in the op's schema, and the ops to build. An argument
// that the program leaves out has its default, which the importer states. Arguments of a wrong kind are remembered as
// the node's failure, so that importers read straight on; the caller looks at it at the end. Only tensors that
// the table of ops says are required are sure to be there.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_NODE_H
#define FUSE_IMPORT_TORCH_NODE_H

#include "../Common/OpContext.h"
#include "Types.h"

#include "llvm/Support/JSON.h"

#include <deque>
#include <memory>

namespace mlir::fuse::torch {
using namespace importer;

struct ModelValue;

/// The memory that values share in eager mode: a tensor and its views.
struct Storage {
  std::vector<ModelValue *> values;
  bool isWritten = false; ///< by a node
};

/// What is asked of two extents.
struct Condition {
  ComparePredicate predicate;
  AffineExpr left, right;
};

/// A float that is computed of extents, such as the (n + 1) / 2 of math.ceil((n + 1) / 2): in kernels it is an operand, and
/// on the host extents follow from it. There is none where `tensor` is null.
struct ComputedFloat {
  Value tensor;      ///< for kernels: of rank 0 and type f64
  Value scalar;      ///< for the host: of type f64
  AffineExpr over;   ///< the float is `over` / `under`, rounded once; null where no such ratio says it
  int64_t under = 1; ///< above 0

  explicit operator bool() const { return static_cast<bool>(tensor); }
};

/// A value of the program: a tensor, a number, or None.
struct ModelValue {
  std::string name;
  Value tensor;                       ///< of a tensor
  AffineExpr extent;                  ///< of an integer, such as an extent
  ComputedFloat number;               ///< of a float that is computed of extents
  std::optional<double> constant;     ///< of a float, or of an integer that is no extent
  std::optional<Condition> condition; ///< of a bool that is computed of extents
  std::shared_ptr<Storage> storage;   ///< of a tensor
  bool isWhole = true;                ///< of a tensor: it is all of the storage, in its order
  bool isArgument = false;            ///< what it holds at the end is of interest outside
  size_t lastUse = 0;                 ///< the number of the last node that reads it

  bool exists() const { return tensor || extent || number || constant || condition; }
};

/// A number as an operand.
struct Number {
  enum Kind { Bool, Int, Float } kind = Int;
  std::optional<double> value; ///< none for what is computed of extents
  int64_t integer = 0;         ///< of Bool and Int, where `value` is there: exactly
  AffineExpr extent;           ///< of an integer that is computed of extents
  ComputedFloat computed;      ///< of a float that is computed of extents

  ElementType getType() const {
    return kind == Bool ? ElementType::I1 : kind == Int ? ElementType::I64 : ElementType::F64;
  }
};

/// The values that nodes see by name: of a graph.
using Scope = llvm::StringMap<ModelValue *>;

/// What a result must be according to the program.
struct Expected {
  std::optional<ElementType> element;
  SmallVector<AffineExpr> extents; ///< null for one that no expression says
  bool isKnown = false;            ///< whether the program says anything
  bool isRead = true;              ///< whether somebody reads it
};

class Node : public OpContext {
public:
  Node(const llvm::json::Object &object, StringRef op, StringRef description, const Scope &scope,
       SmallVector<Expected> expected, const llvm::json::Object *metas, const llvm::StringMap<AffineExpr> &symbols,
       ImplicitLocOpBuilder &builder, ExtentValues &extents, Budget &budget)
      : OpContext(builder, extents, budget), object(object), op(op), description(description), scope(scope),
        expected(std::move(expected)), metas(metas), symbols(symbols), results(this->expected.size()) {}

  std::string getDescription() const override { return description; }
  /// The op with its overload, without what makes it write in place.
  StringRef getOp() const { return op; }

  //===- Arguments --------------------------------------------------------------------------===//

  /// Whether an argument is there, and not None.
  bool has(StringRef name) const;
  /// A tensor. One that is not required must be asked for with has() before.
  Value tensor(StringRef name);
  /// The same, null where it is not there.
  Value optional(StringRef name) { return has(name) ? tensor(name) : Value(); }
  bool isTensor(StringRef name) const;
  /// The tensors of a list; null for one that is None.
  SmallVector<Value> tensors(StringRef name);

  /// The strides that a tensor has in eager mode, where expressions say them.
  std::optional<SmallVector<AffineExpr>> getStrides(StringRef name);
  /// Whether a tensor lay row by row where the program was written, without gaps.
  bool wasContiguous(StringRef name) const;
  /// Where a tensor's first element lies in its memory in eager mode, in elements; 0 where the program does not say, null
  /// where no expression says.
  AffineExpr getStorageOffset(StringRef name) const;

  int64_t getInt(StringRef name, int64_t fallback);
  double getFloat(StringRef name, double fallback);
  bool getBool(StringRef name, bool fallback);
  /// Which of `count` results are asked for; all where the argument is not there.
  using Mask = SmallVector<bool, 4>;
  Mask getMask(StringRef name, size_t count);
  std::string getString(StringRef name, StringRef fallback);
  SmallVector<int64_t> getInts(StringRef name, ArrayRef<int64_t> fallback = {});
  SmallVector<double> getFloats(StringRef name);
  /// A list with one entry for each of `count` dimensions; one entry alone is that of all.
  SmallVector<int64_t> getSpread(StringRef name, size_t count, int64_t fallback);
  /// Integers that may be computed of extents.
  AffineExpr getExpr(StringRef name, int64_t fallback);
  SmallVector<AffineExpr> getExprs(StringRef name);
  /// A number. The argument must be there, or `fallback` is.
  Number getNumber(StringRef name, std::optional<Number> fallback = {});
  using OpContext::getNumber;
  /// An element type by a ScalarType; `fallback` where it is not there. Fails for one that the dialect does not have.
  Type getType(StringRef name, Type fallback);
  /// A dimension of `rank` ones, counted from the end where it is negative; 0 for rank 0, and after a failure.
  int64_t getDim(StringRef name, int64_t fallback, int64_t rank);
  /// The same of a list (or one number), sorted; all dimensions for an empty list or none, where `allIfEmpty`.
  SmallVector<int64_t> getDims(StringRef name, int64_t rank, bool allIfEmpty = true);
  int64_t wrapDim(int64_t dim, int64_t rank);

  /// A condition on extents; none for a bool that is known to be true. Fails for one that is known to be false.
  std::optional<Condition> getCondition(StringRef name);

  //===- Building ---------------------------------------------------------------------------===//

  /// A number as a tensor of rank 0.
  Value makeScalar(const Number &number, Type element);
  /// What takes part in type promotion.
  static Promoted describe(Value x);
  static Promoted describe(const Number &number) { return {number.getType(), Promoted::Number}; }
  Type toType(ElementType element) { return toMLIRType(element, b.getContext()); }
  /// A tensor of one value.
  Value fill(const Number &number, ArrayRef<AffineExpr> extents, Type element);
  /// Two operands with the dimensions that NumPy gives both; a static 1 repeats.
  SmallVector<AffineExpr> broadcastExtents(ArrayRef<Value> operands);
  /// A call in which a condition does not hold is an error.
  void assume(const Condition &condition);
  using OpContext::assume;
  /// x with the extents, where it has 1 or less dimensions.
  Value expand(Value x, ArrayRef<AffineExpr> to) { return b.broadcastTo(x, getSizes(to)); }

  //===- Results ----------------------------------------------------------------------------===//

  size_t getNumResults() const { return results.size(); }
  /// Whether the node has the result, and somebody may read it.
  bool wants(size_t i) const { return i < results.size() && expected[i].isRead; }
  const Expected &getExpected(size_t i) const { return expected[i]; }
  /// The element type that the program says result `i` has; `fallback` where it says none.
  Type getResultType(size_t i, Type fallback) {
    return i < expected.size() && expected[i].element ? toType(*expected[i].element) : fallback;
  }
  void setResult(size_t i, Value value) {
    if (i < results.size())
      results[i].tensor = value;
  }
  LogicalResult setResult(Value value) {
    setResult(0, value);
    return success();
  }
  LogicalResult setResult(FailureOr<Value> value) { return failed(value) ? failure() : setResult(*value); }
  LogicalResult setExtent(AffineExpr extent) {
    if (!results.empty())
      results[0].extent = extent;
    return success();
  }
  void setCondition(const Condition &condition) {
    if (!results.empty())
      results[0].condition = condition;
  }
  LogicalResult setNumber(const ComputedFloat &number) {
    if (!results.empty())
      results[0].number = number;
    return success();
  }
  MutableArrayRef<ModelValue> getResults() { return results; }

private:
  friend class GraphImporter;
  /// The kind of an argument and what it holds; both empty for one that is not there.
  struct Argument {
    StringRef kind;
    const llvm::json::Value *value = nullptr;
  };
  Argument find(StringRef name) const;
  static Argument unpack(const llvm::json::Object &holder);
  const ModelValue *lookup(StringRef name);
  /// What the program says of a tensor; null where it says nothing.
  const llvm::json::Object *findMeta(StringRef name) const;
  Number readNumber(StringRef name, const Argument &argument);
  AffineExpr readExpr(StringRef name, const Argument &argument);
  Value readTensor(StringRef name, const llvm::json::Value *value);

  const llvm::json::Object &object;
  StringRef op;
  std::string description;
  const Scope &scope;
  SmallVector<Expected> expected;
  const llvm::json::Object *metas; ///< of tensors by name; may be null
  const llvm::StringMap<AffineExpr> &symbols;
  SmallVector<ModelValue, 1> results;
};

/// A list or an object that may not be there, as an empty one.
inline const llvm::json::Array &orEmpty(const llvm::json::Array *list) {
  static const llvm::json::Array none;
  return list ? *list : none;
}
inline const llvm::json::Object &orEmpty(const llvm::json::Object *object) {
  static const llvm::json::Object none;
  return object ? *object : none;
}

/// A size whose parts that no expression says are computed where `n` builds: minima, maxima, and, with `divides`, quotients by what is no
/// number. Null for what is no size of known symbols.
AffineExpr readComputedSize(OpContext &n, const llvm::json::Value &size, const llvm::StringMap<AffineExpr> &symbols,
                            bool divides);
/// The same where the builder stands, without quotients.
AffineExpr readComputedSize(ImplicitLocOpBuilder &builder, ExtentValues &extents, Budget &budget,
                            const llvm::json::Value &size, const llvm::StringMap<AffineExpr> &symbols);

/// A float of JSON: a number, or one of the strings that the schema has for what JSON has no number for.
std::optional<double> readFloat(const llvm::json::Value &value);

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_NODE_H
