// RUN: fuse-opt %s --convert-fuse-to-linalg | FileCheck %s

// The empty operand is never read.
// CHECK-LABEL: func.func @concat
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<0x3xf32>, %[[C:.*]]: tensor<4x3xf32>
// CHECK-NOT: tensor.extract %[[B]]
// CHECK: %[[LEFT:.*]] = tensor.extract %[[A]]
// CHECK-NOT: tensor.extract %[[B]]
// CHECK: %[[RIGHT:.*]] = tensor.extract %[[C]]
// CHECK: arith.select %{{.*}}, %[[RIGHT]], %[[LEFT]] : f32
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<0x3xf32>, %c: tensor<4x3xf32>) -> tensor<6x3xf32> {
  %0 = fuse.concat %a, %b, %c dimension = 0 : (tensor<2x3xf32>, tensor<0x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK-NOT: fuse.recompute
// CHECK: %[[BORDER:.*]] = arith.constant 7.000000e+00 : f32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: %[[E:.*]] = tensor.extract
// CHECK: arith.select %[[INSIDE]], %[[E]], %[[BORDER]] : f32
func.func @pad(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = fuse.pad %x low = [0, 1] high = [0, 2] value = 7.000000e+00 : f32 : tensor<2x3xf32> -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// Negative indices count from the end, and none leaves the tensor.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[X:.*]]: tensor<10x4xf32>, %[[I:.*]]: tensor<3xi64>
// CHECK: linalg.generic {{.*}} ins(%[[I]] :
// CHECK: arith.index_cast
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.extract %[[X]]
func.func @gather(%x: tensor<10x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %0 = fuse.gather %x, %i dimension = 0 : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// All of one form: [A, n, C] with one list of indices. Zeros are filled, not read; masks are bytes.
// CHECK-LABEL: func.func @scatter
// CHECK-SAME: %[[X:.*]]: tensor<2x3x7x5xi8>, %[[I:.*]]: tensor<4x1x6xi64>, %[[U:.*]]: tensor<2x3x4x1x6x5xi8>
// CHECK-DAG: %[[INIT:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1], [2], [3]] : tensor<2x3x7x5xi8> into tensor<6x7x5xi8>
// CHECK-DAG: %[[UPDATES:.*]] = tensor.collapse_shape %{{.*}} into tensor<6x24x5xi8>
// CHECK: fuse.scatter_rows set i1 %[[INIT]], %{{.*}}, %[[UPDATES]] dimension = 1 : (tensor<6x7x5xi8>, tensor<24xi64>, tensor<6x24x5xi8>) -> tensor<6x7x5xi8>
// CHECK: tensor.expand_shape
func.func @scatter(%x: tensor<2x3x7x5xi1>, %i: tensor<4x1x6xi64>, %u: tensor<2x3x4x1x6x5xi1>) -> tensor<2x3x7x5xi1> {
  %0 = fuse.scatter set %x, %i, %u dimension = 2 : (tensor<2x3x7x5xi1>, tensor<4x1x6xi64>, tensor<2x3x4x1x6x5xi1>) -> tensor<2x3x7x5xi1>
  return %0 : tensor<2x3x7x5xi1>
}

// CHECK-LABEL: func.func @scatter_into_zeros
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: fuse.scatter_rows add ui8 %[[FILL]], %{{.*}}, %{{.*}} dimension = 0 : (tensor<9xi8>, tensor<3xi32>, tensor<3xi8>) -> tensor<9xi8>
func.func @scatter_into_zeros(%i: tensor<3xi32>, %u: tensor<3x1xui8>) -> tensor<9x1xui8> {
  %z = arith.constant dense<0> : tensor<9x1xui8>
  %0 = fuse.scatter add %z, %i, %u dimension = 0 : (tensor<9x1xui8>, tensor<3xi32>, tensor<3x1xui8>) -> tensor<9x1xui8>
  return %0 : tensor<9x1xui8>
}

// CHECK-LABEL: func.func @iota
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: arith.index_cast %[[I]]
func.func @iota() -> tensor<2x3xi32> {
  %0 = fuse.iota dimension = 1 : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @resize_nearest
// CHECK: arith.muli
// CHECK: arith.divui
// CHECK: tensor.extract
func.func @resize_nearest(%x: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %0 = fuse.resize_nearest %x : tensor<2x3xf32> -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
