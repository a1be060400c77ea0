// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=4" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=1" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=4 shared-bytes=16384" --split-input-file | FileCheck %s --check-prefix=SMALL

// OFF-NOT: cp.async

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Copies of three parts are under way while a fourth is multiplied. A group ends whether there are steps left to copy or
// not, so that the newest two are always those behind the one that is waited for. One barrier for each part.
// CHECK-LABEL: module @halves
// CHECK: %[[STAGED_A:.*]] = memref.alloc() : memref<128x40xf16>
// CHECK: %[[STAGED_B:.*]] = memref.alloc() : memref<128x40xf16>
// CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.cp.async
// CHECK: scf.for {{.*}} : i32 {
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.cp.async.wait.group 2
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK: }
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.mma.sync
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier

// Of 16 KB three parts of 5 KB each would leave no room for a second block; nor would two.
// SMALL-LABEL: module @halves
// SMALL-NOT: cp.async
// SMALL-LABEL: module @cast
module @halves {
  func.func private @k(%a: memref<32x256xf16>, %b: memref<256x32xf16>, %c: memref<32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x256xf16>, memref<256x32xf16>) outs(%c : memref<32x32xf32>) {
    ^bb0(%l: f16, %r: f16, %sum: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %r : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The left operand is cast while it is staged, which no copy does: it is loaded a part ahead and stored before the barrier
// that the right operand's copies are waited for in front of. There are two parts, and as many stages.
// CHECK-LABEL: module @cast
// CHECK: func.func private @k(%[[A:.*]]: memref<32x32xi8>, %[[B:.*]]: memref<32x32xf32>,
// CHECK: %[[STAGED_A:.*]] = memref.alloc() : memref<32x36xf32>
// CHECK: %[[STAGED_B:.*]] = memref.alloc() : memref<32x36xf32>
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK: vector.load %[[A]]
// CHECK: scf.for {{.*}} : i32 {
// CHECK-NOT: memref.store
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: memref.store %{{.*}}, %[[STAGED_A]]
// CHECK: gpu.barrier
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: vector.load %[[A]]
// CHECK-NOT: gpu.barrier
// CHECK: }
// CHECK: gpu.barrier
module @cast {
  func.func private @k(%a: memref<32x32xi8>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x32xi8>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
    ^bb0(%l: i8, %r: f32, %sum: f32):
      %0 = arith.sitofp %l : i8 to f32
      %1 = arith.mulf %0, %r : f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Rows of 33 elements of f32 are copied one by one; the last part is filled with zeros.
// CHECK-LABEL: module @misaligned
// CHECK: %[[BYTES:.*]] = arith.select %{{.*}}, %c4_i32, %c0_i32 : i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %[[BYTES]]
module @misaligned {
  func.func private @k(%a: memref<32x33xf32>, %b: memref<33x32xf32>, %c: memref<32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x33xf32>, memref<33x32xf32>) outs(%c : memref<32x32xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %1 = arith.mulf %l, %r : f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    }
    return
  }
}
