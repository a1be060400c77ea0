//===- RowAlgebra.h - Sums of products that say what a row kernel computes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_ANALYSIS_LABELS_ROWALGEBRA_H
#define FUSE_LIB_ANALYSIS_LABELS_ROWALGEBRA_H

//===----------------------------------------------------------------------------------------===//
//
// Norms have many spellings: a product with rsqrt or a quotient by sqrt, the scale before or after,
// the variance as mean((x − m)²) or mean(x²) − m². They are one expression once it is expanded into
// a sum of products of powers. The atoms are
//
//   - values that nothing is known of (the row x, scales and offsets),
//   - means of products of such values over the row, Mean(x·x),
//   - powers of sums, (Mean(x·x) − Mean(x)² + ε)^-½.
//
// Means over the row pass through means over it. Exponents count halves.
//
//===----------------------------------------------------------------------------------------===//

#include "LabelOps.h"

namespace mlir::fuse {

class RowAlgebra {
public:
  /// Atoms and their exponents in halves, by atom.
  using Product = SmallVector<std::pair<unsigned, int>, 4>;
  struct Term {
    Product product;
    double factor;
  };
  /// No two terms have one product.
  using Sum = SmallVector<Term, 4>;
  struct Atom {
    enum class Kind { Value, Mean, Power } kind;
    Value value; ///< of Value
    Sum sum;     ///< what the mean is of, what the power is of
  };

  explicit RowAlgebra(const LabelOps &ops) : ops(ops) {}

  /// What `value` is; members that were looked into are `used`.
  Sum evaluate(Value value);
  /// Whether `sum` is (x − Mean(x)) · (Mean(x²) − Mean(x)² + ε)^-½ · scale + offset, scale and offset
  /// from outside the kernel and perhaps absent.
  bool isLayerNorm(const Sum &sum) const;

  const llvm::SetVector<Operation *> &getUsed() const { return used; }
  /// The dimensions of all reductions; nothing where they differ or there is none.
  ArrayRef<int64_t> getRowDims() const { return dims; }

private:
  Sum evaluateOp(Operation *op);
  Sum evaluateBinary(BinaryOp op);
  Sum evaluateMean(ReduceOp op);
  std::optional<Sum> power(const Sum &base, int halves);
  Sum multiply(const Sum &a, const Sum &b);
  Sum mean(const Sum &sum);
  bool isRowInvariant(unsigned atom) const;
  bool isVariance(const Sum &sum) const;
  std::optional<unsigned> findVarianceValue(const Sum &sum) const;
  unsigned intern(Atom atom);
  Sum opaque(Value value);

  const LabelOps &ops;
  std::vector<Atom> atoms;
  llvm::DenseMap<Value, Sum> known;
  llvm::SetVector<Operation *> used;
  SmallVector<int64_t> dims;
  bool failed = false;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_ANALYSIS_LABELS_ROWALGEBRA_H
