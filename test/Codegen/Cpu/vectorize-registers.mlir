// RUN: fuse-opt %s --split-input-file "--fuse-vectorize-kernels=vector-bytes=32 registers=16" | FileCheck %s
// RUN: fuse-opt %s --split-input-file "--fuse-vectorize-kernels=vector-bytes=16 registers=16 fma=false" | FileCheck %s --check-prefix=SPLIT
// RUN: fuse-opt %s --split-input-file "--fuse-vectorize-kernels=vector-bytes=64" | FileCheck %s --check-prefix=MANY

// Accumulators, columns and a factor fit the registers: 6 rows of 2 vectors in 16 registers. In 32 there are 10 rows:
// more accumulators hide no more latency.
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
// MANY:          scf.for {{.*}} iter_args({{([^,]*, ){9}[^,)]*}}) -> (vector<32xf32>
// MANY-COUNT-10: math.fma {{.*}} : vector<32xf32>
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

// -----

// The last of the tiles [4, 7] of [7, 7] pixels has 3 lines, so that their number is not constant; it is at most 4. The
// 7 pixels of a line are computed together, not lines in groups of 12 that no tile has.
// MANY-LABEL: module @uneven
// MANY:          scf.for {{.*}} iter_args({{([^,]*, ){6}[^,)]*}}) -> (vector<32xf32>
// MANY-COUNT-7:  math.fma {{.*}} : vector<32xf32>
// MANY-NOT:      math.fma
#rest = affine_map<(d0) -> (4, -d0 + 7)>
module @uneven {
  func.func private @k(%a: memref<7x9x64xf32>, %b: memref<64x32xf32>, %c: memref<7x7x32xf32>, %o: index) {
    %lines = affine.min #rest(%o)
    %at = memref.subview %a[%o, 0, 0] [%lines, 7, 64] [1, 1, 1] : memref<7x9x64xf32> to memref<?x7x64xf32, strided<[576, 64, 1], offset: ?>>
    %ct = memref.subview %c[%o, 0, 0] [%lines, 7, 32] [1, 1, 1] : memref<7x7x32xf32> to memref<?x7x32xf32, strided<[224, 32, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%at, %b : memref<?x7x64xf32, strided<[576, 64, 1], offset: ?>>, memref<64x32xf32>) outs(%ct : memref<?x7x32xf32, strided<[224, 32, 1], offset: ?>>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r fastmath<contract> : f32
      %1 = arith.addf %sum, %0 fastmath<contract> : f32
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

// An open number of rows is cut into as few groups of at most 10 rows as there can be, of which the first have a row more than
// the others where it does not divide: 17 rows are 9 and 8. There is code for each number of rows of a group.
// MANY-LABEL: module @open
// MANY:       %[[ROWS:.*]] = memref.dim
// MANY:       %[[GROUPS:.*]] = arith.ceildivui %[[ROWS]], %c10
// MANY:       %[[SOME:.*]] = arith.maxui %[[GROUPS]], %c1
// MANY:       %[[LEAST:.*]] = arith.divui %[[ROWS]], %[[SOME]]
// MANY:       %[[LARGER:.*]] = arith.remui %[[ROWS]], %[[SOME]]
// MANY:       scf.for %[[GROUP:.*]] = {{.*}} to %[[GROUPS]]
// MANY:       %[[IS_LARGER:.*]] = arith.cmpi ult, %[[GROUP]], %[[LARGER]]
// MANY:       %[[MORE:.*]] = arith.select %[[IS_LARGER]], %c1{{.*}}, %c0
// MANY:       %[[COUNT:.*]] = arith.addi %[[LEAST]], %[[MORE]]
// MANY:       scf.index_switch %[[COUNT]]
// MANY-NEXT:  case 1
// MANY:       case 10
// MANY:         scf.for {{.*}} iter_args({{([^,]*, ){9}[^,)]*}}) -> (vector<32xf32>
// MANY-NOT:   case 11
module @open {
  func.func private @k(%a: memref<?x64xf32>, %b: memref<64x32xf32>, %c: memref<?x32xf32>) {
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x64xf32>, memref<64x32xf32>) outs(%c : memref<?x32xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r fastmath<contract> : f32
      %1 = arith.addf %sum, %0 fastmath<contract> : f32
      linalg.yield %1 : f32
    }
    return
  }
}
