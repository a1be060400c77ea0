// RUN: fuse-opt %s --fuse-outline-device --split-input-file | FileCheck %s

// %a is read through views, and copied asynchronously; %b is also written through a view; results are %c.
// CHECK-LABEL: module @views
// CHECK: gpu.func @k(%{{[^:]*}}: !llvm.ptr {llvm.noalias, llvm.readonly}, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64) kernel
module @views attributes {fuse.threads = 64 : i64} {
  func.func private @k(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    %one = arith.constant 1 : index
    %to = llvm.mlir.zero : !llvm.ptr<3>
    scf.for %i = %begin to %end step %one {
      %row = memref.subview %a[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %v = vector.load %row[%one] : memref<8xf32, strided<[1], offset: ?>>, vector<4xf32>
      %base, %offset, %sizes, %strides = memref.extract_strided_metadata %row : memref<8xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
      %address = memref.extract_aligned_pointer_as_index %row : memref<8xf32, strided<[1], offset: ?>> -> index
      %further = arith.addi %address, %offset : index
      %number = arith.index_cast %further : index to i64
      %from = llvm.inttoptr %number : i64 to !llvm.ptr<1>
      nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      %other = memref.subview %b[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %w = memref.load %b[%i, %one] : memref<8x8xf32>
      memref.store %w, %other[%one] : memref<8xf32, strided<[1], offset: ?>>
      vector.store %v, %c[%i, %one] : memref<8x8xf32>, vector<4xf32>
    }
    return
  }
}

// -----

// What is stored to memory that a caller has given may be what is read.
// CHECK-LABEL: module @in_place
// CHECK: gpu.func @k(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64) kernel
module @in_place attributes {fuse.threads = 64 : i64, fuse.writes_operands} {
  func.func private @k(%a: memref<8xf32>, %b: memref<8xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    %one = arith.constant 1 : index
    scf.for %i = %begin to %end step %one {
      %v = memref.load %a[%i] : memref<8xf32>
      memref.store %v, %b[%i] : memref<8xf32>
    }
    return
  }
}
