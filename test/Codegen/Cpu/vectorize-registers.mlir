// RUN: fuse-opt %s "--fuse-vectorize-kernels=vector-bytes=32 registers=16" | FileCheck %s
// RUN: fuse-opt %s "--fuse-vectorize-kernels=vector-bytes=16 registers=16 fma=false" | FileCheck %s --check-prefix=SPLIT
// RUN: fuse-opt %s "--fuse-vectorize-kernels=vector-bytes=64" | FileCheck %s --check-prefix=MANY

// Accumulators, columns and a factor fit the registers: 6 rows of 2 vectors in 16 registers, 12 in 32.
// Without FMA products are added in two operations.
// CHECK-LABEL: module @product
// CHECK-NOT:     math.fma
// CHECK:         scf.for {{.*}} iter_args({{([^,]*, ){5}[^,)]*}}) -> (vector<16xf32>
// CHECK-COUNT-6: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT:     math.fma
// CHECK:         scf.yield
// SPLIT-LABEL: module @product
// SPLIT-NOT:     math.fma
// SPLIT:         scf.for {{.*}} iter_args({{([^,]*, ){5}[^,)]*}}) -> (vector<8xf32>
// SPLIT-COUNT-6: arith.addf {{.*}} : vector<8xf32>
// SPLIT-NOT:     arith.addf
// SPLIT:         scf.yield
// SPLIT-NOT:     math.fma
// MANY-LABEL: module @product
// MANY:          scf.for {{.*}} iter_args({{([^,]*, ){11}[^,)]*}}) -> (vector<32xf32>
// MANY-COUNT-12: math.fma {{.*}} : vector<32xf32>
// MANY-NOT:      math.fma
// MANY:          scf.yield
module @product {
  func.func private @k(%a: memref<384x64xf32>, %b: memref<64x32xf32>, %c: memref<384x32xf32>) {
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<384x64xf32>, memref<64x32xf32>) outs(%c : memref<384x32xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r fastmath<contract> : f32
      %1 = arith.addf %sum, %0 fastmath<contract> : f32
      linalg.yield %1 : f32
    }
    return
  }
}
