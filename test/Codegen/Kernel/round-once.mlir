// RUN: fuse-opt %s --fuse-round-once | FileCheck %s

// The sum is not rounded in front of the relu; what is returned is, and what the program casts itself.
// CHECK-LABEL: @chain
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[RELU:.*]] = arith.maximumf %[[SUM]]
// CHECK: %[[R:.*]] = arith.truncf %[[RELU]]
// CHECK: return %[[R]]
func.func private @chain(%x: f16, %y: f16) -> f16 {
  %zero = arith.constant 0.0 : f32
  %a = arith.extf %x : f16 to f32
  %b = arith.extf %y : f16 to f32
  %sum = arith.addf %a, %b : f32
  %rounded = arith.truncf %sum {fuse.rounding} : f32 to f16
  %wide = arith.extf %rounded : f16 to f32
  %relu = arith.maximumf %wide, %zero : f32
  %result = arith.truncf %relu {fuse.rounding} : f32 to f16
  return %result : f16
}

// CHECK-LABEL: @casts
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.extf %[[C]] : bf16 to f32
func.func private @casts(%x: f32) -> f32 {
  %short = arith.truncf %x : f32 to bf16
  %wide = arith.extf %short : bf16 to f32
  return %wide : f32
}

// A rounded value that is stored and read again; one that is widened to another type than it was computed in.
// CHECK-LABEL: @both
// CHECK: %[[S:.*]] = arith.truncf %[[X:.*]] {fuse.rounding} : f32 to f16
// CHECK: %[[D:.*]] = arith.extf %[[S]] : f16 to f64
// CHECK: return %[[S]], %[[X]], %[[D]]
func.func private @both(%x: f32) -> (f16, f32, f64) {
  %short = arith.truncf %x {fuse.rounding} : f32 to f16
  %wide = arith.extf %short : f16 to f32
  %wider = arith.extf %short : f16 to f64
  return %short, %wide, %wider : f16, f32, f64
}

// What functions give, where it is rounded and nothing else reads it, may be computed to fewer digits.
// CHECK-LABEL: @functions
// CHECK: math.tanh %{{.*}} {fuse.short_result} : f32
// CHECK: fuse.gate sigmoid %{{.*}} {fuse.short_result} : f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: math.exp %{{.*}} : f32
func.func private @functions(%x: f32) -> (f16, bf16, f16, f32) {
  %0 = math.tanh %x : f32
  %tanh = arith.truncf %0 {fuse.rounding} : f32 to f16
  %1 = fuse.gate sigmoid %x : f32
  %sigmoid = arith.truncf %1 {fuse.rounding} : f32 to bf16
  %2 = math.exp %x : f32
  %cast = arith.truncf %2 : f32 to f16
  %3 = math.exp %x : f32
  %both = arith.truncf %3 {fuse.rounding} : f32 to f16
  %4 = arith.addf %3, %3 : f32
  return %tanh, %sigmoid, %cast, %4 : f16, bf16, f16, f32
}

// What one member stores for others stays f32.
// CHECK-LABEL: @temporary
// CHECK: %[[T:.*]] = memref.alloc() : memref<64xf32>
// CHECK: linalg.generic {{.*}} outs(%[[T]] : memref<64xf32>)
// CHECK: %[[E:.*]] = math.exp %{{.*}} {fuse.short_result}
// CHECK-NEXT: linalg.yield %[[E]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[T]] : memref<64xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT: arith.mulf %[[IN]], %[[IN]]
func.func private @temporary(%x: memref<64xf16>, %y: memref<64xf16>) {
  %t = memref.alloc() : memref<64xf16>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<64xf16>) outs(%t : memref<64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.extf %in : f16 to f32
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 {fuse.rounding} : f32 to f16
    linalg.yield %2 : f16
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : memref<64xf16>) outs(%y : memref<64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.truncf %1 {fuse.rounding} : f32 to f16
    linalg.yield %2 : f16
  }
  return
}

// A padded tile that the taps of a convolution read several times each is widened once, with its border. Of bf16 two
// elements are read at once; what the program casts, or what is stored and never read in f32, is short.
// CHECK-LABEL: @window
// CHECK: %[[T:.*]] = memref.alloc() : memref<10xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : memref<1xf32, strided<[1]>>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<9xf16>) outs(%{{.*}} : memref<9xf32, strided<[1], offset: 1>>)
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: ins(%[[T]], %{{.*}} : memref<10xf32>, memref<3xf16>)
// CHECK-LABEL: @stays
// CHECK-NOT: memref<10xf32>
func.func private @window(%x: memref<9xf16>, %w: memref<3xf16>, %y: memref<8xf32>) {
  %zero = arith.constant 0.0 : f16
  %t = memref.alloc() : memref<10xf16>
  %border = memref.subview %t[0] [1] [1] : memref<10xf16> to memref<1xf16, strided<[1]>>
  linalg.fill ins(%zero : f16) outs(%border : memref<1xf16, strided<[1]>>)
  %inside = memref.subview %t[1] [9] [1] : memref<10xf16> to memref<9xf16, strided<[1], offset: 1>>
  memref.copy %x, %inside : memref<9xf16> to memref<9xf16, strided<[1], offset: 1>>
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%t, %w : memref<10xf16>, memref<3xf16>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f16, %tap: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.extf %tap : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

func.func private @stays(%x: memref<10xbf16>, %w: memref<3xbf16>, %y: memref<8xf32>, %z: memref<10xf16>, %q: memref<10xf16>) {
  %t = memref.alloc() : memref<10xbf16>
  memref.copy %x, %t : memref<10xbf16> to memref<10xbf16>
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%t, %w : memref<10xbf16>, memref<3xbf16>) outs(%y : memref<8xf32>) {
  ^bb0(%in: bf16, %tap: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.extf %tap : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  %u = memref.alloc() : memref<10xf16>
  memref.copy %z, %u : memref<10xf16> to memref<10xf16>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%u : memref<10xf16>) outs(%q : memref<10xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  return
}
