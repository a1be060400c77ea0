// RUN: fuse-opt %s --fuse-distribute-members=reassociates --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-distribute-members --canonicalize --cse --split-input-file | FileCheck %s --check-prefix ORDER

#vector = affine_map<(n, k) -> (k)>
#matrix = affine_map<(n, k) -> (k, n)>
#out = affine_map<(n, k) -> (n)>

// 32 columns are 8 threads' 16 bytes; 16 groups of 8 share the 512 rows, and 32 threads add up what they
// have behind a barrier. Where products keep their order, 8 threads do it all.
// CHECK-LABEL: module @columns
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %[[C8]]
// CHECK-DAG: %[[SLICE:.*]] = arith.divui %[[THREAD]], %[[C8]]
// CHECK: scf.for %[[K:.*]] = %[[SLICE]] to %[[C512]] step %[[C16]]
// CHECK: vector.load %{{.*}}[%[[K]], %{{.*}}] {alignment = 16 : i64} : memref<512x32xf32>, vector<4xf32>
// CHECK: %[[SHARED:.*]] = memref.alloc() : memref<16x32xf32>
// CHECK-COUNT-4: memref.store %{{.*}}, %[[SHARED]][%[[SLICE]], %{{.*}}]
// CHECK-NEXT: gpu.barrier
// CHECK: arith.cmpi ult, %[[THREAD]], %[[C32]]
// CHECK: scf.if
// CHECK-COUNT-16: memref.load %[[SHARED]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[THREAD]]] : memref<32xf32>
// ORDER-LABEL: module @columns
// ORDER-NOT: gpu.barrier
// ORDER: scf.for %{{.*}} = %c0 to %c512 step %c1
// ORDER-NOT: gpu.barrier
// ORDER: return
module @columns {
  func.func private @k(%x: memref<512xf32>, %w: memref<512x32xf32>, %y: memref<32xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [32]>], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%y : memref<32xf32>)
    linalg.generic {indexing_maps = [#vector, #matrix, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<512xf32>, memref<512x32xf32>) outs(%y : memref<32xf32>) {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

#vector = affine_map<(m, k) -> (k)>
#matrix = affine_map<(m, k) -> (m, k)>
#out = affine_map<(m, k) -> (m)>

// Rows of products are folded by lanes, if their order is free.
// CHECK-LABEL: module @rows
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<4x512xf16>, vector<8xf16>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: return
// ORDER-LABEL: module @rows
// ORDER-NOT: gpu.shuffle
// ORDER: return
module @rows {
  func.func private @k(%x: memref<4x512xf16>, %w: memref<512xf16>, %y: memref<4xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<subgroup, dims = [0], sizes = [1]>], threads = 128, lanes = 32>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
    linalg.generic {indexing_maps = [#matrix, #vector, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<4x512xf16>, memref<512xf16>) outs(%y : memref<4xf32>) attrs = {fuse.loop_dims = array<i64: 0, -1>} {
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

#vector = affine_map<(n, k) -> (k)>
#matrix = affine_map<(n, k) -> (k, n)>
#out = affine_map<(n, k) -> (n)>

// The slices of the next turn are written where those of the last one are read.
// CHECK-LABEL: module @again
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: return
module @again {
  func.func private @k(%x: memref<512xf32>, %w: memref<512x32xf32>, %y: memref<32xf32>, %begin: index, %end: index) attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [32]>], threads = 128>} {
    %one = arith.constant 1 : index
    scf.for %i = %begin to %end step %one {
      linalg.generic {indexing_maps = [#vector, #matrix, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<512xf32>, memref<512x32xf32>) outs(%y : memref<32xf32>) {
      ^bb0(%l: f32, %r: f32, %sum: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %sum, %0 : f32
        linalg.yield %1 : f32
      }
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Four columns: lanes read single elements, of the operand that lies across 16 bytes apart.
// CHECK-LABEL: module @across
// CHECK-NOT: vector.load
// CHECK: memref.load %{{.*}} : memref<2x512xf32>
// CHECK: memref.load %{{.*}} : memref<512x4xf32>
// CHECK-COUNT-5: gpu.shuffle xor
module @across {
  func.func private @k(%x: memref<2x512xf32>, %w: memref<512x4xf32>, %y: memref<2x4xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [<subgroup, dims = [0, 1], sizes = [1, 1]>], threads = 256, lanes = 32>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%y : memref<2x4xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x512xf32>, memref<512x4xf32>) outs(%y : memref<2x4xf32>) attrs = {fuse.loop_dims = array<i64: 0, 1, -1>} {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.mulf %l, %r : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
}
