// RUN: fuse-opt %s --fuse-hoist-from-pads --split-input-file | FileCheck %s

#map = affine_map<(r, c) -> (r, c)>

// The bias of the tile's channels and relu, over the sums where they lie; the padding lays them out.
// CHECK-LABEL: func.func private @sums(
// CHECK-SAME:    %[[X:.*]]: memref<12x16xf32>, %[[BIAS:.*]]: memref<64xf32>, {{.*}}, %[[CHANNEL:.*]]: index)
// CHECK:         %[[SUMS:.*]] = memref.alloc() : memref<12x16xf32>
// CHECK:         %[[PART:.*]] = memref.subview %[[BIAS]][%[[CHANNEL]]] [16] [1]
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]], %[[PART]] : {{.*}} outs(%[[SUMS]]
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[IN]], %[[B]]
// CHECK-NEXT:      %[[RELU:.*]] = arith.maximumf %[[SUM]]
// CHECK-NEXT:      linalg.yield %[[RELU]]
// CHECK:         linalg.generic
// CHECK-SAME:      fuse.recompute
// CHECK-NOT:       arith.addf
// CHECK:           %[[ELEMENT:.*]] = memref.load %[[SUMS]]
// CHECK-NEXT:      arith.select %{{.*}}, %[[ELEMENT]],
func.func private @sums(%x: memref<12x16xf32>, %bias: memref<64xf32>, %tile: memref<14x16xf32>, %channel: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<12x16xf32>
  linalg.exp ins(%x : memref<12x16xf32>) outs(%sums : memref<12x16xf32>)
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<14x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %f = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%c)[%channel]
    %p = arith.subi %r, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %sums[%at, %c] : memref<12x16xf32>
    %b = memref.load %bias[%f] : memref<64xf32>
    %sum = arith.addf %e, %b : f32
    %relu = arith.maximumf %sum, %zero : f32
    %v = arith.select %inside, %relu, %zero : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#map = affine_map<(r, c) -> (r, c)>

// Sums that are read afterwards stay as they are; so does what is no memory of the block's own.
// CHECK-LABEL: func.func private @stays(
// CHECK:         linalg.exp
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      fuse.recompute
// CHECK:         linalg.copy
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      fuse.recompute
// CHECK-NOT:     linalg.generic
func.func private @stays(%x: memref<12x16xf32>, %y: memref<12x16xf32>, %tile: memref<14x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<12x16xf32>
  linalg.exp ins(%x : memref<12x16xf32>) outs(%sums : memref<12x16xf32>)
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<14x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %p = arith.subi %r, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %sums[%at, %c] : memref<12x16xf32>
    %relu = arith.maximumf %e, %zero : f32
    %v = arith.select %inside, %relu, %zero : f32
    linalg.yield %v : f32
  }
  linalg.copy ins(%sums : memref<12x16xf32>) outs(%y : memref<12x16xf32>)
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<14x16xf32>) attrs = {fuse.recompute} {
  ^bb0(%out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %p = arith.subi %r, %c1 : index
    %inside = arith.cmpi ult, %p, %c12 : index
    %low = arith.minsi %p, %c11 : index
    %at = arith.maxsi %low, %c0 : index
    %e = memref.load %x[%at, %c] : memref<12x16xf32>
    %relu = arith.maximumf %e, %zero : f32
    %v = arith.select %inside, %relu, %zero : f32
    linalg.yield %v : f32
  }
  return
}
