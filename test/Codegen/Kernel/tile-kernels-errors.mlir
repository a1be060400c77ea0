// RUN: fuse-opt %s --fuse-tile-kernels --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

#map = affine_map<(d0) -> (d0)>
module @no_such_dim {
  // expected-error @+1 {{the schedule tiles dim 1 of a kernel with 1 shared dims}}
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

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module @needs_final_value {
  // expected-error @+1 {{no dim of the kernel can be streamed: 'math.sqrt' needs the final value of what is reduced along the dim}}
  func.func private @k(%x: tensor<8x6xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>, <sequential, dims = [1], sizes = [2]>], reduction_lanes = 64>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %n = tensor.empty() : tensor<8x6xf32>
    %negated = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x6xf32>) outs(%n : tensor<8x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<8x6xf32>
    %max = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%negated : tensor<8x6xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.maximumf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    %d = tensor.empty() : tensor<8x6xf32>
    %roots = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%negated, %max : tensor<8x6xf32>, tensor<8xf32>) outs(%d : tensor<8x6xf32>) {
    ^bb0(%in: f32, %m: f32, %out: f32):
      %1 = arith.subf %in, %m : f32
      %2 = math.sqrt %1 : f32
      linalg.yield %2 : f32
    } -> tensor<8x6xf32>
    %0 = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%roots : tensor<8x6xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

#map = affine_map<(d0) -> (d0)>
module @nothing_to_stream {
  // expected-error @+1 {{no dim of the kernel can be streamed: no dim is both run along and reduced}}
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>, <sequential, dims = [1], sizes = [2]>], reduction_lanes = 64>} {
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
module @not_after_the_shared_dims {
  // expected-error @+1 {{the schedule streams more than dim 1, the one after the shared dims}}
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>, <sequential, dims = [0], sizes = [2]>], reduction_lanes = 64>} {
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
