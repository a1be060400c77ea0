//===- Passes.td - Decompose, plan, form, label -----*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_PASSES_TD
#define FUSE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseDecompose : Pass<"fuse-decompose", "::mlir::ModuleOp"> {
  let summary = "replaces composites by primitives, after recording the profile as written";
  let description = [{
    For each function of the module, without the ops whose results nobody reads:

    1. A transpose, slice or broadcast that reaches a return, a store, a host op or an op of
       another dialect (directly or through reshapes) is work: it gets a `fuse.copy`.
    2. The profile of the program as written goes to the function's `fuse.written`, unless it is
       there already.
    3. softmax, layer_norm, batch_norm and attention become reduce, element-wise and matmul. Each
       device op of the decomposition carries `fuse.origin`, with the number of the written op in
       the function and its text for reports; `fuse.alone` and `fuse.together` pass on to them.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.softmax %x dimension = -1 : tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
    becomes five primitives, each with `fuse.origin = #fuse.origin<0, "softmax">`.
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FuseSharePreparation : Pass<"fuse-share-preparation", "::mlir::ModuleOp"> {
  let summary = "makes a function and its variants prepare parameters once";
  let description = [{
    What `fuse-prepare-parameters` and the layout passes have computed of the parameters of a function with
    `fuse.variants`, and of each variant, is computed by one function, equal values once; each of them gets all that is
    prepared, in one order, as arguments.

    Example: `@f_n_2` prepares something, `@f` nothing yet.
    ```mlir
    func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x4xf32> {fuse.param}) -> tensor<?x4xf32>
        attributes {fuse.variants = [@f_n_2]} {
      %0 = fuse.matmul %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    func.func @f_n_2(%x: tensor<2x4xf32>, %w: tensor<4x4xf32> {fuse.param}, %e: tensor<4x4xf32> {fuse.param, fuse.prepared})
        -> tensor<2x4xf32> attributes {fuse.prepare = @f_n_2_prepare, fuse.variant_sizes = array<i64: 0, 0, 2, 2>} {
      %0 = fuse.matmul %x, %e : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }
    func.func @f_n_2_prepare(%w: tensor<4x4xf32> {fuse.param}) -> tensor<4x4xf32> {
      %0 = fuse.unary exp %w : tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }
    // @f gets the argument, too, and fuse.prepare = @f_prepare, which both name then.
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseLayOutReshapes : Pass<"fuse-lay-out-reshapes", "::mlir::func::FuncOp"> {
  let summary = "copies what is transposed, cut or repeated before reshapes of open dimensions";
  let description = [{
    No index map says how a reshape that joins or splits open dimensions reads elements that lie in another order in memory.
    They are copied, which is an op that the plan prices and gives to the kernel that computes them, if it can.

    ```mlir
    func.func @f(%x: tensor<7x?xf32>) -> tensor<?xf32> {
      %0 = fuse.transpose %x permutation = [1, 0] : tensor<7x?xf32> -> tensor<?x7xf32>
      %1 = fuse.reshape %0 : tensor<?x7xf32> -> tensor<?xf32>
      return %1 : tensor<?xf32>
    }
    // becomes
    //   %0 = fuse.transpose %x permutation = [1, 0] : tensor<7x?xf32> -> tensor<?x7xf32>
    //   %1 = fuse.copy %0 : tensor<?x7xf32>
    //   %2 = fuse.reshape %1 : tensor<?x7xf32> -> tensor<?xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseRefineShapes : Pass<"fuse-refine-shapes", "::mlir::func::FuncOp"> {
  let summary = "writes into types what follows of their extents";
  let description = [{
    Exporters, and people, leave an extent open that the operands say. Kernels are then planned and cut as if it were open.

    ```mlir
    func.func @f(%x: tensor<?x2xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = fuse.binary add %x, %y : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }
    // becomes
    //   %0 = fuse.binary add %x, %y : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x2xf32>
    //   return %0 : tensor<?x2xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect", "::mlir::tensor::TensorDialect"];
}

def FuseSinkCollapses : Pass<"fuse-sink-collapses", "::mlir::func::FuncOp"> {
  let summary = "moves reshapes that join open dimensions behind what reads them";
  let description = [{
    Products, reductions and element-wise ops of rows that are several dimensions joined, of which one is open, are computed on
    these dimensions; a reshape back to them is gone then.

    ```mlir
    func.func @f(%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
      %0 = fuse.reshape %x : tensor<?x?x8xf32> -> tensor<?x8xf32>
      %1 = fuse.matmul %0, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
      return %1 : tensor<?x4xf32>
    }
    // becomes
    //   %0 = fuse.matmul %x, %w : (tensor<?x?x8xf32>, tensor<8x4xf32>) -> tensor<?x?x4xf32>
    //   %1 = fuse.reshape %0 : tensor<?x?x4xf32> -> tensor<?x4xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseTraceSizes : Pass<"fuse-trace-sizes", "::mlir::ModuleOp"> {
  let summary = "reads extents off the function's arguments instead of computed values";
  let description = [{
    A size that is the extent of a computed value follows from the extents of the arguments, where the kinds of the
    ops in between say so. It is computed from these: then the value's op and an op that takes the size can be of one
    kernel, which takes the size as a number.

    Example: the size is that of dimension 0 of `%x`.
    ```mlir
    func.func @f(%x: tensor<?x4xf32>, %row: tensor<4xf32>) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %0 = fuse.unary exp %x : tensor<?x4xf32>
      %n = tensor.dim %0, %c0 : tensor<?x4xf32>
      %1 = fuse.broadcast %row dimensions = [0] sizes = [%n] : tensor<4xf32> -> tensor<?x4xf32>
      %2 = fuse.binary mul %0, %1 : tensor<?x4xf32>
      return %2 : tensor<?x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def FuseUnrollScans : Pass<"fuse-unroll-scans", "::mlir::ModuleOp"> {
  let summary = "replaces scans by their steps, where the target is a GPU";
  let description = [{
    The blocks of a GPU's kernel run all steps of a scan nowhere yet: each `fuse.scan` becomes the ops
    of its body, once for each step, slices of its sequences, and a concatenation for each output. A
    scan with an unknown number of steps, or with more than 4096, is an error. A program whose target
    is a CPU stays as it is, unless `always` is set.

    Example: with `always`, two additions and a concatenation.
    ```mlir
    func.func @f(%x: tensor<2x8xf32>, %zero: tensor<8xf32>) -> tensor<2x8xf32> {
      %0:2 = fuse.scan states(%so_far = %zero) over(%row = %x) : (tensor<8xf32>, tensor<2x8xf32>) -> (tensor<8xf32>, tensor<2x8xf32>) {
        %1 = fuse.binary add %so_far, %row : tensor<8xf32>
        fuse.yield %1, %1 : tensor<8xf32>, tensor<8xf32>
      }
      return %0#1 : tensor<2x8xf32>
    }
    ```
  }];
  let options = [Option<"always", "always", "bool", "false", "for CPUs as well">];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseSplitExtrema : Pass<"fuse-split-extrema", "::mlir::ModuleOp"> {
  let summary = "takes the largest or smallest element of a whole tensor in two stages";
  let description = [{
    The largest element of all is one number, which no kernel knows before all of its blocks have run: a reduction over
    all dimensions is a launch of its own. This pass reduces parts of rows first, which the kernel that computes the tensor
    does beside it, block by block, and then the partial results, which each kernel that reads the number does for itself.
    `DynamicQuantizeLinear` of ONNX asks for two such numbers, of each operand of each product.

    What is split: max, min, any and all, whose results do not depend on the order of elements (numeric class `exact`), over
    all dimensions of a tensor that an op computes. A last dimension of more than 128 elements is cut into parts of 64, 32 or
    16 elements, the first that divides it, so that tiles of products hold whole parts. Else a part is all of the last
    dimension, and of those before it while it has at most 256 elements: 14x14 of `tensor<1x384x14x14xf32>`.
    Of images, as convolutions and pools make them, a part is a row with all of its channels: channels lie last in memory, and
    blocks are cut along rows.
    What stays: tensors of at most 256 elements or of more than 16384 parts, or whose last dimension is of unknown extent;
    arguments and constants; reductions that a user has planned.

    Example: the product's kernel gives 128 x 12 partial results as well.
    ```mlir
    func.func @f(%x: tensor<128x768xf32>, %w: tensor<768x768xf32>) -> (tensor<128x768xf32>, tensor<f32>) {
      %0 = fuse.matmul %x, %w : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
      %1 = fuse.reduce max %0 dimensions = [0, 1] : tensor<128x768xf32> -> tensor<f32>
      return %0, %1 : tensor<128x768xf32>, tensor<f32>
    }
    ```
  }];
}

def FuseSplitReductions : Pass<"fuse-split-reductions", "::mlir::ModuleOp"> {
  let summary = "cuts large reductions to few elements in two";
  let description = [{
    Where the module's target is a GPU, or a CPU that is known to have several threads
    (`max_threads`): a reduction of many elements to so few that most of a GPU's multiprocessors, or
    some threads, would have nothing to do becomes two, the first of which makes partial results. Both
    are planned, and counted, as the launches that they are. Sums are reassociated by it. On any CPU, one whose operand
    the program makes up of next to nothing (the sum of an identity matrix) is cut as well, into the
    blocks that planning asks for: it is then fused with that, and the operand is in no memory.

    What is cut: the outermost of the dimensions that has a divisor of about two parts for each
    multiprocessor or thread (of a CPU at least 16). Where none has, the outermost that is long enough is cut into as many parts of
    one length, and the few elements that are left are folded with the partial results, in the
    second launch. Element-wise ops that the reduction alone reads are made again for either.

    What stays: reductions of fewer than 2^18 elements or fewer than 1024 to each result; those
    whose results are enough for half of the multiprocessors or all threads; lengths that are not known; sums of
    8-bit integers; argmax and argmin; reductions that a user has planned.

    A remark of category `fuse-split-reductions` says of each that is cut, in how many parts.

    Example: becomes a reduction to 256 partial sums and one of these.
    ```mlir
    module attributes {fuse.target = #fuse.target<"a GPU", gpu, {max_threads = 108.0}>} {
      func.func @f(%x: tensor<4194304xf32>) -> tensor<f32> {
        %0 = fuse.reduce sum %x dimensions = [0] : tensor<4194304xf32> -> tensor<f32>
        return %0 : tensor<f32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

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

    With `numerics=reduced-precision` products of bf16 stay, since an instruction of the CPU may sum them. Products of two
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
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change: exact, reassociates, folds, or reduced-precision">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
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

def FusePrepareParameters : Pass<"fuse-prepare-parameters", "::mlir::ModuleOp"> {
  let summary = "moves what depends on parameters alone into a function that runs once";
  let description = [{
    Ops whose operands are parameters (arguments marked `fuse.param`), constants, or results of such
    ops give the same in every run. They move into a function `@f_prepare`, which takes the
    parameters of `@f`; `@f` takes its results as further arguments, marked `fuse.prepared`, and names
    it in `fuse.prepare`. Callers give what they gave before: the program's entry `prepare` calls the
    function. Views stay: they cost nothing. Functions that others call, and results of dynamic shape,
    stay as they are. With `moves`, only ops move that move elements, and make no more of them: what
    is computed from parameters may take more memory than they do.

    Example: the weights are doubled once.
    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}) -> tensor<4x2xf32> {
      %0 = fuse.binary add %w, %w : tensor<8x2xf32>
      %1 = fuse.matmul %x, %0 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      return %1 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [
    Option<"moves", "moves", "bool", "false",
           "only what moves elements: copies, gathers, concatenations and pads">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::func::FuncDialect"];
}

def FuseAssignLayouts : Pass<"fuse-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "stores images with their channels last";
  let description = [{
    Convolutions in vectors of output channels are fast at any image size. Values [N, C, H, W] that
    ops hand to each other, and that a convolution with at least 16 output channels computes or
    reads, become [N, H, W, C]; so do all that ops between them go through element by element. What a
    function takes and returns stays as it is: a `fuse.transpose`, which is a view, stands there. Kernels
    that are formed already stay as they are.

    Example: the image between the convolution and the reduction becomes 1x8x8x16.
    ```mlir
    func.func @f(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x1x1xf32>) -> tensor<1x16xf32> {
      %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x3x8x8xf32>, tensor<16x3x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = fuse.reduce mean %0 dimensions = [2, 3] : tensor<1x16x8x8xf32> -> tensor<1x16xf32>
      return %1 : tensor<1x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FusePackParameters : Pass<"fuse-pack-parameters", "::mlir::func::FuncOp"> {
  let summary = "lays out weights as products read them";
  let description = [{
    Products read their weights (the second operand of `fuse.matmul`), and convolutions with their
    channels last their filters, in blocks of columns (output channels). Where these are a parameter,
    the pass puts the ops that lay it out so, [columns / block, inner, block], at the top of the function,
    and in front of the product the views that undo them, through which lowering reads. A block is 32, 48
    or 16 columns, whichever takes least time for all of them; its last one is padded where that does not
    divide their number. Up to 64 columns that no block divides lie as they are read, and so does all of a
    kernel that is formed already. `fuse-prepare-parameters` then moves the packing out of the run.

    Example: 512 columns become 16 blocks.
    ```mlir
    func.func @f(%x: tensor<128x256xf32>, %w: tensor<256x512xf32> {fuse.param}) -> tensor<128x512xf32> {
      %0 = fuse.matmul %x, %w : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
      return %0 : tensor<128x512xf32>
    }
    ```
  }];
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
    group, whose sums are scaled and added up.

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

#endif // FUSE_TRANSFORMS_PASSES_TD
