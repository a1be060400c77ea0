// RUN: fuse-opt %s --fuse-split-pads --split-input-file | FileCheck %s

#map = affine_map<(r, c) -> (r, c)>

// What is laid out is computed from an image and a factor of its row; the rectangle inside is computed whole,
// and asks about nothing.
// CHECK-DAG:   #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func private @computed(
// CHECK-SAME:    %[[X:.*]]: memref<12x16xbf16>, %[[F:.*]]: memref<12xf32>, %[[TILE:.*]]: memref<5x16xf32>, %[[START:.*]]: index)
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : memref<?x16xf32,
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : memref<?x16xf32,
// CHECK-NOT:     linalg.fill
// CHECK:         %[[FROM:.*]] = memref.subview %[[X]][%{{.*}}, 0] [%[[ROWS:.*]], 16] [1, 1]
// CHECK:         %[[FACTOR:.*]] = memref.subview %[[F]][%{{.*}}] [%[[ROWS]]] [1]
// CHECK:         %[[TO:.*]] = memref.subview %[[TILE]][%{{.*}}, 0] [%[[ROWS]], 16] [1, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]]
// CHECK-SAME:      ins(%[[FROM]], %[[FACTOR]] :
// CHECK-SAME:      outs(%[[TO]] :
// CHECK-NEXT:    ^bb0(%[[E:.*]]: bf16, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[E]] : bf16 to f32
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[S]] fastmath<contract> : f32
// CHECK-NEXT:      linalg.yield %[[PRODUCT]] : f32
// CHECK-NOT:     arith.cmpi
func.func private @computed(%x: memref<12x16xbf16>, %f: memref<12xf32>, %tile: memref<5x16xf32>, %start: index) {
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
    %e = memref.load %x[%at, %c] : memref<12x16xbf16>
    %wide = arith.extf %e : bf16 to f32
    %factor = memref.load %f[%at] : memref<12xf32>
    %product = arith.mulf %wide, %factor fastmath<contract> : f32
    %v = arith.select %inside, %product, %zero : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#map = affine_map<(r, c) -> (r, c)>

// An image whose dimensions lie the other way round, of which the tile has one row.
// CHECK-DAG:   #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func private @turned(
// CHECK-SAME:    %[[X:.*]]: memref<16x12xf32>, %[[TILE:.*]]: memref<14x8xf32>, %[[START:.*]]: index)
// CHECK:         %[[FROM:.*]] = memref.subview %[[X]][%[[START]], 0] [8, 12] [1, 1]
// CHECK:         %[[TO:.*]] = memref.subview %[[TILE]][1, 0] [12, 8] [1, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[TURNED]], #[[ALL]]]
// CHECK-SAME:      ins(%[[FROM]] : {{.*}}) outs(%[[TO]] :
func.func private @turned(%x: memref<16x12xf32>, %tile: memref<14x8xf32>, %start: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<14x8xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %channel = arith.addi %c, %start : index
    %p = arith.subi %r, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%channel, %at] : memref<16x12xf32>
    %v = arith.select %inside, %e, %zero : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#map = affine_map<(r, c) -> (r, c)>

// The only row of a tile: nobody counts along it. The factor is one for all.
// CHECK-LABEL: func.func private @single(
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : memref<?x16xf32,
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : memref<?x16xf32, {{.*}}>, memref<f32>)
// CHECK:           arith.mulf
// CHECK-NOT:       arith.select
func.func private @single(%x: memref<12x16xf32>, %f: memref<f32>, %tile: memref<1x16xf32>, %start: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<1x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %c = linalg.index 1 : index
    %p = arith.subi %start, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<12x16xf32>
    %factor = memref.load %f[] : memref<f32>
    %product = arith.mulf %e, %factor : f32
    %v = arith.select %inside, %product, %zero : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#map = affine_map<(r, c) -> (r, c)>

// An element that depends on where it lies is no rectangle's; nor is one of another clamp than the condition's.
// CHECK-LABEL: func.func private @stays(
// CHECK-NOT:     linalg.fill
// CHECK-COUNT-2: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     linalg.fill
func.func private @stays(%x: memref<12x16xf32>, %tile: memref<5x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<5x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %p = arith.subi %r, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %number = arith.index_cast %p : index to i32
    %e = arith.sitofp %number : i32 to f32
    %v = arith.select %inside, %e, %zero : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<5x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %p = arith.subi %r, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c9 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<12x16xf32>
    %negative = arith.negf %e : f32
    %v = arith.select %inside, %negative, %zero : f32
    linalg.yield %v : f32
  }
  return
}
