// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Few rows do not pay for packing a matrix that is far: 16 rows of it are multiplied, and the next 16
// are fetched. Sums of 128 terms, which take eight such parts, are in memory meanwhile.
// CHECK-LABEL: func.func @far
// CHECK-SAME: %{{.*}}: memref<16x1024xf32>, %[[FAR:.*]]: memref<1024x4096xf32>
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<16x4096xf32>
// CHECK-NOT: memref.alloc
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<32xf32>
// CHECK: vector.load %[[FAR]][%[[STEP:.*]], %{{.*}}]
// CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[STEP]], %[[C16]]
// CHECK-NEXT: memref.prefetch %[[FAR]][%[[AHEAD]],
func.func @far(%a: memref<16x1024xf32>, %b: memref<1024x4096xf32>, %c: memref<16x4096xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x1024xf32>, memref<1024x4096xf32>) outs(%c : memref<16x4096xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// One that is near is not.
// CHECK-LABEL: func.func @near
// CHECK-NOT: memref.prefetch
func.func @near(%a: memref<16x256xf32>, %b: memref<256x256xf32>, %c: memref<16x256xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x256xf32>, memref<256x256xf32>) outs(%c : memref<16x256xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
