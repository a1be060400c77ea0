//===- Passes.td - Kernels: from regions to block functions ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_KERNEL_PASSES_TD
#define FUSE_CODEGEN_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseCollapseDims : Pass<"fuse-collapse-dims", "::mlir::func::FuncOp"> {
  let summary = "Make neighboring dimensions of open extents that a kernel treats alike one";
  let description = [{
    Where all ops of a `fuse.kernel` that run along one of two neighboring dimensions run along both, one after the other,
    and one of the extents is open, the kernel works on reshapes of its operands in which the two are one. Tiles then have
    rows of all sequences of a batch. Reshapes outside of kernels cost nothing.

    ```mlir
    func.func @f(%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x?x4xf32> {
      %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<?x?x8xf32>, tensor<8x4xf32>) -> tensor<?x?x4xf32> {
        %1 = fuse.matmul %a, %b : (tensor<?x?x8xf32>, tensor<8x4xf32>) -> tensor<?x?x4xf32>
        fuse.yield %1 : tensor<?x?x4xf32>
      }
      return %0 : tensor<?x?x4xf32>
    }
    // becomes
    //   %r = fuse.reshape %x : tensor<?x?x8xf32> -> tensor<?x8xf32>
    //   %0 = fuse.kernel (%a = %r, %b = %w) : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32> …
    //   %1 = fuse.reshape %0 sizes = [%batch, %length] : tensor<?x4xf32> -> tensor<?x?x4xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect", "affine::AffineDialect", "tensor::TensorDialect"];
}

def FuseOutlineKernels : Pass<"fuse-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline kernels into modules of their own, one for equal ones";
  let description = [{
    Each `fuse.kernel` becomes a `fuse.launch` of a nested module with one function, which has the
    kernel's inputs and then one writable tensor per result. The module is named by its content:
    kernels that are equal but for locations are outlined once. A buffer that the kernel loads from
    becomes a tensor argument (a kernel reads it in place), one that it stores to a result. The module of
    a kernel that stores has `fuse.writes_operands`: that memory may be any operand's.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
        %1 = fuse.unary relu %a : tensor<8xf32>
        fuse.yield %1 : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    }
    // becomes
    //   %e = tensor.empty() : tensor<8xf32>
    //   %0 = fuse.launch @kernel_… ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect", "bufferization::BufferizationDialect",
                           "func::FuncDialect", "memref::MemRefDialect", "tensor::TensorDialect"];
}

def FuseMembersToLinalg : Pass<"fuse-members-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Convert the ops of a kernel to linalg over the factors of their loops";
  let description = [{
    Runs on the function of an outlined kernel. Does what `convert-fuse-to-linalg` does with
    `keep-gates`, and splits loops as planning did: where an op reads another through a reshape, both
    run over the finest common factors of the dimensions that it splits or joins, so that index maps
    alone say which loops are the same. Reshapes of arguments and of results stay (they are free). So
    does one whose factors have no common refinement, as 24 elements seen as 4x6 and as 6x4: its reader
    needs the whole value.

    Example: the exponential, too, runs over 8, 2 and 2.
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x2xf32> {
      %0 = fuse.unary exp %x : tensor<8x4xf32>
      %1 = fuse.reshape %0 : tensor<8x4xf32> -> tensor<8x2x2xf32>
      %2 = fuse.reduce sum %1 dimensions = [2] : tensor<8x2x2xf32> -> tensor<8x2xf32>
      return %2 : tensor<8x2xf32>
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "tensor::TensorDialect"];
}

def FuseStepScans : Pass<"fuse-step-scans", "::mlir::ModuleOp"> {
  let summary = "Turn the function of a kernel that scans into one of its steps";
  let description = [{
    Runs on a kernel's module. A function that holds a `fuse.scan` becomes a function of one step,
    whose members are the ops of the scan's body, and which is then tiled, bufferized and vectorized as
    any kernel is. Its attribute `fuse.steps` says what the step's arguments are of the kernel's
    buffers, and `fuse-kernel-abi` makes the loop over the steps around it. Arguments are the
    states, the elements of the sequences and the other operands of the kernel, then the results.

    Example: the running sum of the rows of a matrix. The step's function has the type
    `(tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>`: the sum so far, a row, the next sum.
    ```mlir
    module @kernel {
      func.func private @kernel(%x: tensor<10x8xf32>, %zero: tensor<8xf32>, %y: tensor<10x8xf32> {bufferization.writable = true}) -> tensor<10x8xf32> {
        %0:2 = fuse.scan states(%so_far = %zero) over(%row = %x) : (tensor<8xf32>, tensor<10x8xf32>) -> (tensor<8xf32>, tensor<10x8xf32>) {
          %1 = fuse.binary add %so_far, %row : tensor<8xf32>
          fuse.yield %1, %1 : tensor<8xf32>, tensor<8xf32>
        }
        return %0#1 : tensor<10x8xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["FuseDialect", "bufferization::BufferizationDialect", "func::FuncDialect"];
}

def FuseTileKernels : Pass<"fuse-tile-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn an outlined kernel of linalg members into a function over blocks";
  let description = [{
    Runs on a kernel's module. The members (`linalg.generic` on tensors) are tiled along the dims
    that they share: the function gets a range of blocks, `(ins…, outs…, begin, end)`, and one loop
    over it, in which every member works on its tile, in order, and each result is inserted into
    its out. Tile sizes are those of the function's `fuse.schedule`, without which the pass fails
    (`fuse-assign-schedules` gives one). Beside it a function `…_count(ins…, outs…) -> index` gives the
    number of blocks. Temporaries have the largest static size of a tile.

    Example: blocks of 4 elements; the loop's body cuts `%x` and the out to `min(4, 10 - offset)`, and
    `@kernel_count` returns 3.
    ```mlir
    module @kernel {
      func.func private @kernel(%x: tensor<10xf32>, %y: tensor<10xf32> {bufferization.writable = true}) -> tensor<10xf32>
          attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
        %e = tensor.empty() : tensor<10xf32>
        %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<10xf32>) outs(%e : tensor<10xf32>) {
        ^bb0(%in: f32, %out: f32):
          %1 = arith.negf %in : f32
          linalg.yield %1 : f32
        } -> tensor<10xf32>
        return %0 : tensor<10xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "bufferization::BufferizationDialect", "func::FuncDialect",
                           "linalg::LinalgDialect", "scf::SCFDialect", "tensor::TensorDialect"];
}

def FuseSliceGathers : Pass<"fuse-slice-gathers", "::mlir::func::FuncOp"> {
  let summary = "Read the slices that a gather takes where they are";
  let description = [{
    A gather along one dimension, of which a tile has one index, copies a slice of its operand to a temporary. The slice can
    be read in place: its index is read before, and is the offset of a `tensor.extract_slice`. So products of rows with
    the weights of their expert, which the rows' kernel chooses by an index for each block of rows, read these weights where
    they are.

    A member becomes a slice where (1) it computes one element from none but indices and constants, by one `tensor.extract` that it yields;
    (2) each of that op's indices is either a loop of the member, in the order of the loops and from an offset on, or the same in the
    whole tile: computed from elements of inputs that lie along loops of one iteration; and (3) the loops that no index of the first
    kind is of have one iteration. Indices are within the operand, as those of gathers are made to be.

    Where a tile has several indices, and a contraction reads a slice for each iteration of one of its parallel loops, as all of its
    operands have parts of their own for each, the contraction becomes a loop of such members over one slice each: `out[b] =
    contract(x[b], w[index[b]])`. Rows that indices name, and that are multiplied with one matrix, stay together.

    ```mlir
    #row = affine_map<(d0, d1) -> (d0)>
    #all = affine_map<(d0, d1) -> (d0, d1)>
    func.func @f(%w: tensor<8x64xf32>, %i: tensor<1xindex>, %offset: index, %e: tensor<1x16xf32>) -> tensor<1x16xf32> {
      %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
          ins(%i : tensor<1xindex>) outs(%e : tensor<1x16xf32>) {
      ^bb0(%in: index, %out: f32):
        %1 = linalg.index 1 : index
        %2 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%1)[%offset]
        %3 = tensor.extract %w[%in, %2] : tensor<8x64xf32>
        linalg.yield %3 : f32
      } -> tensor<1x16xf32>
      return %0 : tensor<1x16xf32>
    }
    // becomes
    //   %0 = tensor.extract %i[%c0] : tensor<1xindex>
    //   %1 = tensor.extract_slice %w[%0, %offset] [1, 16] [1, 1] : tensor<8x64xf32> to tensor<1x16xf32>
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def FuseSinkContractions : Pass<"fuse-sink-contractions", "::mlir::func::FuncOp"> {
  let summary = "Move each contraction to where its sums are read first";
  let description = [{
    What adds a bias to a product, or rounds it, can be applied while the sums are in registers, if nothing stands
    between the two (see `fuse-vectorize-kernels`). Members come in the program's order, in which the bias itself may be
    computed between the product and what adds it. So each contraction, and what its sums start from, is moved in front
    of its first reader. What its operands are moved to (`bufferization.materialize_in_destination`) may be where they are
    computed, so that it stays in front of such a move.

    ```mlir
    func.func @f(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %bias: tensor<8xf32>, %sums: tensor<8x8xf32>,
                 %out: tensor<8x8xf32>, %e: tensor<8xf32>) -> tensor<8x8xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%sums : tensor<8x8xf32>) -> tensor<8x8xf32>
      %1 = linalg.negf ins(%bias : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %2 = linalg.broadcast ins(%1 : tensor<8xf32>) outs(%out : tensor<8x8xf32>) dimensions = [0]
      %3 = linalg.add ins(%0, %2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) -> tensor<8x8xf32>
      return %3 : tensor<8x8xf32>
    }
    // becomes, in order: %1, %2, %0, %3
    ```
  }];
}

def FuseKeepDestinations : Pass<"fuse-keep-destinations", "::mlir::ModuleOp"> {
  let summary = "Copy what a loop yields without having written it in place";
  let description = [{
    A block loop carries its results in the buffers that the caller gave. Canonicalization folds a
    member that only copies, and with it the write: the loop then yields another tensor, which
    bufferization refuses. Here such a value is copied to where it belongs. Comes after the last
    canonicalization before bufferization.

    ```mlir
    func.func @f(%x: tensor<8xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<8xf32>) {
        scf.yield %x : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    }
    // becomes, in the loop,
    //   %1 = linalg.copy ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    //   scf.yield %1 : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def FuseReturnDestinations : Pass<"fuse-return-destinations", "::mlir::ModuleOp"> {
  let summary = "Return a destination, not a view of all of it";
  let description = [{
    A kernel may compute its result with dimensions that are joined: it writes to a view of its destination, and returns a view
    of that view, of the destination's type. With numbers for extents the two fold. Several open dimensions in one do not,
    since nothing says that they are split as they were joined; but a view of a whole buffer holds all of it, and a kernel's
    result has the extents of its destination. Such a result becomes the destination itself, so that
    `drop-equivalent-buffer-results` finds that nothing needs to be returned. Comes behind bufferization.

    ```mlir
    func.func @f(%out: memref<?x?xf32>, %n: index, %m: index) -> memref<?x?xf32> {
      %0 = memref.collapse_shape %out [[0, 1]] : memref<?x?xf32> into memref<?xf32>
      %1 = memref.expand_shape %0 [[0, 1]] output_shape [%n, %m] : memref<?xf32> into memref<?x?xf32>
      return %1 : memref<?x?xf32>
    }
    // becomes, in the end,
    //   return %out : memref<?x?xf32>
    ```
  }];
}

def FuseHideSelects : Pass<"fuse-hide-selects", "::mlir::ModuleOp"> {
  let summary = "Keep the analysis of slices from looking into selects of indices";
  let description = [{
    Bufferization compares the slices of one tensor by the bounds of their offsets and sizes. For each `arith.select` on the way
    the two choices are compared, by elimination over all that they depend on, and a choice may depend on another select: a
    kernel of a depthwise and two 1x1 convolutions of open height and width, whose tiles and borders are chosen by ten
    selects, took 2 s for what takes 0.2 s without looking into them. What slices are compared for here, whether a slice goes
    back to where it was taken from, does not need it: equal offsets are one value.

    ```mlir
    func.func @f(%first: i1, %a: index, %b: index) -> index {
      %0 = arith.select %first, %a, %b : index
      return %0 : index
    }
    // becomes
    //   %0 = builtin.unrealized_conversion_cast %first, %a, %b : i1, index, index to index
    ```

    With `restore` the selects come back: behind bufferization.
  }];
  let options = [
    Option<"restore", "restore", "bool", "false", "turn what was hidden to selects again">
  ];
  let dependentDialects = ["arith::ArithDialect"];
}

def FuseRoundOnce : Pass<"fuse-round-once", "::mlir::ModuleOp"> {
  let summary = "Round short floats where they are stored, not between ops of one loop";
  let description = [{
    An op of f16 or bf16 computes in f32 and rounds its result. Where the next op of the same loop reads it, in f32 again,
    the rounding in between (an `arith.truncf` marked `fuse.rounding` with an `arith.extf` behind it) is left out: results
    are closer to those of exact arithmetic, and conversions are what most of the time of such loops goes to. What is
    stored is rounded, and what a program casts itself (`fuse.cast`) is, too. Temporaries between two members of a kernel,
    of up to 1 MB, stay f32: a softmax's exponentials, and the padded tile of an image of f16, which each tap of a convolution
    would widen again. An `exp`, `tanh`, sigmoid, silu or gelu whose result would be rounded is marked `fuse.short_result`:
    `fuse-expand-math` then takes polynomials of lower degree, which are right to 2^-15 of the result (a half unit in the last
    place of f16 is 2^-12 to 2^-11). Numeric class: `folds`.

    Example: relu(x + y) rounds once.
    ```mlir
    func.func private @kernel(%x: f16, %y: f16) -> f16 {
      %zero = arith.constant 0.0 : f32
      %a = arith.extf %x : f16 to f32
      %b = arith.extf %y : f16 to f32
      %sum = arith.addf %a, %b : f32
      %rounded = arith.truncf %sum {fuse.rounding} : f32 to f16
      %wide = arith.extf %rounded : f16 to f32
      %relu = arith.maximumf %wide, %zero : f32
      %result = arith.truncf %relu {fuse.rounding} : f32 to f16
      return %result : f16
    }
    ```
  }];
}

def FuseGuardReads : Pass<"fuse-guard-reads", "::mlir::ModuleOp"> {
  let summary = "Read elements of buffers that may be empty only where they are chosen";
  let description = [{
    A concatenation reads an element of each operand and chooses one, a pad reads the nearest element and chooses
    between it and the border. An operand of unknown extent may have no element: its elements are read in branches,
    where they are chosen. Buffers of static shape have an element, and are read as before.

    Example: becomes an `scf.if` that loads from one of both.
    ```mlir
    func.func private @kernel(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %i: index, %j: index, %first: i1) {
      %0 = memref.load %x[%i] : memref<?xf32>
      %1 = memref.load %y[%j] : memref<?xf32>
      %2 = arith.select %first, %0, %1 : f32
      memref.store %2, %z[%i] : memref<?xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["scf::SCFDialect"];
}

def FusePlaceScratch : Pass<"fuse-place-scratch", "::mlir::ModuleOp"> {
  let summary = "Give a kernel's temporaries fixed places in the thread's scratch";
  let description = [{
    Runs on a kernel's module after bufferization. Every allocation of static size becomes a view
    of a new last argument `memref<?xi8>`, 64-byte aligned. Two share a place if no op of the loop
    over blocks needs the one between the first and the last that need the other; the module's
    `fuse.scratch_bytes` is where the last one ends. Those of dynamic size follow, and a function `…_scratch(ins…,
    outs…) -> index` beside the kernel gives the bytes of all; one whose size is known within the loop
    over blocks only stays an allocation, freed at the end of its block.

    With `shared-bytes`, for a GPU, a block's threads work on a buffer together, so that a place is free from the
    next barrier on. Buffers go to an argument `memref<?xi8>` of shared memory, as far as that many
    bytes hold them (`fuse.shared_bytes` is what they take), the others to one behind it, the scratch. One whose
    size is known within the loop over blocks only is an error.

    Example: `%t` becomes `memref.view` of the new argument at offset 0, and `fuse.scratch_bytes` 64.
    ```mlir
    module @kernel {
      func.func private @kernel_count(%y: memref<8xf32>) -> index {
        %count = arith.constant 1 : index
        return %count : index
      }
      func.func private @kernel(%y: memref<8xf32>, %begin: index, %end: index) {
        %zero = arith.constant 0.0 : f32
        %t = memref.alloc() : memref<8xf32>
        linalg.fill ins(%zero : f32) outs(%t : memref<8xf32>)
        return
      }
    }
    ```
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "-1",
                        "shared memory of a block on a GPU; -1: on the CPU, where there is none">];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "memref::MemRefDialect"];
}

#endif // FUSE_CODEGEN_KERNEL_PASSES_TD
