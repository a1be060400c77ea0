// RUN: fuse-opt %s --fuse-pipeline --fuse-to-gpu | FileCheck %s --check-prefix=SHARED
// RUN: fuse-opt %s --fuse-pipeline --fuse-to-gpu=shared-bytes=0 | FileCheck %s --check-prefix=SCRATCH

// What a product stages lies in dynamic shared memory as far as a block has so much, else in scratch, of
// which each block has a part: its address and size are parameters of the kernel.
// SHARED: fuse.device_params = array<i64: 0, -1, 1, -1, 2, -1, -1, 0>, fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = [[#BYTES:]] : i64
// SHARED: gpu.module @device
// SHARED: llvm.mlir.global {{.*}} {addr_space = 3 : i32{{.*}}} : !llvm.array<0 x i8>
// SHARED: nvvm.barrier
// SCRATCH: fuse.device_params = array<i64: 0, -1, 1, -1, 2, -1, -1, 0, -1, 1, -1, 2>, fuse.scratch_bytes = [[#BYTES:]] : i64, fuse.shared_bytes = 0 : i64
// SCRATCH: gpu.module @device
// SCRATCH-NOT: addr_space = 3
// SCRATCH: nvvm.barrier
func.func @product(%x: tensor<256x64xf32>, %w: tensor<64x256xf32>) -> tensor<256x256xf32> {
  %0 = fuse.matmul %x, %w : (tensor<256x64xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
