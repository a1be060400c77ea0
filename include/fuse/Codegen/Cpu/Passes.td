//===- Passes.td - Kernels and programs for the CPU ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_CPU_PASSES_TD
#define FUSE_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseVectorizeKernels : Pass<"fuse-vectorize-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn a kernel's members on buffers into loops over vectors";
  let description = [{
    Each `linalg` op on buffers becomes `scf` loops with one loop in vectors, masked behind the last
    whole vector, or scalar loops where no loop serves (see VectorPlan.h). Vectors are formed on
    buffers, after bufferization: at this point members are plain loops, and nothing that runs
    later can force a copy. Rows that several members of a kernel read are fetched for the next block by
    the member that computes longest, and large results go past the caches (see findMemoryHints); a
    kernel that does so ends with a fence.

    Example: a loop of vectors of 16 floats, the last one masked.
    ```mlir
    module @kernel {
      func.func private @kernel(%x: memref<100xf32>, %y: memref<100xf32>) {
        linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<100xf32>) outs(%y : memref<100xf32>) {
        ^bb0(%in: f32, %out: f32):
          %0 = arith.negf %in : f32
          linalg.yield %0 : f32
        }
        return
      }
    }
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "64", "bytes of a vector register">,
    Option<"registers", "registers", "int64_t", "32", "how many vector registers there are">,
    Option<"hasFma", "fma", "bool", "true",
           "vectors are multiplied and added in one instruction; else in two, rounded twice">,
    Option<"hasInt8Dot", "int8-dot", "bool", "false",
           "products of 8-bit integers use vpdpbusd: exact">,
    Option<"hasInt16Dot", "int16-dot", "bool", "false",
           "products of 8-bit integers use pmaddwd where they do not use vpdpbusd: exact">,
    Option<"hasBf16Dot", "bf16-dot", "bool", "false",
           "products of bf16 use vdpbf16ps, which flushes denormals: changes rounding">,
    Option<"hasInt8Tiles", "int8-tiles", "bool", "false",
           "products of 8-bit integers use AMX's tile registers: exact">,
    Option<"hasBf16Tiles", "bf16-tiles", "bool", "false",
           "products of bf16 use AMX's tile registers, which flush denormals: changes rounding">,
    Option<"scalesSums", "scaled-sums", "bool", "false",
           "what the terms of a group of steps are multiplied by is multiplied by their sum: changes rounding">
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "LLVM::LLVMDialect", "math::MathDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "vector::VectorDialect", "::mlir::fuse::FuseDialect"];
}

def FuseLowerPads : Pass<"fuse-lower-pads", "::mlir::ModuleOp"> {
  let summary = "Turn the paddings of tiles into copies of what lies inside and fills around it";
  let description = [{
    Runs on a kernel's module right behind `fuse-tile-kernels`, where the padded input of a window is a
    `tensor.pad` of the part of the image that a tile reads. A padded tile becomes a temporary: the part inside is
    copied into its rectangle, or computed there by the op that computes it, and the border around it is filled.

    No tile is made for a window that would read each of its elements a few times only (boundary peeling). If each
    result has a window of its own, with vectors along a dimension that is not padded (depthwise convolutions and
    pools with their channels last), the points of the window, of the fill in front of it and of the element-wise op
    behind it are cut along each padded dimension. The points inside form one rectangle, whose windows read a slice
    of the image; strips around it read padded tiles of their own, in a loop for each dimension. A remark says why a
    window is not peeled.

    Example: the largest of three neighbours, in a row of 20 with one more at each end. Points 1 to 18 read the
    image, and points 0 and 19 are the strips.
    ```mlir
    module @kernel {
      func.func private @kernel(%x: tensor<20x16xf32>, %taps: tensor<3xf32>, %y: tensor<20x16xf32>) -> tensor<20x16xf32> {
        %border = arith.constant 0xFF800000 : f32
        %t = tensor.pad %x low[1, 0] high[1, 0] {
        ^bb0(%i: index, %j: index):
          tensor.yield %border : f32
        } : tensor<20x16xf32> to tensor<22x16xf32>
        %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 + d2, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t, %taps : tensor<22x16xf32>, tensor<3xf32>) outs(%y : tensor<20x16xf32>) {
        ^bb0(%in: f32, %tap: f32, %out: f32):
          %1 = arith.maximumf %in, %out : f32
          linalg.yield %1 : f32
        } -> tensor<20x16xf32>
        return %0 : tensor<20x16xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def FuseSplitChoices : Pass<"fuse-split-choices", "::mlir::ModuleOp"> {
  let summary = "Cut element-wise members where their bodies choose by position";
  let description = [{
    Runs on a kernel's module after bufferization. The body of a concatenation or
    of a padding that its reader computes asks for every element which source it comes from. Such a member's loops
    are cut where the answers change (index set splitting): in each piece the comparisons and clamps have
    one answer, and loads run along the loop from where the piece begins in their source, so that they are
    loads of vectors. A member becomes 16 pieces at most; choices that it would take more for stay.
    Comparisons with anything but constants stay, too.

    Example: a row of 4 elements before one of 8, each with its exponential.
    ```mlir
    module @kernel {
      func.func private @kernel(%a: memref<4xf32>, %b: memref<8xf32>, %y: memref<12xf32>) {
        linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<12xf32>) {
        ^bb0(%out: f32):
          %zero = arith.constant 0 : index
          %three = arith.constant 3 : index
          %four = arith.constant 4 : index
          %seven = arith.constant 7 : index
          %i = linalg.index 0 : index
          %0 = arith.minsi %i, %three : index
          %1 = memref.load %a[%0] : memref<4xf32>
          %2 = arith.subi %i, %four : index
          %3 = arith.minsi %2, %seven : index
          %4 = arith.maxsi %3, %zero : index
          %5 = memref.load %b[%4] : memref<8xf32>
          %6 = arith.cmpi sge, %i, %four : index
          %7 = arith.select %6, %5, %1 : f32
          %8 = math.exp %7 : f32
          linalg.yield %8 : f32
        }
        return
      }
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect"];
}

def FuseKeepTiles : Pass<"fuse-keep-tiles", "::mlir::ModuleOp"> {
  let summary = "Compute what neighbouring blocks share once";
  let description = [{
    Runs on a kernel's module after bufferization. Blocks are numbered with the last dim fastest, and a
    thread runs a range of them in order: what does not depend on the last dims (the normalized rows in front of a
    product, of which each block computes some columns) is the same for neighbours. Such ops go under a
    condition that holds for the first block of the range and where the outer dims change; the buffers
    that others read are allocated before the loop.

    Example: the rows of `%t` are filled once for four blocks.
    ```mlir
    module @kernel {
      func.func private @kernel(%x: memref<8xf32>, %y: memref<8x4xf32>, %begin: index, %end: index) {
        %one = arith.constant 1 : index
        %four = arith.constant 4 : index
        scf.for %block = %begin to %end step %one {
          %column = arith.remui %block, %four : index
          %row = arith.divui %block, %four : index
          %t = memref.alloc() : memref<1xf32>
          %from = memref.subview %x[%row] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
          linalg.exp ins(%from : memref<1xf32, strided<[1], offset: ?>>) outs(%t : memref<1xf32>)
          %to = memref.subview %y[%row, %column] [1, 1] [1, 1] : memref<8x4xf32> to memref<1xf32, strided<[4], offset: ?>>
          linalg.copy ins(%t : memref<1xf32>) outs(%to : memref<1xf32, strided<[4], offset: ?>>)
        }
        return
      }
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect", "scf::SCFDialect"];
}

#endif // FUSE_CODEGEN_CPU_PASSES_TD
