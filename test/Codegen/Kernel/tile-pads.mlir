// RUN: fuse-opt %s --fuse-tile-kernels --mlir-print-local-scope --split-input-file | FileCheck %s

#window = affine_map<(w, c, j) -> (w + j, c)>
#taps = affine_map<(w, c, j) -> (j, c)>
#sums = affine_map<(w, c, j) -> (w, c)>
#all = affine_map<(w, c) -> (w, c)>

// A block of 4 of 10 points reads 6 elements of the padded row, of which some lie inside: at most one is border in front
// of them, and one behind. What is marked to be computed again is computed for exactly those inside.
// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME:    %[[X:.*]]: tensor<10x16xf32>,
// CHECK:         scf.for
// CHECK:           %[[OFFSET:.*]] = arith.muli
// CHECK:           %[[SIZE:.*]] = affine.min affine_map<(d0) -> (4, -d0 + 10)>(%[[OFFSET]])
// CHECK:           affine.max affine_map<()[s0] -> (-s0 + 1, 0)>()[%[[OFFSET]]]
// CHECK:           %[[LOW:.*]] = affine.min affine_map<()[s0] -> (s0, 1)>
// CHECK:           affine.max affine_map<()[s0, s1] -> (-s0 + 11, s1)>()[%[[OFFSET]], %[[LOW]]]
// CHECK:           %[[INSIDE:.*]] = affine.min affine_map<(d0)[s0, s1] -> (s0 - s1, d0 + 2)>(%[[SIZE]])[%{{.*}}, %[[LOW]]]
// CHECK:           %[[HIGH:.*]] = affine.min
// CHECK:           %[[FROM:.*]] = affine.apply affine_map<()[s0, s1] -> (s0 + s1 - 1)>()[%[[OFFSET]], %[[LOW]]]
// CHECK:           %[[PART:.*]] = tensor.extract_slice %[[X]][%{{.*}}, 0] [%[[INSIDE]], 16] [1, 1]
// CHECK:           %[[MADE:.*]] = linalg.generic {{.*}} ins(%[[PART]] :
// CHECK:             arith.negf
// CHECK:           %[[TILE:.*]] = tensor.pad %[[MADE]] low[%[[LOW]], 0] high[%[[HIGH]], 0]
// CHECK:           } : tensor<?x16xf32> to tensor<?x16xf32>
// CHECK:           linalg.generic {{.*}} ins(%[[TILE]],
module @kernel {
  func.func private @kernel(%x: tensor<10x16xf32>, %w: tensor<3x16xf32>, %y: tensor<10x16xf32> {bufferization.writable = true}) -> tensor<10x16xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [4, 16]>], reduction_lanes = 64>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<10x16xf32>
    %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<10x16xf32>) outs(%e : tensor<10x16xf32>) attrs = {fuse.recompute} {
    ^bb0(%in: f32, %out: f32):
      %4 = arith.negf %in : f32
      linalg.yield %4 : f32
    } -> tensor<10x16xf32>
    %1 = tensor.pad %0 low[1, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<10x16xf32> to tensor<12x16xf32>
    %2 = linalg.fill ins(%zero : f32) outs(%e : tensor<10x16xf32>) -> tensor<10x16xf32>
    %3 = linalg.generic {indexing_maps = [#window, #taps, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %w : tensor<12x16xf32>, tensor<3x16xf32>) outs(%2 : tensor<10x16xf32>) {
    ^bb0(%in: f32, %factor: f32, %out: f32):
      %4 = arith.mulf %in, %factor : f32
      %5 = arith.addf %out, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<10x16xf32>
    return %3 : tensor<10x16xf32>
  }
}
