// RUN: fuse-opt %s --convert-fuse-to-linalg | FileCheck %s

// CHECK-DAG: [[LHS:#.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: [[RHS:#.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: [[OUT:#.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: [[WINDOW:#.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d1 * 2 + d3, d2 + d4 * 3)>
// CHECK-DAG: [[FILTER:#.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d3, d4)>

// Products and sums of contractions, and nothing else, may be contracted.
// CHECK-LABEL: func.func @matmul_f16
// CHECK: %[[X:.*]] = tensor.collapse_shape
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = {{\[}}[[LHS]], [[RHS]], [[OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %{{.*}} : tensor<8x16xf16>, tensor<32x16xf16>) outs(%{{.*}} : tensor<8x32xf32>)
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.mulf %{{.*}} fastmath<contract> : f32
// CHECK: arith.addf %{{.*}} fastmath<contract> : f32
// CHECK: linalg.generic {{.*}} ins(%[[P]] :
// CHECK: arith.truncf
// CHECK: tensor.expand_shape
func.func @matmul_f16(%x: tensor<1x8x16xf16>, %w: tensor<32x16xf16>) -> tensor<1x8x32xf16> {
  %0 = fuse.matmul %x, %w transpose_rhs : (tensor<1x8x16xf16>, tensor<32x16xf16>) -> tensor<1x8x32xf16>
  return %0 : tensor<1x8x32xf16>
}

// CHECK-LABEL: func.func @matmul_ui8
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK-NOT: linalg.generic
func.func @matmul_ui8(%x: tensor<8x16xui8>, %w: tensor<16x4xui8>) -> tensor<8x4xi32> {
  %0 = fuse.matmul %x, %w : (tensor<8x16xui8>, tensor<16x4xui8>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

// The border is a tensor.pad.
// CHECK-LABEL: func.func @conv2d
// CHECK: %[[BORDER:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[PAD:.*]] = tensor.pad %{{.*}} low[0, 1, 1] high[0, 1, 1] {
// CHECK: tensor.yield %[[BORDER]] : f32
// CHECK: tensor<3x9x12xf32> to tensor<3x11x14xf32>
// CHECK: %[[CONV:.*]] = linalg.generic {indexing_maps = {{\[}}[[WINDOW]], [[FILTER]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[PAD]], %{{.*}} :
// CHECK: fastmath<contract>
// CHECK: linalg.generic {{.*}} ins(%[[CONV]], %{{.*}} : tensor<5x5x8xf32>, tensor<5xf32>)
// CHECK: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f32
func.func @conv2d(%x: tensor<1x3x9x12xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<1x5x5x8xf32> {
  %0 = fuse.conv2d %x, %w, %b strides = [2, 1] dilations = [1, 3] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x3x9x12xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> tensor<1x5x5x8xf32>
  return %0 : tensor<1x5x5x8xf32>
}

// Groups are a loop; the two halves of the features are joined behind the last member.
// CHECK-LABEL: func.func @grouped
// CHECK-NOT: fuse.recompute
// CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} : tensor<8x8x6xf32> into tensor<8x8x2x3xf32>
// CHECK: %[[W:.*]] = tensor.expand_shape %{{.*}} : tensor<3x3x3x4xf32> into tensor<3x3x3x2x2xf32>
// CHECK: %[[CONV:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<6x6x2x2xf32>)
// CHECK: tensor.collapse_shape %[[CONV]] {{.*}} : tensor<6x6x2x2xf32> into tensor<6x6x4xf32>
func.func @grouped(%x: tensor<1x8x8x6xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 2 layout = nhwc_hwcf : (tensor<1x8x8x6xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// A filter of one element strides over the input, and what it cannot reach is sliced off.
// CHECK-LABEL: func.func @one_by_one
// CHECK: %[[COLUMN:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [3, 8, 1] [1, 1, 1] : tensor<3x8x2xf32> to tensor<3x8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[COLUMN]],
func.func @one_by_one(%x: tensor<1x3x8x2xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4x4x1xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x3x8x2xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}

// CHECK-LABEL: func.func @max_pool
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: tensor.pad %{{.*}} low[0, 1, 1] high[0, 1, 1] {
// CHECK: tensor.yield %[[LEAST]] : f32
// CHECK: %[[TAPS:.*]] = tensor.empty() : tensor<3x3xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[TAPS]] : tensor<3x10x10xf32>, tensor<3x3xf32>)
// CHECK: arith.maximumf
func.func @max_pool(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nchw_fchw : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// Only what lies in the input counts: the divisor depends on the position.
// CHECK-LABEL: func.func @avg_pool
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x4x4xf32>)
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: linalg.index 1
// CHECK: linalg.index 2
// CHECK: arith.divf
func.func @avg_pool(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  %0 = fuse.avg_pool2d %x kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nchw_fchw : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}
