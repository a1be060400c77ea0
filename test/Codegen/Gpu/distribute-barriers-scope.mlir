// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Two arguments may be one buffer, where a kernel works in place.
// CHECK-LABEL: module @in_place
// CHECK: memref.load %{{.*}} : memref<16x16xf32>
// CHECK: gpu.barrier
// CHECK: vector.store %{{.*}} : memref<16x16xf32>, vector<4xf32>
module @in_place {
  func.func private @k(%x: memref<16x16xf32>, %y: memref<16x16xf32>, %z: memref<16x16xi32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x16xf32>) outs(%z : memref<16x16xi32>) {
    ^bb0(%in: f32, %out: i32):
      %0 = arith.fptosi %in : f32 to i32
      linalg.yield %0 : i32
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%z : memref<16x16xi32>) outs(%y : memref<16x16xf32>) {
    ^bb0(%in: i32, %out: f32):
      %0 = arith.sitofp %in : i32 to f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

// What stands outside of members one thread stores.
// CHECK-LABEL: module @once
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[THREAD]]
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK-NEXT: memref.store
module @once {
  func.func private @k(%y: memref<f32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %y[] : memref<f32>
    return
  }
}
