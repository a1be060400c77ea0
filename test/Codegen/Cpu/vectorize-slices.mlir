// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --cse --split-input-file | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// A slice at a computed row is a vector along the row: its place is computed once, as scalars.
// CHECK-LABEL: func.func private @gather_rows(
// CHECK: %[[AT:.*]] = memref.load %{{.*}} : memref<7xi32>
// CHECK: %[[ROW:.*]] = arith.index_cast %[[AT]] : i32 to index
// CHECK: %[[CAST:.*]] = arith.minsi %[[ROW]], %{{.*}} : index
// CHECK: vector.load %{{.*}}[%[[CAST]], %{{.*}}] : memref<100x64xf32>, vector<32xf32>
// CHECK-NOT: vector<{{.*}}xindex>
// CHECK: return
func.func private @gather_rows(%x: memref<100x64xf32>, %i: memref<7xi32>, %y: memref<7x64xf32>) {
  %c99 = arith.constant 99 : index
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]} ins(%i : memref<7xi32>) outs(%y : memref<7x64xf32>) {
  ^bb0(%in: i32, %out: f32):
    %0 = arith.index_cast %in : i32 to index
    %1 = arith.minsi %0, %c99 : index
    %2 = linalg.index 1 : index
    %3 = memref.load %x[%1, %2] : memref<100x64xf32>
    linalg.yield %3 : f32
  }
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// What is left of a row is masked, and nothing behind the row is read.
// CHECK-LABEL: func.func private @gather_short_rows(
// CHECK: vector.maskedload %{{.*}} : memref<100x37xf32>, vector<{{[0-9]+}}xi1>
func.func private @gather_short_rows(%x: memref<100x37xf32>, %i: memref<7xi32>, %y: memref<7x37xf32>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]} ins(%i : memref<7xi32>) outs(%y : memref<7x37xf32>) {
  ^bb0(%in: i32, %out: f32):
    %0 = arith.index_cast %in : i32 to index
    %2 = linalg.index 1 : index
    %3 = memref.load %x[%0, %2] : memref<100x37xf32>
    linalg.yield %3 : f32
  }
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// Along the indices every element has a place of its own.
// CHECK-LABEL: func.func private @gather_columns(
// CHECK-NOT: vector.
// CHECK: memref.store
func.func private @gather_columns(%x: memref<64x100xf32>, %i: memref<7xi32>, %y: memref<64x7xf32>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]} ins(%i : memref<7xi32>) outs(%y : memref<64x7xf32>) {
  ^bb0(%in: i32, %out: f32):
    %0 = arith.index_cast %in : i32 to index
    %2 = linalg.index 0 : index
    %3 = memref.load %x[%2, %0] : memref<64x100xf32>
    linalg.yield %3 : f32
  }
  return
}

// -----

#window = affine_map<(d0, d1, d2) -> (d0 + d2, d1)>
#taps = affine_map<(d0, d1, d2) -> (d2)>
#largest = affine_map<(d0, d1, d2) -> (d0, d1)>
#least = affine_map<(d0) -> (16, -d0 + 24)>

// The last tile of 24 channels has eight of them, which is known at run time only. Vectors are no longer than the
// largest tile.
// CHECK-LABEL: func.func private @last_tile(
// CHECK-NOT: vector<{{(32|64|128|256)}}xf32>
// CHECK: vector<16xf32>
// CHECK-NOT: vector<{{(32|64|128|256)}}xf32>
// CHECK: return
func.func private @last_tile(%x: memref<30x24xf32>, %s: memref<3xf32>, %y: memref<28x24xf32>, %at: index) {
  %size = affine.min #least(%at)
  %from = memref.subview %x[0, %at] [30, %size] [1, 1] : memref<30x24xf32> to memref<30x?xf32, strided<[24, 1], offset: ?>>
  %to = memref.subview %y[0, %at] [28, %size] [1, 1] : memref<28x24xf32> to memref<28x?xf32, strided<[24, 1], offset: ?>>
  linalg.generic {indexing_maps = [#window, #taps, #largest], iterator_types = ["parallel", "parallel", "reduction"]} ins(%from, %s : memref<30x?xf32, strided<[24, 1], offset: ?>>, memref<3xf32>) outs(%to : memref<28x?xf32, strided<[24, 1], offset: ?>>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}
