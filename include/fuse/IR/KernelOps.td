//===- KernelOps.td - Kernels, and their launches -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_KERNELOPS_TD
#define FUSE_IR_KERNELOPS_TD

include "fuse/IR/FuseOpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Fuse_KernelOp : Fuse_Op<"kernel", [
    IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects, AutomaticAllocationScope]> {
  let summary = "ops that run in one launch";
  let description = [{
    Whole-tensor value semantics: inlining a kernel is the identity. Operands are the values it
    reads (the buffers it loads from or stores to, and the sizes that its members take), results the tensors that leave it. Host
    ops and other kernels are no members.

    Example:
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
        %1 = fuse.unary relu %a : tensor<8xf32>
        %2 = fuse.unary exp %1 : tensor<8xf32>
        fuse.yield %2 : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Fuse_Tensor, Fuse_MemRef, Index]>>:$inputs);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasVerifier = 0;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$resultTypes, "::mlir::ValueRange":$inputs)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    YieldOp getYield();
  }];
}

def Fuse_YieldOp : Op<Fuse_Dialect, "yield", [
    Pure, Terminator, ReturnLike, ParentOneOf<["KernelOp", "ScanOp"]>]> {
  let summary = "ends a kernel with its results, or a step of a scan with its values";
  let description = [{
    Its operands become the results of the `fuse.kernel` around it, in order. In a `fuse.scan` they
    are the states of the next step, then this step's element of each further result.

    Example:
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0:2 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
        %1 = fuse.unary relu %a : tensor<8xf32>
        %2 = fuse.unary exp %1 : tensor<8xf32>
        fuse.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
      }
      return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Fuse_Tensor>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Fuse_ScatterRowsOp : Fuse_Op<"scatter_rows", [Pure]> {
  let summary = "a scatter among the members of an outlined kernel";
  let description = [{
    What `fuse.scatter` becomes beside `linalg` ops, before its kernel is tiled: on tensors as they lie
    in memory (integers without sign, i1 as bytes), with one dimension of indices. `element` is the element
    type as the program has it. `init` is [A, n, C], where A and C may be missing, n stands at
    `dimension`, and `updates` has U in its place.

    Example:
    ```mlir
    func.func @f(%init: tensor<3x4xi8>, %indices: tensor<6xi64>, %updates: tensor<6x4xi8>) -> tensor<3x4xi8> {
      %0 = fuse.scatter_rows max ui8 %init, %indices, %updates dimension = 0 : (tensor<3x4xi8>, tensor<6xi64>, tensor<6x4xi8>) -> tensor<3x4xi8>
      return %0 : tensor<3x4xi8>
    }
    ```
  }];
  let arguments = (ins Fuse_ScatterKindAttr:$kind, TypeAttr:$element, Fuse_Tensor:$init,
                       Fuse_IndexTensor:$indices, Fuse_Tensor:$updates, I64Attr:$dimension);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $element $init `,` $indices `,` $updates `dimension` `=` $dimension attr-dict `:`
    functional-type(operands, $result)
  }];
}

/// A call that writes its results into given tensors or buffers.
class Fuse_DestinationCallOp<string mnemonic, list<Trait> traits = []> : Fuse_Op<mnemonic, [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

def Fuse_LaunchOp : Fuse_DestinationCallOp<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launches an outlined kernel";
  let description = [{
    `kernel` names a module that holds the kernel's block function. `ins` are read, or, where the
    kernel stores to a buffer, written; sizes among them are numbers. Results are written into `outs`, in order.

    Example:
    ```mlir
    module @relu {
      func.func private @relu(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
        %0 = fuse.unary relu %x : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    }
    func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %0 = fuse.launch @relu ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyTypeOf<[Fuse_Tensor, Fuse_MemRef, Index]>>:$ins,
                       Variadic<AnyTypeOf<[Fuse_Tensor, Fuse_MemRef]>>:$outs);
  let assemblyFormat = [{
    $kernel (`ins` `(` $ins^ `:` type($ins) `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)? attr-dict
    (`->` type($results)^)?
  }];
}

def Fuse_LaunchHostOp : Fuse_DestinationCallOp<"launch_host"> {
  let summary = "calls a host function of the runtime's table, results into given buffers";
  let description = [{
    What a host op becomes when results get memory. `integers` are the op's integers, in the
    order that the function expects. The call waits for the device first. Without `pure` its
    effects are unknown.

    Example:
    ```mlir
    func.func @f(%s: tensor<8x32xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %0 = fuse.launch_host "welch_peaks" [3, 2] pure ins(%s : tensor<8x32xf32>) outs(%y : tensor<4x6xf32>) -> tensor<4x6xf32>
      return %0 : tensor<4x6xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$callee, DenseI64ArrayAttr:$integers, UnitAttr:$pure,
                       Variadic<AnyTypeOf<[Fuse_Tensor, Fuse_MemRef]>>:$ins,
                       Variadic<AnyTypeOf<[Fuse_Tensor, Fuse_MemRef]>>:$outs);
  let assemblyFormat = [{
    $callee $integers (`pure` $pure^)? (`ins` `(` $ins^ `:` type($ins) `)`)?
    (`outs` `(` $outs^ `:` type($outs) `)`)? attr-dict (`->` type($results)^)?
  }];
}

#endif // FUSE_IR_KERNELOPS_TD
