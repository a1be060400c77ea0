//===- WeightTree.h - The weights of a product as a tree over parameters -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_WEIGHTTREE_H
#define FUSE_LIB_TRANSFORMS_WEIGHTTREE_H

#include "ShortWeights.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// The weights of one product as a tree over parameters, of which one leaf is short.
class WeightTree {
public:
  WeightTree(func::FuncOp function, MatmulOp product);

  /// Why the weights are not kept short; empty if they can be.
  std::string check();

  /// The product of x, [rows, steps], and the weights, whose columns lie in blocks of
  /// `columnsOfBlock`: [rows, all columns of all blocks].
  Value build(FuseBuilder &b, Value x, int64_t columnsOfBlock);

  /// The same product with elements of its rows as `digits` bytes each (see RoundedRows.h), [rows, all columns of all blocks];
  /// null where weights are not integers less a zero point, times scales.
  Value buildRounded(FuseBuilder &b, Value x, int64_t columnsOfBlock, int64_t digits, StringRef label);

  /// Whether the product sums what it summed before, in the order in which it did. After check().
  bool keepsOrder() const;

  /// Whether weights are computed from shorter numbers at all, after check().
  bool hasShort() const { return numShort > 0; }

  int64_t steps, columns, paddedSteps = 0, bits = 0;

private:
  /// Rows with zeros for the steps that fill up the last group.
  Value padSteps(FuseBuilder &b, Value x) const;

  /// [blocks, rows, columns of a block] as rows.
  Value joinBlocks(FuseBuilder &b, Value result) const;

  bool isParameter(Value value);

  /// Whether each step and column has an element of its own.
  static bool isFull(const WeightAccess::Run &run) { return run.steps == 1 && run.columns == 1; }

  std::string visit(Value value, const WeightAccess &access);

  std::string visitOperand(Operation *op, unsigned number, const WeightAccess &access);

  /// A conversion from numbers of 16 bits or fewer to longer ones.
  static bool isShort(Operation *op);

  /// The same where each step and column has a number of its own, behind views.
  static bool isShortAt(Operation *op, WeightAccess access);

  static std::pair<int64_t, int64_t> getShortRange(Operation *op);

  /// A marked op, which stays in the product's kernel.
  Value keep(Value value);

  Value rebuild(FuseBuilder &b, Value value, const WeightAccess &access);

  /// A matrix of [steps / run, columns], for as many as the product has, as it is laid out:
  /// [blocks, steps / run, block].
  Value layOut(FuseBuilder &b, Value matrix, int64_t rows);

  /// What whole groups of steps have in common. Short numbers stay short.
  Value rebuildLeaf(FuseBuilder &b, Value value, const WeightAccess &access,
                    const WeightAccess::Run &run);

  /// Of float(q) - c with numbers of eight bits and an integer c: the floats of q - c, where these
  /// are of eight bits, too. Null where the op is another. Exact.
  Value widenSigned(FuseBuilder &b, Operation *op, const WeightAccess &access);

  /// The short numbers, packed, and the floats that the product makes of them.
  Value widen(FuseBuilder &b, Operation *op, const WeightAccess &access);

  func::FuncOp function;
  MatmulOp product;
  WeightAccess root;
  unsigned numOps = 0, numShort = 0;
  /// Steps that have all scales in common; 0: all.
  int64_t group = 0;
  int64_t block = 0, blocks = 0, words = 0, perWord = 0;
  /// [blocks, groups, words of a group, numbers of a word, columns of a block]
  SmallVector<int64_t> shape;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_WEIGHTTREE_H
