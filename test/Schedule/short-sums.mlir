// RUN: fuse-opt %s --fuse-pipeline --fuse-to-llvm | FileCheck %s

// Products of bf16 are added up as f32, in a temporary of the tile's size where extents are open: tiles of 256 of the batch
// would make it 256 MB.
// CHECK: module @kernel_{{.*}} attributes {{.*}}fuse.scratch_bytes = 524288 : i64
func.func @batched(%x: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %0 = fuse.matmul %x, %x transpose_rhs : (tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  return %0 : tensor<?x?x?xbf16>
}
