// RUN: fuse-opt %s --fuse-tile-kernels --canonicalize --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Both members are in one loop over blocks, in order, each on its part of the shared dim; the last
// block is partial; each result is inserted once, and the second member reads the first's tile.
// CHECK-DAG: #[[SIZE:.*]] = affine_map<(d0) -> ({{-d0 \+ 10, 4|4, -d0 \+ 10}})>
// CHECK-LABEL: module @two
// CHECK-SAME: attributes {fuse.blocks = 3 : i64}
module @two {
  // CHECK: func.func private @k_count(
  // CHECK: %[[BLOCKS:.*]] = arith.constant 3 : index
  // CHECK: return %[[BLOCKS]] : index
  // CHECK: func.func private @k(
  // CHECK-SAME: %[[X:.*]]: tensor<10x8xf32>, %[[OUT0:.*]]: tensor<10xf32> {{.*}}, %[[OUT1:.*]]: tensor<10x8xf32> {{.*}}, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
  // CHECK: %[[LOOP:.*]]:2 = scf.for %[[BLOCK:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%[[D0:.*]] = %[[OUT0]], %[[D1:.*]] = %[[OUT1]])
  // CHECK: %[[OFFSET:.*]] = arith.muli %[[BLOCK]]
  // CHECK: %[[ROWS:.*]] = affine.min #[[SIZE]](%[[OFFSET]])
  // CHECK: %[[TILE:.*]] = tensor.extract_slice %[[X]][%[[OFFSET]], 0] [%[[ROWS]], 8]
  // CHECK: %[[DEST1:.*]] = tensor.extract_slice %[[D1]][%[[OFFSET]], 0] [%[[ROWS]], 8]
  // CHECK: %[[NEG:.*]] = linalg.generic {{.*}} ins(%[[TILE]] : tensor<?x8xf32>) outs(%[[DEST1]] : tensor<?x8xf32>)
  // CHECK: %[[DEST0:.*]] = tensor.extract_slice %[[D0]][%[[OFFSET]]] [%[[ROWS]]]
  // CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[DEST0]]
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[NEG]] : tensor<?x8xf32>) outs(%[[ZERO]] : tensor<?xf32>)
  // CHECK-NOT: linalg.generic
  // CHECK: %[[R0:.*]] = tensor.insert_slice %[[SUM]] into %[[D0]][%[[OFFSET]]] [%[[ROWS]]]
  // CHECK: %[[R1:.*]] = tensor.insert_slice %[[NEG]] into %[[D1]][%[[OFFSET]], 0] [%[[ROWS]], 8]
  // CHECK-NOT: tensor.insert_slice
  // CHECK: scf.yield %[[R0]], %[[R1]]
  // CHECK-NOT: scf.for
  // CHECK: return %[[LOOP]]#0, %[[LOOP]]#1
  func.func private @k(%x: tensor<10x8xf32>, %sum: tensor<10xf32> {bufferization.writable = true}, %neg: tensor<10x8xf32> {bufferization.writable = true}) -> (tensor<10xf32>, tensor<10x8xf32>)
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<10x8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<10x8xf32>) outs(%e0 : tensor<10x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.negf %in : f32
      linalg.yield %3 : f32
    } -> tensor<10x8xf32>
    %e1 = tensor.empty() : tensor<10xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<10xf32>) -> tensor<10xf32>
    %1 = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<10x8xf32>) outs(%f : tensor<10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.addf %out, %in : f32
      linalg.yield %3 : f32
    } -> tensor<10xf32>
    return %1, %0 : tensor<10xf32>, tensor<10x8xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// Blocks of one size where the extent is a multiple: no affine.min, static tiles.
// CHECK-LABEL: module @whole
// CHECK-SAME: attributes {fuse.blocks = 2 : i64}
// CHECK-NOT: affine.min
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<4xf32> into tensor<8xf32>
module @whole {
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// A dynamic extent: the number of blocks is computed from the arguments.
// CHECK-LABEL: module @dynamic {
// CHECK: func.func private @k_count(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK: %[[DIM:.*]] = tensor.dim %[[X]]
// CHECK: %[[COUNT:.*]] = affine.apply #{{.*}}()[%[[DIM]]]
// CHECK: return %[[COUNT]]
// CHECK: func.func private @k(
// CHECK: affine.min
module @dynamic {
  func.func private @k(%x: tensor<?xf32>, %y: tensor<?xf32> {bufferization.writable = true}) -> tensor<?xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
    %c0 = arith.constant 0 : index
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%d) : tensor<?xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
