// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-distribute-members=tensor-cores --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=TENSOR

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Both operands go through shared memory, 16 steps at a time, in 16 bytes a load. A thread's loads lie at numbers behind one
// address: of A it takes two chunks of one row, of B two rows that are 8 apart. The next steps are loaded
// before the ones at hand are multiplied. Sums stay in registers, from a constant that nobody
// stores, until all steps are done.
// CHECK-LABEL: module @product
// CHECK: func.func private @k(%[[A:.*]]: memref<32x64xf32>, %[[B:.*]]: memref<64x32xf32>, %[[C:.*]]: memref<32x32xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[STAGED_A:.*]] = memref.alloc() : memref<16x36xf32>
// CHECK: %[[STAGED_B:.*]] = memref.alloc() : memref<16x36xf32>
// CHECK-NOT: store
// CHECK: %[[FROM_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [%{{.*}}]
// CHECK: vector.load %[[FROM_A]][%c0] {alignment = 16 : i64} : memref<2147483647xf32, {{.*}}>, vector<4xf32>
// CHECK: vector.load %[[FROM_A]][%c8] {alignment = 16 : i64}
// CHECK-NOT: store
// CHECK: %[[FROM_B:.*]] = memref.reinterpret_cast %[[B]] to offset: [%{{.*}}]
// CHECK: vector.load %[[FROM_B]][%c0] {alignment = 16 : i64}
// CHECK: vector.load %[[FROM_B]][%c256] {alignment = 16 : i64}
// CHECK-NOT: store
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C64]] step %[[C16]] iter_args(%{{.*}} = %[[ZERO]]
// CHECK: memref.store %{{.*}}, %[[STAGED_A]]
// CHECK: vector.store %{{.*}}, %[[STAGED_B]]{{.*}} {alignment = 16 : i64}
// CHECK-NOT: vector.load
// CHECK: gpu.barrier
// CHECK: %[[FROM_A:.*]] = memref.reinterpret_cast %[[A]]
// CHECK: vector.load %[[FROM_A]]
// CHECK: %[[FROM_B:.*]] = memref.reinterpret_cast %[[B]]
// CHECK: vector.load %[[FROM_B]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C16]]
// CHECK: vector.load %[[STAGED_A]]
// CHECK: vector.load %[[STAGED_B]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf
// CHECK: arith.addf %{{.*}}, %[[PRODUCT]]
// CHECK: gpu.barrier
// CHECK-NEXT: scf.yield
// CHECK-COUNT-4: vector.store %{{.*}}, %[[C]][{{.*}}] {alignment = 16 : i64} : memref<32x32xf32>, vector<4xf32>
// TENSOR-LABEL: module @product
// TENSOR-NOT: nvvm.mma.sync
module @product {
  func.func private @k(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Halves that are summed as f32: tensor cores take them as they are, else each is cast as it is staged.
// CHECK-LABEL: module @halves
// CHECK-NOT: nvvm.mma.sync
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<32x64xf16>, vector<8xf16>
// CHECK: arith.extf
// CHECK: vector.store %{{.*}} : memref<{{.*}}xf32>, vector<{{.*}}xf32>
// TENSOR-LABEL: module @halves
// TENSOR-DAG: memref.alloc() : memref<32x{{.*}}xf16>
// TENSOR-NOT: arith.extf
// TENSOR: gpu.barrier
// TENSOR: nvvm.ldmatrix
// TENSOR: nvvm.mma.sync {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 16>
// TENSOR: gpu.barrier
// TENSOR-NEXT: scf.yield
// TENSOR: vector.store %{{.*}} {alignment = 8 : i64} : memref<32x32xf32>, vector<2xf32>
module @halves {
  func.func private @k(%a: memref<32x64xf16>, %b: memref<64x32xf16>, %c: memref<32x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xf16>, memref<64x32xf16>) outs(%c : memref<32x32xf32>) {
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

// What is outside of a matrix is staged as zero, and not stored.
// CHECK-LABEL: module @odd
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[FROM:.*]] = memref.reinterpret_cast %{{.*}} : memref<9x33xf32>
// CHECK-NEXT: scf.if %{{.*}} -> (f32, f32)
// CHECK-NEXT: memref.load %[[FROM]][%c0]
// CHECK-NEXT: memref.load %[[FROM]][%c132]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ZERO]], %[[ZERO]] : f32, f32
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.*}} : memref<9x11xf32>
module @odd {
  func.func private @k(%a: memref<9x33xf32>, %b: memref<33x11xf32>, %c: memref<9x11xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<9x33xf32>, memref<33x11xf32>) outs(%c : memref<9x11xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Four rows hardly read again what would be staged: each thread sums its points up by itself.
// CHECK-LABEL: module @thin
// CHECK-NOT: memref.alloc
// CHECK-NOT: gpu.barrier
// CHECK: return
module @thin {
  func.func private @k(%a: memref<4x64xf32>, %b: memref<64x32xf32>, %c: memref<4x32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64>} {
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<4x64xf32>, memref<64x32xf32>) outs(%c : memref<4x32xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
}
