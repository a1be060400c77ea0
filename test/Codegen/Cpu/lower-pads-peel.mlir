// RUN: fuse-opt %s --fuse-lower-pads --mlir-print-local-scope --split-input-file | FileCheck %s

#tile = affine_map<(r, w, c) -> (r, w, c)>
#window = affine_map<(r, w, c, i, j) -> (r * 2 + i, w + j, c)>
#weights = affine_map<(r, w, c, i, j) -> (i, j, c)>
#sums = affine_map<(r, w, c, i, j) -> (r, w, c)>

// A tile of 4 rows by 20 of an image one wider on each side. How many of its rows lie above the image is known at run
// time, columns begin at the border: columns 1 to 18 have their windows inside. One loop goes over what lies above and
// below, one over what lies to the left and to the right; each strip reads a padded tile of its own. Sums that the bias
// alone reads have memory of their own each time.
// CHECK-LABEL: func.func private @depthwise(
// CHECK-SAME:    %[[X:.*]]: tensor<?x20x16xf32>, %[[W:.*]]: tensor<3x3x16xf32>, %[[B:.*]]: tensor<16xf32>, %[[Y:.*]]: tensor<4x20x16xf32>, %[[ABOVE:.*]]: index, %[[BELOW:.*]]: index)
// CHECK-NOT:     tensor.pad
// CHECK:         %[[LOW:.*]] = affine.min affine_map<()[s0] -> (s0, 1)>()[%[[ABOVE]]]
// CHECK:         %[[FIRST:.*]] = affine.max affine_map<()[s0] -> (s0 ceildiv 2, 0)>()[%[[LOW]]]
// CHECK:         affine.min affine_map<()[s0] -> (s0, 4)>()[%[[FIRST]]]
// CHECK:         %[[ROWS:.*]] = scf.for {{.*}} iter_args(%[[PLACE:.*]] = %[[Y]]) -> (tensor<4x20x16xf32>)
// CHECK:           %[[ROOM:.*]] = tensor.empty() : tensor<3x22x16xf32>
// CHECK:           %[[SMALL:.*]] = tensor.extract_slice %[[ROOM]][0, 0, 0] [%{{.*}}, 22, 16] [1, 1, 1]
// CHECK:           tensor.insert_slice %{{.*}} into %[[SMALL]]
// CHECK-COUNT-2:   linalg.fill {{.*}} -> tensor<?x22x16xf32>
// CHECK-COUNT-2:   linalg.fill {{.*}} -> tensor<?x1x16xf32>
// CHECK:           tensor.empty() : tensor<4x20x16xf32>
// CHECK:           %[[START:.*]] = linalg.fill
// CHECK:           %[[SUMS:.*]] = linalg.generic {{.*}} outs(%[[START]]
// CHECK:             arith.mulf
// CHECK:           %[[BIASED:.*]] = linalg.generic {{.*}} ins(%[[SUMS]],
// CHECK:           %[[DONE:.*]] = tensor.insert_slice %[[BIASED]] into %[[PLACE]][%{{.*}}, 0, 0] [%{{.*}}, 20, 16]
// CHECK:           scf.yield %[[DONE]]
// CHECK:         %[[STRIPS:.*]] = scf.for {{.*}} iter_args(%[[PLACE:.*]] = %[[ROWS]]) -> (tensor<4x20x16xf32>)
// CHECK:           tensor.empty() : tensor<9x3x16xf32>
// CHECK:           %[[SUMS:.*]] = linalg.generic
// CHECK:             arith.mulf
// CHECK:           %[[BIASED:.*]] = linalg.generic {{.*}} ins(%[[SUMS]],
// CHECK:           %[[DONE:.*]] = tensor.insert_slice %[[BIASED]] into %[[PLACE]][%{{.*}}, %{{.*}}, 0] [%{{.*}}, 1, 16]
// CHECK:           scf.yield %[[DONE]]
// CHECK:         %[[VIEW:.*]] = tensor.extract_slice %[[X]][%{{.*}}, 0, 0] [%{{.*}}, 20, 16] [1, 1, 1]
// CHECK:         %[[START:.*]] = linalg.fill
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}} ins(%[[VIEW]], {{.*}} outs(%[[START]]
// CHECK:         %[[BIASED:.*]] = linalg.generic {{.*}} ins(%[[SUMS]],
// CHECK:         %[[DONE:.*]] = tensor.insert_slice %[[BIASED]] into %[[STRIPS]][%{{.*}}, 1, 0] [%{{.*}}, 18, 16]
// CHECK:         return %[[DONE]]
func.func private @depthwise(%x: tensor<?x20x16xf32>, %w: tensor<3x3x16xf32>, %b: tensor<16xf32>, %y: tensor<4x20x16xf32>, %above: index, %below: index) -> tensor<4x20x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = affine.min affine_map<()[s0] -> (s0, 1)>()[%above]
  %high = affine.min affine_map<()[s0] -> (s0, 1)>()[%below]
  %tile = tensor.pad %x low[%low, 1, 0] high[%high, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x20x16xf32> to tensor<9x22x16xf32>
  %e = tensor.empty() : tensor<4x20x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<4x20x16xf32>) -> tensor<4x20x16xf32>
  %sums = linalg.generic {indexing_maps = [#window, #weights, #sums], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%tile, %w : tensor<9x22x16xf32>, tensor<3x3x16xf32>) outs(%start : tensor<4x20x16xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %0 = arith.mulf %in, %factor : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x20x16xf32>
  %biased = linalg.generic {indexing_maps = [#tile, affine_map<(r, w, c) -> (c)>, #tile], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sums, %b : tensor<4x20x16xf32>, tensor<16xf32>) outs(%y : tensor<4x20x16xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %0 = arith.addf %in, %bias : f32
    linalg.yield %0 : f32
  } -> tensor<4x20x16xf32>
  return %biased : tensor<4x20x16xf32>
}

// -----

#window = affine_map<(w, c, j) -> (w + j, c)>

// The border at the far end alone, known beforehand: one strip needs no loop.
// CHECK-LABEL: func.func private @end(
// CHECK-SAME:    %[[X:.*]]: tensor<20x16xf32>, %[[TAPS:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<20x16xf32>)
// CHECK-NOT:     scf.for
// CHECK:         %[[LAST:.*]] = tensor.extract_slice %[[X]][19, 0] [1, 16] [1, 1]
// CHECK:         tensor.insert_slice %[[LAST]] into
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : tensor<1x16xf32>)
// CHECK:         %[[STRIP:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x16xf32>)
// CHECK:         %[[DONE:.*]] = tensor.insert_slice %[[STRIP]] into %[[Y]][19, 0] [1, 16] [1, 1]
// CHECK:         %[[REST:.*]] = tensor.extract_slice %[[DONE]][0, 0] [19, 16] [1, 1]
// CHECK:         %[[VIEW:.*]] = tensor.extract_slice %[[X]][0, 0] [20, 16] [1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[VIEW]], {{.*}} outs(%[[REST]]
func.func private @end(%x: tensor<20x16xf32>, %taps: tensor<2xf32>, %y: tensor<20x16xf32>) -> tensor<20x16xf32> {
  %least = arith.constant 0xFF800000 : f32
  %tile = tensor.pad %x low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %least : f32
  } : tensor<20x16xf32> to tensor<21x16xf32>
  %0 = linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, affine_map<(w, c, j) -> (w, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%tile, %taps : tensor<21x16xf32>, tensor<2xf32>) outs(%y : tensor<20x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %1 = arith.maximumf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<20x16xf32>
  return %0 : tensor<20x16xf32>
}

// -----

#window = affine_map<(w, c, j) -> (w * 2 + j, c)>

// No window lies inside.
// CHECK-LABEL: func.func private @all_border(
// CHECK:         scf.for
// CHECK:           linalg.generic
// CHECK:           scf.yield
// CHECK-NOT:     linalg.generic
func.func private @all_border(%x: tensor<2x16xf32>, %taps: tensor<2xf32>, %y: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %tile = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x16xf32> to tensor<4x16xf32>
  %0 = linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, affine_map<(w, c, j) -> (w, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%tile, %taps : tensor<4x16xf32>, tensor<2xf32>) outs(%y : tensor<2x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}
