//===- FuseAttributes.td - Targets, schedules, origins and profiles -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEATTRIBUTES_TD
#define FUSE_IR_FUSEATTRIBUTES_TD

include "fuse/IR/FuseDialect.td"
include "fuse/IR/FuseEnums.td"
include "fuse/Support/OpKinds.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/DataLayoutInterfaces.td"

class Fuse_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<Fuse_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

//===- The kinds as attributes of ops, printed as bare keywords -----------------------------===//

/// The attribute prints a space before its keyword: formats put `` `` `` before it.
class Fuse_KindAttr<I32EnumAttr kinds, string mnemonic> : EnumAttr<Fuse_Dialect, kinds, mnemonic>;

def Fuse_UnaryKindAttr : Fuse_KindAttr<Fuse_UnaryKind, "unary_kind">;
def Fuse_BinaryKindAttr : Fuse_KindAttr<Fuse_BinaryKind, "binary_kind">;
def Fuse_ComparePredicateAttr : Fuse_KindAttr<Fuse_ComparePredicate, "compare_predicate">;
def Fuse_ReduceKindAttr : Fuse_KindAttr<Fuse_ReduceKind, "reduce_kind">;
def Fuse_ScatterKindAttr : Fuse_KindAttr<Fuse_ScatterKind, "scatter_kind">;
def Fuse_ConvLayoutAttr : Fuse_KindAttr<Fuse_ConvLayout, "conv_layout">;
def Fuse_GeluFormAttr : Fuse_KindAttr<Fuse_GeluForm, "gelu_form">;

//===- Target -------------------------------------------------------------------------------===//

