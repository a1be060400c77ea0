// RUN: fuse-opt %s --fuse-kernel-abi | FileCheck %s

module @k {
  // The bodies become internal; the wrappers keep the names that the runtime looks for.
  // CHECK: func.func private @k_count_body({{.*}}) -> index attributes {{{.*}}internal{{.*}}alwaysinline
  // CHECK: func.func private @k_body({{.*}} attributes {{{.*}}internal{{.*}}alwaysinline
  func.func private @k_count(%x: memref<8x?xf32>, %out: memref<8xf32>) -> index {
    %c1 = arith.constant 1 : index
    %d = memref.dim %x, %c1 : memref<8x?xf32>
    return %d : index
  }
  func.func private @k(%x: memref<8x?xf32>, %out: memref<8xf32>, %begin: index, %end: index, %scratch: memref<?xi8>) {
    return
  }
  // Pointers are read out of the array of buffers; a dynamic extent out of the buffer's shape.
  // CHECK: llvm.func @k_count(%[[ARGS:.*]]: !llvm.ptr) -> i64
  // CHECK: llvm.getelementptr %[[ARGS]][0, 0]
  // CHECK: %[[SHAPE_AT:.*]] = llvm.getelementptr %[[ARGS]][0, 1]
  // CHECK: %[[SHAPE:.*]] = llvm.load %[[SHAPE_AT]]
  // CHECK: %[[EXTENT_AT:.*]] = llvm.getelementptr %[[SHAPE]][1] : (!llvm.ptr) -> !llvm.ptr, i64
  // CHECK: llvm.load %[[EXTENT_AT]] : !llvm.ptr -> i64
  // CHECK: llvm.getelementptr %[[ARGS]][1, 0]
  // CHECK-NOT: llvm.getelementptr %[[ARGS]]
  // CHECK: call @k_count_body
  // CHECK: llvm.return %{{.*}} : i64
  // CHECK: llvm.func @k(%[[ARGS:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %[[SCRATCH:.*]]: !llvm.ptr)
  // CHECK: llvm.insertvalue %[[SCRATCH]]
  // CHECK: call @k_body
  // CHECK: llvm.return{{$}}
}
