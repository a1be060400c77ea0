//===- Transforms.h - The steps from written ops to kernels, as functions -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_TRANSFORMS_H
#define FUSE_TRANSFORMS_TRANSFORMS_H

#include "fuse/IR/FuseAttributes.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Support/Precision.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {

class Strategy;

/// Erases the ops whose results nobody reads and that write nothing, but not those in kernels or with
/// a mark of the planner's.
void eraseDeadOps(FunctionOpInterface function);

/// Erases what computes `value`, as far as nobody reads it.
void eraseUnused(Value value);

/// Gives each transpose, slice or broadcast that memory must hold a `fuse.copy` (see
/// `fuse-decompose`). Running it again changes nothing.
void materializeEscapingViews(FunctionOpInterface function);

/// Replaces composites by primitives that carry `fuse.origin`.
void decomposeComposites(FunctionOpInterface function);

/// `value` as a constant, made where `builder` is, if it is computed in one block of constants alone; else itself.
Value foldToConstant(OpBuilder &builder, Value value);

/// Folds what scales and shifts the channels of a convolution or matmul into its weights and bias
/// (see `fuse-fold-weights`). Where `numerics` does not allow it, remarks only.
void foldWeights(FunctionOpInterface function, Numerics numerics);

/// A matrix product or convolution in f32 of weights, which parameters alone decide, and of activations, which they do not.
struct WeightedProduct {
  Operation *op = nullptr;
  OpOperand *activations = nullptr, *weights = nullptr;
};

/// Those of the first block of `function`, in order.
std::vector<WeightedProduct> findWeightedProducts(FunctionOpInterface function);

/// What the elements of an f32 tensor, which is some product's activations, were in the runs that were looked at.
struct ActivationRange {
  Value value;
  float low = 0, high = 0;
};

/// Makes all products with weights whose activations `ranges` has read these as bytes: ui8 with one scale and zero point for
/// the tensor, such that 0 and the range are within it, dequantized again. Elements outside of the range saturate.
void quantizeActivations(FunctionOpInterface function, ArrayRef<ActivationRange> ranges);

/// Moves and compares bytes where dequantized elements would be, and makes what is stored between kernels bytes (see
/// `fuse-keep-bytes`). No result changes.
void keepBytes(FunctionOpInterface function);

/// Divides scales and biases by the scale that their results are quantized by (see `fuse-fold-scales`). Numeric class
/// `folds`.
void foldScales(FunctionOpInterface function);

/// Makes products of dequantized tensors products of bytes (see `fuse-integer-products`). Where `numerics` does not allow
/// it, or the target is not faster with bytes, remarks only.
void makeIntegerProducts(FunctionOpInterface function, Numerics numerics);

struct PlanOptions {
  /// Labels of patterns that are not to be formed.
  SmallVector<std::string> disabledLabels;
  /// What the plan is priced for; null: the target of the module around the function.
  TargetAttr target;
  /// One of getCostModelNames().
  std::string costModel = "roofline";
  /// What the code may do, which decides how fast it is (tensor cores).
  Numerics numerics = Numerics::Exact;
};

/// Replaces the plan of `function`: `fuse.group` on its ops. Fails, with a diagnostic, where
/// `fuse.together` asks for what cannot be.
LogicalResult planFunction(FunctionOpInterface function, const Strategy &strategy,
                           const PlanOptions &options = {});

struct FormOptions {
  /// Whether device ops in no group become kernels of their own.
  bool wrapRemaining = true;
};

/// Makes the kernels of the plan. Fails, with a diagnostic at the op in the way, on a plan that
/// does not fit the function (any more); the function is then left as it was, group attributes
/// included.
LogicalResult formKernels(FunctionOpInterface function, const FormOptions &options = {});

struct Budget;

/// An error at `function`, whose kernels are formed, for each limit that its profile exceeds, and
/// for each that cannot be checked: with what was found, and what to look at (docs/budgets.md).
LogicalResult checkBudget(FunctionOpInterface function, const Budget &budget,
                          Numerics numerics = Numerics::Exact);

} // namespace mlir::fuse

#endif // FUSE_TRANSFORMS_TRANSFORMS_H
