// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Each thread loads and stores 16 bytes at once; one trip does.
// CHECK-LABEL: module @chunks
// CHECK-SAME: fuse.threads = 256 : i64
// CHECK-SAME: {
// CHECK: func.func private @k(%[[X:.*]]: memref<1024xf32>, %[[Y:.*]]: memref<1024xf32>)
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-NOT: scf
// CHECK: %[[AT:.*]] = arith.muli %[[THREAD]], %[[C4]]
// CHECK: vector.load %[[X]][%[[AT]]] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
// CHECK-COUNT-4: arith.negf
// CHECK: vector.store %{{.*}}, %[[Y]][%[[AT]]] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
// CHECK-NOT: scf
// CHECK: return
module @chunks {
  func.func private @k(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<1024xf32>) outs(%y : memref<1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// 16 bytes are eight halves, of which threads come by twice: both are loaded before the first is stored.
// CHECK-LABEL: module @halves
// CHECK: gpu.thread_id x
// CHECK-NOT: scf
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<4096xf16>, vector<8xf16>
// CHECK-NOT: vector.store
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<4096xf16>, vector<8xf16>
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 16 : i64} : memref<4096xf16>, vector<8xf16>
module @halves {
  func.func private @k(%x: memref<4096xf16>, %y: memref<4096xf16>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<4096xf16>) outs(%y : memref<4096xf16>) {
    ^bb0(%in: f16, %out: f16):
      %0 = arith.negf %in : f16
      linalg.yield %0 : f16
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// An extent that no chunk divides: one element at a time, and the last trip asks.
// CHECK-LABEL: module @tail
// CHECK-DAG: %[[C1003:.*]] = arith.constant 1003 : index
// CHECK-COUNT-3: memref.load
// CHECK: %[[VALID:.*]] = arith.cmpi ult, %[[AT:.*]], %[[C1003]]
// CHECK: scf.if %[[VALID]] -> (f32) {
// CHECK-NEXT: memref.load %{{.*}}[%[[AT]]]
// CHECK-COUNT-3: memref.store
// CHECK: scf.if %[[VALID]] {
// CHECK-NEXT: memref.store %{{.*}}[%[[AT]]]
// CHECK-NOT: vector
module @tail {
  func.func private @k(%x: memref<1003xf32>, %y: memref<1003xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<1003xf32>) outs(%y : memref<1003xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// The extent says how often threads come by.
// CHECK-LABEL: module @dynamic
// CHECK: %[[C256:.*]] = arith.constant 256 : index
// CHECK: %[[EXTENT:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?xf32>
// CHECK: %[[TRIPS:.*]] = arith.ceildivui %[[EXTENT]], %[[C256]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TRIPS]]
// CHECK: %[[AT:.*]] = arith.addi
// CHECK: %[[VALID:.*]] = arith.cmpi ult, %[[AT]], %[[EXTENT]]
// CHECK: scf.if %[[VALID]]
module @dynamic {
  func.func private @k(%x: memref<?xf32>, %y: memref<?xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// What is read across comes through the block's memory: read along its own lines, and written along
// the result's. Lines there are an element longer, so that a column is not in one bank.
// CHECK-LABEL: module @turned
// CHECK: func.func private @k(%[[X:.*]]: memref<64x32xf32>, %[[Y:.*]]: memref<32x64xf32>)
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[PADDED:.*]] = memref.alloc() : memref<64x33xf32>
// CHECK: %[[TILE:.*]] = memref.subview %[[PADDED]][0, 0] [64, 32] [1, 1]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[NUMBER:.*]], %[[C32]]
// CHECK: %[[ROW:.*]] = arith.divui %[[NUMBER]], %[[C32]]
// CHECK: %[[VALUE:.*]] = memref.load %[[X]][%[[ROW]], %[[COLUMN]]]
// CHECK: memref.store %[[VALUE]], %[[TILE]][%[[ROW]], %[[COLUMN]]]
// CHECK: gpu.barrier
// CHECK: %[[LINE:.*]] = arith.divui %{{.*}}, %[[C16]]
// CHECK-COUNT-4: memref.load %[[TILE]][%{{.*}}, %[[LINE]]]
// CHECK: vector.store %{{.*}}, %[[Y]][%[[LINE]], %{{.*}}] {alignment = 16 : i64} : memref<32x64xf32>, vector<4xf32>
module @turned {
  func.func private @k(%x: memref<64x32xf32>, %y: memref<32x64xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x32xf32>) outs(%y : memref<32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    return
  }
}
