// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=4 shared-bytes=40960" --canonicalize --cse --split-input-file | FileCheck %s

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#points = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>

// Half of shared memory is left to a second block. Four stages of 5 KB take the other half: the result's 4 KB are written
// when all are done with the stages.
// CHECK-LABEL: module @result
// CHECK: memref.alloc() : memref<128x40xf16>
// CHECK: memref.alloc() : memref<128x40xf16>
module @result {
  func.func private @k(%a: memref<4x32x256xf16>, %b: memref<256x32xf16>, %c: memref<4x32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %sums = memref.alloc() : memref<32x32xf32>
      %rows = memref.subview %a[%i, 0, 0] [1, 32, 256] [1, 1, 1] : memref<4x32x256xf16> to memref<32x256xf16, strided<[256, 1], offset: ?>>
      %to = memref.subview %c[%i, 0, 0] [1, 32, 32] [1, 1, 1] : memref<4x32x32xf32> to memref<32x32xf32, strided<[32, 1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%sums : memref<32x32xf32>)
      linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%rows, %b : memref<32x256xf16, strided<[256, 1], offset: ?>>, memref<256x32xf16>) outs(%sums : memref<32x32xf32>) {
      ^bb0(%l: f16, %r: f16, %sum: f32):
        %0 = arith.extf %l : f16 to f32
        %1 = arith.extf %r : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %sum, %2 : f32
        linalg.yield %3 : f32
      }
      linalg.generic {indexing_maps = [#turned, #points], iterator_types = ["parallel", "parallel"]} ins(%sums : memref<32x32xf32>) outs(%to : memref<32x32xf32, strided<[32, 1], offset: ?>>) {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.negf %l : f32
        linalg.yield %0 : f32
      }
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#points = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>

// A temporary that is needed before and behind the product leaves room for three.
// CHECK-LABEL: module @needed
// CHECK: memref.alloc() : memref<96x40xf16>
// CHECK: memref.alloc() : memref<96x40xf16>
module @needed {
  func.func private @k(%a: memref<32x256xf16>, %b: memref<256x32xf16>, %x: memref<32x32xf32>, %c: memref<32x32xf32>, %d: memref<32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    %kept = memref.alloc() : memref<32x32xf32>
    linalg.generic {indexing_maps = [#points, #points], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x32xf32>) outs(%kept : memref<32x32xf32>) {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.negf %l : f32
      linalg.yield %0 : f32
    }
    linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x256xf16>, memref<256x32xf16>) outs(%c : memref<32x32xf32>) {
    ^bb0(%l: f16, %r: f16, %sum: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %r : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    linalg.generic {indexing_maps = [#turned, #points], iterator_types = ["parallel", "parallel"]} ins(%kept : memref<32x32xf32>) outs(%d : memref<32x32xf32>) {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.negf %l : f32
      linalg.yield %0 : f32
    }
    return
  }
}
