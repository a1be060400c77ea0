//===- Passes.td - Kernels for the GPU ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_GPU_PASSES_TD
#define FUSE_CODEGEN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseDistributeMembers : Pass<"fuse-distribute-members", "::mlir::ModuleOp"> {
  let summary = "Spread a kernel's members on buffers over the threads of a block";
  let description = [{
    Runs on a kernel's module after bufferization. Each `linalg` op on buffers becomes what one
    thread does of it: rows and chunks of 16 bytes in turn, partial results of folded rows combined by
    shuffles (see ThreadMapping.h). Temporaries whose elements each belong to one thread become
    `memref.alloca`, registers in the end; between members that pass elements from thread to thread stands
    a `gpu.barrier`. The kernel's schedule says how many threads there are and how many share a row;
    `fuse.threads` of the module records it.

    Example: 256 threads, each of which takes 4 of the 1024 elements.
    ```mlir
    module @kernel {
      func.func private @kernel(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
        linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%y : memref<1024xf32>) {
        ^bb0(%in: f32, %out: f32):
          %0 = arith.negf %in : f32
          linalg.yield %0 : f32
        }
        return
      }
    }
    ```
  }];
  let options = [Option<"reassociates", "reassociates", "bool", "false",
                        "products are added up in the order that they lie in memory, and by several "
                        "threads">,
                 Option<"tensorCores", "tensor-cores", "bool", "false",
                        "products of f16 and bf16 are mma.sync's, which adds up in an order of its own">,
                 Option<"tf32", "tf32", "bool", "false",
                        "products of f32 are so, too, with operands rounded to TF32">,
                 Option<"warpgroups", "warpgroups", "bool", "false",
                        "products of f16 and bf16 are wgmma's of sm_90a, where both operands can be copied asynchronously as "
                        "it reads them">,
                 Option<"byteCores", "byte-cores", "bool", "false",
                        "products of integers of 8 bits, summed as i32, are mma.sync's, which has the same sums">,
                 Option<"asyncStages", "async-stages", "int64_t", "1",
                        "how many parts of a product's operands are in shared memory at once, at most, "
                        "copied there asynchronously; 1: none is copied so">,
                 Option<"sharedBytes", "shared-bytes", "int64_t", "49152",
                        "shared memory of a block, which these parts must leave room in for temporaries">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "gpu::GPUDialect",
                           "linalg::LinalgDialect", "LLVM::LLVMDialect", "math::MathDialect",
                           "memref::MemRefDialect", "NVVM::NVVMDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def FuseDeviceMath : Pass<"fuse-device-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Functions that every device has as instructions";
  let description = [{
    `math` ops that are exact or correctly rounded (sqrt, fma, floor, ceil, roundings, absolute
    values, signs, counts of bits) become LLVM's own, before conversions make them calls of a device's
    library or, for sqrt, an approximation. Scalars only.

    Example: becomes a call of `llvm.sqrt`.
    ```mlir
    gpu.module @device {
      gpu.func @kernel(%x: f32) -> f32 {
        %0 = math.sqrt %x : f32
        gpu.return %0 : f32
      }
    }
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def FuseOutlineDevice : Pass<"fuse-outline-device", "::mlir::ModuleOp"> {
  let summary = "Make a kernel's block function one of a gpu.module";
  let description = [{
    Runs on a kernel's module after fuse-place-scratch. `@k(ins…, outs…, begin, end, shared, scratch)`
    becomes a kernel function of `gpu.module @device`, whose parameters have 8 bytes each: the data of each
    buffer and behind it its dynamic sizes, the number of blocks, and, where there is any, the
    scratch of all blocks and the bytes of each. `fuse.device_params` of the module lists what they are, in
    pairs, as the runtime's `fuse_device_param` does. Buffers that the function only reads are `llvm.noalias` and
    `llvm.readonly`, unless `fuse.writes_operands` of the module says that others may lie in their memory.
    Block b of the grid takes blocks b, b + grid,
    and so on.

    Example: the parameters are two pointers and the number of blocks.
    ```mlir
    module @kernel attributes {fuse.threads = 64 : i64} {
      func.func private @kernel(%x: memref<64xf32>, %y: memref<64xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
        %i = gpu.thread_id x
        %v = memref.load %x[%i] : memref<64xf32>
        memref.store %v, %y[%i] : memref<64xf32>
        return
      }
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect"];
}

#endif // FUSE_CODEGEN_GPU_PASSES_TD
