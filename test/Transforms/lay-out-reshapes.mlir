// RUN: fuse-opt %s --fuse-lay-out-reshapes | FileCheck %s

// No index map says how a reshape that joins open dimensions reads what is transposed.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[TURNED:.+]] = fuse.transpose
// CHECK: %[[COPY:.+]] = fuse.copy %[[TURNED]]
// CHECK: fuse.reshape %[[COPY]] : tensor<?x?x8xf32> -> tensor<?x8xf32>
func.func @transposed(%x: tensor<?x?x8xf32>) -> tensor<?x8xf32> {
  %turned = fuse.transpose %x permutation = [1, 0, 2] : tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  %rows = fuse.reshape %turned : tensor<?x?x8xf32> -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}

// The open extent is the outermost here: still no block of the result is a block of the operand.
// CHECK-LABEL: func.func @half_open
// CHECK: %[[COPY:.+]] = fuse.copy
// CHECK: fuse.reshape %[[COPY]] : tensor<?x7xf32> -> tensor<?xf32>
func.func @half_open(%x: tensor<7x?xf32>) -> tensor<?xf32> {
  %turned = fuse.transpose %x permutation = [1, 0] : tensor<7x?xf32> -> tensor<?x7xf32>
  %all = fuse.reshape %turned : tensor<?x7xf32> -> tensor<?xf32>
  return %all : tensor<?xf32>
}

// An image whose channels come last in memory, by groups of channels.
// CHECK-LABEL: func.func @groups
// CHECK: %[[COPY:.+]] = fuse.copy
// CHECK: fuse.reshape %[[COPY]] : tensor<1x16x?x?xf32> -> tensor<1x4x?xf32>
func.func @groups(%x: tensor<1x?x?x16xf32>) -> tensor<1x4x?xf32> {
  %first = fuse.transpose %x permutation = [0, 3, 1, 2] : tensor<1x?x?x16xf32> -> tensor<1x16x?x?xf32>
  %groups = fuse.reshape %first : tensor<1x16x?x?xf32> -> tensor<1x4x?xf32>
  return %groups : tensor<1x4x?xf32>
}

// What is joined lies in order: the transpose and the slice move others, or the outermost of them.
// CHECK-LABEL: func.func @in_order
// CHECK-NOT: fuse.copy
// CHECK: return
func.func @in_order(%x: tensor<?x7x5xf32>, %y: tensor<?x3x4x2xf32>) -> (tensor<5x?xf32>, tensor<2x?xf32>) {
  %turned = fuse.transpose %x permutation = [2, 0, 1] : tensor<?x7x5xf32> -> tensor<5x?x7xf32>
  %0 = fuse.reshape %turned : tensor<5x?x7xf32> -> tensor<5x?xf32>
  %last = fuse.transpose %y permutation = [3, 0, 1, 2] : tensor<?x3x4x2xf32> -> tensor<2x?x3x4xf32>
  %1 = fuse.reshape %last : tensor<2x?x3x4xf32> -> tensor<2x?xf32>
  return %0, %1 : tensor<5x?xf32>, tensor<2x?xf32>
}

// A part of an inner dimension does not.
// CHECK-LABEL: func.func @parts
// CHECK: %[[COPY:.+]] = fuse.copy
// CHECK: fuse.reshape %[[COPY]] : tensor<?x3xf32> -> tensor<?xf32>
func.func @parts(%x: tensor<?x7xf32>) -> tensor<?xf32> {
  %part = fuse.slice %x offsets = [0, 2] sizes = [-1, 3] strides = [1, 1] : tensor<?x7xf32> -> tensor<?x3xf32>
  %all = fuse.reshape %part : tensor<?x3xf32> -> tensor<?xf32>
  return %all : tensor<?xf32>
}

// Of factors of one dimension those that are neighbors lie in order.
// CHECK-LABEL: func.func @neighbors
// CHECK-NOT: fuse.copy
// CHECK: return
func.func @neighbors(%x: tensor<?x8xf32>) -> tensor<4x?xf32> {
  %split = fuse.reshape %x : tensor<?x8xf32> -> tensor<?x2x4xf32>
  %turned = fuse.transpose %split permutation = [2, 0, 1] : tensor<?x2x4xf32> -> tensor<4x?x2xf32>
  %joined = fuse.reshape %turned : tensor<4x?x2xf32> -> tensor<4x?xf32>
  return %joined : tensor<4x?xf32>
}

// A transposed convolution puts such a factor behind another one.
// CHECK-LABEL: func.func @apart
// CHECK: %[[COPY:.+]] = fuse.copy
// CHECK: fuse.reshape %[[COPY]] : tensor<2x?x4xf32> -> tensor<2x?xf32>
func.func @apart(%x: tensor<?x8xf32>) -> tensor<2x?xf32> {
  %split = fuse.reshape %x : tensor<?x8xf32> -> tensor<?x2x4xf32>
  %turned = fuse.transpose %split permutation = [1, 0, 2] : tensor<?x2x4xf32> -> tensor<2x?x4xf32>
  %joined = fuse.reshape %turned : tensor<2x?x4xf32> -> tensor<2x?xf32>
  return %joined : tensor<2x?xf32>
}
