//===- ElementwiseOps.td - Element-wise ops -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_ELEMENTWISEOPS_TD
#define FUSE_IR_ELEMENTWISEOPS_TD

include "fuse/IR/FuseOpBase.td"

/// An op that computes each result element from one element of each operand. Operands broadcast
/// against the result: a missing leading dimension, or a static 1.
class Fuse_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Fuse_Op<mnemonic, [Pure,
        DeclareOpInterfaceMethods<CostOpInterface, ["getFlopsPerElement"]>,
        DeclareOpInterfaceMethods<FusableOpInterface, ["buildScalarBody", "isBitStable"]>] # traits> {
  let hasFolder = 1;
  code extraElementwiseDeclaration = "";
  let extraClassDeclaration = [{
    bool hasScalarBody() { return true; }
    bool isElementwise() { return true; }
  }] # extraElementwiseDeclaration;
}

def Fuse_UnaryOp : Fuse_ElementwiseOp<"unary"> {
  let summary = "applies a function of one operand to each element";
  let description = [{
    `kind` names the function. Kinds with a parameter carry it: `alpha` (leaky_relu, elu,
    hard_sigmoid), `beta` (hard_sigmoid), `approximate` (gelu: `none` is erf, `tanh` the tanh form).

    Numerics: relu propagates NaN and relu(−0.0) = +0.0; sigmoid(x) = 1 / (1 + exp(−x)); log is
    natural; rsqrt(±0) = ±∞; hard_sigmoid(x) = max(0, min(1, alpha·x + beta)); hard_swish(x) =
    x · max(0, min(1, x/6 + 1/2)). f16 and bf16 compute in f32 and round. `is_nan`, `is_inf` give
    i1. Which kinds take which element types is in the dialect's table of types.

    Example:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xi1> {
      %0 = fuse.unary relu %x : tensor<4xf32>
      %1 = fuse.unary leaky_relu %0 alpha = 1.000000e-01 : tensor<4xf32>
      %2 = fuse.unary gelu %1 approximate = tanh : tensor<4xf32>
      %3 = fuse.unary is_nan %2 : (tensor<4xf32>) -> tensor<4xi1>
      return %3 : tensor<4xi1>
    }
    ```
  }];
  let arguments = (ins Fuse_UnaryKindAttr:$kind, Fuse_Tensor:$operand,
                       OptionalAttr<F64Attr>:$alpha, OptionalAttr<F64Attr>:$beta,
                       OptionalAttr<Fuse_GeluFormAttr>:$approximate,
                       OptionalAttr<Arith_FastMathAttr>:$fastmath);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $operand (`alpha` `=` $alpha^)? (`beta` `=` $beta^)? (`approximate` `=` `` $approximate^)?
    (`fastmath` `` $fastmath^)? attr-dict `:` custom<CompactType>(type($operand), type($result))
  }];
  // With the result's type or without it, the arguments are the same.
  let builders = [
    OpBuilder<(ins "UnaryKind":$kind, "::mlir::Value":$operand)>,
    OpBuilder<(ins "::mlir::Type":$result, "UnaryKind":$kind, "::mlir::Value":$operand), [{
      build($_builder, $_state, result, kind, operand, nullptr, nullptr, nullptr, nullptr);
    }]>];
  let extraElementwiseDeclaration = [{
    /// The kind's parameters, defaults filled in.
    ::mlir::fuse::UnaryParams getParams();
  }];
}

def Fuse_BinaryOp : Fuse_ElementwiseOp<"binary"> {
  let summary = "applies a function of two operands to each pair of elements";
  let description = [{
    Operands have the result's element type and broadcast against its shape. max and min propagate
    NaN. pow is IEEE pow; integer pow wraps, and a negative exponent gives 0 except for base ±1.
    Integer add, sub, mul wrap; x / 0 = −1, x rem 0 = x, MIN / −1 = MIN, MIN rem −1 = 0; rem takes
    the dividend's sign. and, or, xor take integers and i1. shift_left and shift_right take integers;
    signed ones are shifted right with copies of the sign. The count is read as unsigned, and one that
    is not below the width gives 0, or copies of the sign.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.binary add %x, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
      %1 = fuse.binary mul %0, %0 : tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_BinaryKindAttr:$kind, Fuse_Tensor:$lhs, Fuse_Tensor:$rhs,
                       OptionalAttr<Arith_FastMathAttr>:$fastmath);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:`
    custom<CompactType>(type($lhs), type($rhs), type($result))
  }];
  let builders = [
    OpBuilder<(ins "BinaryKind":$kind, "::mlir::Value":$lhs, "::mlir::Value":$rhs)>,
    OpBuilder<(ins "::mlir::Type":$result, "BinaryKind":$kind, "::mlir::Value":$lhs,
                   "::mlir::Value":$rhs), [{
      build($_builder, $_state, result, kind, lhs, rhs, nullptr);
    }]>];
}

