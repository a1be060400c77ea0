// RUN: fuse-opt %s --fuse-split-pads --split-input-file | FileCheck %s

#map = affine_map<(r, c) -> (r, c)>

// Rows start - 1 and on of an image whose border is one wide at the top: the rows that lie inside
// are copied, what is above and below is filled. Columns are not padded and not asked about.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    %[[X:.*]]: memref<12x16xf32>, %[[TILE:.*]]: memref<5x16xf32>, %[[START:.*]]: index)
// CHECK:         %[[BORDER:.*]] = arith.constant 0.000000e+00
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.fill ins(%[[BORDER]] : f32) outs(%{{.*}} : memref<?x16xf32,
// CHECK:         linalg.fill ins(%[[BORDER]] : f32) outs(%{{.*}} : memref<?x16xf32,
// CHECK-NOT:     linalg.fill
// CHECK:         %[[FROM:.*]] = memref.subview %[[X]][%{{.*}}, 0] [%[[ROWS:.*]], 16] [1, 1]
// CHECK:         %[[TO:.*]] = memref.subview %[[TILE]][%{{.*}}, 0] [%[[ROWS]], 16] [1, 1]
// CHECK:         linalg.copy ins(%[[FROM]] : {{.*}}) outs(%[[TO]] :
func.func private @rows(%x: memref<12x16xf32>, %tile: memref<5x16xf32>, %start: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<5x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %s = arith.addi %r, %start : index
    %p = arith.subi %s, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<12x16xf32>
    %v = arith.select %inside, %e, %zero : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#map = affine_map<(r, c) -> (r, c)>

// Every other row is no rectangle; nor is what is asked about another extent than the clamp's.
// CHECK-LABEL: func.func private @stays(
// CHECK-NOT:     linalg.copy
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.copy
func.func private @stays(%x: memref<12x16xf32>, %tile: memref<5x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<5x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %s = arith.addi %r, %r : index
    %p = arith.subi %s, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<12x16xf32>
    %v = arith.select %inside, %e, %zero : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<5x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %p = arith.subi %r, %c1 : index
    %inside = arith.cmpi ult, %p, %c11 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<12x16xf32>
    %v = arith.select %inside, %e, %zero : f32
    linalg.yield %v : f32
  }
  return
}
