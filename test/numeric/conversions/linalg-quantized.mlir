// Quantized forms of linalg, and its groups, by fuse-run, converted, and by upstream's own lowering.
// RUN: %python %S/Inputs/compare.py %s | FileCheck %s --check-prefix=REPORT
// REPORT-NOT: {{: .*(differ|error|got|Command)}}
// REPORT: {{^[1-9][0-9]* of [0-9]+ agree}}

// range 0 -128 127
// range 1 -128 127
func.func @matmul(%x: tensor<5x33xi8>, %w: tensor<33x7xi8>, %init: tensor<5x7xi32>) -> tensor<5x7xi32> {
  %a = arith.constant -128 : i32
  %b = arith.constant 11 : i32
  %0 = linalg.quantized_matmul ins(%x, %w, %a, %b : tensor<5x33xi8>, tensor<33x7xi8>, i32, i32) outs(%init : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
// range 2 -128 127
func.func @batch_matmul(%x: tensor<3x5x17xi8>, %w: tensor<3x17x7xi8>, %z: tensor<4xi8>) -> tensor<3x5x7xi32> {
  %two = arith.constant 2 : index
  %b = arith.constant 0 : i32
  %e = tensor.extract %z[%two] : tensor<4xi8>
  %a = arith.extsi %e : i8 to i32
  %zero = arith.constant dense<0> : tensor<3x5x7xi32>
  %0 = linalg.quantized_batch_matmul ins(%x, %w, %a, %b : tensor<3x5x17xi8>, tensor<3x17x7xi8>, i32, i32) outs(%zero : tensor<3x5x7xi32>) -> tensor<3x5x7xi32>
  return %0 : tensor<3x5x7xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @nhwc_hwcf(%x: tensor<2x9x9x3xi8>, %w: tensor<3x3x3x5xi8>, %init: tensor<2x4x5x5xi32>) -> tensor<2x4x5x5xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %0 = linalg.conv_2d_nhwc_hwcf_q {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w, %a, %b : tensor<2x9x9x3xi8>, tensor<3x3x3x5xi8>, i32, i32) outs(%init : tensor<2x4x5x5xi32>) -> tensor<2x4x5x5xi32>
  return %0 : tensor<2x4x5x5xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @nhwc_fhwc(%x: tensor<2x9x7x3xi8>, %w: tensor<5x3x2x3xi8>, %init: tensor<2x7x6x5xi32>) -> tensor<2x7x6x5xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %0 = linalg.conv_2d_nhwc_fhwc_q ins(%x, %w, %a, %b : tensor<2x9x7x3xi8>, tensor<5x3x2x3xi8>, i32, i32) outs(%init : tensor<2x7x6x5xi32>) -> tensor<2x7x6x5xi32>
  return %0 : tensor<2x7x6x5xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @nchw_fchw(%x: tensor<2x3x9x9xi8>, %w: tensor<5x3x3x3xi8>, %init: tensor<2x5x4x5xi32>) -> tensor<2x5x4x5xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %0 = linalg.conv_2d_nchw_fchw_q {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w, %a, %b : tensor<2x3x9x9xi8>, tensor<5x3x3x3xi8>, i32, i32) outs(%init : tensor<2x5x4x5xi32>) -> tensor<2x5x4x5xi32>
  return %0 : tensor<2x5x4x5xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @nhwc_bytes(%x: tensor<1x9x9x16xi8>, %w: tensor<3x3x16x8xi8>, %init: tensor<1x7x7x8xi32>) -> tensor<1x7x7x8xi32> {
  %a = arith.constant 0 : i32
  %b = arith.constant 0 : i32
  %0 = linalg.conv_2d_nhwc_hwcf_q ins(%x, %w, %a, %b : tensor<1x9x9x16xi8>, tensor<3x3x16x8xi8>, i32, i32) outs(%init : tensor<1x7x7x8xi32>) -> tensor<1x7x7x8xi32>
  return %0 : tensor<1x7x7x8xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @nhwgc_gfhwc(%x: tensor<2x9x9x2x3xi8>, %w: tensor<2x5x3x3x3xi8>, %init: tensor<2x7x7x2x5xi32>) -> tensor<2x7x7x2x5xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %0 = linalg.conv_2d_nhwgc_gfhwc_q ins(%x, %w, %a, %b : tensor<2x9x9x2x3xi8>, tensor<2x5x3x3x3xi8>, i32, i32) outs(%init : tensor<2x7x7x2x5xi32>) -> tensor<2x7x7x2x5xi32>
  return %0 : tensor<2x7x7x2x5xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @ngchw_gfchw(%x: tensor<2x2x3x9x9xi8>, %w: tensor<2x5x3x3x3xi8>, %init: tensor<2x2x5x7x7xi32>) -> tensor<2x2x5x7x7xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %0 = linalg.conv_2d_ngchw_gfchw_q ins(%x, %w, %a, %b : tensor<2x2x3x9x9xi8>, tensor<2x5x3x3x3xi8>, i32, i32) outs(%init : tensor<2x2x5x7x7xi32>) -> tensor<2x2x5x7x7xi32>
  return %0 : tensor<2x2x5x7x7xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @depthwise(%x: tensor<2x9x9x5xi8>, %w: tensor<3x3x5xi8>, %init: tensor<2x7x7x5xi32>) -> tensor<2x7x7x5xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %0 = linalg.depthwise_conv_2d_nhwc_hwc_q ins(%x, %w, %a, %b : tensor<2x9x9x5xi8>, tensor<3x3x5xi8>, i32, i32) outs(%init : tensor<2x7x7x5xi32>) -> tensor<2x7x7x5xi32>
  return %0 : tensor<2x7x7x5xi32>
}

// -----

// range 0 -128 127
// range 1 -128 127
func.func @depthwise_multiplied(%x: tensor<2x9x9x5xi8>, %w: tensor<3x3x5x2xi8>, %init: tensor<2x7x7x5x2xi32>) -> tensor<2x7x7x5x2xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm_q ins(%x, %w, %a, %b : tensor<2x9x9x5xi8>, tensor<3x3x5x2xi8>, i32, i32) outs(%init : tensor<2x7x7x5x2xi32>) -> tensor<2x7x7x5x2xi32>
  return %0 : tensor<2x7x7x5x2xi32>
}

// -----

func.func @groups_last(%x: tensor<1x8x8x2x3xf32>, %w: tensor<2x4x3x3x3xf32>, %init: tensor<1x6x6x2x4xf32>) -> tensor<1x6x6x2x4xf32> {
  %0 = linalg.conv_2d_nhwgc_gfhwc ins(%x, %w : tensor<1x8x8x2x3xf32>, tensor<2x4x3x3x3xf32>) outs(%init : tensor<1x6x6x2x4xf32>) -> tensor<1x6x6x2x4xf32>
  return %0 : tensor<1x6x6x2x4xf32>
}

// -----

func.func @groups_first(%x: tensor<1x2x3x8x8xf32>, %w: tensor<2x4x3x3x3xf32>, %init: tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32> {
  %0 = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x2x3x8x8xf32>, tensor<2x4x3x3x3xf32>) outs(%init : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  return %0 : tensor<1x2x4x6x6xf32>
}

// -----

func.func @groups_by_filter(%x: tensor<1x2x3x8x8xf32>, %w: tensor<4x2x3x3x3xf32>, %init: tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32> {
  %0 = linalg.conv_2d_ngchw_fgchw ins(%x, %w : tensor<1x2x3x8x8xf32>, tensor<4x2x3x3x3xf32>) outs(%init : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  return %0 : tensor<1x2x4x6x6xf32>
}

// -----

// range 0 -128 127
func.func @sum_of_bytes(%x: tensor<1x9x8x3xi8>) -> tensor<1x4x7x3xi32> {
  %k = tensor.empty() : tensor<2x2xi32>
  %zero = arith.constant dense<0> : tensor<1x4x7x3xi32>
  %0 = linalg.pooling_nhwc_sum {strides = dense<[2, 1]> : tensor<2xi64>} ins(%x, %k : tensor<1x9x8x3xi8>, tensor<2x2xi32>) outs(%zero : tensor<1x4x7x3xi32>) -> tensor<1x4x7x3xi32>
  return %0 : tensor<1x4x7x3xi32>
}
