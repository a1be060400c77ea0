// RUN: fuse-opt %s --fuse-split-choices --canonicalize --split-input-file | FileCheck %s

// A row of 4 elements before one of 8: two pieces, which load without a question.

// CHECK-LABEL: func.func private @concat
// CHECK-SAME:    (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<8xf32>, %[[Y:.*]]: memref<12xf32>)
// CHECK:         %[[FIRST:.*]] = memref.subview %[[Y]][0] [4] [1]
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[FIRST]]
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[I:.*]] = linalg.index 0
// CHECK-NEXT:      %[[X:.*]] = memref.load %[[A]][%[[I]]]
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[X]]
// CHECK-NEXT:      linalg.yield %[[E]]
// CHECK:         %[[SECOND:.*]] = memref.subview %[[Y]][4] [8] [1]
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[SECOND]]
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[I:.*]] = linalg.index 0
// CHECK-NEXT:      %[[X:.*]] = memref.load %[[B]][%[[I]]]
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[X]]
// CHECK-NEXT:      linalg.yield %[[E]]
// CHECK-NOT:     linalg.generic
func.func private @concat(%a: memref<4xf32>, %b: memref<8xf32>, %y: memref<12xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<12xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0 : index
    %three = arith.constant 3 : index
    %four = arith.constant 4 : index
    %seven = arith.constant 7 : index
    %i = linalg.index 0 : index
    %0 = arith.minsi %i, %three : index
    %1 = memref.load %a[%0] : memref<4xf32>
    %2 = arith.subi %i, %four : index
    %3 = arith.minsi %2, %seven : index
    %4 = arith.maxsi %3, %zero : index
    %5 = memref.load %b[%4] : memref<8xf32>
    %6 = arith.cmpi sge, %i, %four : index
    %7 = arith.select %6, %5, %1 : f32
    %8 = math.exp %7 : f32
    linalg.yield %8 : f32
  }
  return
}

// -----

// Rows of 10 with two more at each end, in tiles of 5 columns: the pieces' bounds depend on the tile,
// whose offset in the whole row tells that the last piece ends where the row does.

// CHECK-DAG: #[[UP_TO_2:.*]] = affine_map<()[s0] -> (-s0 + 2, 0)>
// CHECK-DAG: #[[UP_TO_12:.*]] = affine_map<()[s0] -> (-s0 + 12, 0)>
// CHECK-LABEL: func.func private @tile
// CHECK-DAG:     affine.max #[[UP_TO_2]]
// CHECK-DAG:     affine.max #[[UP_TO_12]]
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield %{{.*}}
// CHECK:         %[[INSIDE:.*]] = memref.subview %arg0
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[R:.*]] = linalg.index 0
// CHECK-NEXT:      %[[I:.*]] = linalg.index 1
// CHECK-NEXT:      %[[X:.*]] = memref.load %[[INSIDE]][%[[R]], %[[I]]]
// CHECK-NEXT:      linalg.yield %[[X]]
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield %{{.*}}
// CHECK-NOT:     linalg.generic
func.func private @tile(%a: memref<6x10xf32>, %y: memref<6x14xf32>, %from: index, %to: index, %low: f32) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %block = %from to %to step %c1 {
    %offset = arith.muli %block, %c5 : index
    %size = affine.min affine_map<(d0) -> (5, d0 * -5 + 14)>(%block)
    %tile = memref.subview %y[0, %offset] [6, %size] [1, 1] : memref<6x14xf32> to memref<6x?xf32, strided<[14, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<6x?xf32, strided<[14, 1], offset: ?>>) {
    ^bb0(%out: f32):
      %c0 = arith.constant 0 : index
      %two = arith.constant 2 : index
      %nine = arith.constant 9 : index
      %ten = arith.constant 10 : index
      %r = linalg.index 0 : index
      %i = linalg.index 1 : index
      %0 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%offset]
      %1 = arith.subi %0, %two : index
      %inside = arith.cmpi ult, %1, %ten : index
      %2 = arith.minsi %1, %nine : index
      %3 = arith.maxsi %2, %c0 : index
      %4 = memref.load %a[%r, %3] : memref<6x10xf32>
      %5 = arith.select %inside, %4, %low : f32
      linalg.yield %5 : f32
    }
  }
  return
}

// -----

// A triangle: the choice depends on another loop, and stays.

// CHECK-LABEL: func.func private @triangle
// CHECK:         arith.cmpi sge
// CHECK:         arith.select
func.func private @triangle(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %low: f32) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.cmpi sge, %i, %j : index
    %1 = arith.select %0, %in, %low : f32
    linalg.yield %1 : f32
  }
  return
}
