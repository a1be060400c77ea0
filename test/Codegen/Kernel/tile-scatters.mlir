// RUN: fuse-opt %s --fuse-tile-kernels --split-input-file | FileCheck %s

// Two blocks of rows. The tile lies in the destination: it is filled there, and an update of a row of
// the other block is no iteration of the inner loop.
// CHECK-LABEL: module @rows attributes {fuse.blocks = 2 : i64}
// CHECK: func.func private @rows_count
// CHECK: constant 2
// CHECK: func.func private @rows(%[[I:.*]]: tensor<1500xi64>, %[[U:.*]]: tensor<1500x64xf32>, %[[OUT:.*]]: tensor<173x64xf32> {{.*}}, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] {{.*}} iter_args(%[[TO:.*]] = %[[OUT]])
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[TO]]
// CHECK: %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[PLACE]]
// CHECK: %[[WALK:.*]] = scf.for %[[AT:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %[[FILL]])
// CHECK: tensor.extract %[[I]][%[[AT]]]
// CHECK: %[[HERE:.*]] = arith.cmpi ult, %[[ROW:.*]], %{{.*}} : index
// CHECK: %[[TIMES:.*]] = arith.select %[[HERE]]
// CHECK: scf.for {{.*}} to %[[TIMES]] {{.*}} iter_args(%[[ONE:.*]] = %[[SUM]])
// CHECK: %[[UPDATE:.*]] = tensor.extract_slice %[[U]][%[[AT]], 0] [1, 64] [1, 1] : tensor<1500x64xf32> to tensor<64xf32>
// CHECK: %[[OLD:.*]] = tensor.extract_slice %[[ONE]][%[[ROW]], 0] [1, 64] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[UPDATE]] : tensor<64xf32>) outs(%[[OLD]] : tensor<64xf32>) attrs = {fuse.loop_dims = array<i64: 1>}
// CHECK: arith.addf
// CHECK: tensor.insert_slice %[[WALK]] into %[[TO]]
module @rows {
  func.func private @rows(%i: tensor<1500xi64>, %u: tensor<1500x64xf32>, %out: tensor<173x64xf32> {bufferization.writable = true}) -> tensor<173x64xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [87, 64]>]>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<173x64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<173x64xf32>) -> tensor<173x64xf32>
    %0 = fuse.scatter_rows add f32 %init, %i, %u dimension = 0 : (tensor<173x64xf32>, tensor<1500xi64>, tensor<1500x64xf32>) -> tensor<173x64xf32>
    return %0 : tensor<173x64xf32>
  }
}

// -----

// What is computed for the scatter is computed for one update; the operand is copied to the destination.
// Blocks along the first dimension look for no rows.
// CHECK-LABEL: module @computed
// CHECK: bufferization.materialize_in_destination
// CHECK: scf.for
// CHECK-NOT: arith.cmpi ult
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x1x8xf32>) outs(%{{.*}} : tensor<1x1x8xf32>)
// CHECK: math.absf
// CHECK: linalg.generic
// CHECK: arith.maxui
module @computed {
  func.func private @computed(%x: tensor<4x9x8xi8>, %i: tensor<5xi64>, %u: tensor<4x5x8xf32>, %out: tensor<4x9x8xi8> {bufferization.writable = true}) -> tensor<4x9x8xi8>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [1, 9, 8]>]>} {
    %e = tensor.empty() : tensor<4x5x8xi8>
    %ef = tensor.empty() : tensor<4x5x8xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%u : tensor<4x5x8xf32>) outs(%ef : tensor<4x5x8xf32>) {
    ^bb0(%in: f32, %o: f32):
      %1 = math.absf %in : f32
      linalg.yield %1 : f32
    } -> tensor<4x5x8xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<4x5x8xf32>) outs(%e : tensor<4x5x8xi8>) {
    ^bb0(%in: f32, %o: i8):
      %1 = arith.fptoui %in : f32 to i8
      linalg.yield %1 : i8
    } -> tensor<4x5x8xi8>
    %0 = fuse.scatter_rows max ui8 %x, %i, %b dimension = 1 : (tensor<4x9x8xi8>, tensor<5xi64>, tensor<4x5x8xi8>) -> tensor<4x9x8xi8>
    return %0 : tensor<4x9x8xi8>
  }
}

// -----

// 512 rows that are repeated 8 times: the update of a place is computed from the row at place / 8, and no other.
// CHECK-LABEL: module @repeated
// CHECK: tensor.extract %{{.*}} : tensor<4096xi64>
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 16] [1, 1] : tensor<512x16xf32> to tensor<1x16xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x16xf32>)
// CHECK: tensor.collapse_shape %{{.*}} : tensor<1x1x16xf32> into tensor<1x16xf32>
module @repeated {
  func.func private @repeated(%i: tensor<4096xi64>, %u: tensor<512x16xf32>, %out: tensor<40x16xf32> {bufferization.writable = true}) -> tensor<40x16xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [40, 16]>]>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<40x16xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<40x16xf32>) -> tensor<40x16xf32>
    %eu = tensor.empty() : tensor<512x8x16xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%u : tensor<512x16xf32>) outs(%eu : tensor<512x8x16xf32>) {
    ^bb0(%in: f32, %o: f32):
      linalg.yield %in : f32
    } -> tensor<512x8x16xf32>
    %rows = tensor.collapse_shape %a [[0, 1], [2]] : tensor<512x8x16xf32> into tensor<4096x16xf32>
    %0 = fuse.scatter_rows add f32 %init, %i, %rows dimension = 0 : (tensor<40x16xf32>, tensor<4096xi64>, tensor<4096x16xf32>) -> tensor<40x16xf32>
    return %0 : tensor<40x16xf32>
  }
}
