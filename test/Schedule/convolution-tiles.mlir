// RUN: fuse-opt %s --fuse-assign-schedules --split-input-file | FileCheck %s

// Tiles have whole vectors of a contraction's columns, also where those are not the last dim: here the 24 channels of a
// convolution with its channels last, whose result leaves the kernel with its channels first.
#image = affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d0 + d3, d1 + d4)>
#filter = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5, d2)>
#sums = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
#turned = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#channel = affine_map<(d0, d1, d2) -> (d0)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: module @channels_first
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [24, {{[0-9]+}}, {{[1-9][0-9]}}]>]
module @channels_first {
  func.func private @k(%x: tensor<24x58x58xf32>, %w: tensor<3x3x24x24xf32>, %b: tensor<24xf32>, %y: tensor<24x56x56xf32> {bufferization.writable = true}) -> tensor<24x56x56xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<56x56x24xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<56x56x24xf32>) -> tensor<56x56x24xf32>
    %0 = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<24x58x58xf32>, tensor<3x3x24x24xf32>) outs(%f : tensor<56x56x24xf32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %1 = arith.mulf %l, %r : f32
      %2 = arith.addf %out, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<56x56x24xf32>
    %g = tensor.empty() : tensor<24x56x56xf32>
    %3 = linalg.generic {indexing_maps = [#turned, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %b : tensor<56x56x24xf32>, tensor<24xf32>) outs(%g : tensor<24x56x56xf32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %4 = arith.addf %l, %r : f32
      linalg.yield %4 : f32
    } -> tensor<24x56x56xf32>
    return %3 : tensor<24x56x56xf32>
  }
}

// -----

// And where more elements are contiguous along another dim: an operand of 512 channels by 257 points. What is computed of
// channels alone does not keep points whole at their cost.
#points = affine_map<(d0, d1, d2, d3) -> (d3, d0)>
#blocks = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
#sums = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d1, d2)>
#own = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: module @points
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [{{[0-9]+}}, {{[0-9]+}}, 16]>]
module @points {
  func.func private @k(%x: tensor<512x257xf32>, %w: tensor<3x512x16xf32>, %v: tensor<3x16xf32>, %y: tensor<257x3x16xf32> {bufferization.writable = true}) -> tensor<257x3x16xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<257x3x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<257x3x16xf32>) -> tensor<257x3x16xf32>
    %0 = linalg.generic {indexing_maps = [#points, #blocks, #sums], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x257xf32>, tensor<3x512x16xf32>) outs(%f : tensor<257x3x16xf32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %1 = arith.mulf %l, %r : f32
      %2 = arith.addf %out, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<257x3x16xf32>
    %d = tensor.empty() : tensor<3x16xf32>
    %3 = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<3x16xf32>) outs(%d : tensor<3x16xf32>) {
    ^bb0(%l: f32, %out: f32):
      %4 = math.sqrt %l : f32
      linalg.yield %4 : f32
    } -> tensor<3x16xf32>
    %g = tensor.empty() : tensor<257x3x16xf32>
    %5 = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %3 : tensor<257x3x16xf32>, tensor<3x16xf32>) outs(%g : tensor<257x3x16xf32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %6 = arith.divf %l, %r : f32
      linalg.yield %6 : f32
    } -> tensor<257x3x16xf32>
    return %5 : tensor<257x3x16xf32>
  }
}

// -----

// Windows over an image with its channels last, written with its channels first: tiles keep whole lines of both.
#window = affine_map<(d0, d1, d2, d3, d4) -> (d0 + d3, d1 + d4, d2)>
#shape = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>
#largest = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
#turned = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#channel = affine_map<(d0, d1, d2) -> (d0)>
#own = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: module @pool
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [16, {{[0-9]+}}, {{[1-9][0-9]}}]>]
module @pool {
  func.func private @k(%x: tensor<75x75x16xf32>, %v: tensor<16xf32>, %y: tensor<16x73x73xf32> {bufferization.writable = true}) -> tensor<16x73x73xf32> {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<73x73x16xf32>
    %f = linalg.fill ins(%low : f32) outs(%e : tensor<73x73x16xf32>) -> tensor<73x73x16xf32>
    %s = tensor.empty() : tensor<3x3xf32>
    %0 = linalg.generic {indexing_maps = [#window, #shape, #largest], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %s : tensor<75x75x16xf32>, tensor<3x3xf32>) outs(%f : tensor<73x73x16xf32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %1 = arith.maximumf %out, %l : f32
      linalg.yield %1 : f32
    } -> tensor<73x73x16xf32>
    %g = tensor.empty() : tensor<16x73x73xf32>
    %d = tensor.empty() : tensor<16xf32>
    %2 = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]} ins(%v : tensor<16xf32>) outs(%d : tensor<16xf32>) {
    ^bb0(%l: f32, %out: f32):
      %3 = math.sqrt %l : f32
      linalg.yield %3 : f32
    } -> tensor<16xf32>
    %4 = linalg.generic {indexing_maps = [#turned, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %2 : tensor<73x73x16xf32>, tensor<16xf32>) outs(%g : tensor<16x73x73xf32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %5 = arith.divf %l, %r : f32
      linalg.yield %5 : f32
    } -> tensor<16x73x73xf32>
    return %4 : tensor<16x73x73xf32>
  }
}
