// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Elements go from thread to thread: they are not registers, and who reads them waits first.
// CHECK-LABEL: module @passed_on
// CHECK-NOT: memref.alloca
// CHECK: %[[T:.*]] = memref.alloc() : memref<16x16xf32>
// CHECK-NOT: gpu.barrier
// CHECK: vector.store %{{.*}}, %[[T]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[T]]
// CHECK-NOT: gpu.barrier
// CHECK: return
module @passed_on {
  func.func private @k(%x: memref<16x16xf32>, %y: memref<16x16xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    %t = memref.alloc() : memref<16x16xf32>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x16xf32>) outs(%t : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%t : memref<16x16xf32>) outs(%y : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// Each thread reads what it wrote itself: registers, or where there are not enough of them (f64, 160
// elements a thread) memory, without a barrier.
// CHECK-LABEL: module @kept
// CHECK-NOT: gpu.barrier
// CHECK: memref.alloca() : memref<1x1x4xf32, #gpu.address_space<private>>
// CHECK-NOT: gpu.barrier
// CHECK: return
// CHECK-LABEL: func.func private @large
// CHECK-NOT: memref.alloca
// CHECK-NOT: gpu.barrier
// CHECK: memref.alloc() : memref<64x160xf64>
// CHECK-NOT: memref.alloca
// CHECK-NOT: gpu.barrier
// CHECK: return
module @kept {
  func.func private @k(%x: memref<16x16xf32>, %y: memref<16x16xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    %t = memref.alloc() : memref<16x16xf32>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x16xf32>) outs(%t : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%t : memref<16x16xf32>) outs(%y : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    }
    return
  }
  func.func private @large(%x: memref<64x160xf64>, %y: memref<64x160xf64>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    %t = memref.alloc() : memref<64x160xf64>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x160xf64>) outs(%t : memref<64x160xf64>) {
    ^bb0(%in: f64, %out: f64):
      %0 = arith.negf %in : f64
      linalg.yield %0 : f64
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x160xf64>) outs(%y : memref<64x160xf64>) {
    ^bb0(%in: f64, %out: f64):
      %0 = arith.addf %in, %in : f64
      linalg.yield %0 : f64
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// The next iteration writes what this one reads: a barrier between the members, one at the end.
// CHECK-LABEL: module @loop
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[T:.*]][
// CHECK: gpu.barrier
// CHECK: memref.load %[[T]]
// CHECK: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: return
module @loop {
  func.func private @k(%x: memref<16x16xf32>, %y: memref<16x16xf32>, %begin: index, %end: index) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    %one = arith.constant 1 : index
    %t = memref.alloc() : memref<16x16xf32>
    scf.for %i = %begin to %end step %one {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x16xf32>) outs(%t : memref<16x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %0 = arith.negf %in : f32
        linalg.yield %0 : f32
      }
      linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%t : memref<16x16xf32>) outs(%y : memref<16x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      }
    }
    return
  }
}
