// RUN: fuse-opt %s --fuse-prepare-parameters | FileCheck %s
// RUN: fuse-opt %s --fuse-prepare-parameters --fuse-prepare-parameters | FileCheck %s

// CHECK-LABEL: func.func @doubled(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %{{.*}}: tensor<8x2xf32> {fuse.param}, %[[W:.*]]: tensor<8x2xf32> {fuse.param, fuse.prepared})
// CHECK-SAME:    attributes {fuse.prepare = @doubled_prepare}
// CHECK-NEXT:    %[[Y:.*]] = fuse.matmul %[[X]], %[[W]]
// CHECK-NEXT:    return %[[Y]]
func.func @doubled(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}) -> tensor<4x2xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %0 = fuse.binary mul %w, %two : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x2xf32>
  %1 = fuse.matmul %x, %0 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
// CHECK-LABEL: func.func @doubled_prepare(
// CHECK-SAME:    %[[W:.*]]: tensor<8x2xf32> {fuse.param}) -> tensor<8x2xf32>
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant
// CHECK-NEXT:    %[[D:.*]] = fuse.binary mul %[[W]], %[[TWO]]
// CHECK-NEXT:    return %[[D]]

// A view of a parameter stays; what is only read by moved ops moves, and one value serves both.
// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[W:[^:]*]]: tensor<2x8xf32> {fuse.param}, %[[B:[^:]*]]: tensor<8xf32> {fuse.param}, %[[P:[^:]*]]: tensor<8xf32> {fuse.param, fuse.prepared})
// CHECK-NEXT:    %[[T:.*]] = fuse.transpose %[[W]]
// CHECK-NEXT:    %[[M:.*]] = fuse.matmul %[[X]], %[[T]]
// CHECK-NEXT:    %[[S:.*]] = fuse.reshape %[[P]]
// CHECK-NEXT:    fuse.binary add %[[X]], %[[S]]
func.func @views(%x: tensor<4x8xf32>, %w: tensor<2x8xf32> {fuse.param}, %b: tensor<8xf32> {fuse.param}) -> (tensor<4x2xf32>, tensor<4x8xf32>) {
  %t = fuse.transpose %w permutation = [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %m = fuse.matmul %x, %t : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %a = fuse.unary abs %b : tensor<8xf32>
  %e = fuse.unary exp %a : tensor<8xf32>
  %s = fuse.reshape %e : tensor<8xf32> -> tensor<1x8xf32>
  %y = fuse.binary add %x, %s : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return %m, %y : tensor<4x2xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @called(
// CHECK-NOT:     fuse.prepare
// CHECK:         fuse.unary
func.func @called(%w: tensor<8xf32> {fuse.param}) -> tensor<8xf32> {
  %a = fuse.unary abs %w : tensor<8xf32>
  return %a : tensor<8xf32>
}

// Nothing that changes from run to run, nor what has no static shape.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     fuse.prepare
// CHECK:         fuse.unary
// CHECK:         fuse.unary
// CHECK:         call @called
func.func @stays(%x: tensor<8xf32>, %w: tensor<?xf32> {fuse.param}) -> (tensor<8xf32>, tensor<?xf32>, tensor<8xf32>) {
  %a = fuse.unary abs %x : tensor<8xf32>
  %b = fuse.unary abs %w : tensor<?xf32>
  %c = func.call @called(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<?xf32>, tensor<8xf32>
}

// A view of a constant is no reason to compute what depends on a parameter in each run.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %[[S:[^:]*]]: tensor<4x8xf32> {fuse.param, fuse.prepared})
// CHECK-NOT:     fuse.binary mul
// CHECK:         fuse.binary add %{{.*}}, %[[S]]
// CHECK-LABEL: func.func @scaled_prepare(
// CHECK:         fuse.binary mul
func.func @scaled(%x: tensor<4x8xf32>, %w: tensor<4x8xf32> {fuse.param}) -> tensor<4x8xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = fuse.reshape %c : tensor<4xf32> -> tensor<4x1xf32>
  %1 = fuse.binary mul %w, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = fuse.binary add %x, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// What is computed from a parameter with denormals may have some.
// CHECK-LABEL: func.func @denormals(
// CHECK-SAME:    tensor<4x8xf32> {fuse.denormals, fuse.param, fuse.prepared}, %{{.*}}: tensor<4x8xf32> {fuse.param, fuse.prepared})
func.func @denormals(%x: tensor<4x8xf32>, %v: tensor<4x8xf32> {fuse.param, fuse.denormals}, %w: tensor<4x8xf32> {fuse.param}) -> tensor<4x8xf32> {
  %0 = fuse.binary mul %v, %w : tensor<4x8xf32>
  %1 = fuse.binary mul %w, %w : tensor<4x8xf32>
  %2 = fuse.binary mul %x, %0 : tensor<4x8xf32>
  %3 = fuse.binary add %2, %1 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// What is cut out of a parameter whose extent is open is there in calls of some sizes only, before which it would be read.
// CHECK-LABEL: func.func @open(
// CHECK-SAME:    %[[W:[^:]*]]: tensor<?x8xf32> {fuse.param})
// CHECK:         fuse.slice %[[W]]
// CHECK:         fuse.copy
// CHECK-NOT:   func.func @open_prepare
func.func @open(%x: tensor<2x8xf32>, %w: tensor<?x8xf32> {fuse.param}) -> tensor<2x8xf32> {
  %0 = fuse.slice %w offsets = [0, 0] sizes = [2, 8] strides = [2, 1] : tensor<?x8xf32> -> tensor<2x8xf32>
  %1 = fuse.copy %0 : tensor<2x8xf32>
  %2 = fuse.binary add %x, %1 : tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}
