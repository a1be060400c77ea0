// RUN: fuse-opt %s --fuse-peel-pads --mlir-print-local-scope --split-input-file | FileCheck %s

#tile = affine_map<(r, w, c) -> (r, w, c)>
#window = affine_map<(r, w, c, i, j) -> (r * 2 + i, w + j, c)>
#weights = affine_map<(r, w, c, i, j) -> (i, j, c)>
#sums = affine_map<(r, w, c, i, j) -> (r, w, c)>

// A tile of 4 rows by 20 of an image of 100 by 20, one wider on each side. Rows begin somewhere, columns
// at the border: columns 1 to 18 have their windows inside. One loop goes over what lies above, below,
// to the left and to the right; sums that the bias alone reads have a buffer of their own each time.
// CHECK-LABEL: func.func private @depthwise(
// CHECK-SAME:    %[[X:.*]]: memref<100x20x16xf32>, %[[W:.*]]: memref<3x3x16xf32>, %[[B:.*]]: memref<16xf32>, %[[Y:.*]]: memref<4x20x16xf32>, %[[START:.*]]: index)
// CHECK-NOT:     memref<9x22x16xf32>
// CHECK-DAG:     %[[ABOVE:.*]] = affine.min affine_map<()[s0] -> (s0, 4)>
// CHECK-DAG:     %[[END:.*]] = affine.min affine_map<()[s0] -> (-s0 + 50, 4)>()[%[[START]]]
// CHECK:         scf.for {{.*}} to %{{.*}} step
// CHECK:           %[[SUMS:.*]] = memref.subview %{{.*}}[0, 0, 0] [%{{.*}}, %{{.*}}, 16] [1, 1, 1] : memref<4x20x16xf32> to memref<?x?x16xf32
// CHECK:           linalg.fill ins(%{{.*}}) outs(%[[SUMS]]
// CHECK:           linalg.generic {{.*}} outs(%[[SUMS]]
// CHECK:             memref.load
// CHECK:             arith.select %{{.*}} : f32
// CHECK:             arith.mulf
// CHECK:           linalg.generic {{.*}} ins(%[[SUMS]],
// CHECK:         }
// CHECK:         %[[INSIDE:.*]] = memref.subview %{{.*}}[0, 0, 0] [%[[ROWS:.*]], 18, 16]
// CHECK:         linalg.fill ins(%{{.*}}) outs(%[[INSIDE]]
// CHECK:         %[[VIEW:.*]] = memref.subview %[[X]][%{{.*}}, 0, 0] [%{{.*}}, 20, 16] [1, 1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[VIEW]], {{.*}} outs(%[[INSIDE]]
// CHECK-NOT:       memref.load
// CHECK:         linalg.generic {{.*}} ins(%[[INSIDE]],
// CHECK-NOT:     linalg.generic
func.func private @depthwise(%x: memref<100x20x16xf32>, %w: memref<3x3x16xf32>, %b: memref<16xf32>, %y: memref<4x20x16xf32>, %start: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c99 = arith.constant 99 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloc() : memref<9x22x16xf32>
  linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel", "parallel"]} outs(%tile : memref<9x22x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %row = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 2)>(%r)[%start]
    %p = arith.subi %row, %c1 : index
    %isRow = arith.cmpi ult, %p, %c100 : index
    %lowRow = arith.minsi %p, %c99 : index
    %atRow = arith.maxsi %lowRow, %c0 : index
    %column = linalg.index 1 : index
    %q = arith.subi %column, %c1 : index
    %isColumn = arith.cmpi ult, %q, %c20 : index
    %isInside = arith.andi %isRow, %isColumn : i1
    %lowColumn = arith.minsi %q, %c19 : index
    %atColumn = arith.maxsi %lowColumn, %c0 : index
    %c = linalg.index 2 : index
    %e = memref.load %x[%atRow, %atColumn, %c] : memref<100x20x16xf32>
    %v = arith.select %isInside, %e, %zero : f32
    linalg.yield %v : f32
  }
  %sums = memref.alloc() : memref<4x20x16xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<4x20x16xf32>)
  linalg.generic {indexing_maps = [#window, #weights, #sums], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%tile, %w : memref<9x22x16xf32>, memref<3x3x16xf32>) outs(%sums : memref<4x20x16xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %0 = arith.mulf %in, %factor : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#tile, affine_map<(r, w, c) -> (c)>, #tile], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sums, %b : memref<4x20x16xf32>, memref<16xf32>) outs(%y : memref<4x20x16xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %0 = arith.addf %in, %bias : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#tile = affine_map<(w, c) -> (w, c)>
#window = affine_map<(w, c, j) -> (w + j, c)>

// The border at the far end alone, known beforehand: one strip needs no loop.
// CHECK-LABEL: func.func private @end(
// CHECK-SAME:    %[[X:.*]]: memref<20x16xf32>, %[[SHAPE:.*]]: memref<2xf32>, %[[Y:.*]]: memref<20x16xf32>)
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<1x16xf32, strided<[16, 1], offset: 304>>)
// CHECK:           arith.select
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<19x16xf32, strided<[16, 1]>>)
func.func private @end(%x: memref<20x16xf32>, %shape: memref<2xf32>, %y: memref<20x16xf32>) {
  %c0 = arith.constant 0 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %least = arith.constant 0xFF800000 : f32
  %tile = memref.alloc() : memref<21x16xf32>
  linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<21x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %p = linalg.index 0 : index
    %c = linalg.index 1 : index
    %isInside = arith.cmpi ult, %p, %c20 : index
    %low = arith.minsi %p, %c19 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<20x16xf32>
    %v = arith.select %isInside, %e, %least : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, affine_map<(w, c, j) -> (w, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%tile, %shape : memref<21x16xf32>, memref<2xf32>) outs(%y : memref<20x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#tile = affine_map<(w, c) -> (w, c)>
#window = affine_map<(w, f, j, c) -> (w + j, c)>
#weights = affine_map<(w, f, j, c) -> (j, c, f)>
#sums = affine_map<(w, f, j, c) -> (w, f)>

// All features share a window: it is laid out for them.
// CHECK-LABEL: func.func private @dense(
// CHECK:         %[[TILE:.*]] = memref.alloc() : memref<21x16xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[TILE]]
// CHECK:         linalg.generic {{.*}} ins(%[[TILE]],
func.func private @dense(%x: memref<20x16xf32>, %w: memref<2x16x32xf32>, %y: memref<20x32xf32>) {
  %c0 = arith.constant 0 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloc() : memref<21x16xf32>
  linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<21x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %p = linalg.index 0 : index
    %c = linalg.index 1 : index
    %isInside = arith.cmpi ult, %p, %c20 : index
    %low = arith.minsi %p, %c19 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<20x16xf32>
    %v = arith.select %isInside, %e, %zero : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#window, #weights, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%tile, %w : memref<21x16xf32>, memref<2x16x32xf32>) outs(%y : memref<20x32xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %0 = arith.mulf %in, %factor : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

#tile = affine_map<(w, c) -> (w, c)>
#window = affine_map<(w, c, j) -> (w + j, c)>
#sums = affine_map<(w, c, j) -> (w, c)>

// Half of the windows cross the border: asking would take longer. So would it be wrong to read an image that
// is written to meanwhile.
// CHECK-LABEL: func.func private @stays(
// CHECK-DAG:     memref.alloc() : memref<8x16xf32>
// CHECK-DAG:     memref.alloc() : memref<41x16xf32>
// CHECK-NOT:     memref.subview
// CHECK:         return
func.func private @stays(%x: memref<4x16xf32>, %long: memref<40x16xf32>, %shape: memref<5xf32>, %two: memref<2xf32>, %y: memref<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c39 = arith.constant 39 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloc() : memref<8x16xf32>
  linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<8x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %p = arith.subi %i, %c2 : index
    %c = linalg.index 1 : index
    %isInside = arith.cmpi ult, %p, %c4 : index
    %low = arith.minsi %p, %c3 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<4x16xf32>
    %v = arith.select %isInside, %e, %zero : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%tile, %shape : memref<8x16xf32>, memref<5xf32>) outs(%y : memref<4x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  %other = memref.alloc() : memref<41x16xf32>
  linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%other : memref<41x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %p = linalg.index 0 : index
    %c = linalg.index 1 : index
    %isInside = arith.cmpi ult, %p, %c40 : index
    %low = arith.minsi %p, %c39 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %long[%at, %c] : memref<40x16xf32>
    %v = arith.select %isInside, %e, %zero : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%other, %two : memref<41x16xf32>, memref<2xf32>) outs(%long : memref<40x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#tile = affine_map<(w, c) -> (w, c)>
#window = affine_map<(w, c, j) -> (w * 2 + j, c)>

// No window lies inside.
// CHECK-LABEL: func.func private @all_border(
// CHECK:         scf.for
// CHECK:           linalg.generic
// CHECK:             arith.select
// CHECK-NOT:     linalg.generic
func.func private @all_border(%x: memref<2x16xf32>, %shape: memref<2xf32>, %y: memref<2x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloc() : memref<4x16xf32>
  linalg.generic {indexing_maps = [#tile], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<4x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %p = arith.subi %i, %c1 : index
    %c = linalg.index 1 : index
    %isInside = arith.cmpi ult, %p, %c2 : index
    %low = arith.minsi %p, %c1 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<2x16xf32>
    %v = arith.select %isInside, %e, %zero : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#window, affine_map<(w, c, j) -> (j)>, affine_map<(w, c, j) -> (w, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%tile, %shape : memref<4x16xf32>, memref<2xf32>) outs(%y : memref<2x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}
