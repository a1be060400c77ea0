// RUN: fuse-opt %s --fuse-vectorize-kernels='int8-dot scaled-sums' --canonicalize | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels='int16-dot scaled-sums' --canonicalize | FileCheck %s --check-prefix=PAIRS
// RUN: fuse-opt %s --fuse-vectorize-kernels='int8-dot' --canonicalize | FileCheck %s --check-prefix=EXACT

#row = affine_map<(b, g, n, w, p, q) -> (g, w, p, q)>
#columns = affine_map<(b, g, n, w, p, q) -> (b, g, w, n, q)>
#sums = affine_map<(b, g, n, w, p, q) -> (b, g, n)>

// Each byte of the columns holds two numbers of four bits. A register of 16 columns is loaded for eight steps, of which those
// in the low halves and those in the high halves are multiplied by one instruction each. What the sums of a group are scaled
// by and added up to is a member of its own, but its part for a vector follows the vector's sums: no buffer holds them.
// CHECK-LABEL: func.func @groups
// CHECK-NOT:     memref.alloc
// CHECK:         vector.store %{{.*}} : memref<128xf32>, vector<64xf32>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>)
// CHECK:             vector.load %arg1{{.*}} vector<64xi8>
// CHECK:             arith.shrui {{.*}} : vector<64xi8>
// CHECK:             arith.andi {{.*}} : vector<64xi8>
// CHECK:             vpdpbusd.512
// CHECK:           vector.load %arg3
// CHECK:           arith.sitofp {{.*}} : vector<64xi32> to vector<64xf32>
// CHECK:           vector.store %{{.*}}, %arg3
// CHECK-NOT:     scf.for
// CHECK:         return
// PAIRS-LABEL: func.func @groups
// PAIRS:         arith.andi {{.*}} : vector<64xi8>
// PAIRS:         pmaddw.d.512
// PAIRS-NOT:     memref.alloc
// PAIRS:         return
// EXACT-LABEL: func.func @groups
// EXACT-NOT:     memref.alloc
// EXACT:         return
func.func @groups(%x: memref<4x4x2x4xi8>, %w: memref<2x4x4x64x4xi8>, %s: memref<2x4x64xf32>, %y: memref<2x64xf32>) {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<2x4x64xi32>
  linalg.fill ins(%zero : i32) outs(%t : memref<2x4x64xi32>)
  linalg.generic {indexing_maps = [#row, #columns, #sums], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<4x4x2x4xi8>, memref<2x4x4x64x4xi8>) outs(%t : memref<2x4x64xi32>) {
  ^bb0(%r: i8, %c: i8, %sum: i32):
    %four = arith.constant 4 : i8
    %mask = arith.constant 15 : i8
    %p = linalg.index 4 : index
    %0 = arith.index_cast %p : index to i64
    %1 = arith.trunci %0 : i64 to i8
    %2 = arith.muli %1, %four : i8
    %3 = arith.shrui %c, %2 : i8
    %4 = arith.andi %3, %mask : i8
    %5 = arith.extsi %r : i8 to i32
    %6 = arith.extui %4 : i8 to i32
    %7 = arith.muli %5, %6 : i32
    %8 = arith.addi %sum, %7 : i32
    linalg.yield %8 : i32
  }
  linalg.fill ins(%none : f32) outs(%y : memref<2x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(b, g, n) -> (b, g, n)>, affine_map<(b, g, n) -> (b, g, n)>, affine_map<(b, g, n) -> (b, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %s : memref<2x4x64xi32>, memref<2x4x64xf32>) outs(%y : memref<2x64xf32>) {
  ^bb0(%sum: i32, %scale: f32, %total: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.addf %total, %1 : f32
    linalg.yield %2 : f32
  }
  return
}
