// RUN: fuse-opt %s --fuse-distribute-members="byte-cores async-stages=4" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-distribute-members --split-input-file | FileCheck %s --check-prefix=NONE

// NONE-NOT: mma.sync

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Bytes stay bytes in shared memory, 64 steps of them in a part. The left operand's memory runs along the steps, and
// ldmatrix gives lanes what the product wants. That of the right one does not: it is turned in pairs of columns, which
// two permutations tell apart, so that a lane has four sums in a row.
// CHECK-LABEL: module @signed_by_unsigned
// CHECK: func.func private @k(%[[A:.*]]: memref<32x256xi8>, %[[B:.*]]: memref<256x32xi8>, %[[C:.*]]: memref<32x32xi32>)
// CHECK: memref.alloc() : memref<128x80xi8>
// CHECK: memref.alloc() : memref<256x48xi8>
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// CHECK: scf.for
// CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: %[[WORDS:.*]] = nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK: %[[W0:.*]] = llvm.extractvalue %[[WORDS]][0]
// CHECK: %[[W1:.*]] = llvm.extractvalue %[[WORDS]][1]
// CHECK-DAG: %[[B0:.*]] = llvm.bitcast %[[W0]] : i32 to vector<4xi8>
// CHECK-DAG: %[[B1:.*]] = llvm.bitcast %[[W1]] : i32 to vector<4xi8>
// CHECK: llvm.shufflevector %[[B0]], %[[B1]] [0, 2, 4, 6] : vector<4xi8>
// CHECK: llvm.shufflevector %[[B0]], %[[B1]] [1, 3, 5, 7] : vector<4xi8>
// CHECK: nvvm.mma.sync {{.*}} {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32)
// CHECK: vector.store %{{.*}}, %[[C]][{{.*}}] {alignment = 16 : i64} : memref<32x32xi32>, vector<4xi32>
module @signed_by_unsigned {
  func.func private @k(%a: memref<32x256xi8>, %b: memref<256x32xi8>, %c: memref<32x32xi32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0 : i32
    linalg.fill ins(%zero : i32) outs(%c : memref<32x32xi32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x256xi8>, memref<256x32xi8>) outs(%c : memref<32x32xi32>) {
    ^bb0(%l: i8, %r: i8, %sum: i32):
      %0 = arith.extsi %l : i8 to i32
      %1 = arith.extui %r : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %sum, %2 : i32
      linalg.yield %3 : i32
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Not what mma.sync adds up: sums of 16 bits.
// CHECK-LABEL: module @short_sums
// CHECK-NOT: mma.sync
module @short_sums {
  func.func private @k(%a: memref<32x64xi8>, %b: memref<64x32xi8>, %c: memref<32x32xi16>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0 : i16
    linalg.fill ins(%zero : i16) outs(%c : memref<32x32xi16>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xi8>, memref<64x32xi8>) outs(%c : memref<32x32xi16>) {
    ^bb0(%l: i8, %r: i8, %sum: i16):
      %0 = arith.extsi %l : i8 to i16
      %1 = arith.extsi %r : i8 to i16
      %2 = arith.muli %0, %1 : i16
      %3 = arith.addi %sum, %2 : i16
      linalg.yield %3 : i16
    }
    return
  }
}
