// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// The input is read along its own lines into a buffer whose lines are an element longer, and from there
// along the result's.
// CHECK-LABEL: module @transpose
// CHECK: func.func private @k(%[[X:.*]]: memref<32x32xf32>, %[[Y:.*]]: memref<32x32xf32>)
// CHECK: %[[MEMORY:.*]] = memref.alloc() : memref<32x33xf32>
// CHECK: %[[TILE:.*]] = memref.subview %[[MEMORY]][0, 0] [32, 32] [1, 1]
// CHECK: memref.load %[[X]]
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[TILE]]
// CHECK: vector.store %{{.*}}, %[[Y]]
module @transpose {
  func.func private @k(%x: memref<32x32xf32>, %y: memref<32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x32xf32>) outs(%y : memref<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Short lines lie in the cache.
// CHECK-LABEL: module @short
// CHECK-NOT: memref.alloc
// CHECK-NOT: gpu.barrier
// CHECK: return
module @short {
  func.func private @k(%x: memref<32x4xf32>, %y: memref<4x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x4xf32>) outs(%y : memref<4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    return
  }
}
