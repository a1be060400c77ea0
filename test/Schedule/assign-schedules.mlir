// RUN: fuse-opt %s --fuse-assign-schedules --split-input-file | fuse-opt --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-assign-schedules --split-input-file | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Rows are shared, what is within a row is private: a level of blocks of rows.
// CHECK-LABEL: module @rows
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [{{[0-9]+}}]>], reduction_lanes = {{[0-9]+}}>
module @rows {
  func.func private @k(%x: tensor<4096x64xf32>, %y: tensor<4096xf32> {bufferization.writable = true}) -> tensor<4096xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
    %0 = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4096x64xf32>) outs(%f : tensor<4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: module @elementwise
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{[0-9]+}}, {{[0-9]+}}]>]
module @elementwise {
  func.func private @k(%x: tensor<?x64xf32>, %y: tensor<?x64xf32> {bufferization.writable = true}) -> tensor<?x64xf32> {
    %c0 = arith.constant 0 : index
    %d = tensor.dim %x, %c0 : tensor<?x64xf32>
    %e = tensor.empty(%d) : tensor<?x64xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// What a user wrote stays.
// CHECK-LABEL: module @written
// CHECK: #fuse.schedule<levels = [<block, dims = [0], sizes = [3]>], reduction_lanes = 8>
module @written {
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [3]>], reduction_lanes = 8>} {
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

#scalar = affine_map<() -> ()>

// A kernel without shared dims is one block: no level cuts it.
// CHECK-LABEL: module @scalar
// CHECK: #fuse.schedule<levels = [],
module @scalar {
  func.func private @k(%x: tensor<f32>, %y: tensor<f32> {bufferization.writable = true}) -> tensor<f32> {
    %e = tensor.empty() : tensor<f32>
    %0 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A norm: a second tile of columns would sum the row again. It is one, however long rows are.
// CHECK-LABEL: module @unknown_rows
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{[0-9]+}}, 1048576]>]
module @unknown_rows {
  func.func private @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32> {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
    %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%rows) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %0 = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.mulf %in, %in : f32
      %3 = arith.addf %out, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<?xf32>
    %r = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %1 = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%r : tensor<?x?xf32>) {
    ^bb0(%in: f32, %sum: f32, %out: f32):
      %2 = arith.divf %in, %sum : f32
      linalg.yield %2 : f32
    } -> tensor<?x?xf32>
    return %1 : tensor<?x?xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// Without a reduction there is nothing to repeat.
// CHECK-LABEL: module @unknown_elements
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{[0-9]+}}, 1024]>]
module @unknown_elements {
  func.func private @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32> {
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = math.exp %in : f32
      linalg.yield %1 : f32
    } -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}
