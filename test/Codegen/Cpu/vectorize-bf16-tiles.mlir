// RUN: fuse-opt %s --fuse-vectorize-kernels="bf16-dot bf16-tiles" --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels="bf16-tiles" --canonicalize --split-input-file | FileCheck %s --check-prefix=TILES

#lhs = affine_map<(y, x, n, i, j, k) -> (y + i, x * 2 + j, k)>
#rhs = affine_map<(y, x, n, i, j, k) -> (i, j, k floordiv 2, n, k mod 2)>
#out = affine_map<(y, x, n, i, j, k) -> (y, x, n)>

// A convolution of bf16 with stride 2 along its rows: lines of a tile of pixels are 2 x 32 elements apart.
// CHECK-LABEL: module @convolution
// CHECK:       %[[STRIDE:.*]] = arith.constant 128 : i64
// CHECK:       "llvm.x86.tileloadd64"(%{{.*}}, %{{.*}}, %[[STRIDE]]) : (i8, !llvm.ptr, i64)
// CHECK:       "llvm.x86.tdpbf16ps"
// TILES-LABEL: module @convolution
// TILES:       "llvm.x86.tdpbf16ps"
module @convolution {
  func.func private @k(%x: memref<10x34x32xbf16>, %w: memref<3x3x16x32x2xbf16>, %y: memref<8x16x32xf32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<10x34x32xbf16>, memref<3x3x16x32x2xbf16>) outs(%y : memref<8x16x32xf32>) {
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

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k floordiv 2, n, k mod 2)>
#out = affine_map<(m, n, k) -> (m, n)>

// Where only tiles may multiply bf16, vectors multiply what does not fill them as f32.
// CHECK-LABEL: module @only_tiles
// CHECK:       avx512bf16.dpbf16ps
// TILES-LABEL: module @only_tiles
// TILES-NOT:   dpbf16ps
// TILES:       math.fma %{{.*}} : vector<16xf32>
module @only_tiles {
  func.func private @k(%x: memref<48x37xbf16>, %w: memref<19x32x2xbf16>, %y: memref<48x32xf32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<48x37xbf16>, memref<19x32x2xbf16>) outs(%y : memref<48x32xf32>) {
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
