//===- NumbersPasses.td - Quantization, short floats and scales --------*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_NUMBERSPASSES_TD
#define FUSE_TRANSFORMS_NUMBERSPASSES_TD

include "mlir/Pass/PassBase.td"

def FuseKeepBytes : Pass<"fuse-keep-bytes", "::mlir::ModuleOp"> {
  let summary = "moves bytes where dequantized elements were moved";
  let description = [{
    A quantized tensor is one of bytes in memory, between all kernels. Quantizing is `cast(round_even(x / s) + z)` to i8 or
    ui8, dequantizing `(cast(q) - z) * s`. No result changes:

    1. What is dequantized, moved, and quantized by the same numbers is moved as bytes. Moves are reshapes, transposes,
       slices, broadcasts, pads, concatenations, gathers, `resize_nearest`; and max pools, `relu`, `clamp`, max and min, since
       quantizing keeps the order of numbers. What is not moved at all stays the byte that it was.
    2. A `relu` or a bound in front of a quantization is gone where no byte lies beyond it.
    3. Where the target multiplies bytes faster than floats: bytes of i8 that the program quantizes and only dequantizes
       become ui8, larger by 128, as their zero point does; instructions multiply unsigned by signed bytes.
    4. Each reader of a dequantized tensor gets a dequantization of its own, so that no tensor of f32 is stored for
       several kernels. Primitives of one composite share one.

    Example: becomes a max pool of i8.
    ```mlir
    func.func @f(%q: tensor<1x3x8x8xi8>) -> tensor<1x3x4x4xi8> {
      %s = arith.constant dense<1.000000e-01> : tensor<f32>
      %0 = fuse.cast %q : (tensor<1x3x8x8xi8>) -> tensor<1x3x8x8xf32>
      %1 = fuse.binary mul %0, %s : (tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x8x8xf32>
      %2 = fuse.max_pool2d %1 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>
      %3 = fuse.binary div %2, %s : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
      %4 = fuse.unary round_even %3 : tensor<1x3x4x4xf32>
      %5 = fuse.cast %4 : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xi8>
      return %5 : tensor<1x3x4x4xi8>
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

def FuseIntegerProducts : Pass<"fuse-integer-products", "::mlir::ModuleOp"> {
  let summary = "makes products of dequantized tensors products of bytes";
  let description = [{
    A product or convolution of f32 whose operands are both computed from bytes, as `(x - a) * s` and `(w - b) * t`, becomes
    one of the bytes with sums of i32, of which the terms of the zero points are taken off, times `s * t`:

        sum((x - a) * s * (w - b) * t) = (sum(x * w) - a * sum(w) - b * (sum(x) - K * a)) * (s * t)

    How operands are written does not matter: zero points are taken off before or after the bytes are cast, scales are
    several, on either side, or divided by, and views, copies, and pads with 0 may lie in between. Scales and zero points are
    one number, or one for each row or column (filter) of the result. Padding of a convolution stands for the zero point.
    Filters with a zero point take the sum of each window, which is a convolution of one channel. Unsigned weights become
    signed, which is computed once. Products of i32 of such operands without scales are rewritten in all numeric classes.

    What must hold; a remark of category `fuse-integer-products` names what does not:

    - the target multiplies bytes faster than floats (`int8_flops_per_ns`);
    - no sum leaves 32 bits, whatever the bytes are;
    - at least three products of neighbors are summed, or windows of a grouped convolution are read as bytes;
    - the numeric class is `folds`, since integers are summed exactly where floats round; or products of floats are exact
      as well: scales are powers of two, and no sum is above 2^24.

    Example: becomes a product of i8, summed as i32, times 0.02.
    ```mlir
    func.func @f(%x: tensor<8x64xi8>, %w: tensor<64x32xi8> {fuse.param}) -> tensor<8x32xf32> {
      %s = arith.constant dense<1.000000e-01> : tensor<f32>
      %t = arith.constant dense<2.000000e-01> : tensor<f32>
      %0 = fuse.cast %x : (tensor<8x64xi8>) -> tensor<8x64xf32>
      %1 = fuse.binary mul %0, %s : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
      %2 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
      %3 = fuse.binary mul %2, %t : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
      %4 = fuse.matmul %1, %3 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
      return %4 : tensor<8x32xf32>
    }
    ```
  }];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change: exact, reassociates, folds, or reduced-precision">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

def FuseFoldScales : Pass<"fuse-fold-scales", "::mlir::ModuleOp"> {
  let summary = "divides scales and biases where their results were divided to be quantized";
  let description = [{
    An element that is quantized is divided by a scale, which is the dearest operation of a kernel behind a product of bytes.
    Where it is computed by products with numbers or parameters and by sums, these are divided instead, once; else the
    element is multiplied by the reciprocal, unless it is one of the program's inputs. So are the weights of products of floats that stay such, and a number that the
    other operand is multiplied by goes into them, too. What is made of constants alone is computed. Numbers that lie half-way between two integers may go either way: numeric class
    `folds`, below which the pass does nothing.

    Example: becomes `sum * (t / s) + b / s`, which is rounded.
    ```mlir
    func.func @f(%sum: tensor<8x32xf32>, %t: tensor<32xf32> {fuse.param}, %b: tensor<32xf32> {fuse.param}) -> tensor<8x32xi8> {
      %s = arith.constant dense<1.000000e-01> : tensor<f32>
      %0 = fuse.binary mul %sum, %t : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
      %1 = fuse.binary add %0, %b : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
      %2 = fuse.binary div %1, %s : (tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
      %3 = fuse.unary round_even %2 : tensor<8x32xf32>
      %4 = fuse.cast %3 : (tensor<8x32xf32>) -> tensor<8x32xi8>
      return %4 : tensor<8x32xi8>
    }
    ```
  }];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change: exact, reassociates, folds, or reduced-precision">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

def FuseFoldWeights : Pass<"fuse-fold-weights", "::mlir::ModuleOp"> {
  let summary = "folds a batch norm into the weights of the convolution or matmul before it";
  let description = [{
    Where a `conv2d` or `matmul` is followed by ops that scale (and perhaps shift) each of its
    channels, a batch norm in any spelling, filter and bias take them over: filter·a and bias·a + b
    instead of conv·a + b. Needs:

    - filter, scales and shifts that are parameters: constants, arguments marked `fuse.param`, or
      element-wise ops on these (of a matmul the right operand);
    - values between that nobody else reads (a convolution with two users is not folded);
    - the permission: rounding changes, so the class is `folds`. With the default
      `exact` nothing is folded; remarks of category `fuse-fold-weights` say what could be.

    Groups and an existing bias are taken into account. f16 and bf16 are folded in f32 and rounded
    once. What is constant is computed at once; of arguments a few ops on parameters remain.

    Example: becomes a convolution with a filter and bias that the channel's scale is in.
    ```mlir
    func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32> {fuse.param}, %v: tensor<4xf32> {fuse.param}) -> tensor<1x4x8x8xf32> {
      %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
      %1 = fuse.batch_norm %0, %v, %v, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
      return %1 : tensor<1x4x8x8xf32>
    }
    ```
  }];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change: exact, reassociates, folds, or reduced-precision">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
}

def FuseShortenProducts : Pass<"fuse-shorten-products", "::mlir::ModuleOp"> {
  let summary = "computes products with weights in a shorter type than they are written in";
  let description = [{
    A matrix product or convolution of f32 one operand of which is computed from parameters alone (constants, arguments
    marked `fuse.param`, views and element-wise ops of these) reads fewer bytes and is multiplied faster in a shorter
    type. `precision` says which:

    - `bf16`: both operands are rounded to bf16. Products are exact and summed in f32, which is the result's type.
    - `int8`: weights become i8, with one scale for each column (of a convolution: for each filter), the largest of its
      absolute values over 127. Products whose other operand is dequantized already, (cast(q) − zero point) · scale with q
      of i8 or ui8, are changed, and no others: ranges of activations are not the pass' business (`fuse-run --calibrate`
      measures them, and docs/precision.md says how). What the product reads is the dequantized weights;
      `fuse-integer-products` makes it one of bytes.

    The result's type and all other ops stay as they are. What is done to weights is work on parameters, which
    `fuse-prepare-parameters` moves to a function that runs once. Products in the body of a `fuse.scan` stay as they are,
    and so do those of two operands that are computed. Numeric class: `reduced-precision`; a lower one is an error.

    Example: with `precision=bf16` both operands are cast to bf16 first.
    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}) -> tensor<4x2xf32> {
      %0 = fuse.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"as-written\"",
           "What products with weights are computed in: as-written, bf16 or int8">,
    Option<"numerics", "numerics", "std::string", "\"reduced-precision\"",
           "How far numbers may change: exact, reassociates, folds, or reduced-precision">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

def FuseWidenProducts : Pass<"fuse-widen-products", "::mlir::ModuleOp"> {
  let summary = "multiplies f16 and bf16 as f32 where many rows read the same weights";
  let description = [{
    A product of f16 or bf16 sums in f32 and rounds its result once, so it equals, but for the order of its sums, the one of
    its operands cast to f32, rounded. A CPU has no instruction that multiplies f16 with sums of f32: converting the weights for each row
    takes the units that multiply, a third of the time of f32. Where 16 rows or more read them, weights are cast to f32 once,
    which `fuse-prepare-parameters` moves to a function that runs once; the other operand is cast in the kernel, once for all
    columns. With fewer rows the bytes of the weights are what counts, and they stay short. A row is what one row of
    weights is multiplied with: of a convolution, a pixel.

    Convolutions are widened likewise, those of bf16 only if their filter has one tap. The cast of the result is marked
    `fuse.rounding`, as what the product itself would round is.

    With `numerics=reduced-precision` products of bf16 stay, since an instruction of the CPU may sum them. From `numerics=folds` on
    they stay with `bf16-tiles` where their steps fill tile registers (fuse/Analysis/TileRegisters.h). Products of two
    computed operands stay, and those in a `fuse.scan`.

    Example: the product is one of f32, between casts.
    ```mlir
    func.func @f(%x: tensor<64x8xf16>, %w: tensor<8x2xf16> {fuse.param}) -> tensor<64x2xf16> {
      %0 = fuse.matmul %x, %w : (tensor<64x8xf16>, tensor<8x2xf16>) -> tensor<64x2xf16>
      return %0 : tensor<64x2xf16>
    }
    ```
  }];
  let options = [
    Option<"bf16Tiles", "bf16-tiles", "bool", "false",
           "the CPU that code is for multiplies tiles of bf16">,
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change: exact, reassociates, folds, or reduced-precision">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseKeepShortWeights : Pass<"fuse-keep-short-weights", "::mlir::func::FuncOp"> {
  let summary = "lays out weights of few bits for products that widen them as they read them";
  let description = [{
    The weights (second operand) of a `fuse.matmul` of few rows, at most 16, may be computed element by element from
    parameters of 16 bits or fewer, as those of quantized models are: (cast(q) − zero point) · scale, with a scale for
    each column, or for each block of some steps of the reduction. Where there are at least 16 columns, the pass lays
    the short numbers, zero points and scales out as the product reads them, in blocks of 64 or 32 columns, and numbers of
    four bits or two in words of 32 bits, one column to a word. What makes floats of them is left in front of the
    product, with the same ops in the same order, and is marked `fuse.widened`: `fuse-prepare-parameters` leaves it to the
    product's kernel, which computes each weight in a register. The product becomes one of as many batches as
    there are blocks of columns. With numerics `exact`, weights stay as they are where long sums
    would be made of other parts. Steps and columns that fill up the last group or block are zeros.

    Where the product is marked `fuse.short_lhs`, the target multiplies bytes faster than floats, and numerics are not `exact`, rows
    are rounded to bytes as well, with a scale for each row and group of steps, and the product is one of integers for each
    group, whose sums are scaled and added up. Where it is not marked, and numerics are `folds` or `reduced-precision`, an
    element of one or two rows becomes three bytes, which together are as precise as a float of the size of the largest in its
    group (docs/layouts.md).

    Example: 64 steps of 64 columns with a scale for each 32 steps are one block of [1, 2, 4, 8, 64] (blocks of columns,
    groups of steps, words, numbers in a word, columns).
    ```mlir
    func.func @f(%x: tensor<1x64xf32>, %q: tensor<64x64xui8> {fuse.param}, %s: tensor<64xf32> {fuse.param}) -> tensor<1x64xf32> {
      %0 = fuse.cast %q : (tensor<64x64xui8>) -> tensor<64x64xf32>
      %1 = fuse.binary mul %0, %s : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
      %2 = fuse.matmul %x, %1 : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
      return %2 : tensor<1x64xf32>
    }
    ```
  }];
  let options = [
    Option<"numerics", "numerics", "std::string", /*default=*/"\"exact\"",
           "how far numbers may change: exact, reassociates, folds or reduced-precision">];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

def FuseFlushWeights : Pass<"fuse-flush-weights", "::mlir::ModuleOp"> {
  let summary = "makes denormal weights zero, once";
  let description = [{
    Cores of Intel take about 150 cycles for a product of which one factor is denormal (in f32, not 0 and below
    2^-126 in size). Trained weights that a decay has driven towards zero are such numbers: a text detector
    whose weights are to one tenth denormal runs at a quarter of its speed.

    A parameter marked `fuse.denormals` (the ONNX importer marks those that have some), or what is computed from such
    parameters (packed or folded weights), gets 0 in place of denormals where an op, through views or not, only
    multiplies and adds it: as the weights or the bias of a product, a convolution or a recurrence, or as an operand of
    `fuse.binary` add, sub or mul. The logarithm of a parameter is that of the parameter as it is.

    A sum of products changes by at most 2^-126 times the sum of the other factors' sizes: numeric class `folds`,
    below which the pass does nothing.
    `fuse-prepare-parameters` then moves the ops out of the run.

    Example: the weights are 0 where they were 1e-40.
    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param, fuse.denormals}) -> tensor<4x2xf32> {
      %0 = fuse.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change: exact, reassociates, folds, or reduced-precision">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

#endif // FUSE_TRANSFORMS_NUMBERSPASSES_TD
