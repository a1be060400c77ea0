// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// 32 lanes per row: what a row passes on lives in registers, sums go by shuffles, and nobody waits.
// CHECK-LABEL: module @subgroup
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[ALL:.*]] = arith.constant 32 : i32
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[SUM:.*]] = memref.alloca() : memref<1xf32, #gpu.address_space<private>>
// CHECK-DAG: %[[EXP:.*]] = memref.alloca() : memref<1x1x4xf32, #gpu.address_space<private>>
// CHECK-NOT: gpu.barrier
// CHECK-NOT: memref.alloc()
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %[[C32]]
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[THREAD]], %[[C32]]
// CHECK: vector.load %{{.*}}[%[[ROW]], %{{.*}}] {alignment = 16 : i64} : memref<4x128xf32>, vector<4xf32>
// CHECK-COUNT-4: memref.store %{{.*}}, %[[EXP]]
// CHECK-COUNT-5: gpu.shuffle xor %{{.*}}, %{{.*}}, %[[ALL]] : f32
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store %{{.*}}, %[[SUM]]
// CHECK: memref.load %[[SUM]]
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[ROW]], %{{.*}}] {alignment = 16 : i64} : memref<4x128xf32>, vector<4xf32>
// CHECK-NOT: gpu.barrier
// CHECK: return
module @subgroup {
  func.func private @k(%x: memref<4x128xf32>, %y: memref<4x128xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<subgroup, dims = [0], sizes = [4]>], threads = 128, lanes = 32>} {
    %zero = arith.constant 0.0 : f32
    %s = memref.alloc() : memref<4xf32>
    %e = memref.alloc() : memref<4x128xf32>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x128xf32>) outs(%e : memref<4x128xf32>) attrs = {fuse.loop_dims = array<i64: 0, -1>} {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<4xf32>)
    linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%e : memref<4x128xf32>) outs(%s : memref<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%e, %s : memref<4x128xf32>, memref<4xf32>) outs(%y : memref<4x128xf32>) {
    ^bb0(%in: f32, %sum: f32, %out: f32):
      %0 = arith.divf %in, %sum : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// 64 lanes: the two subgroups leave their sums in shared memory, and all read both behind a barrier.
// CHECK-LABEL: module @subgroups
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %[[C64]]
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[THREAD]], %[[C64]]
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: %[[SHARED:.*]] = memref.alloc() : memref<2x2xf32>
// CHECK: scf.if
// CHECK: %[[SUBGROUP:.*]] = arith.divui %[[LANE]], %[[C32]]
// CHECK: memref.store %{{.*}}, %[[SHARED]][%[[ROW]], %[[SUBGROUP]]]
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = memref.load %[[SHARED]][%[[ROW]],
// CHECK: %[[SECOND:.*]] = memref.load %[[SHARED]][%[[ROW]],
// CHECK: arith.addf %[[FIRST]], %[[SECOND]]
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[LANE]]
// CHECK: scf.if %[[IS_FIRST]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[ROW]]] : memref<2xf32>
module @subgroups {
  func.func private @k(%x: memref<2x64xf32>, %y: memref<2xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<subgroup, dims = [0], sizes = [2]>], threads = 128, lanes = 64>} {
    linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<2x64xf32>) outs(%y : memref<2xf32>) attrs = {fuse.loop_dims = array<i64: 0, -1>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The next rows write what the last ones read: their loop has a barrier at its end, too.
// CHECK-LABEL: module @again
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: memref.load
// CHECK: gpu.barrier
// CHECK-NEXT: }
// CHECK-NOT: gpu.barrier
module @again {
  func.func private @k(%x: memref<6x64xf32>, %y: memref<6xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<subgroup, dims = [0], sizes = [2]>], threads = 128, lanes = 64>} {
    linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<6x64xf32>) outs(%y : memref<6xf32>) attrs = {fuse.loop_dims = array<i64: 0, -1>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.maximumf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Shuffles exchange 32 bits.
// CHECK-LABEL: module @halves
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f16 to i16
// CHECK: %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[WIDE]], %{{.*}} : i32
// CHECK: %[[NARROW:.*]] = arith.trunci %[[OTHER]] : i32 to i16
// CHECK: arith.bitcast %[[NARROW]] : i16 to f16
module @halves {
  func.func private @k(%x: memref<2x64xf16>, %y: memref<2xf16>) attributes {fuse.schedule = #fuse.schedule<levels = [<subgroup, dims = [0], sizes = [2]>], threads = 64, lanes = 32>} {
    linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<2x64xf16>) outs(%y : memref<2xf16>) attrs = {fuse.loop_dims = array<i64: 0, -1>} {
    ^bb0(%in: f16, %out: f16):
      %0 = arith.maximumf %out, %in : f16
      linalg.yield %0 : f16
    }
    return
  }
}
