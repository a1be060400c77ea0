// RUN: fuse-opt %s --fuse-lower-pads --split-input-file | FileCheck %s

// Rows of an image with a border above and below, of which a tile reads some: they are copied, what is above and
// below is filled. Columns have no border.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<?x16xf32>, %[[ABOVE:.*]]: index, %[[BELOW:.*]]: index)
// CHECK:         %[[BORDER:.*]] = arith.constant 0.000000e+00
// CHECK:         %[[ROOM:.*]] = tensor.empty() : tensor<5x16xf32>
// CHECK:         %[[COPIED:.*]] = tensor.insert_slice %[[X]] into %[[ROOM]][%[[ABOVE]], 0] [%{{.*}}, 16] [1, 1]
// CHECK:         %[[FRONT:.*]] = tensor.extract_slice %[[COPIED]][0, 0] [%[[ABOVE]], 16] [1, 1]
// CHECK:         linalg.fill ins(%[[BORDER]] : f32) outs(%[[FRONT]] :
// CHECK:         %[[BEHIND:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [%{{.*}}, 16] [1, 1]
// CHECK:         linalg.fill ins(%[[BORDER]] : f32) outs(%[[BEHIND]] :
// CHECK:         %[[TILE:.*]] = tensor.insert_slice
// CHECK-NOT:     linalg.fill
// CHECK:         return %[[TILE]]
func.func private @rows(%x: tensor<?x16xf32>, %above: index, %below: index) -> tensor<5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[%above, 0] high[%below, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x16xf32> to tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}

// -----

// Nothing is filled where there is known to be no border.
// CHECK-LABEL: func.func private @end(
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 1] [4, 7] [1, 1]
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [4, 1] [1, 1]
// CHECK-NEXT:    linalg.fill
// CHECK-NOT:     linalg.fill
func.func private @end(%x: tensor<4x7xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x7xf32> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// What is padded is computed from an image that lies the other way round and a factor of its row: it is computed where
// it belongs. The last tile is smaller, its memory is not.
// CHECK-LABEL: func.func private @computed(
// CHECK-SAME:    %[[X:.*]]: tensor<16x?xbf16>, %[[F:.*]]: tensor<?xf32>)
// CHECK:         %[[ROOM:.*]] = tensor.empty() : tensor<5x16xf32>
// CHECK-NEXT:    %[[TILE:.*]] = tensor.extract_slice %[[ROOM]][0, 0] [%{{.*}}, 16] [1, 1]
// CHECK:         %[[PLACE:.*]] = tensor.extract_slice %[[TILE]][1, 0] [%{{.*}}, 16] [1, 1]
// CHECK:         %[[MADE:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[F]] : {{.*}}) outs(%[[PLACE]] :
// CHECK-NEXT:    ^bb0(%[[E:.*]]: bf16, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[E]] : bf16 to f32
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[S]] fastmath<contract> : f32
// CHECK-NEXT:      linalg.yield %[[PRODUCT]] : f32
// CHECK:         tensor.insert_slice %[[MADE]] into %[[TILE]]
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT:     linalg.fill
func.func private @computed(%x: tensor<16x?xbf16>, %f: tensor<?xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<16x?xbf16>
  %inside = affine.min affine_map<()[s0] -> (s0, 3)>()[%n]
  %e = tensor.empty(%inside) : tensor<?x16xf32>
  %0 = linalg.generic {indexing_maps = [#turned, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %f : tensor<16x?xbf16>, tensor<?xf32>) outs(%e : tensor<?x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%in: bf16, %s: f32, %out: f32):
    %wide = arith.extf %in : bf16 to f32
    %product = arith.mulf %wide, %s fastmath<contract> : f32
    linalg.yield %product : f32
  } -> tensor<?x16xf32>
  %1 = tensor.pad %0 low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x16xf32> to tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>

// What somebody else reads, too, has memory of its own, and is copied.
// CHECK-LABEL: func.func private @read_twice(
// CHECK:         %[[OWN:.*]] = tensor.empty() : tensor<3x16xf32>
// CHECK:         %[[RELU:.*]] = linalg.generic {{.*}} outs(%[[OWN]] :
// CHECK:         tensor.insert_slice %[[RELU]] into
// CHECK:         return %{{.*}}, %[[RELU]]
func.func private @read_twice(%x: tensor<3x16xf32>) -> (tensor<5x16xf32>, tensor<3x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x16xf32>
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x16xf32>) outs(%e : tensor<3x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.maximumf %in, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<3x16xf32>
  %2 = tensor.pad %0 low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<3x16xf32> to tensor<5x16xf32>
  return %2, %0 : tensor<5x16xf32>, tensor<3x16xf32>
}

// -----

// A border that is not one value is nobody's here.
// CHECK-LABEL: func.func private @stays(
// CHECK-NOT:     linalg.fill
// CHECK:         tensor.pad
func.func private @stays(%x: tensor<3x16xindex>) -> tensor<5x16xindex> {
  %0 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %j : index
  } : tensor<3x16xindex> to tensor<5x16xindex>
  return %0 : tensor<5x16xindex>
}
