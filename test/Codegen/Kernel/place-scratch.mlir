// RUN: fuse-opt %s --fuse-place-scratch --split-input-file | FileCheck %s

// What is needed at once has places of its own, 64-byte aligned: 10 floats take 64 bytes.
// CHECK: module @static attributes {fuse.scratch_bytes = 192 : i64}
module @static {
  // CHECK: func.func private @k(%{{.*}}: memref<8xf32>, %{{.*}}: index, %{{.*}}: index, %[[SCRATCH:.*]]: memref<?xi8>)
  // CHECK-DAG: memref.view %[[SCRATCH]][%{{.*}}][] : memref<?xi8> to memref<10xf32>
  // CHECK-DAG: memref.view %[[SCRATCH]][%{{.*}}][] : memref<?xi8> to memref<4x8xf32>
  // CHECK: linalg.fill
  // CHECK-NOT: memref.alloc
  // CHECK: return
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc() : memref<10xf32>
      %b = memref.alloc() : memref<4x8xf32>
      linalg.fill ins(%zero : f32) outs(%a : memref<10xf32>)
      linalg.fill ins(%zero : f32) outs(%b : memref<4x8xf32>)
      linalg.fill ins(%zero : f32) outs(%a : memref<10xf32>)
    }
    return
  }
}

// -----

// Buffers that are needed one after the other share a place; uses through views count.
// CHECK: module @shared attributes {fuse.scratch_bytes = 192 : i64}
module @shared {
  // CHECK: %[[LOW:.*]] = arith.constant 0 : index
  // CHECK-DAG: memref.view %{{.*}}[%[[LOW]]][] : memref<?xi8> to memref<4x8xf32>
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc() : memref<10xf32>
      %b = memref.alloc() : memref<4x8xf32>
      %c = memref.alloc() : memref<4x8xf32>
      %view = memref.subview %a[0] [8] [1] : memref<10xf32> to memref<8xf32, strided<[1]>>
      linalg.fill ins(%zero : f32) outs(%b : memref<4x8xf32>)
      linalg.fill ins(%zero : f32) outs(%view : memref<8xf32, strided<[1]>>)
      linalg.copy ins(%view : memref<8xf32, strided<[1]>>) outs(%out : memref<8xf32>)
      linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
      linalg.copy ins(%view : memref<8xf32, strided<[1]>>) outs(%out : memref<8xf32>)
    }
    return
  }
}

// -----

// What the buffers' sizes tell lies behind those of static size; a function says how much it is.
// CHECK: module @rows attributes {fuse.scratch_bytes = 64 : i64}
module @rows {
  // CHECK: func.func private @k_scratch(%[[OUT:.*]]: memref<?xf32>) -> index
  // CHECK: memref.dim %[[OUT]]
  // CHECK-NOT: memref.view
  // CHECK: return %{{.*}} : index
  // CHECK: func.func private @k(
  // CHECK-NOT: memref.alloc
  // CHECK: memref.view %{{.*}}[%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf32>
  // CHECK-NOT: memref.alloc
  // CHECK: return
  func.func private @k_count(%out: memref<?xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<?xf32>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %size = memref.dim %out, %c0 : memref<?xf32>
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc(%size) : memref<?xf32>
      %b = memref.alloc() : memref<8xf32>
      linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
      linalg.fill ins(%zero : f32) outs(%b : memref<8xf32>)
    }
    return
  }
}

// -----

// A size that depends on the block: the temporary stays an allocation, freed at its block's end.
// CHECK: module @dynamic attributes {fuse.scratch_bytes = 0 : i64}
module @dynamic {
  // CHECK: scf.for
  // CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
  // CHECK: linalg.fill {{.*}} outs(%[[A]]
  // CHECK: memref.dealloc %[[A]]
  // CHECK-NEXT: }
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc(%end) : memref<?xf32>
      linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
    }
    return
  }
}

// -----

// A size that a block computes, of buffers' sizes alone: it is computed before the loop over blocks.
// CHECK: module @computed attributes {fuse.scratch_bytes = 0 : i64}
module @computed {
  // CHECK: func.func private @k_scratch(%[[OUT:.*]]: memref<?xf32>) -> index
  // CHECK: %[[SIZE:.*]] = affine.apply
  // CHECK: return %{{.*}} : index
  // CHECK: func.func private @k(
  // CHECK: affine.apply
  // CHECK: memref.view %{{.*}}[%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf32>
  // CHECK: scf.for
  // CHECK-NOT: memref.alloc
  // CHECK-NOT: memref.dealloc
  // CHECK: return
  func.func private @k_count(%out: memref<?xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<?xf32>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %size = memref.dim %out, %c0 : memref<?xf32>
    scf.for %i = %begin to %end step %c1 {
      %twice = affine.apply affine_map<()[s0] -> (s0 * 2 + 1)>()[%size]
      %a = memref.alloc(%twice) : memref<?xf32>
      linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
    }
    return
  }
}
