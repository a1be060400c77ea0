// RUN: fuse-opt %s --fuse-assign-schedules=gpu --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Points: 256 threads, each of which takes four.
// CHECK-LABEL: module @points
// CHECK: #fuse.schedule<levels = [<block, dims = [0], sizes = [1024]>], reduction_lanes = {{[0-9]+}}, threads = 256>
module @points attributes {fuse.target = #fuse.target<"gpu", gpu, {max_threads = 108.0, shared_memory_bytes = 49152.0}>} {
  func.func private @k(%x: tensor<16777216xf32>, %y: tensor<16777216xf32> {bufferization.writable = true}) -> tensor<16777216xf32> {
    %e = tensor.empty() : tensor<16777216xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<16777216xf32>) outs(%e : tensor<16777216xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<16777216xf32>
    return %0 : tensor<16777216xf32>
  }
}
