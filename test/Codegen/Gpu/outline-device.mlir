// RUN: fuse-opt %s --fuse-outline-device --split-input-file | FileCheck %s

// Parameters have 8 bytes: the data of each buffer with its dynamic sizes behind it, and the number of blocks
// (see fuse_device_param). Blocks are taken in turn.
// CHECK: module @buffers attributes {fuse.device_params = array<i64: 0, -1, 0, 0, 1, -1, 1, 1, -1, 0>, fuse.threads = 64 : i64}
// CHECK-NOT: func.func private @k(
// CHECK: gpu.module @device
// CHECK: gpu.func @k(%[[X:[^:]*]]: !llvm.ptr {llvm.noalias, llvm.readonly}, %[[N:.*]]: i64, %[[Y:.*]]: !llvm.ptr, %[[M:.*]]: i64, %[[COUNT:.*]]: i64) kernel
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK: llvm.insertvalue %[[X]]
// CHECK: llvm.insertvalue %[[N]]
// CHECK-DAG: %[[STEP:.*]] = gpu.grid_dim x
// CHECK-DAG: %[[BEGIN:.*]] = gpu.block_id x
// CHECK-DAG: %[[END:.*]] = arith.index_cast %[[COUNT]] : i64 to index
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %[[STEP]]
// CHECK: gpu.return
module @buffers attributes {fuse.threads = 64 : i64} {
  func.func private @k_count(%x: memref<?x4xf32>, %y: memref<8x?xf32>) -> index {
    %one = arith.constant 1 : index
    return %one : index
  }
  func.func private @k(%x: memref<?x4xf32>, %y: memref<8x?xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    %one = arith.constant 1 : index
    scf.for %i = %begin to %end step %one {
      %v = memref.load %x[%i, %one] : memref<?x4xf32>
      memref.store %v, %y[%one, %i] : memref<8x?xf32>
    }
    return
  }
}

// -----

// Temporaries lie in dynamic shared memory, and in the part of the scratch that is the block's.
// CHECK: module @temporaries attributes {fuse.device_params = array<i64: 0, -1, -1, 0, -1, 1, -1, 2>
// CHECK: gpu.func @k(%{{[^:]*}}: !llvm.ptr {llvm.noalias, llvm.readonly}, %{{.*}}: i64, %[[SCRATCH:.*]]: !llvm.ptr, %[[BYTES:.*]]: i64) kernel
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK: %[[GENERIC:.*]] = memref.memory_space_cast %[[SHARED]]
// CHECK: gpu.block_id x
// CHECK: %[[BLOCK:.*]] = arith.index_cast
// CHECK: %[[OFFSET:.*]] = llvm.mul %[[BLOCK]], %[[BYTES]]
// CHECK: llvm.getelementptr %[[SCRATCH]][%[[OFFSET]]]
// CHECK: memref.view %[[GENERIC]]
module @temporaries attributes {fuse.threads = 64 : i64} {
  func.func private @k(%x: memref<8xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %s = memref.view %shared[%zero][] : memref<?xi8> to memref<8xf32>
    %t = memref.view %scratch[%zero][] : memref<?xi8> to memref<8xf32>
    scf.for %i = %begin to %end step %one {
      %v = memref.load %x[%i] : memref<8xf32>
      memref.store %v, %s[%i] : memref<8xf32>
      memref.store %v, %t[%i] : memref<8xf32>
    }
    return
  }
}

// -----

// Constants that it reads go with it.
// CHECK-LABEL: module @constants
// CHECK: gpu.module @device
// CHECK-NEXT: memref.global "private" constant @table
// CHECK-NOT: @other
// CHECK: memref.get_global @table
module @constants attributes {fuse.threads = 32 : i64} {
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global "private" constant @other : memref<4xf32> = dense<0.0>
  func.func private @k(%y: memref<4xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    %t = memref.get_global @table : memref<4xf32>
    %i = gpu.thread_id x
    %v = memref.load %t[%i] : memref<4xf32>
    memref.store %v, %y[%i] : memref<4xf32>
    return
  }
}

// -----

// A number of blocks that is known is the loop's bound, whose range later passes see. Two blocks shall be on a multiprocessor
// where there are blocks for it and shared memory is enough.
// CHECK-LABEL: module @many
// CHECK: gpu.func @k(
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK: %[[END:.*]] = arith.constant 1000 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step
module @many attributes {fuse.threads = 64 : i64, fuse.blocks = 1000 : i64, fuse.shared_bytes = 4096 : i64} {
  func.func private @k(%x: memref<1000xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    %one = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %one {
      memref.store %zero, %x[%i] : memref<1000xf32>
    }
    return
  }
}

// -----

// CHECK-LABEL: module @few
// CHECK: nvvm.minctasm = 1 : i32
module @few attributes {fuse.threads = 64 : i64, fuse.blocks = 100 : i64, fuse.shared_bytes = 4096 : i64} {
  func.func private @k(%x: memref<100xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    return
  }
}

// -----

// CHECK-LABEL: module @much_shared
// CHECK: nvvm.minctasm = 1 : i32
module @much_shared attributes {fuse.threads = 64 : i64, fuse.blocks = 1000 : i64, fuse.shared_bytes = 120000 : i64} {
  func.func private @k(%x: memref<100xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    return
  }
}
