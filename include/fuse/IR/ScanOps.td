//===- ScanOps.td - Loops whose steps depend on each other -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_SCANOPS_TD
#define FUSE_IR_SCANOPS_TD

include "fuse/IR/FuseOpBase.td"

def Fuse_ScanOp : Fuse_Op<"scan", [
    IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlopsPerElement"]>]> {
  let summary = "a loop over the leading dimension that carries states (a recurrence)";
  let description = [{
    Runs its body once for each index t of the leading dimension of `sequences`, from 0 up, or from
    the last index down where `reverse` is set. The body's arguments are, in this order:
    - the states, which are `states` in the first step and what the step before yielded in the others;
    - for each of `sequences`, of shape [T, d1, …], its element t, of shape [d1, …];
    - `invariants`, which are the same in each step.
    The body yields the next states, of the states' types, and then one element, of shape [d1, …],
    for each further result. The results are the last states (`states` themselves where T = 0) and,
    for each of those elements, all of them, of shape [T, d1, …], element t of step t.

    The body holds ops of the dialect that compute tensors, and constants. The number of steps may be
    unknown, and so may extents of states, such as the batch: code for such a state needs a further result that
    has its value in each step. A scan is one kernel on a CPU: a block computes all steps for its part of the states, so
    that nothing waits between two steps. What of a state a step reads must then be what the same
    block wrote: the states of a batch, [B, H], are cut along B where each row of the next state
    depends on that row of the state alone. On a GPU `fuse-unroll-scans` replaces the op by its steps.

    Example: a running sum of the rows of a matrix, and the last of these sums:
    ```mlir
    func.func @f(%x: tensor<10x8xf32>, %zero: tensor<8xf32>) -> (tensor<8xf32>, tensor<10x8xf32>) {
      %0:2 = fuse.scan states(%so_far = %zero) over(%row = %x) : (tensor<8xf32>, tensor<10x8xf32>) -> (tensor<8xf32>, tensor<10x8xf32>) {
        %1 = fuse.binary add %so_far, %row : tensor<8xf32>
        fuse.yield %1, %1 : tensor<8xf32>, tensor<8xf32>
      }
      return %0#0, %0#1 : tensor<8xf32>, tensor<10x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Fuse_Tensor>:$states, Variadic<Fuse_Tensor>:$sequences,
                       Variadic<Fuse_Tensor>:$invariants, UnitAttr:$reverse);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 0;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Makes the body with its arguments, empty.
    OpBuilder<(ins "::mlir::TypeRange":$resultTypes, "::mlir::ValueRange":$states,
                   "::mlir::ValueRange":$sequences, "::mlir::ValueRange":$invariants,
                   "bool":$reverse)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    YieldOp getYield();
    /// T; `ShapedType::kDynamic` where unknown.
    int64_t getNumSteps();
    unsigned getNumStates() { return getStates().size(); }
  }];
}

#endif // FUSE_IR_SCANOPS_TD
