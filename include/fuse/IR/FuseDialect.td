//===- FuseDialect.td - The fuse dialect -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEDIALECT_TD
#define FUSE_IR_FUSEDIALECT_TD

include "mlir/IR/OpBase.td"

def Fuse_Dialect : Dialect {
  let name = "fuse";
  let cppNamespace = "::mlir::fuse";
  let summary = "Tensor programs as few ops with a kind each, and the kernels they are fused into";
  let description = [{
    Values are ranked tensors. Element-wise and reduce ops carry their function as a *kind*; what
    a pass needs to know of an op comes through `FusableOpInterface` (iteration domain, index
    maps, scalar body) and `CostOpInterface` (metadata, host sync, flops, bytes).

    A function argument is an input; an argument marked `fuse.param`, and a constant, are
    parameters. `fuse.name` names arguments and results for tools.

    Discardable attributes of the dialect (any other `fuse.…` attribute is an error):

    | attribute | on | meaning |
    |---|---|---|
    | `fuse.name` | argument, result | the name tools use, a string |
    | `fuse.param` | argument | a parameter: the same for every run, a unit attribute |
    | `fuse.denormals` | argument | a parameter of floats, some of which are denormal, a unit attribute |
    | `fuse.prepared` | argument | a parameter that nobody gives: the function of `fuse.prepare` computes it, once |
    | `fuse.prepare` | function | the function that computes the last arguments from the other parameters |
    | `fuse.dim_bounds` | argument | the most that its dynamic dimensions can be, one for each dimension, -1 for none, `array<i64>` |
    | `fuse.dim_hints` | argument | the same: what they usually are |
    | `fuse.dim_names` | argument | what its dynamic dimensions are called, a string for each dimension, empty for none; equal names are equal extents, and `past + seq`, `4*h` are what they say |
    | `fuse.sharding` | argument, result | which part of the full tensor a rank has, `#fuse.sharding` |
    | `fuse.group` | op | the groups that the plan puts the op in, `array<i64>` |
    | `fuse.alone` | op | keep this op in a kernel of its own, a unit attribute |
    | `fuse.together` | op | ops with the same string must share one kernel; others may join it, but not those of another string |
    | `fuse.closed` | op with `fuse.together` | no other op joins the kernel of its string, a unit attribute; on one of the ops or on several |
    | `fuse.origin` | op | the written op that a primitive was decomposed from, `#fuse.origin` |
    | `fuse.written` | function | the profile of the program as written, `#fuse.profile` |
    | `fuse.budget` | function | what an execution may cost at most, `#fuse.budget` |
    | `fuse.io_cost` | function | its price on a target, `#fuse.io_cost` |
    | `fuse.merged_ops` | op of a kernel on linalg | how many planned ops it computes, an integer |
    | `fuse.recompute` | op of a kernel on linalg | a producer of windows, computed again for each tile, a unit attribute |
    | `fuse.loop_dims` | op of a kernel on linalg | the shared dim of the kernel that each of its loops is, -1 for none, `array<i64>` |
    | `fuse.schedule` | kernel | how the kernel is to be lowered, `#fuse.schedule` |
    | `fuse.target` | module | the device, `#fuse.target` |
    | `fuse.equal_dims` | function | pairs of equal dimensions of arguments, `array<i64>` |
    | `fuse.scaled_dims` | function | pairs of such dimensions with the factors that make them equal, `array<i64>` |
    | `fuse.index_bounds` | function | arguments that hold indices, and what bounds these, `array<i64>` |
    | `fuse.kernels` | module | the kernels' names in the order of their numbers, strings |
    | `fuse.blocks`, `fuse.scratch_bytes`, `fuse.threads`, `fuse.shared_bytes` | kernel module | what lowering fixed, integers |
    | `fuse.writes_operands` | kernel module | the kernel stores to memory of its caller, which may be any operand's, a unit attribute |
    | `fuse.tuned` | kernel module | the file that its schedule comes from (`fuse-apply-schedules`), a string |
    | `fuse.device_params` | kernel module | what the parameters of a device's function are: pairs (buffer, what), as the runtime's `fuse_device_param`, `array<i64>` |
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // FUSE_IR_FUSEDIALECT_TD
