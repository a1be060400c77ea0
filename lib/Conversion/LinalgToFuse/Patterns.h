//===- Patterns.h - The groups of patterns, and bodies as tensor ops --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_LINALGTOFUSE_PATTERNS_H
#define FUSE_LIB_CONVERSION_LINALGTOFUSE_PATTERNS_H

#include "../Support/TensorTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

void populateLinalgStructurePatterns(RewritePatternSet &patterns);
void populateLinalgNamedOpPatterns(RewritePatternSet &patterns);
void populateTensorOpPatterns(RewritePatternSet &patterns);

/// Where all elements of a value are one that is known: a constant, or a fill with one.
TypedAttr getSplatValue(Value value);

/// Whether `value` is what a reduction of this kind starts from: combining with it changes nothing.
bool isNeutral(ReduceKind kind, TypedAttr value);

/// A tensor whose dimensions are some of an op's loops, in any order.
struct LoopTensor {
  Value tensor;
  SmallVector<int64_t, 4> loops;
};

/// The body of a structured op as tensor ops, each over the loops that its operands run over.
class BodyBuilder {
public:
  BodyBuilder(OpBuilder &b, linalg::LinalgOp op);

  FuseBuilder &getGraph() { return graph; }

  /// Reads the op's inputs, and its inits where the body does. Failure: a map that is no projected
  /// permutation, or a type without a form.
  LogicalResult readOperands(bool withInits);

  /// Failure: an op without a form.
  LogicalResult build(Operation *op);

  /// What stands for a scalar of the body; null if nothing does.
  const LoopTensor *lookup(Value scalar);

  /// The same tensor with its dimensions in the order of the loops.
  LoopTensor sort(const LoopTensor &x);

  /// `x` with all of `loops`, ascending, extents that it does not run over being 1 (missing, if
  /// they lead). Failure: several dynamic extents.
  FailureOr<Value> expandTo(const LoopTensor &x, ArrayRef<int64_t> loops);
  /// The same, repeated to the loops' extents, which are static where it is.
  FailureOr<Value> broadcastTo(const LoopTensor &x, ArrayRef<int64_t> loops);

  int64_t getExtent(int64_t loop) const { return extents[loop]; }
  int64_t getNumLoops() const { return static_cast<int64_t>(extents.size()); }

private:
  LogicalResult readOperand(OpOperand &operand, Value scalar);
  /// One op on operands that are first given the loops of all.
  FailureOr<LoopTensor> apply(ArrayRef<LoopTensor> operands,
                              llvm::function_ref<Value(ArrayRef<Value>)> function);

  FuseBuilder graph;
  linalg::LinalgOp op;
  SmallVector<int64_t> extents;
  llvm::DenseMap<Value, LoopTensor> tensors;
};

/// A scalar op of arith or math as ops on tensors that broadcast, or null.
Value buildBodyOp(FuseBuilder &g, Operation *op, ArrayRef<Value> operands);

/// A scalar from around a structured op as a tensor of rank 0: a constant, an element of a tensor at a place that is known,
/// or what scalar ops make of such. Failure, with ops that nothing reads: any other, as an argument of the function.
FailureOr<Value> buildScalar(FuseBuilder &g, Value scalar);

/// Erases what was built before `op` behind `before`, which nothing else reads.
void eraseBuilt(PatternRewriter &rewriter, Operation *op, Operation *before);

/// A sum of products as one matrix product, its dimensions those of the loops in `order`; null if
/// it is none.
FailureOr<Value> buildContraction(BodyBuilder &body, const LoopTensor &lhs, const LoopTensor &rhs,
                                  ArrayRef<int64_t> order, Type element);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_LINALGTOFUSE_PATTERNS_H
