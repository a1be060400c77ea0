// RUN: fuse-opt %s --fuse-place-scratch=shared-bytes=1024 --split-input-file | FileCheck %s

// Threads of a block may still read %a while others write %b: they share a place only if a barrier
// stands between the last use of the one and the first of the other.
// CHECK: module @barrier attributes {fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 64 : i64}
// CHECK: func.func private @k(%{{.*}}: memref<8xf32>, %{{.*}}: index, %{{.*}}: index, %[[SHARED:.*]]: memref<?xi8>, %{{.*}}: memref<?xi8>)
// CHECK-COUNT-2: memref.view %[[SHARED]][%{{.*}}][] : memref<?xi8> to memref<16xf32>
// CHECK-NOT: memref.alloc
// CHECK: return
module @barrier {
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc() : memref<16xf32>
      %b = memref.alloc() : memref<16xf32>
      memref.store %zero, %a[%c1] : memref<16xf32>
      gpu.barrier
      memref.store %zero, %b[%c1] : memref<16xf32>
      gpu.barrier
    }
    return
  }
}

// -----

// CHECK: module @no_barrier attributes {fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 128 : i64}
module @no_barrier {
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc() : memref<16xf32>
      %b = memref.alloc() : memref<16xf32>
      memref.store %zero, %a[%c1] : memref<16xf32>
      memref.store %zero, %b[%c1] : memref<16xf32>
      gpu.barrier
    }
    return
  }
}

// -----

// What shared memory has no room for lies in the block's scratch.
// CHECK: module @too_large attributes {fuse.scratch_bytes = 4096 : i64, fuse.shared_bytes = 64 : i64}
// CHECK: func.func private @k(%{{.*}}: memref<8xf32>, %{{.*}}: index, %{{.*}}: index, %[[SHARED:.*]]: memref<?xi8>, %[[SCRATCH:.*]]: memref<?xi8>)
// CHECK-DAG: memref.view %[[SHARED]][%{{.*}}][] : memref<?xi8> to memref<16xf32>
// CHECK-DAG: memref.view %[[SCRATCH]][%{{.*}}][] : memref<?xi8> to memref<1024xf32>
module @too_large {
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc() : memref<16xf32>
      %b = memref.alloc() : memref<1024xf32>
      memref.store %zero, %a[%c1] : memref<16xf32>
      memref.store %zero, %b[%c1] : memref<1024xf32>
      gpu.barrier
      memref.store %zero, %a[%c1] : memref<16xf32>
    }
    return
  }
}

// -----

// A thread's registers stay where they are.
// CHECK: module @registers attributes {fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 0 : i64}
// CHECK: memref.alloca() : memref<4xf32>
module @registers {
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloca() : memref<4xf32>
      memref.store %zero, %a[%c1] : memref<4xf32>
    }
    return
  }
}

// -----

// What the buffers' sizes tell lies in the scratch; a function says how much it is.
// CHECK: module @dynamic attributes {fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 0 : i64}
// CHECK: func.func private @k_scratch(%[[OUT:.*]]: memref<?xf32>) -> index
// CHECK: memref.dim %[[OUT]]
// CHECK: func.func private @k(%{{.*}}: memref<?xf32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<?xi8>, %[[SCRATCH:.*]]: memref<?xi8>)
// CHECK: memref.view %[[SCRATCH]][%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf32>
module @dynamic {
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
      memref.store %zero, %a[%c1] : memref<?xf32>
    }
    return
  }
}

// -----

// A buffer that wants to begin at a multiple of 256 bytes, behind a larger one of 320.
// CHECK: module @aligned attributes {fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 768 : i64}
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK-DAG: memref.view %{{.*}}[%[[C512]]][] : memref<?xi8> to memref<64xf32>
module @aligned {
  func.func private @k_count(%out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
  func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %c1 {
      %a = memref.alloc() : memref<80xf32>
      %b = memref.alloc() {alignment = 256 : i64} : memref<64xf32>
      memref.store %zero, %a[%c1] : memref<80xf32>
      memref.store %zero, %b[%c1] : memref<64xf32>
      gpu.barrier
    }
    return
  }
}
