// The same with rows of unknown number: tiles have a largest static size, so scratch does too.
// RUN: fuse-opt %s --fuse-pipeline --fuse-to-llvm --mlir-disable-threading --mlir-print-ir-after=fuse-place-scratch -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: module @kernel_{{[0-9a-f]+}} attributes {fuse.scratch_bytes = {{[1-9][0-9]*}} : i64}
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: scf.for
// CHECK-NOT: {{memref.alloc|memref.copy}}
func.func @rows(%x: tensor<?x50xf32>) -> tensor<?x50xf32> {
  %0 = fuse.softmax %x dimension = -1 : tensor<?x50xf32>
  return %0 : tensor<?x50xf32>
}
