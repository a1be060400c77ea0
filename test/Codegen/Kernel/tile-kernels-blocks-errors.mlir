// RUN: fuse-opt %s --fuse-tile-kernels --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// Columns 90 of weights in blocks of 32: a tile reads whole blocks, or all there are.

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n floordiv 32, k, n mod 32)>
#out = affine_map<(m, n, k) -> (m, n)>
module @cut {
  func.func private @k(%x: tensor<6x7xf32>, %w: tensor<3x7x32xf32>, %y: tensor<6x90xf32> {bufferization.writable = true}) -> tensor<6x90xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [3, 20]>], reduction_lanes = 64>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<6x90xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x90xf32>) -> tensor<6x90xf32>
    // expected-error @+1 {{a tile of 20 along dim 1 divides blocks of 32 columns}}
    %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<6x7xf32>, tensor<3x7x32xf32>) outs(%f : tensor<6x90xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %1 = arith.mulf %a, %b : f32
      %2 = arith.addf %out, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<6x90xf32>
    return %0 : tensor<6x90xf32>
  }
}
