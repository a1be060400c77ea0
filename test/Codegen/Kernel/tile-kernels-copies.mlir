// RUN: fuse-opt %s --fuse-tile-kernels --canonicalize --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// The body comes down to a copy. Canonicalization drops the member, and what it wrote is in its destination still.
// CHECK-LABEL: func.func private @k(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[OUT:.*]]: tensor<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[D:.*]] = %[[OUT]])
// CHECK: %[[TILE:.*]] = tensor.extract_slice %[[X]][%[[OFFSET:.*]]] [4]
// CHECK-NOT: linalg.generic
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[D]][%[[OFFSET]]] [4]
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[TILE]] in %[[PLACE]]
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[COPY]] into %[[D]][%[[OFFSET]]] [4]
// CHECK: scf.yield %[[NEXT]]
module @minus_zero {
  func.func private @k(%x: tensor<8xf32>, %out: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %o: f32):
      %1 = arith.subf %in, %zero : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// Two copies of one value: the second reads the first, in whose place the value may be computed.
// CHECK-LABEL: func.func private @k(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[OUT0:.*]]: tensor<8xf32> {{.*}}, %[[OUT1:.*]]: tensor<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[D0:.*]] = %[[OUT0]], %[[D1:.*]] = %[[OUT1]])
// CHECK: %[[TILE:.*]] = tensor.extract_slice %[[X]]
// CHECK: %[[FIRST:.*]] = bufferization.materialize_in_destination %[[TILE]]
// CHECK: %[[SECOND:.*]] = bufferization.materialize_in_destination %[[FIRST]]
// CHECK: %[[R0:.*]] = tensor.insert_slice %[[FIRST]] into %[[D0]]
// CHECK: %[[R1:.*]] = tensor.insert_slice %[[SECOND]] into %[[D1]]
// CHECK: scf.yield %[[R0]], %[[R1]]
module @twice {
  func.func private @k(%x: tensor<8xf32>, %a: tensor<8xf32> {bufferization.writable = true}, %b: tensor<8xf32> {bufferization.writable = true}) -> (tensor<8xf32>, tensor<8xf32>)
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %o: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %o: f32):
      %2 = arith.mulf %in, %one : f32
      linalg.yield %2 : f32
    } -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// What is computed is computed in its destination.
// CHECK-LABEL: func.func private @k(
// CHECK-NOT: materialize_in_destination
// CHECK: %[[PLACE:.*]] = tensor.extract_slice
// CHECK: linalg.generic {{.*}} outs(%[[PLACE]] : tensor<1x4xf32>)
// CHECK-NOT: materialize_in_destination
// CHECK: return
module @computed {
  func.func private @k(%x: tensor<4xf32>, %out: tensor<8x4xf32> {bufferization.writable = true}) -> tensor<8x4xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [1, 4]>], reduction_lanes = 64>} {
    %e = tensor.empty() : tensor<8x4xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<8x4xf32>) {
    ^bb0(%in: f32, %o: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
