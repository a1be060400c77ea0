// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Four lanes for a row, eight rows in a subgroup: shuffles that reach no further, by all 32 lanes. The
// sums begin with the constant, which nobody stores first.
// CHECK-LABEL: module @few
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[ALL:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-NOT: memref.store
// CHECK-DAG: arith.remui %[[THREAD]], %[[C4]]
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[THREAD]], %[[C4]]
// CHECK: gpu.shuffle xor %{{.*}}, %[[TWO]], %[[ALL]]
// CHECK: gpu.shuffle xor %{{.*}}, %[[ONE]], %[[ALL]]
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: memref.load
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[ROW]]] : memref<16xf32>
// CHECK-NOT: gpu.barrier
module @few {
  func.func private @k(%x: memref<16x16xf32>, %y: memref<16xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<subgroup, dims = [0], sizes = [1]>], threads = 64, lanes = 4>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
    linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<16x16xf32>) outs(%y : memref<16xf32>) attrs = {fuse.loop_dims = array<i64: 0, -1>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#window = affine_map<(w, k) -> (w * 2 + k)>
#taps = affine_map<(w, k) -> (k)>
#point = affine_map<(w, k) -> (w)>
#id = affine_map<(w) -> (w)>

// Neighbouring threads have neighbouring windows; what goes on with their results does the same, though
// it could have taken 16 bytes of them, and finds them in registers.
// CHECK-LABEL: module @windows
// CHECK: memref.alloca() : memref<1x4x1xf32, #gpu.address_space<private>>
// CHECK-NOT: gpu.barrier
// CHECK-NOT: vector.store
// CHECK: memref.store %{{.*}} : memref<128xf32>
// CHECK: return
module @windows {
  func.func private @k(%x: memref<256xf32>, %k: memref<2xf32>, %y: memref<128xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [128]>], threads = 32>} {
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %s = memref.alloc() : memref<128xf32>
    linalg.fill ins(%zero : f32) outs(%s : memref<128xf32>)
    linalg.generic {indexing_maps = [#window, #taps, #point], iterator_types = ["parallel", "reduction"]} ins(%x, %k : memref<256xf32>, memref<2xf32>) outs(%s : memref<128xf32>) {
    ^bb0(%in: f32, %tap: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : memref<128xf32>) outs(%y : memref<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %half : f32
      linalg.yield %0 : f32
    }
    return
  }
}