def Fuse_TargetAttr : Fuse_Attr<"Target", "target", [
    DeclareAttrInterfaceMethods<DLTIQueryInterface, ["query"]>]> {
  let summary = "what a device is and costs";
  let description = [{
    A name, a kind, and figures by key; a figure that is absent has the documented default.

    | figure | unit | default | meaning |
    |---|---|---|---|
    | `dispatch_ns` | ns | 0 | one kernel launch |
    | `roundtrip_ns` | ns | 0 | one wait for the device |
    | `memory_bw` | bytes/ns | 1 | device memory bandwidth |
    | `readback_bw` | bytes/ns | 1 | device to host, on a discrete device |
    | `unified` | 0 or 1 | 0 | host and device share memory |
    | `unified_readback_bw` | bytes/ns | 1 | readback on a unified device |
    | `host_thunk_penalty_ns` | ns | 0 | one more host op in the middle of a program |
    | `min_gain_ns` | ns | 0 | the least gain that a fusion must bring |
    | `store_bw` | bytes/ns | 0 | stores to device memory, those that read the line first included; 0: as `memory_bw` |
    | `thread_memory_bw` | bytes/ns | 0 | what one thread reads from memory; 0: all that memory gives |
    | `l1_bytes`, `l2_bytes`, `l3_bytes` | bytes | 32768, 1048576, 33554432 | caches (per thread, per thread, shared) |
    | `l2_bw`, `l3_bw` | bytes/ns | 0 | what one thread reads from that cache; 0: as slow as what lies behind it |
    | `nontemporal_bytes` | bytes | 0 | kernels that move at least so many bytes, all operands and results counted, store what they do not read again past the caches; 0: none |
    | `flops_per_ns` | 1/ns | 0 | simple operations on vectors that one thread computes; 0: computing is free |
    | `matmul_flops_per_ns` | 1/ns | 0 | the same of products, a multiplication and an addition counted as two; 0: as `flops_per_ns` |
    | `int8_flops_per_ns` | 1/ns | 0 | the same of products of bytes summed as i32, by an instruction for them (`vpdpbusd`); 0: as other products |
    | `tensor_flops_per_ns`, `tf32_flops_per_ns`, `tensor_int8_flops_per_ns` | 1/ns | 0 | the same of products of f16 and bf16 summed as f32, of f32 rounded to TF32, and of bytes summed as i32, by the instructions that the code has (`mma.sync`, or `wgmma` by warpgroups); 0: no tensor cores |
    | `warpgroup_size` | lanes | 0 | threads whose products of f16 and bf16 read both operands from shared memory themselves; 0: subgroups load them |
    | `fork_ns` | ns | 0 | handing blocks to all threads, and waiting for the last one |
    | `shared_memory_bytes` | bytes | 0 | shared memory of a block |
    | `vector_bytes` | bytes | 64 | a vector register |
    | `subgroup_size` | lanes | 1 | threads in lockstep |
    | `registers` | count | 32 | vector registers of a thread |
    | `max_operands` | count | 256 | operands and results of a kernel |
    | `max_threads` | count | 1 | what runs blocks at once: threads of a CPU, multiprocessors of a GPU (called threads above) |
    | `min_blocks` | count | 16 | blocks that a kernel with much work has at least; fewer read what all of them share less often |
    | `collective_alpha_ns` | ns | 1000 | one step of a collective among processes of one machine, however little it sends |
    | `collective_beta_bw` | bytes/ns | 6 | what one process sends to another of its machine |
    | `collective_cache_bw` | bytes/ns | 0 | the same where the operands and results of all its processes fit the last level of cache; 0: `collective_beta_bw` |
    | `network_alpha_ns` | ns | 5000 | the same step between machines |
    | `network_bw` | bytes/ns | 12 | what one machine sends to others |
    | `ranks_per_node` | count | 1048576 | processes on one machine; those of one machine have neighbouring ranks |
    | `rank_memory_bytes` | bytes | 0 | what the tensors of one process may take at once; 0: no limit |

    Example:
    ```mlir
    module attributes {fuse.target = #fuse.target<"metal", gpu, {dispatch_ns = 5.0e+02, memory_bw = 2.0e+02}>} {}
    ```
  }];
  let parameters = (ins StringRefParameter<"the device's name">:$name,
                        EnumParameter<Fuse_TargetKind>:$kind,
                        "::mlir::DictionaryAttr":$figures);
  let assemblyFormat = "`<` $name `,` $kind `,` $figures `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The figure `key`, or its documented default; 0 for an unknown key.
    double getFigure(::llvm::StringRef key) const;
    /// The keys of the table above.
    static ::llvm::ArrayRef<std::pair<::llvm::StringLiteral, double>> getDefaultFigures();
    /// A CPU of today, in round numbers: what serves where a module names no target.
    static TargetAttr getDefault(::mlir::MLIRContext *context);
    /// The target of the module around `op`, or the default.
    static TargetAttr lookup(::mlir::Operation *op);
  }];
}

//===- Schedule -----------------------------------------------------------------------------===//

def Fuse_LevelAttr : Fuse_Attr<"Level", "level"> {
  let summary = "one level of a schedule: dims, their tile sizes, and what runs the tiles";
  let description = [{
    `dims` are dims of the kernel's shared domain: the shared ones are numbered from 0, and the
    streamed one follows them. `sizes` has one tile size, in elements, for each. A dim of unknown
    extent whose size is 1048576 or more is not cut, however long it turns out to be.

    | mapping | the tiles of the level |
    |---|---|
    | `block` | are the blocks of the kernel, which threads share; the last of `dims` varies fastest |
    | `sequential` | follow each other within a block: the streamed dim |
    | `subgroup` | belong to one group of threads of a block in lockstep, on a GPU |

    Example: tiles of 8 by 64 elements of dims 0 and 1, spread over the threads.
    ```mlir
    #fuse.level<block, dims = [0, 1], sizes = [8, 64]>
    ```
  }];
  let parameters = (ins EnumParameter<Fuse_LevelMapping>:$mapping,
                        ArrayRefParameter<"int64_t">:$dims, ArrayRefParameter<"int64_t">:$sizes);
  let extraClassDeclaration = [{
    /// The least size of a tile that takes all of a dim of unknown extent.
    static constexpr int64_t kUncut = int64_t(1) << 20;
  }];
  let assemblyFormat = "`<` $mapping `,` `dims` `=` `[` $dims `]` `,` `sizes` `=` `[` $sizes `]` `>`";
  let genVerifyDecl = 1;
}

