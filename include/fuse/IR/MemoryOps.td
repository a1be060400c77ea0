//===- MemoryOps.td - Views, memory and data movement -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_MEMORYOPS_TD
#define FUSE_IR_MEMORYOPS_TD

include "fuse/IR/FuseOpBase.td"

//===- Views: no work by themselves; kernels absorb them as index maps ----------------------===//

class Fuse_ViewOp<string mnemonic, list<Trait> traits = []> : Fuse_Op<mnemonic, [Pure,
    DeclareOpInterfaceMethods<CostOpInterface, []>,
    DeclareOpInterfaceMethods<FusableOpInterface, []>] # traits> {
  let hasFolder = 1;
  code viewDeclaration = [{
    bool isMetadata() { return true; }
    bool isBitStable() { return true; }
    int64_t getFlopsPerElement() { return 0; }
  }];
  let extraClassDeclaration = viewDeclaration;
}

def Fuse_ReshapeOp : Fuse_ViewOp<"reshape"> {
  let summary = "the same elements, in row-major order, in another shape";
  let description = [{
    The element counts agree. `sizes` are the dynamic extents of the result, in order. Without them, a single
    dynamic dimension of the result is what the element count leaves for it; several are the dynamic dimensions
    of the operand, in order, and the static dimensions between any two of them hold as many elements on either
    side, as of `tensor<?x?x768xf32>` and `tensor<?x?x12x64xf32>`.

    Example:
    ```mlir
    func.func @f(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
      %0 = fuse.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
      %1 = fuse.copy %0 : tensor<6x4xf32>
      return %1 : tensor<6x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, Variadic<Index>:$sizes);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand (`sizes` `=` `[` $sizes^ `]`)? attr-dict `:` type($operand) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$operand), [{
    build($_builder, $_state, result, operand, ::mlir::ValueRange());
  }]>];
  let extraClassDeclaration = viewDeclaration # [{
    /// The groups of dimensions that hold the same elements; see Shapes.h.
    ::llvm::SmallVector<::mlir::fuse::ReshapeGroup> getGroups();
    /// Whether a dimension of unknown extent becomes more than a dimension of that extent, as in ?x8 to ?: loops over the
    /// result then tell nothing of loops over the operand.
    bool hidesLoops();
    /// Whether the shapes do not say which dynamic dimension becomes which: several are given by sizes.
    bool hasFreeSizes();
  }];
}

def Fuse_TransposeOp : Fuse_ViewOp<"transpose"> {
  let summary = "permutes dimensions";
  let description = [{
    Result dimension i is operand dimension `permutation[i]`.

    Example:
    ```mlir
    func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %0 = fuse.transpose %x permutation = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand `permutation` `=` $permutation attr-dict `:` type($operand) `->` type($result)
  }];
}

def Fuse_SliceOp : Fuse_ViewOp<"slice", [AttrSizedOperandSegments]> {
  let summary = "a regular part of a tensor";
  let description = [{
    Result element i is operand element `offsets + i · strides`. `sizes` is the result's shape. Offsets and sizes are
    numbers or values. Size −1, of a dynamic dimension with stride 1, is all from a constant offset on. Strides are
    positive. A part of a dynamic dimension, or one that values say, must lie inside: a call in which it does not is
    an error.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x10xf32>) -> tensor<4x5xf32> {
      %0 = fuse.slice %x offsets = [2, 0] sizes = [4, 5] strides = [1, 2] : tensor<8x10xf32> -> tensor<4x5xf32>
      return %0 : tensor<4x5xf32>
    }
    func.func @first(%x: tensor<512x768xf32>, %tokens: tensor<?xi64>) -> tensor<?x768xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %tokens, %c0 : tensor<?xi64>
      %0 = fuse.slice %x offsets = [0, 0] sizes = [%n, 768] strides = [1, 1] : tensor<512x768xf32> -> tensor<?x768xf32>
      return %0 : tensor<?x768xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, Variadic<Index>:$dynamic_offsets, Variadic<Index>:$dynamic_sizes,
                       DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand `offsets` `=` custom<DynamicIndexList>($dynamic_offsets, $offsets)
    `sizes` `=` custom<DynamicIndexList>($dynamic_sizes, $sizes) `strides` `=` $strides attr-dict `:`
    type($operand) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$operand,
                                 "::llvm::ArrayRef<int64_t>":$offsets, "::llvm::ArrayRef<int64_t>":$sizes,
                                 "::llvm::ArrayRef<int64_t>":$strides), [{
    build($_builder, $_state, result, operand, ::mlir::ValueRange(), ::mlir::ValueRange(), offsets, sizes, strides);
  }]>];
  let extraClassDeclaration = viewDeclaration # [{
    /// Offsets and sizes, numbers and values; a size may be -1.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    /// Whether all of a dimension is taken, in order.
    bool isWhole(int64_t dim);
  }];
}

