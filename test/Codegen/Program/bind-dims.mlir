// RUN: fuse-opt %s --fuse-bind-dims | FileCheck %s
// RUN: fuse-opt %s --fuse-bind-dims --fuse-bind-dims | FileCheck %s

// Dimension 0 of argument 1 equals dimension 1 of argument 0.
// CHECK: func.func @two({{.*}} attributes {fuse.equal_dims = array<i64: 1, 0, 0, 1>}
func.func @two(%x: tensor<8x?xf32>, %y: tensor<?xf32>) -> tensor<8x?xf32> {
  %0 = fuse.unary relu %x : tensor<8x?xf32>
  %1 = fuse.binary add %0, %y : (tensor<8x?xf32>, tensor<?xf32>) -> tensor<8x?xf32>
  return %1 : tensor<8x?xf32>
}

// A dimension that meets a static one equals it: -1 says that a constant follows.
// CHECK: func.func @constant({{.*}} attributes {fuse.equal_dims = array<i64: 0, 0, -1, 8>}
func.func @constant(%x: tensor<?xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.binary add %x, %y : (tensor<?xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Nothing to check: static shapes, a static 1 that broadcasts, dimensions that never meet.
// CHECK: func.func @nothing(
// CHECK-NOT: fuse.equal_dims
// CHECK: return
func.func @nothing(%x: tensor<?x4xf32>, %y: tensor<1x4xf32>, %z: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %0 = fuse.binary add %x, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %1 = fuse.unary exp %z : tensor<?xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?xf32>
}

// A reshape doubles one extent, and where the result meets another argument so must that.
// CHECK: func.func @reshaped({{.*}} attributes {fuse.scaled_dims = array<i64: 0, 0, 1, 1, 0, 2>}
func.func @reshaped(%x: tensor<?x4xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fuse.reshape %x : tensor<?x4xf32> -> tensor<?x8xf32>
  %1 = fuse.binary add %0, %y : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK: func.func @reshaped_to_known({{.*}} attributes {fuse.scaled_dims = array<i64: 0, 0, 1, -1, 3, 2>}
func.func @reshaped_to_known(%x: tensor<?x4xf32>, %y: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = fuse.reshape %x : tensor<?x4xf32> -> tensor<?x8xf32>
  %1 = fuse.binary add %0, %y : (tensor<?x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// Factors stay small, however often reshapes go back and forth.
// CHECK: func.func @back_and_forth({{.*}} attributes {fuse.scaled_dims = array<i64: 0, 0, 1, 1, 0, 2>}
func.func @back_and_forth(%x: tensor<?x65536xf32>, %y: tensor<?x131072xf32>) -> tensor<?x131072xf32> {
  %r0 = fuse.reshape %x : tensor<?x65536xf32> -> tensor<?xf32>
  %r1 = fuse.unary exp %r0 : tensor<?xf32>
  %r2 = fuse.reshape %r1 : tensor<?xf32> -> tensor<?x65536xf32>
  %r3 = fuse.unary exp %r2 : tensor<?x65536xf32>
  %r4 = fuse.reshape %r3 : tensor<?x65536xf32> -> tensor<?xf32>
  %r5 = fuse.unary exp %r4 : tensor<?xf32>
  %r6 = fuse.reshape %r5 : tensor<?xf32> -> tensor<?x65536xf32>
  %r7 = fuse.unary exp %r6 : tensor<?x65536xf32>
  %r8 = fuse.reshape %r7 : tensor<?x65536xf32> -> tensor<?xf32>
  %r9 = fuse.unary exp %r8 : tensor<?xf32>
  %r10 = fuse.reshape %r9 : tensor<?xf32> -> tensor<?x65536xf32>
  %r11 = fuse.unary exp %r10 : tensor<?x65536xf32>
  %r12 = fuse.reshape %r11 : tensor<?x65536xf32> -> tensor<?xf32>
  %r13 = fuse.unary exp %r12 : tensor<?xf32>
  %r14 = fuse.reshape %r13 : tensor<?xf32> -> tensor<?x65536xf32>
  %r15 = fuse.unary exp %r14 : tensor<?x65536xf32>
  %r16 = fuse.reshape %r15 : tensor<?x65536xf32> -> tensor<?xf32>
  %r17 = fuse.unary exp %r16 : tensor<?xf32>
  %r18 = fuse.reshape %r17 : tensor<?xf32> -> tensor<?x131072xf32>
  %r19 = fuse.binary add %r18, %y : tensor<?x131072xf32>
  return %r19 : tensor<?x131072xf32>
}

// Extents that are computed: of a concatenation, and of a part. A call must keep to both conditions.
// CHECK: func.func @computed({{.*}}shape_conditions = [
// CHECK-SAME: {dims = array<i64: 0, 0>, least, map = #{{map[0-9]*}}, text = "slice: a size of {}, expected at least {}"}
// CHECK-SAME: {dims = array<i64: 0, 0, 1, 0>, map = #{{map[0-9]*}}, text = "concat: extents {} and {} differ"}]
func.func @computed(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = fuse.slice %x offsets = [3, 0] sizes = [-1, 4] strides = [1, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = fuse.concat %0, %x dimension = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = fuse.binary add %1, %y : tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// In a branch that may not run, the condition is asserted.
// CHECK: func.func @branch(
// CHECK-NOT: shape_conditions
// CHECK: scf.if
// CHECK: cf.assert %{{.*}}, "slice: a size is too small"
// CHECK-NOT: cf.assert
// CHECK: fuse.slice
func.func @branch(%c: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %flag = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %flag -> tensor<?xf32> {
    %1 = fuse.slice %x offsets = [3] sizes = [-1] strides = [1] : tensor<?xf32> -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// A size must be what the elements leave, also where it is the only one; and conditions of the function do not stand
// for those of its branches.
// CHECK: func.func @one_size({{.*}}text = "reshape: {} elements are given, {} expected"
// CHECK: cf.assert %{{.*}}, "slice: a size is too small"
func.func @one_size(%c: tensor<i1>, %x: tensor<?x2xf32>) -> (tensor<?xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %0 = fuse.reshape %x sizes = [%n] : tensor<?x2xf32> -> tensor<?xf32>
  %flag = tensor.extract %c[] : tensor<i1>
  %1 = scf.if %flag -> tensor<?x2xf32> {
    %2 = fuse.slice %x offsets = [3, 0] sizes = [-1, 2] strides = [1, 1] : tensor<?x2xf32> -> tensor<?x2xf32>
    scf.yield %2 : tensor<?x2xf32>
  } else {
    scf.yield %x : tensor<?x2xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?x2xf32>
}

// What an empty dimension has not: an index of the largest element, and elements to choose.
// CHECK: func.func @empty({{.*}}shape_conditions = [
// CHECK-SAME: {dims = array<i64: 0, 0>, least, map = #{{map[0-9]*}}, text = "argmax: an extent of {}, expected at least {}"}
// CHECK-SAME: {dims = array<i64: 0, 0, 1, 0>, least, map = #{{map[0-9]*}}, text = "gather: {} elements for indices to choose from, expected at least {}"}
func.func @empty(%x: tensor<?x4xf32>, %i: tensor<?xi64>) -> (tensor<4xi64>, tensor<?x4xf32>) {
  %0 = fuse.argmax %x dimension = 0 : tensor<?x4xf32> -> tensor<4xi64>
  %1 = fuse.gather %x, %i dimension = 0 : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %0, %1 : tensor<4xi64>, tensor<?x4xf32>
}


// A step of a scan adds an element of the sequence to the state, so that both have one extent: the second of the one, the
// first of the other.
// CHECK: func.func @steps({{.*}}fuse.equal_dims = array<i64: 1, 0, 0, 1>
func.func @steps(%x: tensor<?x?xf32>, %state: tensor<?xf32>) -> tensor<?x?xf32> {
  %0:2 = fuse.scan states(%s = %state) over(%e = %x) : (tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
    %1 = fuse.binary add %s, %e : tensor<?xf32>
    fuse.yield %1, %1 : tensor<?xf32>, tensor<?xf32>
  }
  return %0#1 : tensor<?x?xf32>
}
