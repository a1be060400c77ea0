// RUN: fuse-opt %s --fuse-decompose --fuse-sink-collapses | FileCheck %s

// A layer of rows, as exporters write it: both reshapes are gone, and the loops are those of the residual.
// CHECK-LABEL: func.func @layer
// CHECK-NOT: fuse.reshape
// CHECK: fuse.reduce mean %{{.+}} dimensions = [2] keep_dims
// CHECK: %[[NORM:.+]] = fuse.binary mul %{{.+}}, %{{.+}} : (tensor<?x?x8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
// CHECK: %[[PRODUCT:.+]] = fuse.matmul %[[NORM]], %{{.+}} : (tensor<?x?x8xf32>, tensor<8x8xf32>) -> tensor<?x?x8xf32>
// CHECK: %[[BIASED:.+]] = fuse.binary add %[[PRODUCT]], %{{.+}} : (tensor<?x?x8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
// CHECK: fuse.binary add %[[BIASED]], %{{.+}} : tensor<?x?x8xf32>
// CHECK-NOT: fuse.reshape
func.func @layer(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %rows = fuse.reshape %x : tensor<?x?x8xf32> -> tensor<?x8xf32>
  %norm = fuse.layer_norm %rows, %b dimensions = [1] epsilon = 1.0E-5 : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %product = fuse.matmul %norm, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %biased = fuse.binary add %product, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %back = fuse.reshape %biased sizes = [%batch, %length] : tensor<?x8xf32> -> tensor<?x?x8xf32>
  %sum = fuse.binary add %back, %x : tensor<?x?x8xf32>
  return %sum : tensor<?x?x8xf32>
}

// What comes out joined is joined last.
// CHECK-LABEL: func.func @heads
// CHECK: %[[PRODUCT:.+]] = fuse.matmul %{{.+}} : (tensor<?x?x8xf32>, tensor<8x8xf32>) -> tensor<?x?x8xf32>
// CHECK: %[[SPLIT:.+]] = fuse.reshape %[[PRODUCT]] : tensor<?x?x8xf32> -> tensor<?x?x2x4xf32>
// CHECK: %[[MOST:.+]] = fuse.reduce max %[[SPLIT]] dimensions = [3] : tensor<?x?x2x4xf32> -> tensor<?x?x2xf32>
// CHECK: %[[ROWS:.+]] = fuse.reshape %[[MOST]] : tensor<?x?x2xf32> -> tensor<?x2xf32>
// CHECK: return %[[ROWS]]
func.func @heads(%x: tensor<?x?x2x4xf32>, %w: tensor<8x8xf32>) -> tensor<?x2xf32> {
  %rows = fuse.reshape %x : tensor<?x?x2x4xf32> -> tensor<?x8xf32>
  %product = fuse.matmul %rows, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %split = fuse.reshape %product : tensor<?x8xf32> -> tensor<?x2x4xf32>
  %most = fuse.reduce max %split dimensions = [2] : tensor<?x2x4xf32> -> tensor<?x2xf32>
  return %most : tensor<?x2xf32>
}

// A dimension that is counted from the end is the rows' here.
// CHECK-LABEL: func.func @all
// CHECK: %[[ALL:.+]] = fuse.reshape %{{.+}} : tensor<?x?xf32> -> tensor<?xf32>
// CHECK: fuse.reduce max %[[ALL]] dimensions = [0]
func.func @all(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fuse.unary neg %x : tensor<?x?xf32>
  %all = fuse.reshape %0 : tensor<?x?xf32> -> tensor<?xf32>
  %1 = fuse.softmax %all dimension = -1 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Rows that are folded, and other sizes than those that were joined, keep the reshape where it is.
// CHECK-LABEL: func.func @kept
// CHECK: %[[ROWS:.+]] = fuse.reshape %{{.+}} : tensor<?x?x8xf32> -> tensor<?x8xf32>
// CHECK: fuse.reduce sum %[[ROWS]] dimensions = [0]
// CHECK: fuse.reshape %[[ROWS]] sizes
func.func @kept(%x: tensor<?x?x8xf32>) -> (tensor<8xf32>, tensor<?x?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %rows = fuse.reshape %x : tensor<?x?x8xf32> -> tensor<?x8xf32>
  %sum = fuse.reduce sum %rows dimensions = [0] : tensor<?x8xf32> -> tensor<8xf32>
  %turned = fuse.reshape %rows sizes = [%length, %batch] : tensor<?x8xf32> -> tensor<?x?x8xf32>
  return %sum, %turned : tensor<8xf32>, tensor<?x?x8xf32>
}

// Of a product with open columns the reshape stays in front: behind, it would join dimensions beside an open one.
// CHECK-LABEL: func.func @open_columns(
// CHECK: %[[ROWS:.*]] = fuse.reshape %{{.*}} : tensor<?x?x1xf32> -> tensor<?x1xf32>
// CHECK: fuse.matmul %[[ROWS]], %{{.*}} : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
func.func @open_columns(%x: tensor<?x?x1xf32>, %w: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %0 = fuse.reshape %x : tensor<?x?x1xf32> -> tensor<?x1xf32>
  %1 = fuse.matmul %0, %w : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// The same of rows that are added to a list of open length.
// CHECK-LABEL: func.func @open_list(
// CHECK: %[[ROWS:.*]] = fuse.reshape %{{.*}} : tensor<?x?x1xf32> -> tensor<?x1xf32>
// CHECK: fuse.binary add %[[ROWS]], %{{.*}} : (tensor<?x1xf32>, tensor<?xf32>) -> tensor<?x?xf32>
func.func @open_list(%x: tensor<?x?x1xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = fuse.reshape %x : tensor<?x?x1xf32> -> tensor<?x1xf32>
  %1 = fuse.binary add %0, %y : (tensor<?x1xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
