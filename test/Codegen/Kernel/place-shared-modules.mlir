// RUN: fuse-opt %s --pass-pipeline="builtin.module(builtin.module(fuse-place-scratch{shared-bytes=1024}))" --mlir-disable-threading | FileCheck %s

// Each kernel has what it needs itself, in whatever order they are compiled.
// CHECK: module @many attributes {fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 512 : i64}
// CHECK: module @few attributes {fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 64 : i64}
module @many {
  func.func private @k(%begin: index, %end: index) {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : memref<128xf32>
    memref.store %zero, %a[%begin] : memref<128xf32>
    return
  }
}
module @few {
  func.func private @k(%begin: index, %end: index) {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : memref<16xf32>
    memref.store %zero, %a[%begin] : memref<16xf32>
    return
  }
}
