// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s

// Few rows have as few sums for each vector of columns, less than hide the latency of an addition: up to four rows go through
// four vectors of columns at a time.
#image = affine_map<(m, n, k) -> (k, n)>
#filters = affine_map<(m, n, k) -> (m, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @four_rows
// CHECK:       scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>, vector<64xf32>, vector<64xf32>, vector<64xf32>)
func.func @four_rows(%x: memref<36x256xf32>, %w: memref<4x36xf32>, %y: memref<4x256xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<36x256xf32>, memref<4x36xf32>) outs(%y : memref<4x256xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @five_rows
// CHECK:       scf.for {{.*}} iter_args({{.*}}) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>)
func.func @five_rows(%x: memref<36x256xf32>, %w: memref<5x36xf32>, %y: memref<5x256xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<36x256xf32>, memref<5x36xf32>) outs(%y : memref<5x256xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Columns that are left over, 31 behind two vectors of 16, are computed together, with a mask, not one vector after the other.
// CHECK-LABEL: func.func @tail
// CHECK:       vector.load %{{.*}} : memref<36x63xf32>, vector<32xf32>
// CHECK:       vector.maskedload %{{.*}} : memref<36x63xf32>, vector<32xi1>, vector<32xf32> into vector<32xf32>
// CHECK-NOT:   vector<16xf32>
func.func @tail(%x: memref<36x63xf32>, %w: memref<8x36xf32>, %y: memref<8x63xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<36x63xf32>, memref<8x36xf32>) outs(%y : memref<8x63xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows of a tile of which only the most is known, the last of three in tiles of two, are few as well: their columns are not
// copied first, as those of many rows are.
// CHECK-LABEL: func.func @at_most_two
// CHECK-NOT:   memref.alloc
// CHECK:       return
func.func @at_most_two(%x: memref<36x256xf32>, %w: memref<3x36xf32>, %y: memref<3x256xf32>, %i: index) {
  %rows = affine.min affine_map<(d0) -> (-d0 + 3, 2)>(%i)
  %ws = memref.subview %w[%i, 0] [%rows, 36] [1, 1] : memref<3x36xf32> to memref<?x36xf32, strided<[36, 1], offset: ?>>
  %ys = memref.subview %y[%i, 0] [%rows, 256] [1, 1] : memref<3x256xf32> to memref<?x256xf32, strided<[256, 1], offset: ?>>
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %ws : memref<36x256xf32>, memref<?x36xf32, strided<[36, 1], offset: ?>>) outs(%ys : memref<?x256xf32, strided<[256, 1], offset: ?>>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