def Fuse_BroadcastOp : Fuse_ViewOp<"broadcast"> {
  let summary = "repeats a tensor along new dimensions";
  let description = [{
    `dimensions` are the *added* dimensions of the result, sorted, as in `linalg.broadcast`; the others are the
    operand's, in order. `sizes` are the extents of the added dimensions that are dynamic, in order.

    Example:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.broadcast %x dimensions = [0] : tensor<4xf32> -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    func.func @rows(%x: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
      %0 = fuse.broadcast %x dimensions = [0] sizes = [%n] : tensor<4xf32> -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, Variadic<Index>:$sizes, DenseI64ArrayAttr:$dimensions);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand `dimensions` `=` $dimensions (`sizes` `=` `[` $sizes^ `]`)? attr-dict `:` type($operand) `->`
    type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$operand,
                                 "::llvm::ArrayRef<int64_t>":$dimensions), [{
    build($_builder, $_state, result, operand, ::mlir::ValueRange(), dimensions);
  }]>];
}

//===- Memory -------------------------------------------------------------------------------===//

def Fuse_LoadOp : Fuse_Op<"load", [
    DeclareOpInterfaceMethods<CostOpInterface, []>, Fuse_Mappable]> {
  let summary = "a snapshot of a buffer";
  let description = [{
    Later writes to the buffer do not change the result.

    Example:
    ```mlir
    func.func @f(%m: memref<8xf32>) -> tensor<8xf32> {
      %0 = fuse.load %m : memref<8xf32> -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Arg<Fuse_MemRef, "the buffer", [MemRead]>:$source);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let extraClassDeclaration = [{
    int64_t getFlopsPerElement() { return 0; }
    bool isBitStable() { return true; }
  }];
}

def Fuse_StoreOp : Fuse_Op<"store", [
    DeclareOpInterfaceMethods<CostOpInterface, []>, Fuse_Mappable]> {
  let summary = "writes a tensor to a buffer";
  let description = [{
    Example:
    ```mlir
    func.func @f(%x: tensor<8xf32>, %m: memref<8xf32>) {
      fuse.store %x, %m : tensor<8xf32>, memref<8xf32>
      return
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$value, Arg<Fuse_MemRef, "the buffer", [MemWrite]>:$destination);
  let assemblyFormat = "$value `,` $destination attr-dict `:` type($value) `,` type($destination)";
  let extraClassDeclaration = "int64_t getFlopsPerElement() { return 0; }";
}

//===- Data movement that is work -----------------------------------------------------------===//

class Fuse_MoveOp<string mnemonic, list<Trait> traits = []> : Fuse_Op<mnemonic, [Pure,
    DeclareOpInterfaceMethods<CostOpInterface, []>, Fuse_Mappable] # traits> {
  let extraClassDeclaration = [{
    int64_t getFlopsPerElement() { return 0; }
    bool isBitStable() { return true; }
  }];
}

def Fuse_CopyOp : Fuse_MoveOp<"copy"> {
  let summary = "the same tensor in memory of its own";
  let description = [{
    One launch; never folded away.

    Example:
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = fuse.copy %x : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<CompactType>(type($operand), type($result))";
}

def Fuse_ConcatOp : Fuse_MoveOp<"concat"> {
  let summary = "tensors one after the other along a dimension";
  let description = [{
    The operands agree in element type and in every dimension but `dimension`, whose extents add
    up; the sum is dynamic where one of them is.

    Example:
    ```mlir
    func.func @f(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<6x3xf32> {
      %0 = fuse.concat %x, %y dimension = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
      return %0 : tensor<6x3xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Fuse_Tensor>:$operands, I64Attr:$dimension);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operands `dimension` `=` $dimension attr-dict `:` functional-type($operands, $result)
  }];
  let extraClassDeclaration = [{
    int64_t getFlopsPerElement() { return 0; }
    bool isBitStable() { return true; }
    /// The extent of each operand along the dimension, where two to eight operands have one static shape:
    /// the loop along the dimension is then one over the operands and one within them. Nothing for
    /// parts of one element, and where shapes differ.
    std::optional<int64_t> getEqualParts();
  }];
}

def Fuse_PadOp : Fuse_MoveOp<"pad"> {
  let summary = "a tensor with a border of one value";
  let description = [{
    `low` and `high` elements of `value` before and behind each dimension; negative counts crop. A call in which
    they crop more than a dynamic dimension has is an error.

    Example:
    ```mlir
    func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
      %0 = fuse.pad %x low = [0, 1] high = [0, 2] value = 0.000000e+00 : f32 : tensor<2x3xf32> -> tensor<2x6xf32>
      return %0 : tensor<2x6xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       TypedAttrInterface:$value);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand `low` `=` $low `high` `=` $high `value` `=` $value attr-dict `:`
    type($operand) `->` type($result)
  }];
}

def Fuse_GatherOp : Fuse_MoveOp<"gather"> {
  let summary = "slices of a tensor at given indices";
  let description = [{
    Along `dimension` of `operand`, the slices that `indices` name; the result's shape is the
    operand's with that dimension replaced by the shape of `indices`. An index in [−n, −1] counts
    from the end; an index outside [−n, n) is an error: of the program where indices are constant, of
    the call where they are an argument. Native code does not check indices that the program computes
    itself, and takes the nearest one.

    Example:
    ```mlir
    func.func @f(%x: tensor<10x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
      %0 = fuse.gather %x, %i dimension = 0 : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
      return %0 : tensor<2x3x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, Fuse_IndexTensor:$indices, I64Attr:$dimension);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `dimension` `=` $dimension attr-dict `:`
    functional-type(operands, $result)
  }];
}

def Fuse_ScatterOp : Fuse_Op<"scatter", [Pure,
    DeclareOpInterfaceMethods<CostOpInterface, []>,
    DeclareOpInterfaceMethods<FusableOpInterface, ["getIteratorTypesArray", "isBitStable"]>]> {
  let summary = "a tensor with slices updated at given indices";
  let description = [{
    The counterpart of `fuse.gather`: `operand`, whose slices along `dimension` that `indices` name are
    each replaced by a slice of `updates` (`set`), or become their sum with it (`add`), product (`mul`),
    maximum (`max`) or minimum (`min`). The shape of `updates` is the operand's with that dimension
    replaced by the shape of `indices`.

    Several updates of one slice take effect in row-major order of `indices`: of those of `set` the
    last one stays, sums are added up one after the other, each rounded to the element type. The
    result is the same bits on any number of threads. max and min propagate NaN. `set` takes all element
    types, the other kinds those of the `fuse.binary` of that name.

    An index in [−n, −1] counts from the end; an index outside [−n, n) is an error: of the program where
    indices are constant, of the call where they are an argument. Native code does not check indices that
    the program computes itself, and updates the nearest slice.

    A kernel that scatters copies the operand (a constant of one value is written, not read) and walks the
    updates once in each of its blocks, which own disjoint parts of the result.

    Example: sums of messages [edges, features] at the atoms that receive them.
    ```mlir
    func.func @f(%messages: tensor<6x4xf32>, %receivers: tensor<6xi64>) -> tensor<3x4xf32> {
      %zeros = arith.constant dense<0.0> : tensor<3x4xf32>
      %0 = fuse.scatter add %zeros, %receivers, %messages dimension = 0 : (tensor<3x4xf32>, tensor<6xi64>, tensor<6x4xf32>) -> tensor<3x4xf32>
      return %0 : tensor<3x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_ScatterKindAttr:$kind, Fuse_Tensor:$operand, Fuse_IndexTensor:$indices,
                       Fuse_Tensor:$updates, I64Attr:$dimension);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `,` $indices `,` $updates `dimension` `=` $dimension attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasFolder = 1;
}

def Fuse_IotaOp : Fuse_MoveOp<"iota"> {
  let summary = "the index along a dimension";
  let description = [{
    Integers wrap; floats round. `sizes` are the dynamic extents of the result, in order.

    Example:
    ```mlir
    func.func @f() -> tensor<2x3xi32> {
      %0 = fuse.iota dimension = 1 : tensor<2x3xi32>
      return %0 : tensor<2x3xi32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, I64Attr:$dimension);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "`dimension` `=` $dimension (`sizes` `=` `[` $sizes^ `]`)? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "int64_t":$dimension), [{
    build($_builder, $_state, result, ::mlir::ValueRange(), dimension);
  }]>];
}

def Fuse_FromIndexOp : Fuse_MoveOp<"from_index"> {
  let summary = "a number as a tensor of one element";
  let description = [{
    The number is an extent, or computed from extents. Integers wrap; floats round.

    Example: the last element's index.
    ```mlir
    func.func @f(%x: tensor<?xf32>) -> tensor<i64> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %last = affine.apply affine_map<()[s0] -> (s0 - 1)>()[%n]
      %0 = fuse.from_index %last : tensor<i64>
      return %0 : tensor<i64>
    }
    ```
  }];
  let arguments = (ins Index:$number);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = "$number attr-dict `:` type($result)";
}

def Fuse_ResizeNearestOp : Fuse_MoveOp<"resize_nearest"> {
  let summary = "resamples by the nearest element";
  let description = [{
    Result index i reads operand index ⌊i · n / m⌋ in each dimension, n the operand's and m the
    result's extent. `sizes` are the dynamic extents of the result, in order; without them these are the operand's.

    Example:
    ```mlir
    func.func @f(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x6xf32> {
      %0 = fuse.resize_nearest %x : tensor<1x1x2x2xf32> -> tensor<1x1x4x6xf32>
      return %0 : tensor<1x1x4x6xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, Variadic<Index>:$sizes);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    $operand (`sizes` `=` `[` $sizes^ `]`)? attr-dict `:` type($operand) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$operand), [{
    build($_builder, $_state, result, operand, ::mlir::ValueRange());
  }]>];
}

#endif // FUSE_IR_MEMORYOPS_TD
