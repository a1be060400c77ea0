// RUN: fuse-opt %s --fuse-vectorize-kernels="int8-dot int16-dot bf16-dot" --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels="vector-bytes=32 registers=16 int16-dot" --canonicalize --split-input-file | FileCheck %s --check-prefix=PAIRS
// RUN: fuse-opt %s --fuse-vectorize-kernels="vector-bytes=16 registers=16" --canonicalize --split-input-file | FileCheck %s --check-prefix=PLAIN

#lhs = affine_map<(n, k) -> (k)>
#rhs = affine_map<(n, k) -> (n floordiv 32, k floordiv 4, n mod 32, k mod 4)>
#out = affine_map<(n, k) -> (n)>

// One row multiplies the weights as they lie. Four sums, of two registers of columns each, hide how long an instruction
// takes; the steps that are left over are three.
// CHECK-LABEL: module @row
// CHECK-NOT:   memref.alloc
// CHECK-NOT:   vector.interleave
// CHECK:       scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (vector<16xi32>
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:       vector.load %{{.*}} : memref<147xi8>, vector<2xi8>
// CHECK-NOT:   vector.maskedload %{{.*}}xi8>
// PAIRS-LABEL: module @row
// PAIRS-NOT:   vpdpbusd
// PAIRS:       arith.shli %{{.*}} : vector<16xi16>
// PAIRS:       arith.shrsi %{{.*}} : vector<16xi16>
// PAIRS:       llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// PLAIN-LABEL: module @row
// PLAIN-NOT:   call_intrinsic
// PLAIN:       arith.muli %{{.*}} : vector<4xi32>
module @row {
  func.func private @k(%x: memref<147xi8>, %w: memref<10x37x32x4xi8>, %y: memref<300xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<147xi8>, memref<10x37x32x4xi8>) outs(%y : memref<300xi32>) {
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

#lhs = affine_map<(b, m, n, k) -> (b, m, k)>
#rhs = affine_map<(b, m, n, k) -> (k floordiv 4, n, k mod 4)>
#out = affine_map<(b, m, n, k) -> (b, m, n)>

// What signed rows add is summed up once for all rows of the tile.
// CHECK-LABEL: module @signed
// CHECK:       %[[SHIFT:.*]] = memref.alloc() : memref<32xi32>
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:       vector.store %{{.*}}, %[[SHIFT]]
// CHECK:       scf.for
// CHECK:       vector.load %[[SHIFT]]
// CHECK:       arith.xori %{{.*}} : vector<16xi32>
module @signed {
  func.func private @k(%x: memref<3x14x64xi8>, %w: memref<16x32x4xi8>, %y: memref<3x14x32xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : memref<3x14x64xi8>, memref<16x32x4xi8>) outs(%y : memref<3x14x32xi32>) {
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
#rhs = affine_map<(m, n, k) -> (k floordiv 4, n, k mod 4)>
#out = affine_map<(m, n, k) -> (m, n)>

// Steps that are left over of rows in a temporary are read with what lies behind them, for which there is room;
// columns that no zeros fill up are masked.
// CHECK-LABEL: module @behind
// CHECK:       memref.alloc() {{.*}}: memref<207xi8>
// CHECK:       vector.maskedload %{{.*}} : memref<13x10x4xi8>, vector<64xi1>, vector<64xi8>
// CHECK:       vector.load %{{.*}} : memref<4x51xi8>, vector<4xi8>
// CHECK-NOT:   vector<3xi8>
module @behind {
  func.func private @k(%w: memref<13x10x4xi8>, %y: memref<4x10xi32>) {
    %c7 = arith.constant 7 : i8
    %x = memref.alloc() : memref<4x51xi8>
    linalg.fill ins(%c7 : i8) outs(%x : memref<4x51xi8>)
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<4x51xi8>, memref<13x10x4xi8>) outs(%y : memref<4x10xi32>) {
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

#lhs = affine_map<(n, k) -> (k)>
#rhs = affine_map<(n, k) -> (k floordiv 2, n, k mod 2)>
#out = affine_map<(n, k) -> (n)>

// Without vdpbf16ps a pair is two numbers of f32 by a shift and a mask.
// CHECK-LABEL: module @pairs
// CHECK-NOT:   memref.alloc
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// PAIRS-LABEL: module @pairs
// PAIRS:       vector.load %{{.*}} : memref<32x16x2xbf16>, vector<16xbf16>
// PAIRS:       arith.shli %{{.*}} : vector<8xi32>
// PAIRS:       arith.andi %{{.*}} : vector<8xi32>
// PAIRS:       math.fma %{{.*}} : vector<8xf32>
// PAIRS-NOT:   arith.extf
module @pairs {
  func.func private @k(%x: memref<64xbf16>, %w: memref<32x16x2xbf16>, %y: memref<16xf32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<64xbf16>, memref<32x16x2xbf16>) outs(%y : memref<16xf32>) {
    ^bb0(%a: bf16, %b: bf16, %out: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 fastmath<contract> : f32
      %3 = arith.addf %out, %2 fastmath<contract> : f32
      linalg.yield %3 : f32
    }
    return
  }
}