def Fuse_ScheduleAttr : Fuse_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel is lowered: a list of levels and the order of its reductions";
  let description = [{
    Levels from the outermost in. `reduction_lanes` is the number of partial results that a CPU keeps
    of a reduction along memory (the sum of a row), the same in whole and in partial tiles: it decides
    how sums of floats are rounded. 0 stands for 64. A GPU does not read it: there `lanes` says how many
    threads sum a row.

    On a GPU a block has `threads` threads. With `lanes` (a power of two that divides them), that many
    of them share a row, a point along the dims of the `subgroup` level, and spread over its other
    dims; without, all of them spread over the tile's points.

    Example: blocks of 8 rows; a row of scores goes through 256 columns at a time, and the sum of a
    row is kept as 32 partial sums.
    ```mlir
    #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>, <sequential, dims = [1], sizes = [256]>], reduction_lanes = 32>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::fuse::LevelAttr">:$levels,
                        DefaultValuedParameter<"int64_t", "0">:$reductionLanes,
                        DefaultValuedParameter<"int64_t", "0">:$threads,
                        DefaultValuedParameter<"int64_t", "0">:$lanes);
  let extraClassDeclaration = [{
    /// What `reduction_lanes` is where a schedule does not say it.
    static constexpr int64_t kReductionLanes = 64;
  }];
  let assemblyFormat = [{
    `<` `levels` `=` custom<Levels>($levels) ``
    custom<ScheduleCounts>($reductionLanes, $threads, $lanes) `>`
  }];
  let genVerifyDecl = 1;
}

def Fuse_StepArgumentAttr : Fuse_Attr<"StepArgument", "step_argument"> {
  let summary = "what one argument of a step is";
  let description = [{
    `buffer` is the number of the kernel's buffer (operands, then results) behind the argument, -1 for
    none. `next` belongs to a `state`: the argument that receives its next value.

    | role | what the step gets |
    |---|---|
    | `whole` | the buffer as it is |
    | `element` | element t of the buffer's leading dimension |
    | `state` | the buffer in the first step, then what the step before wrote to `next` |
    | `last` | (written) the buffer in the last step, memory of the thread before |
    | `carried` | (written) memory of the thread |

    Example: a state that begins as buffer 0 and goes on as argument 3.
    ```mlir
    #fuse.step_argument<state, buffer = 0, next = 3>
    ```
  }];
  let parameters = (ins EnumParameter<Fuse_StepRole>:$role, "int64_t":$buffer,
                        DefaultValuedParameter<"int64_t", "-1">:$next);
  let assemblyFormat = "`<` $role `,` `buffer` `=` $buffer (`,` `next` `=` $next^)? `>`";
}

def Fuse_StepsAttr : Fuse_Attr<"Steps", "steps"> {
  let summary = "a kernel's function is one step of a loop over time";
  let description = [{
    `count` is the number of steps, -1 where the leading dimension of the first `element` tells it.
    With `reverse` the steps go from the last element to the first. `arguments` says what each of
    the step's arguments is. A block runs all steps before the next block begins, so that a block
    reads of the states what it wrote itself.

    Example: the running sum of 10 rows.
    ```mlir
    #fuse.steps<10, reverse = false, arguments = [#fuse.step_argument<state, buffer = 0, next = 2>, #fuse.step_argument<element, buffer = 1>, #fuse.step_argument<element, buffer = 2>]>
    ```
  }];
  let parameters = (ins "int64_t":$count, "bool":$reverse,
                        ArrayRefParameter<"::mlir::fuse::StepArgumentAttr">:$arguments);
  let assemblyFormat = [{
    `<` $count `,` `reverse` `=` $reverse `,` `arguments` `=` `[` qualified($arguments) `]` `>`
  }];
}

//===- What was written ---------------------------------------------------------------------===//

def Fuse_OriginAttr : Fuse_Attr<"Origin", "origin"> {
  let summary = "the written op that a primitive comes from";
  let description = [{
    `id` counts the written ops of a function in order; primitives of one composite share it.
    `text` is how reports name the written op, e.g. `softmax`.

    Example:
    ```mlir
    #fuse.origin<2, "softmax">
    ```
  }];
  let parameters = (ins "int64_t":$id, StringRefParameter<"the op as reports print it">:$text);
  let assemblyFormat = "`<` $id `,` $text `>`";
}

def Fuse_ProfileAttr : Fuse_Attr<"Profile", "profile"> {
  let summary = "launches, waits, and bytes of one execution";
  let description = [{
    Counts of one execution of a function: kernel launches, host synchronizations, bytes read
    back by the host, bytes of device traffic, and values whose dynamic size counted as 0 bytes.

    Example: two launches, of which one result of 4 KB is read back.
    ```mlir
    #fuse.profile<kernel_launches = 2, sync_points = 0, host_output_bytes = 4096, device_traffic_bytes = 16384, unknown_values = 0>
    ```
  }];
  let parameters = (ins "int64_t":$kernelLaunches, "int64_t":$syncPoints,
                        "int64_t":$hostOutputBytes, "int64_t":$deviceTrafficBytes,
                        "int64_t":$unknownValues);
  let assemblyFormat = [{`<` `kernel_launches` `=` $kernelLaunches `,` `sync_points` `=` $syncPoints `,`
    `host_output_bytes` `=` $hostOutputBytes `,` `device_traffic_bytes` `=` $deviceTrafficBytes `,`
    `unknown_values` `=` $unknownValues `>`}];
}

//===- The price ----------------------------------------------------------------------------===//

def Fuse_BenefitAttr : Fuse_Attr<"Benefit", "benefit"> {
  let summary = "what one version of a program saves over another";
  let description = [{
    The difference of two profiles, before less after: negative where the later one costs more.

    Example: one launch fewer, and 8192 bytes less of traffic.
    ```mlir
    #fuse.benefit<launches_saved = 1, sync_points_saved = 0, host_readback_bytes_saved = 0, device_traffic_bytes_saved = 8192>
    ```
  }];
  let parameters = (ins "int64_t":$launchesSaved, "int64_t":$syncPointsSaved,
                        "int64_t":$hostReadbackBytesSaved, "int64_t":$deviceTrafficBytesSaved);
  let assemblyFormat = [{`<` `launches_saved` `=` $launchesSaved `,` `sync_points_saved` `=` $syncPointsSaved `,`
    `host_readback_bytes_saved` `=` $hostReadbackBytesSaved `,`
    `device_traffic_bytes_saved` `=` $deviceTrafficBytesSaved `>`}];
}

def Fuse_IoCostAttr : Fuse_Attr<"IoCost", "io_cost"> {
  let summary = "two profiles, their difference, and what a target pays for it";
  let description = [{
    `score_ns` is what the benefit is worth on the target, in ns; `gated_score_ns` is less by the
    target's `host_thunk_penalty_ns` for each wait that is added. A verdict is `fuse` where its
    score is at least the target's `min_gain_ns`, else `apart`.

    Example: relu → sigmoid → exp as one kernel, on 1024 elements.
    ```mlir
    #fuse.io_cost<"metal",
      before = <kernel_launches = 3, sync_points = 0, host_output_bytes = 4096, device_traffic_bytes = 24576, unknown_values = 0>,
      after = <kernel_launches = 1, sync_points = 0, host_output_bytes = 4096, device_traffic_bytes = 8192, unknown_values = 0>,
      benefit = <launches_saved = 2, sync_points_saved = 0, host_readback_bytes_saved = 0, device_traffic_bytes_saved = 16384>,
      score_ns = 1.081920e+03, plain = fuse, gated_score_ns = 1.081920e+03, gated = fuse>
    ```
  }];
  let parameters = (ins StringRefParameter<"the target's name">:$target,
                        "::mlir::fuse::ProfileAttr":$before, "::mlir::fuse::ProfileAttr":$after,
                        "::mlir::fuse::BenefitAttr":$benefit, "::mlir::FloatAttr":$scoreNs,
                        EnumParameter<Fuse_Verdict>:$plain, "::mlir::FloatAttr":$gatedScoreNs,
                        EnumParameter<Fuse_Verdict>:$gated);
  let assemblyFormat = [{
    `<` $target `,` `before` `=` $before `,` `after` `=` $after `,` `benefit` `=` $benefit `,`
    `score_ns` `=` $scoreNs `,` `plain` `=` $plain `,` `gated_score_ns` `=` $gatedScoreNs `,`
    `gated` `=` $gated `>`
  }];
}

//===- The budget ---------------------------------------------------------------------------===//

def Fuse_BudgetAttr : Fuse_Attr<"Budget", "budget"> {
  let summary = "what one execution of a function may cost at most";
  let description = [{
    Limits on the counts of `#fuse.profile`; what is not given is not limited.

    | limit | count of the profile |
    |---|---|
    | `launches` | `kernel_launches` |
    | `syncs` | `sync_points` |
    | `readback_bytes` | `host_output_bytes` |
    | `traffic_bytes` | `device_traffic_bytes` |
    | `collective_bytes` | what collectives make a process send, which no profile attribute has |

    Example: at most two launches, and no wait for the host.
    ```mlir
    #fuse.budget<launches = 2, syncs = 0>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "kNoLimit">:$launches,
                        DefaultValuedParameter<"int64_t", "kNoLimit">:$syncs,
                        DefaultValuedParameter<"int64_t", "kNoLimit">:$readback_bytes,
                        DefaultValuedParameter<"int64_t", "kNoLimit">:$traffic_bytes,
                        DefaultValuedParameter<"int64_t", "kNoLimit">:$collective_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The value of a limit that is not given; it cannot be written.
    static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::min();
  }];
}

//===- Processes ----------------------------------------------------------------------------===//

def Fuse_ProcessGroupAttr : Fuse_Attr<"ProcessGroup", "process_group"> {
  let summary = "the groups of processes that a collective runs in";
  let description = [{
    `grid` is the shape in which the ranks of a job are arranged, row-major: rank 5 of a grid of
    2x4 is in row 1, column 1. `axes` are the axes along which the members of one group differ;
    a grid of 2x4 with `axes = [1]` has two groups of four ranks. The members of a group are
    counted row-major over `axes` in the order given.

    Example: the columns of a grid of 2x4 ranks, four groups of two.
    ```mlir
    #fuse.process_group<grid = [2, 4], axes = [0]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$grid, ArrayRefParameter<"int64_t">:$axes);
  let assemblyFormat = "`<` `grid` `=` `[` $grid `]` `,` `axes` `=` `[` $axes `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many ranks one group has.
    int64_t getGroupSize() const;
    /// How many ranks the grid has.
    int64_t getGridSize() const;
    /// The group as integers, as runtime functions take it: how many axes the grid has, its shape,
    /// then the axes of the group.
    void appendTo(::llvm::SmallVectorImpl<int64_t> &attributes) const;
  }];
}

def Fuse_ShardingAttr : Fuse_Attr<"Sharding", "sharding"> {
  let summary = "how a tensor is cut over a grid of processes";
  let description = [{
    For each dimension of the tensor the axes of the grid that cut it, the outermost first. The
    extent of a shard is the tensor's, divided by the product of those axes' extents. A tensor
    whose dimensions no axis cuts is replicated: every rank has all of it.

    On an argument or a result of a partitioned function, whose type is that of one rank's shard,
    the attribute says which part of the full tensor that is.

    Example: the rows of a matrix over axis 0 of a grid of 2x4 ranks, its columns over axis 1.
    ```mlir
    #fuse.sharding<grid = [2, 4], dims = [[0], [1]]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$grid,
                        ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$dims);
  let assemblyFormat = "`<` `grid` `=` `[` $grid `]` `,` `dims` `=` custom<AxesOfDims>($dims) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Into how many parts a dimension is cut.
    int64_t getParts(int64_t dim) const;
    /// Whether every rank has all of the tensor.
    bool isReplicated() const;
  }];
}

#endif // FUSE_IR_FUSEATTRIBUTES_TD
