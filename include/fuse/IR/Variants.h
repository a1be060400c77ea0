//===- Variants.h - Code for some sizes of a function ------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A function of open sizes may have variants: functions of the same arguments and results that run calls in which some of
// the arguments' open dimensions have one size, or one of a range. A dimension of one size is part of the variant's types;
// for a range there may be another plan:
//
//   func.func @main(%x: tensor<?x768xf32>) -> tensor<?x768xf32>
//       attributes {fuse.variants = [@main_seq1, @main_seq2to32]}
//   func.func @main_seq1(%x: tensor<1x768xf32>) -> tensor<1x768xf32>
//       attributes {fuse.variant_sizes = array<i64: 0, 0, 1, 1>}
//   func.func @main_seq2to32(%x: tensor<?x768xf32> {fuse.dim_bounds = array<i64: 32, -1>, fuse.dim_hints = array<i64: 8, -1>})
//       -> tensor<?x768xf32> attributes {fuse.variant_sizes = array<i64: 0, 0, 2, 32>}
//
// The first variant that fits is the one that runs. All share what is prepared of the parameters.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_VARIANTS_H
#define FUSE_IR_VARIANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace mlir::fuse {

namespace attr {
/// On a function: an array of symbols, the variants in the order in which a call tries them.
constexpr llvm::StringLiteral kVariants = "fuse.variants";
/// On a variant: four numbers for each dimension that it is for: the argument, the dimension, the least and the greatest
/// size, as calls of the function have them.
constexpr llvm::StringLiteral kVariantSizes = "fuse.variant_sizes";
} // namespace attr

/// What calls a variant is for, by the name of an open dimension (`fuse.dim_names`), or ARGUMENT:AXIS.
struct VariantSize {
  std::string name;
  int64_t least, most; ///< equal for one size
  int64_t likely;      ///< what a range is planned for
};
using VariantSizes = SmallVector<VariantSize>;

/// In the place of sizes: variants are chosen by price (see fuse-specialize).
constexpr llvm::StringLiteral kAutomaticVariants = "auto";

/// Reads `batch=8,seq=1;seq=2..32,likely=8`: two variants, of batches of 8 single words and of 2 to 32 words, planned for 8.
/// A name that occurs again begins another variant as `;` does, so that `seq=128,seq=1` are two. Without `likely` a range is
/// planned for the geometric mean of its ends. None for any other text, and for a size below 0.
std::optional<SmallVector<VariantSizes>> parseVariants(StringRef text);

/// The same, as parseVariants reads it.
std::string formatVariants(ArrayRef<VariantSizes> variants);

/// The functions that `fuse.variants` of `function` names; none without it. Emits an error where one of them is missing, or
/// takes or returns something else.
FailureOr<SmallVector<func::FuncOp>> getVariants(func::FuncOp function);

/// Whether some function of its module has `function` as a variant.
bool isVariant(func::FuncOp function);

/// The sizes that a variant is for in a dimension of an argument.
struct VariantDim {
  unsigned argument;
  int64_t dim, least, most;
};

/// What `fuse.variant_sizes` of a variant says. Emits an error where that is no dimension of an argument.
FailureOr<SmallVector<VariantDim>> getVariantDims(func::FuncOp variant);

} // namespace mlir::fuse

#endif // FUSE_IR_VARIANTS_H
