// RUN: fuse-opt %s --fuse-tile-kernels --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

#map = affine_map<(d0) -> (d0)>
module @no_such_dim {
  // expected-error @+1 {{the schedule cuts dim 1 of a kernel with 1 shared dims}}
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [4, 4]>], reduction_lanes = 64>} {
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
module @missing_dim {
  // expected-error @+1 {{the schedule has no block size for some of the kernel's 2 shared dims}}
  func.func private @k(%x: tensor<8x8xf32>, %y: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [1], sizes = [4]>], reduction_lanes = 64>} {
    %e = tensor.empty() : tensor<8x8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>
module @no_schedule {
  // expected-error @+1 {{expected a 'fuse.schedule' (fuse-assign-schedules gives one)}}
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @no_member {
  // expected-error @+1 {{a result of the kernel is computed by none of its members}}
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
    return %x : tensor<8xf32>
  }
}

// -----

module @effects {
  func.func private @g()
  func.func @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 64>} {
    // expected-error @+1 {{cannot be a member of a kernel}}
    func.call @g() : () -> ()
    return %x : tensor<8xf32>
  }
}
