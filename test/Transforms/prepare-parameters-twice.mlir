// RUN: fuse-opt %s --fuse-prepare-parameters | FileCheck %s

// A function that prepares something already prepares more, at the end of what it has. What was
// prepared only for what is prepared now is no argument any more.
// CHECK-LABEL: func.func @more(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %{{.*}}: tensor<8x2xf32> {fuse.param}, %[[N:.*]]: tensor<8x2xf32> {fuse.param, fuse.prepared})
// CHECK-SAME:    fuse.prepare = @weights
// CHECK-NEXT:    fuse.matmul %[[X]], %[[N]]
func.func @more(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}, %p: tensor<8x2xf32> {fuse.param, fuse.prepared}) -> tensor<4x2xf32> attributes {fuse.prepare = @weights} {
  %n = fuse.unary neg %p : tensor<8x2xf32>
  %1 = fuse.matmul %x, %n : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
// CHECK-LABEL: func.func @weights(
// CHECK-SAME:    %[[W:.*]]: tensor<8x2xf32> {fuse.param}) -> tensor<8x2xf32>
// CHECK-NEXT:    %[[A:.*]] = fuse.unary abs %[[W]]
// CHECK-NEXT:    %[[N:.*]] = fuse.unary neg %[[A]]
// CHECK-NEXT:    return %[[N]] :
func.func @weights(%w: tensor<8x2xf32> {fuse.param}) -> tensor<8x2xf32> {
  %a = fuse.unary abs %w : tensor<8x2xf32>
  return %a : tensor<8x2xf32>
}

// What is still read stays where it is, and new ones may come from any of them.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %{{[^:]*}}: tensor<8x2xf32> {fuse.param}, %[[P:[^:]*]]: tensor<8x2xf32> {fuse.param, fuse.prepared}, %[[N:[^:]*]]: tensor<8x2xf32> {fuse.param, fuse.prepared}, %[[E:[^:]*]]: tensor<8x2xf32> {fuse.param, fuse.prepared})
// CHECK-NEXT:    %[[M:.*]] = fuse.matmul %[[X]], %[[N]]
// CHECK-NEXT:    return %[[M]], %[[P]], %[[E]]
func.func @both(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}, %p: tensor<8x2xf32> {fuse.param, fuse.prepared}) -> (tensor<4x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) attributes {fuse.prepare = @both_prepare} {
  %n = fuse.unary neg %p : tensor<8x2xf32>
  %e = fuse.unary exp %w : tensor<8x2xf32>
  %1 = fuse.matmul %x, %n : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %1, %p, %e : tensor<4x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}
// CHECK-LABEL: func.func @both_prepare(
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
func.func @both_prepare(%w: tensor<8x2xf32> {fuse.param}) -> tensor<8x2xf32> {
  %a = fuse.unary abs %w : tensor<8x2xf32>
  return %a : tensor<8x2xf32>
}

// A name that is taken is another function's.
// CHECK-LABEL: func.func @taken(
// CHECK-SAME:    fuse.prepare = @[[NAME:taken_prepare_[0-9]+]]
// CHECK:       func.func @[[NAME]](
// CHECK:       func.func @taken_prepare(
// CHECK-NEXT:    fuse.unary exp
func.func @taken(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}) -> tensor<4x2xf32> {
  %n = fuse.unary neg %w : tensor<8x2xf32>
  %1 = fuse.matmul %x, %n : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
func.func @taken_prepare(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %e = fuse.unary exp %x : tensor<8x2xf32>
  return %e : tensor<8x2xf32>
}
