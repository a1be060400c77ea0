// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Of nine trips eight are a loop of four at a time, and one is left.
// CHECK-LABEL: module @trips
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C8]] step %[[C4]]
// CHECK-COUNT-4: memref.load
// CHECK-COUNT-4: memref.store
// CHECK: }
// CHECK: memref.load
// CHECK: memref.store
module @trips {
  func.func private @k(%x: memref<2303xf32>, %y: memref<2303xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<2303xf32>) outs(%y : memref<2303xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}
