// RUN: fuse-opt %s --convert-fuse-to-linalg | FileCheck %s

// CHECK-DAG: [[ID:#.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: [[COLS:#.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: [[ROWS:#.*]] = affine_map<(d0, d1) -> (d0)>

// A missing leading dimension and a unit dimension are both projections.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<8x1xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0, 1]] : tensor<8x1xf32> into tensor<8xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = {{\[}}[[ID]], [[COLS]], [[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[B]] :
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: linalg.generic {indexing_maps = {{\[}}[[ID]], [[ROWS]], [[ID]]], {{.*}} ins(%[[SUM]], %[[FLAT]] :
func.func @broadcast(%x: tensor<8x4xf32>, %b: tensor<4xf32>, %c: tensor<8x1xf32>) -> tensor<8x4xf32> {
  %0 = fuse.binary add %x, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %1 = fuse.binary mul %0, %c : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// One value read twice at the same place is one operand.
// CHECK-LABEL: func.func @square
// CHECK: ins(%{{.*}} : tensor<8xf32>) outs
// CHECK: arith.mulf %[[A:.*]], %[[A]] : f32
func.func @square(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.binary mul %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Masks are bytes in memory and i1 in bodies; unsigned integers lose their sign.
// CHECK-LABEL: func.func @storage
// CHECK-SAME: tensor<8xi8>, %{{.*}}: tensor<8xi8>, %{{.*}}: tensor<8xi8>) -> (tensor<8xi8>, tensor<8xi8>)
// CHECK: arith.cmpi ugt
// CHECK: %[[BYTE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK: linalg.yield %[[BYTE]] : i8
// CHECK: arith.cmpi ne, %{{.*}} : i8
// CHECK: arith.select
func.func @storage(%m: tensor<8xi1>, %x: tensor<8xui8>, %y: tensor<8xui8>) -> (tensor<8xi1>, tensor<8xui8>) {
  %0 = fuse.compare gt %x, %y : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  %1 = fuse.select %m, %x, %y : (tensor<8xi1>, tensor<8xui8>, tensor<8xui8>) -> tensor<8xui8>
  return %0, %1 : tensor<8xi1>, tensor<8xui8>
}

// A splat constant is a constant of the body, any other a tensor of storage type without units.
// CHECK-LABEL: func.func @constants
// CHECK: %[[W:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] :
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8x2xf32>) outs
// CHECK: %[[THREE:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: arith.addf %{{.*}}, %[[THREE]]
func.func @constants(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %three = arith.constant dense<3.0> : tensor<2xf32>
  %0 = fuse.binary mul %x, %w : (tensor<8x2xf32>, tensor<1x2xf32>) -> tensor<8x2xf32>
  %1 = fuse.binary add %0, %three : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: func.func @rank_0
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = []}
func.func @rank_0(%x: tensor<f32>) -> tensor<f32> {
  %0 = fuse.unary neg %x : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK: %[[N:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK: tensor.empty(%[[N]]) : tensor<?x4xf32>
func.func @dynamic(%x: tensor<?x4xf32>, %y: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %0 = fuse.binary add %x, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