def Fuse_CastOp : Fuse_ElementwiseOp<"cast"> {
  let summary = "converts each element to another type";
  let description = [{
    Float to integer truncates toward zero and saturates, NaN gives 0; integer to narrower integer
    wraps; float to narrower float rounds to nearest even; to i1 is x ≠ 0, from i1 is 0 or 1. An
    explicit round trip (f32 → bf16 → f32) is never elided.

    Example:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xi8> {
      %0 = fuse.cast %x : (tensor<4xf32>) -> tensor<4xi8>
      return %0 : tensor<4xi8>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<CompactType>(type($operand), type($result))";
}

def Fuse_BitcastOp : Fuse_ElementwiseOp<"bitcast"> {
  let summary = "reads the bits of each element as another type";
  let description = [{
    Both element types have the same width and neither is i1. Bits are kept, those of a NaN too. Where
    element types of different widths meet, an error names both.

    Example:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xi32> {
      %0 = fuse.bitcast %x : (tensor<4xf32>) -> tensor<4xi32>
      return %0 : tensor<4xi32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<CompactType>(type($operand), type($result))";
}

def Fuse_CompareOp : Fuse_ElementwiseOp<"compare"> {
  let summary = "compares each pair of elements";
  let description = [{
    Gives i1. With a NaN only `ne` is true. Operands share an element type and broadcast.

    Example:
    ```mlir
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
      %0 = fuse.compare lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      return %0 : tensor<4xi1>
    }
    ```
  }];
  let arguments = (ins Fuse_ComparePredicateAttr:$predicate, Fuse_Tensor:$lhs, Fuse_Tensor:$rhs);
  let results = (outs Fuse_BoolTensor:$result);
  let assemblyFormat = [{
    `` $predicate $lhs `,` $rhs attr-dict `:` custom<CompactType>(type($lhs), type($rhs), type($result))
  }];
}

def Fuse_SelectOp : Fuse_ElementwiseOp<"select"> {
  let summary = "chooses between two elements by a mask";
  let description = [{
    The result is `on_true` where `condition` holds, else `on_false`. All three broadcast.

    Example:
    ```mlir
    func.func @f(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
      %0 = fuse.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_BoolTensor:$condition, Fuse_Tensor:$on_true, Fuse_Tensor:$on_false);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:`
    custom<CompactType>(type($condition), type($on_true), type($on_false), type($result))
  }];
}

def Fuse_ClampOp : Fuse_ElementwiseOp<"clamp"> {
  let summary = "limits each element to a range";
  let description = [{
    min(max(x, low), high), NaN propagating from any of the three. All three broadcast.

    Example:
    ```mlir
    func.func @f(%x: tensor<4xf32>, %l: tensor<f32>, %h: tensor<f32>) -> tensor<4xf32> {
      %0 = fuse.clamp %x, %l, %h : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, Fuse_Tensor:$low, Fuse_Tensor:$high);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $low `,` $high attr-dict `:`
    custom<CompactType>(type($operand), type($low), type($high), type($result))
  }];
}

#endif // FUSE_IR_ELEMENTWISEOPS_TD
