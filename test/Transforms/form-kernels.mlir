// RUN: fuse-opt %s --fuse-form-kernels | FileCheck %s
// RUN: fuse-opt %s --fuse-form-kernels --fuse-form-kernels | FileCheck %s

// Operands in order of first use, each once; the kernel stands at its last member.
// CHECK-LABEL: func.func @operands
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
// CHECK: %[[N:.*]] = fuse.kernel (%{{.*}} = %[[X]])
// CHECK-NEXT: unary neg
// CHECK: %[[K:.*]] = fuse.kernel (%[[A:.*]] = %[[Y]], %[[B:.*]] = %[[X]], %[[C:.*]] = %[[N]])
// CHECK-NEXT: %[[S:.*]] = fuse.binary sub %[[A]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = fuse.binary mul %[[S]], %[[B]]
// CHECK-NEXT: %[[U:.*]] = fuse.binary add %[[T]], %[[C]]
// CHECK-NEXT: fuse.yield %[[U]]
// CHECK: return %[[K]]
func.func @operands(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.binary sub %y, %x {fuse.group = array<i64: 0>} : tensor<8xf32>
  %1 = fuse.unary neg %x : tensor<8xf32>
  %2 = fuse.binary mul %0, %x {fuse.group = array<i64: 0>} : tensor<8xf32>
  %3 = fuse.binary add %2, %1 {fuse.group = array<i64: 0>} : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Transpose, slice, broadcast and small constants are cloned into each reader.
// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NOT: transpose
// CHECK: fuse.kernel (%[[A:.*]] = %[[X]])
// CHECK-NEXT: %[[T:.*]] = fuse.transpose %[[A]]
// CHECK-NEXT: fuse.unary exp %[[T]]
// CHECK: fuse.kernel (%[[B:.*]] = %[[X]])
// CHECK-NEXT: %[[U:.*]] = fuse.transpose %[[B]]
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.0{{.*}}> : tensor<f32>
// CHECK-NEXT: fuse.binary mul %[[U]], %[[C]]
func.func @views(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %c = arith.constant dense<2.0> : tensor<f32>
  %t = fuse.transpose %x permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = fuse.unary exp %t : tensor<8x4xf32>
  %1 = fuse.binary mul %t, %c : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// A reshape of what memory holds stays outside; one of a member's result, or of another view, is
// absorbed.
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK: %[[R:.*]] = fuse.reshape %[[X]]
// CHECK: fuse.kernel (%[[A:.*]] = %[[R]], %[[B:.*]] = %[[X]])
// CHECK-NEXT: %[[E:.*]] = fuse.unary exp %[[A]]
// CHECK-NEXT: %[[F:.*]] = fuse.reshape %[[E]]
// CHECK-NEXT: %[[T:.*]] = fuse.transpose %[[B]]
// CHECK-NEXT: %[[S:.*]] = fuse.reshape %[[T]]
// CHECK-NEXT: fuse.binary add %[[F]], %[[S]]
func.func @reshapes(%x: tensor<4x8xf32>) -> tensor<2x16xf32> {
  %r = fuse.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %0 = fuse.unary exp %r {fuse.group = array<i64: 0>} : tensor<32xf32>
  %f = fuse.reshape %0 : tensor<32xf32> -> tensor<2x16xf32>
  %t = fuse.transpose %x permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %s = fuse.reshape %t : tensor<8x4xf32> -> tensor<2x16xf32>
  %1 = fuse.binary add %f, %s {fuse.group = array<i64: 0>} : tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}

// A store that may alias stays between the loads; another allocation is no obstacle.
// CHECK-LABEL: func.func @memory
// CHECK: fuse.load
// CHECK: fuse.store
// CHECK: fuse.load
// CHECK: fuse.store
func.func @memory(%m: memref<8xf32>, %n: memref<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.load %m : memref<8xf32> -> tensor<8xf32>
  fuse.store %x, %n : tensor<8xf32>, memref<8xf32>
  %1 = fuse.load %m : memref<8xf32> -> tensor<8xf32>
  %2 = fuse.binary add %0, %1 : tensor<8xf32>
  fuse.store %2, %m : tensor<8xf32>, memref<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @allocation
// CHECK: fuse.store
// CHECK: fuse.kernel
// CHECK-NEXT: fuse.load
// CHECK-NEXT: fuse.load
func.func @allocation(%m: memref<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  %0 = fuse.load %m {fuse.group = array<i64: 0>} : memref<8xf32> -> tensor<8xf32>
  fuse.store %x, %a : tensor<8xf32>, memref<8xf32>
  %1 = fuse.load %m {fuse.group = array<i64: 0>} : memref<8xf32> -> tensor<8xf32>
  %2 = fuse.binary add %0, %1 {fuse.group = array<i64: 0>} : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// What is bit-stable may be computed in several kernels.
// CHECK-LABEL: func.func @several
// CHECK: fuse.kernel
// CHECK-NEXT: unary neg
// CHECK-NEXT: unary exp
// CHECK: fuse.kernel
// CHECK-NEXT: unary neg
// CHECK-NEXT: unary log
func.func @several(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary neg %x {fuse.group = array<i64: 0, 1>} : tensor<8xf32>
  %1 = fuse.unary exp %0 {fuse.group = array<i64: 0>} : tensor<8xf32>
  %2 = fuse.unary log %0 {fuse.group = array<i64: 1>} : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// Host ops, ops of other dialects and values used in regions stay outside.
// CHECK-LABEL: func.func @outside
// CHECK: %[[K:.*]] = fuse.kernel
// CHECK: %[[H:.*]] = fuse.host_call @h(%[[K]])
// CHECK: scf.if
// CHECK: fuse.kernel (%{{.*}} = %[[K]], %{{.*}} = %[[H]])
// CHECK: scf.yield
func.func @outside(%c: i1, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary exp %x : tensor<8xf32>
  %1 = fuse.host_call @h(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = scf.if %c -> tensor<8xf32> {
    %3 = fuse.binary add %0, %1 : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}

// A result that nobody reads is computed as it was written.
// CHECK-LABEL: func.func @dead
// CHECK: fuse.kernel {{.*}} -> tensor<8xf32>
func.func @dead(%x: tensor<8xf32>) {
  %0 = fuse.unary exp %x : tensor<8xf32>
  return
}
