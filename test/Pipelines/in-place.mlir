// Kernels write straight to their results, and all temporaries lie in the thread's scratch: no
// kernel allocates or copies, and nor does the program around them.
// RUN: fuse-opt %s --fuse-pipeline=strategy=chains --fuse-to-llvm --mlir-disable-threading --mlir-print-ir-after=fuse-place-scratch -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LLVM < %t.mlir

// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: module @kernel_{{[0-9a-f]+}} attributes {{{.*}}fuse.scratch_bytes =
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: module @kernel_{{[0-9a-f]+}} attributes {{{.*}}fuse.scratch_bytes =
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: module @kernel_{{[0-9a-f]+}} attributes {{{.*}}fuse.scratch_bytes =
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: module @kernel_{{[0-9a-f]+}} attributes {{{.*}}fuse.scratch_bytes =
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: module @kernel_{{[0-9a-f]+}} attributes {{{.*}}fuse.scratch_bytes =
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: module @kernel_{{[0-9a-f]+}} attributes {{{.*}}fuse.scratch_bytes =
// CHECK-NOT: {{memref.alloc|memref.copy}}

// LLVM-NOT: {{@malloc|@aligned_alloc|@free|@memrefCopy|llvm.intr.memcpy|@fuse_copy}}
// LLVM: llvm.func @fuse_run_kernels
// LLVM-NOT: {{@malloc|@aligned_alloc|@free|@memrefCopy|llvm.intr.memcpy|@fuse_copy}}
func.func @kernels(%x: tensor<10007x50xf32>, %i: tensor<20x3x33x33xf32>, %c: tensor<3xf32>, %g: tensor<50xf32>)
    -> (tensor<10007x50xf32>, tensor<10007x50xf32>, tensor<20x3x33x33xf32>, tensor<10007xf32>, tensor<50xf32>, tensor<10007x50xf32>) {
  %0 = fuse.softmax %x dimension = -1 : tensor<10007x50xf32>
  %1 = fuse.layer_norm %x, %g, %g dimensions = [1] epsilon = 1.0e-05 : (tensor<10007x50xf32>, tensor<50xf32>, tensor<50xf32>) -> tensor<10007x50xf32>
  %2 = fuse.batch_norm %i, %c, %c, %c, %c epsilon = 1.0e-05 feature_dimension = 1 : (tensor<20x3x33x33xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<20x3x33x33xf32>
  %3 = fuse.reduce mean %x dimensions = [1] : tensor<10007x50xf32> -> tensor<10007xf32>
  %4 = fuse.reduce mean %x dimensions = [0] : tensor<10007x50xf32> -> tensor<50xf32>
  %5 = fuse.unary relu %x : tensor<10007x50xf32>
  %6 = fuse.binary add %5, %g : (tensor<10007x50xf32>, tensor<50xf32>) -> tensor<10007x50xf32>
  return %0, %1, %2, %3, %4, %6 : tensor<10007x50xf32>, tensor<10007x50xf32>, tensor<20x3x33x33xf32>, tensor<10007xf32>, tensor<50xf32>, tensor<10007x50xf32>
}
