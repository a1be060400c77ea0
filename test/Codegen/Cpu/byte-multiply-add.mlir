// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels="fma=false" --canonicalize --split-input-file | FileCheck %s --check-prefix=TWICE

#map = affine_map<(d0) -> (d0)>

// Two dequantized bytes are added with one rounding each, which f64 did: all 65536 pairs give the same in f32.
// CHECK-LABEL: module @add
// CHECK-NOT:   f64
// CHECK:       %[[FIRST:.*]] = math.fma %{{.*}} : vector<{{.*}}xf32>
// CHECK:       math.fma %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK-NOT:   arith.truncf
// TWICE-LABEL: module @add
// TWICE:       arith.truncf
module @add {
  func.func private @k(%x: memref<64xi8>, %y: memref<64xi8>, %z: memref<64xf32>) {
    linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%x, %y : memref<64xi8>, memref<64xi8>) outs(%z : memref<64xf32>) {
    ^bb0(%a: i8, %b: i8, %out: f32):
      %s = arith.constant 0.5 : f64
      %t = arith.constant 0.25 : f64
      %c = arith.constant -3.0 : f64
      %0 = arith.uitofp %a : i8 to f32
      %1 = arith.extf %0 : f32 to f64
      %2 = arith.mulf %1, %s : f64
      %3 = arith.addf %2, %c : f64
      %4 = arith.truncf %3 : f64 to f32
      %5 = arith.sitofp %b : i8 to f32
      %6 = arith.extf %5 : f32 to f64
      %7 = arith.mulf %6, %t : f64
      %8 = arith.extf %4 : f32 to f64
      %9 = arith.addf %7, %8 : f64
      %10 = arith.truncf %9 : f64 to f32
      linalg.yield %10 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// 59 times this scale is a little more than 2^-24, so that 1 and it are rounded down in two steps, and up in one; other
// numbers than bytes are not tried.
// CHECK-LABEL: module @twice
// CHECK:       arith.truncf
// CHECK-LABEL: module @any
// CHECK:       arith.truncf
// CHECK-NOT:   math.fma
module @twice {
  func.func private @k(%x: memref<64xi8>, %z: memref<64xf32>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<64xi8>) outs(%z : memref<64xf32>) {
    ^bb0(%a: i8, %out: f32):
      %s = arith.constant 1.0102482184137784e-09 : f64
      %c = arith.constant 1.0 : f64
      %0 = arith.uitofp %a : i8 to f32
      %1 = arith.extf %0 : f32 to f64
      %2 = arith.mulf %1, %s : f64
      %3 = arith.addf %2, %c : f64
      %4 = arith.truncf %3 : f64 to f32
      linalg.yield %4 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

module @any {
  func.func private @k(%x: memref<64xf32>, %z: memref<64xf32>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%z : memref<64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %s = arith.constant 0.5 : f64
      %c = arith.constant 1.0 : f64
      %1 = arith.extf %a : f32 to f64
      %2 = arith.mulf %1, %s : f64
      %3 = arith.addf %2, %c : f64
      %4 = arith.truncf %3 : f64 to f32
      linalg.yield %4 : f32
    }
    return
  }
}
