// RUN: fuse-opt %s --fuse-assign-schedules=gpu --split-input-file | fuse-opt --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-assign-schedules=gpu --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// A thread takes four points, where that leaves each processor blocks; a small kernel has more blocks.
// CHECK-LABEL: module @points
// CHECK: func.func private @large({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [1024]>], threads = 256>
// CHECK: func.func private @small({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [256]>], threads = 256>
module @points attributes {fuse.target = #fuse.target<"gpu", gpu, {max_threads = 108.0, shared_memory_bytes = 49152.0}>} {
  func.func private @large(%x: tensor<16777216xf32>, %y: tensor<16777216xf32> {bufferization.writable = true}) -> tensor<16777216xf32> {
    %e = tensor.empty() : tensor<16777216xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<16777216xf32>) outs(%e : tensor<16777216xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<16777216xf32>
    return %0 : tensor<16777216xf32>
  }
  func.func private @small(%x: tensor<65536xf32>, %y: tensor<65536xf32> {bufferization.writable = true}) -> tensor<65536xf32> {
    %e = tensor.empty() : tensor<65536xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<65536xf32>
    return %0 : tensor<65536xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Rows: a lane for 16 bytes of a short one, so that a subgroup has several; long ones have more lanes.
// CHECK-LABEL: module @rows
// CHECK: func.func private @short({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [16]>, <subgroup, dims = [0], sizes = [1]>], threads = 256, lanes = 16>
// CHECK: func.func private @long({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [1]>, <subgroup, dims = [0], sizes = [1]>], threads = 256, lanes = 256>
module @rows {
  func.func private @short(%x: tensor<4096x64xf32>, %y: tensor<4096xf32> {bufferization.writable = true}) -> tensor<4096xf32> {
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
  func.func private @long(%x: tensor<4096x4096xf32>, %y: tensor<4096xf32> {bufferization.writable = true}) -> tensor<4096xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
    %0 = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4096x4096xf32>) outs(%f : tensor<4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Lines of both buffers are read and written whole: square tiles.
// CHECK-LABEL: module @turned
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [32, 32]>], threads = 256>
module @turned {
  func.func private @k(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32> {bufferization.writable = true}) -> tensor<4096x4096xf32> {
    %e = tensor.empty() : tensor<4096x4096xf32>
    %0 = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4096x4096xf32>) outs(%e : tensor<4096x4096xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A product's tile has sides of 128 where there are tiles for most processors, and less else.
// CHECK-LABEL: module @products
// CHECK: func.func private @large({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [128, 128]>], threads = 256>
// CHECK: func.func private @small({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [32, 32]>], threads = 128>
module @products attributes {fuse.target = #fuse.target<"gpu", gpu, {max_threads = 108.0, shared_memory_bytes = 49152.0}>} {
  func.func private @large(%a: tensor<4096x512xf32>, %b: tensor<512x4096xf32>, %c: tensor<4096x4096xf32> {bufferization.writable = true}) -> tensor<4096x4096xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4096x4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %0 = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4096x512xf32>, tensor<512x4096xf32>) outs(%f : tensor<4096x4096xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %1 = arith.mulf %l, %r : f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
  func.func private @small(%a: tensor<256x512xf32>, %b: tensor<512x256xf32>, %c: tensor<256x256xf32> {bufferization.writable = true}) -> tensor<256x256xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x256xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
    %0 = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x512xf32>, tensor<512x256xf32>) outs(%f : tensor<256x256xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %1 = arith.mulf %l, %r : f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<256x256xf32>
    return %0 : tensor<256x256xf32>
  }
}
