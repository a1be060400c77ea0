// RUN: fuse-opt %s --fuse-vectorize-kernels="int8-dot int16-dot int8-tiles" --canonicalize --split-input-file | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n floordiv 32, k floordiv 4, n mod 32, k mod 4)>
#out = affine_map<(m, n, k) -> (m, n)>

// 49 rows are 25 and 24: two tiles of rows, of 16 and 9 lines, and two of columns. The second group begins a row early and
// does not store what it computes twice. 160 steps are four of 40, since a tile has room for 64.
// CHECK-LABEL: module @two_by_two
// CHECK:       arith.constant dense<[1, {{.*}} 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 40, 0, 40, 0, {{.*}} 16, 16, 9, 9, 10, 10, 16, 9, 0,
// CHECK:       %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x32xi32>
// CHECK:       llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK:       scf.for %[[COLUMN:.*]] = %c0 to %c64 step %c32
// CHECK:         scf.for %[[GROUP:.*]] = %c0 to %c2 step %c1
// CHECK:           %[[BEGIN:.*]] = arith.muli %[[GROUP]], %c25
// CHECK:           %[[FIRST:.*]] = arith.minui %[[BEGIN]], %c24
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:           scf.for %{{.*}} = %c0 to %c160 step %c40
// CHECK-COUNT-3:     llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2:     llvm.call_intrinsic "llvm.x86.tdpbusd"
// CHECK:             llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2:     llvm.call_intrinsic "llvm.x86.tdpbusd"
// CHECK:           }
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:           %[[OLD:.*]] = arith.subi %[[BEGIN]], %[[FIRST]]
// CHECK:           scf.for %[[ROW:.*]] = %[[OLD]] to %c25 step %c1
// CHECK:             vector.load %[[SUMS]][%[[ROW]], %c0] : memref<32x32xi32>, vector<32xi32>
// CHECK:       llvm.call_intrinsic "llvm.x86.tilerelease"
module @two_by_two {
  func.func private @k(%x: memref<49x160xi8>, %w: memref<2x40x32x4xi8>, %y: memref<49x64xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<49x160xi8>, memref<2x40x32x4xi8>) outs(%y : memref<49x64xi32>) {
    ^bb0(%a: i8, %b: i8, %out: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %out, %2 : i32
      linalg.yield %3 : i32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Columns that do not lie in groups are laid out so first. How many rows there are, and so the lines of tiles, is known
// when the kernel runs: there is code for one and for two tiles of them. Signed rows need no shift.
// CHECK-LABEL: module @open_rows
// CHECK-DAG:   memref.store %{{.*}} : memref<64xi8>
// CHECK:       llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK:       vector.interleave
// CHECK:       scf.index_switch
// CHECK:       case 1
// CHECK-COUNT-2: "llvm.x86.tdpbssd"
// CHECK-NOT:   "llvm.x86.tdpbssd"
// CHECK:       case 2
// CHECK-COUNT-4: "llvm.x86.tdpbssd"
// CHECK-NOT:   "llvm.x86.tdpbssd"
// CHECK-NOT:   vpdpbusd
module @open_rows {
  func.func private @k(%x: memref<?x64xi8>, %w: memref<64x64xi8>, %y: memref<?x64xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<?x64xi8>, memref<64x64xi8>) outs(%y : memref<?x64xi32>) {
    ^bb0(%a: i8, %b: i8, %out: i32):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %out, %2 : i32
      linalg.yield %3 : i32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n floordiv 32, k floordiv 4, n mod 32, k mod 4)>
#out = affine_map<(m, n, k) -> (m, n)>

// 67 steps have no part that is whole groups: vectors multiply them.
// CHECK-LABEL: module @steps_left_over
// CHECK-NOT:   ldtilecfg
// CHECK:       vpdpbusd
module @steps_left_over {
  func.func private @k(%x: memref<48x67xi8>, %w: memref<2x17x32x4xi8>, %y: memref<48x64xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<48x67xi8>, memref<2x17x32x4xi8>) outs(%y : memref<48x64xi32>) {
    ^bb0(%a: i8, %b: i8, %out: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %out, %2 : i32
      linalg.yield %3 : i32
    }
    return
  }
}
