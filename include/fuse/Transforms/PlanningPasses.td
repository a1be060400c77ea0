//===- PlanningPasses.td - Plan, form and label kernels ----------------*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_PLANNINGPASSES_TD
#define FUSE_TRANSFORMS_PLANNINGPASSES_TD

include "mlir/Pass/PassBase.td"

def FusePlan : Pass<"fuse-plan", "::mlir::ModuleOp"> {
  let summary = "decides which ops become one kernel";
  let description = [{
    Writes `fuse.group = array<i64: id>` on the ops that share a kernel, and nothing else; ids
    count the groups of a function in order. An op without the attribute becomes a kernel of its
    own. An earlier plan is replaced. Functions are planned in order and block by block; the result
    is deterministic and takes near-linear time.

    The primitives of one composite are one group. `fuse.alone` keeps an op by itself.
    `fuse.together = "label"` puts the ops of a label into one group, which others may join unless one
    of its ops is marked `fuse.closed`; or is an error that says why
    it cannot be.

    Strategies: `priority` merges what gains most first, over all groups that are legal: those whose
    members share a domain that makes enough blocks, with temporaries that stay near the core. What
    would be computed or read again may speak against a merge (`cost-model`); each group is judged
    as a whole by the target's `min_gain_ns`. `chains` joins an element-wise op to the chain of its first operand for which it
    is the only consumer and which has its shape; reductions, composites, loads and stores are in
    no chain. `none` merges nothing but what must be together.

    Remarks of category `fuse-plan`: passed for each merge, missed for each edge between two
    kernels, with the blocking op, the reason, and what would allow it. Each merge is an action
    `fuse-merge`, so that `--mlir-debug-counter=fuse-merge-skip=…,fuse-merge-count=…` bisects.

    Example:
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = fuse.unary relu %x {fuse.group = array<i64: 0>} : tensor<8xf32>
      %1 = fuse.unary exp %0 {fuse.group = array<i64: 0>} : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", "\"priority\"",
           "How merges are found: priority, chains, or none">,
    Option<"costModel", "cost-model", "std::string", "\"roofline\"",
           "What may speak against a merge: io (launches and traffic) or roofline">,
    ListOption<"disable", "disable", "std::string",
               "Labels of patterns that are not to be formed, e.g. elementwise-chain">,
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change, which decides what code can use (tensor cores)">,
    Option<"enable", "enable", "bool", "true", "false leaves the module unchanged">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseFormKernels : Pass<"fuse-form-kernels", "::mlir::ModuleOp"> {
  let summary = "makes the kernels that the plan asks for";
  let description = [{
    Each group of `fuse.group`, and each remaining device op by itself, becomes a `fuse.kernel`
    where its last member stood; the block is sorted stably. The plan is checked again: a group
    that holds a host op or an op of another dialect, spans blocks, or has a path that leaves and
    comes back (over values or memory) is an error at the op that is in the way. An op in several
    groups is computed in each, if it is bit-stable.

    Operands are the distinct values read from outside, in order of first use; results the values
    read outside. Views and splat or small constants (at most 16 elements) are cloned into their
    readers' kernels; a reshape of a value that memory holds stays outside. Afterwards a function
    holds kernels, host ops, reshapes, constants, and ops that nobody planned.

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
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseElementwiseChains : Pass<"fuse-elementwise-chains", "::mlir::ModuleOp"> {
  let summary = "forms kernels of element-wise chains and leaves all other ops as they are";
  let description = [{
    The planner with strategy `chains`, and forming, limited to chains of two ops at least. Usable
    by itself in any pipeline; composites are not decomposed.

    Example: relu → exp becomes one `fuse.kernel`; the reduction after it stays as it is.
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<f32> {
      %0 = fuse.unary relu %x : tensor<8xf32>
      %1 = fuse.unary exp %0 : tensor<8xf32>
      %2 = fuse.reduce sum %1 dimensions = [0] : tensor<8xf32> -> tensor<f32>
      return %2 : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseConvBnRelu : Pass<"fuse-conv-bn-relu", "::mlir::ModuleOp"> {
  let summary = "forms kernels of conv2d, batch norm and relu and leaves all other ops as they are";
  let description = [{
    The planner limited to one pattern: a convolution, what scales and shifts each of its channels
    (`fuse.batch_norm`, its primitives, or any other spelling), relu. Matched on def-use, wherever
    the ops stand and whatever the order of operands is; nobody else may read the values between.
    What computes scale and shift for the batch norm alone becomes a member too. The convolution
    stays as it is, its parameters included.

    Each kernel is one action `fuse-merge`; remarks of category `fuse-plan` say what a convolution
    meets that does not make the pattern.

    Example: one kernel, which reads the convolution's and the batch norm's operands.
    ```mlir
    func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %v: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
      %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
      %1 = fuse.batch_norm %0, %v, %v, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
      %2 = fuse.unary relu %1 : tensor<1x4x8x8xf32>
      return %2 : tensor<1x4x8x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseLabel : Pass<"fuse-label", "::mlir::ModuleOp"> {
  let summary = "says which pattern each kernel is";
  let description = [{
    Gives an analysis remark of category `fuse-label` at each kernel with its label. Labels are
    found by structure and stored nowhere.

    Example: relu → exp in one kernel gives `elementwise-chain`.
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
}

def FuseCheckBudget : Pass<"fuse-check-budget", "::mlir::ModuleOp"> {
  let summary = "refuses functions that cost more than they may";
  let description = [{
    For each function with a `fuse.budget`, whose kernels are formed: an error at the function if its
    profile exceeds a limit, with what is allowed and what was found, and notes that name the three
    costliest kernels, the host ops that wait, or the results that are read back. Within its budget a
    function is left alone.

    A limit that the profile cannot answer is an error, too: on bytes where values are of unknown
    size (`fuse.dim_bounds` on arguments helps), on launches, syncs and traffic where a loop has no
    static trip count or a function is called.

    The option's limits hold for every function, but for those that `fuse.prepare` names, which are no
    part of a run; where a function states a limit too, the lower one counts.

    Example: within its budget.
    ```mlir
    func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32>
        attributes {fuse.budget = #fuse.budget<launches = 1, syncs = 0, traffic_bytes = 8192>} {
      %0 = fuse.kernel (%a = %x) : (tensor<1024xf32>) -> tensor<1024xf32> {
        %1 = fuse.unary relu %a : tensor<1024xf32>
        %2 = fuse.unary exp %1 : tensor<1024xf32>
        fuse.yield %2 : tensor<1024xf32>
      }
      return %0 : tensor<1024xf32>
    }
    ```
  }];
  let options = [
    Option<"budget", "budget", "std::string", "\"\"",
           "Limits on every function, e.g. launches=2,syncs=0,readback_bytes=4096,traffic_bytes=65536">,
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change: for the times that errors name">
  ];
}

#endif // FUSE_TRANSFORMS_PLANNINGPASSES_TD
