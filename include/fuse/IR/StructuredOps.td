//===- StructuredOps.td - Structured ops -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_STRUCTUREDOPS_TD
#define FUSE_IR_STRUCTUREDOPS_TD

include "fuse/IR/FuseOpBase.td"

/// A contraction or window op: several loops, some of them reductions.
class Fuse_ContractionOp<string mnemonic> : Fuse_Op<mnemonic, [Pure,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlopsPerElement"]>, Fuse_Mappable]>;

/// An op that stands for several primitives; `fuse-decompose` replaces it by them.
class Fuse_CompositeOp<string mnemonic, list<Trait> traits = []> : Fuse_Op<mnemonic, [Pure,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlopsPerElement"]>,
    DeclareOpInterfaceMethods<DecomposableOpInterface>] # traits>;

def Fuse_MatmulOp : Fuse_ContractionOp<"matmul"> {
  let summary = "matrix product of the last two dimensions";
  let description = [{
    lhs [..., M, K] times rhs [..., K, N] gives [..., M, N]; `transpose_lhs` and `transpose_rhs`
    say that the operand's last two dimensions are swapped. Leading (batch) dimensions broadcast as
    in NumPy. Accumulates in f32 for f16 and bf16, i32 for integers of 8 and 16 bits; the result has the operands'
    or the accumulator's element type. One operand may be of i8 and the other of ui8; the result is of i32 then.
    With K = 0 the result is all zeros.

    Example:
    ```mlir
    func.func @f(%x: tensor<128x256xf32>, %w: tensor<512x256xf32>) -> tensor<128x512xf32> {
      %0 = fuse.matmul %x, %w transpose_rhs : (tensor<128x256xf32>, tensor<512x256xf32>) -> tensor<128x512xf32>
      return %0 : tensor<128x512xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$lhs, Fuse_Tensor:$rhs, UnitAttr:$transpose_lhs,
                       UnitAttr:$transpose_rhs);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? attr-dict
    `:` functional-type(operands, $result)
  }];
}

def Fuse_Conv2dOp : Fuse_ContractionOp<"conv2d"> {
  let summary = "two-dimensional convolution (cross-correlation)";
  let description = [{
    `layout` orders input and filter: `nchw_fchw` is input [N, C, H, W], filter [F, C/groups, KH,
    KW], result [N, F, OH, OW]; `nhwc_hwcf` is input [N, H, W, C], filter [KH, KW, C/groups, F],
    result [N, OH, OW, F]. `padding` = [top, left, bottom, right] zeros (ONNX's order; TOSA's is
    top, bottom, left, right), which take part as any other element: times a weight that is not
    finite they give NaN. The optional bias has shape [F]. OH = ⌊(H + top + bottom −
    dilation·(KH−1) − 1) / stride⌋ + 1. Accumulators as for `fuse.matmul`.

    Example:
    ```mlir
    func.func @f(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32> {
      %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
      return %0 : tensor<1x64x56x56xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$input, Fuse_Tensor:$filter, Optional<Fuse_Tensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$padding, I64Attr:$groups, Fuse_ConvLayoutAttr:$layout);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? `strides` `=` $strides `dilations` `=` $dilations `padding` `=` $padding
    `groups` `=` $groups `layout` `=` `` $layout attr-dict `:` functional-type(operands, $result)
  }];
}

class Fuse_Pool2dOp<string mnemonic> : Fuse_ContractionOp<mnemonic> {
  let results = (outs Fuse_Tensor:$result);
}

def Fuse_MaxPool2dOp : Fuse_Pool2dOp<"max_pool2d"> {
  let summary = "the largest element of each window";
  let description = [{
    Pads with −inf (the lowest integer); NaN propagates. `padding` = [top, left, bottom, right];
    `layout` orders the input as for `fuse.conv2d`.

    Example:
    ```mlir
    func.func @f(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
      %0 = fuse.max_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>
      return %0 : tensor<1x3x4x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$padding,
                       Fuse_ConvLayoutAttr:$layout);
  let assemblyFormat = [{
    $input `kernel` `=` $kernel `strides` `=` $strides `dilations` `=` $dilations `padding` `=` $padding
    `layout` `=` `` $layout attr-dict `:` type($input) `->` type($result)
  }];
}

def Fuse_AvgPool2dOp : Fuse_Pool2dOp<"avg_pool2d"> {
  let summary = "the mean of each window";
  let description = [{
    With `count_include_pad` the divisor is the window's size, else the number of its elements that
    lie in the input. Floats only; accumulates in f32 for f16 and bf16.

    Example:
    ```mlir
    func.func @f(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
      %0 = fuse.avg_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>
      return %0 : tensor<1x3x4x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$padding, Fuse_ConvLayoutAttr:$layout,
                       UnitAttr:$count_include_pad);
  let assemblyFormat = [{
    $input `kernel` `=` $kernel `strides` `=` $strides `dilations` `=` $dilations `padding` `=` $padding
    `layout` `=` `` $layout (`count_include_pad` $count_include_pad^)? attr-dict `:` type($input) `->` type($result)
  }];
}

def Fuse_BatchNormOp : Fuse_CompositeOp<"batch_norm"> {
  let summary = "batch normalization with known statistics";
  let description = [{
    (input − mean) / sqrt(variance + epsilon) · scale + offset, the four vectors along
    dimension `feature_dimension` of the input (1 for NCHW).

    Example:
    ```mlir
    func.func @f(%x: tensor<1x8x4x4xf32>, %v: tensor<8xf32>) -> tensor<1x8x4x4xf32> {
      %0 = fuse.batch_norm %x, %v, %v, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
      return %0 : tensor<1x8x4x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$input, Fuse_FloatTensor:$scale, Fuse_FloatTensor:$offset,
                       Fuse_FloatTensor:$mean, Fuse_FloatTensor:$variance, F64Attr:$epsilon,
                       I64Attr:$feature_dimension);
  let results = (outs Fuse_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $offset `,` $mean `,` $variance `epsilon` `=` $epsilon
    `feature_dimension` `=` $feature_dimension attr-dict `:` functional-type(operands, $result)
  }];
}

def Fuse_SoftmaxOp : Fuse_CompositeOp<"softmax"> {
  let summary = "exponentials normalized to sum 1 along a dimension";
  let description = [{
    exp(x − max) / Σ exp(x − max) along `dimension`; a negative one counts from the end. A row that
    is −inf throughout gives NaN.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.softmax %x dimension = -1 : tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$input, I64Attr:$dimension);
  let results = (outs Fuse_FloatTensor:$result);
  let assemblyFormat = [{
    $input `dimension` `=` $dimension attr-dict `:` custom<CompactType>(type($input), type($result))
  }];
}

def Fuse_LayerNormOp : Fuse_CompositeOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "normalization of each row to mean 0 and variance 1";
  let description = [{
    (x − mean) / sqrt(variance + epsilon), mean and (biased) variance over `dimensions`; times the
    optional `scale`, plus the optional `offset`, which broadcast against the input (NumPy).
    `offset` needs `scale`. The older spelling `axes = [1]` is read, too.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x4xf32>, %g: tensor<4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.layer_norm %x, %g, %g dimensions = [1] epsilon = 1.000000e-05 : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$input, Optional<Fuse_FloatTensor>:$scale,
                       Optional<Fuse_FloatTensor>:$offset, DenseI64ArrayAttr:$dimensions,
                       F64Attr:$epsilon);
  let results = (outs Fuse_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`,` $scale^ (`,` $offset^)?)? custom<Dimensions>($dimensions) `epsilon` `=` $epsilon attr-dict `:`
    functional-type(operands, $result)
  }];
}

def Fuse_AttentionOp : Fuse_CompositeOp<"attention"> {
  let summary = "scaled dot-product attention";
  let description = [{
    query [..., H, L, D], key [..., G, S, D], value [..., G, S, E] give [..., H, L, E]; H is a
    multiple of G, and head h reads group h / (H/G). It *is* softmax(scale · Q·Kᵀ + mask) · V.
    The optional mask broadcasts against [..., H, L, S]: floats are added, i1 keeps where true.
    `causal` keeps key j for query i only where j ≤ i. A row without a key gives NaN.

    Example:
    ```mlir
    func.func @f(%q: tensor<1x2x8x4xf32>, %k: tensor<1x2x16x4xf32>) -> tensor<1x2x8x4xf32> {
      %0 = fuse.attention %q, %k, %k scale = 5.000000e-01 : (tensor<1x2x8x4xf32>, tensor<1x2x16x4xf32>, tensor<1x2x16x4xf32>) -> tensor<1x2x8x4xf32>
      return %0 : tensor<1x2x8x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$query, Fuse_FloatTensor:$key, Fuse_FloatTensor:$value,
                       Optional<Fuse_Tensor>:$mask, F64Attr:$scale, UnitAttr:$causal);
  let results = (outs Fuse_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`,` $mask^)? `scale` `=` $scale (`causal` $causal^)? attr-dict `:`
    functional-type(operands, $result)
  }];
}

#endif // FUSE_IR_STRUCTUREDOPS_TD
