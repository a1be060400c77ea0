// RUN: fuse-opt %s --fuse-lower-pads --mlir-print-local-scope --split-input-file --remarks-filter-missed=fuse-lower-pads 2>%t | FileCheck %s
// RUN: FileCheck %s --input-file=%t --check-prefix=REMARK

#window = affine_map<(w, f, j, c) -> (w + j, c)>
#weights = affine_map<(w, f, j, c) -> (j, c, f)>
#sums = affine_map<(w, f, j, c) -> (w, f)>

// All features share a window: the tile is made for them.
// REMARK:      several results share a window
// CHECK-LABEL: func.func private @dense(
// CHECK:         %[[ROOM:.*]] = tensor.empty() : tensor<21x16xf32>
// CHECK:         %[[TILE:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[20, 0] [1, 16] [1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[TILE]],
func.func private @dense(%x: tensor<20x16xf32>, %w: tensor<2x16x32xf32>, %y: tensor<20x32xf32>) -> tensor<20x32xf32> {
  %zero = arith.constant 0.0 : f32
  %tile = tensor.pad %x low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<20x16xf32> to tensor<21x16xf32>
  %0 = linalg.generic {indexing_maps = [#window, #weights, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%tile, %w : tensor<21x16xf32>, tensor<2x16x32xf32>) outs(%y : tensor<20x32xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %1 = arith.mulf %in, %factor : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<20x32xf32>
  return %0 : tensor<20x32xf32>
}

// -----

#tile = affine_map<(w, c) -> (w, c)>
#window = affine_map<(w, c, j) -> (w + j, c)>
#sums = affine_map<(w, c, j) -> (w, c)>

// Half of the windows cross the border: strips would take longer. What is computed for the tile lies nowhere else.
// REMARK:      much of it is border
// REMARK:      its elements are computed for it
// CHECK-LABEL: func.func private @stays(
// CHECK:         tensor.empty() : tensor<8x16xf32>
// CHECK:         %[[TILE:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[6, 0] [2, 16] [1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[TILE]], %{{.*}} : tensor<8x16xf32>, tensor<5xf32>)
// CHECK:         tensor.empty() : tensor<41x16xf32>
// CHECK:         %[[OTHER:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[40, 0] [1, 16] [1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[OTHER]], %{{.*}} : tensor<41x16xf32>, tensor<2xf32>)
func.func private @stays(%x: tensor<4x16xf32>, %long: tensor<40x16xf32>, %five: tensor<5xf32>, %two: tensor<2xf32>, %y: tensor<4x16xf32>, %z: tensor<40x16xf32>) -> (tensor<4x16xf32>, tensor<40x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %tile = tensor.pad %x low[2, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x16xf32> to tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%tile, %five : tensor<8x16xf32>, tensor<5xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %4 = arith.addf %in, %out : f32
    linalg.yield %4 : f32
  } -> tensor<4x16xf32>
  %e = tensor.empty() : tensor<40x16xf32>
  %1 = linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]} ins(%long : tensor<40x16xf32>) outs(%e : tensor<40x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%in: f32, %out: f32):
    %4 = arith.negf %in : f32
    linalg.yield %4 : f32
  } -> tensor<40x16xf32>
  %2 = tensor.pad %1 low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<40x16xf32> to tensor<41x16xf32>
  %3 = linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2, %two : tensor<41x16xf32>, tensor<2xf32>) outs(%z : tensor<40x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %4 = arith.addf %in, %out : f32
    linalg.yield %4 : f32
  } -> tensor<40x16xf32>
  return %0, %3 : tensor<4x16xf32>, tensor<40x16xf32>
}
