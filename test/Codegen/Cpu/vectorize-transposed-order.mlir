// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize | FileCheck %s

#turned = affine_map<(d0, d1) -> (d1, d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// 96 channels of 64 pixels stand in scratch with their channels last. They leave along the result's lines, 16 at a time; what is
// read from memory is read along its own lines.
// CHECK-LABEL: func.func private @from_scratch(
// CHECK: scf.for %[[CHANNEL:.*]] = %c0 to %c96 step %c16
// CHECK-NEXT: scf.for %[[PIXEL:.*]] = %c0 to %c64 step %c16
// CHECK: vector.load %alloc[%[[PIXEL]], %[[CHANNEL]]]
// CHECK-LABEL: func.func private @from_memory(
// CHECK: scf.for %[[PIXEL:.*]] = %c0 to %c64 step %c16
// CHECK-NEXT: scf.for %[[CHANNEL:.*]] = %c0 to %c96 step %c16
// CHECK: vector.load %arg0[%[[PIXEL]], %[[CHANNEL]]]
func.func private @from_scratch(%z: memref<96x64xf32>) {
  %x = memref.alloc() : memref<64x96xf32>
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x96xf32>) outs(%z : memref<96x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
func.func private @from_memory(%x: memref<64x96xf32>, %z: memref<96x64xf32>) {
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x96xf32>) outs(%z : memref<96x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
