// Quantized tensors stay bytes.
// RUN: fuse-opt %s --fuse-keep-bytes --split-input-file | FileCheck %s

// What is moved or compared between two quantizations by the same numbers.
// CHECK-LABEL: func.func @moves
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x4x6x6xi8>, %[[Y:[a-z0-9]+]]: tensor<1x4x3x3xi8>
// CHECK-NOT: f32
// CHECK: %[[ZERO:.*]] = arith.constant dense<-3> : tensor<i8>
// CHECK-NOT: f32
// CHECK: %[[R:.*]] = fuse.binary max %[[X]], %[[ZERO]] : (tensor<1x4x6x6xi8>, tensor<i8>)
// CHECK: %[[P:.*]] = fuse.max_pool2d %[[R]] kernel = [2, 2]
// CHECK: %[[C:.*]] = fuse.concat %[[P]], %[[Y]] dimension = 1 : (tensor<1x4x3x3xi8>, tensor<1x4x3x3xi8>) -> tensor<1x8x3x3xi8>
// CHECK: %[[B:.*]] = fuse.pad %[[C]] low = [0, 0, 1, 0] high = [0, 0, 0, 0] value = 17 : i8
// CHECK: %[[T:.*]] = fuse.transpose %[[B]] permutation = [0, 2, 3, 1] : tensor<1x8x4x3xi8> -> tensor<1x4x3x8xi8>
// CHECK-NEXT: %[[COPY:.*]] = fuse.copy %[[T]]
// CHECK-NEXT: return %[[COPY]]
func.func @moves(%x: tensor<1x4x6x6xi8>, %y: tensor<1x4x3x3xi8>) -> tensor<1x4x3x8xi8> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %z = arith.constant dense<-3> : tensor<i8>
  %zf = fuse.cast %z : (tensor<i8>) -> tensor<f32>
  %0 = fuse.cast %x : (tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xf32>
  %1 = fuse.binary sub %0, %zf : (tensor<1x4x6x6xf32>, tensor<f32>) -> tensor<1x4x6x6xf32>
  %2 = fuse.binary mul %1, %s : (tensor<1x4x6x6xf32>, tensor<f32>) -> tensor<1x4x6x6xf32>
  %3 = fuse.unary relu %2 : tensor<1x4x6x6xf32>
  %4 = fuse.max_pool2d %3 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x4x6x6xf32> -> tensor<1x4x3x3xf32>
  %5 = fuse.cast %y : (tensor<1x4x3x3xi8>) -> tensor<1x4x3x3xf32>
  %6 = fuse.binary sub %5, %zf : (tensor<1x4x3x3xf32>, tensor<f32>) -> tensor<1x4x3x3xf32>
  %7 = fuse.binary mul %6, %s : (tensor<1x4x3x3xf32>, tensor<f32>) -> tensor<1x4x3x3xf32>
  %8 = fuse.concat %4, %7 dimension = 1 : (tensor<1x4x3x3xf32>, tensor<1x4x3x3xf32>) -> tensor<1x8x3x3xf32>
  %9 = fuse.pad %8 low = [0, 0, 1, 0] high = [0, 0, 0, 0] value = 2.000000e+00 : f32 : tensor<1x8x3x3xf32> -> tensor<1x8x4x3xf32>
  %10 = fuse.transpose %9 permutation = [0, 2, 3, 1] : tensor<1x8x4x3xf32> -> tensor<1x4x3x8xf32>
  %11 = fuse.binary div %10, %s : (tensor<1x4x3x8xf32>, tensor<f32>) -> tensor<1x4x3x8xf32>
  %12 = fuse.unary round_even %11 : tensor<1x4x3x8xf32>
  %13 = fuse.binary add %12, %zf : (tensor<1x4x3x8xf32>, tensor<f32>) -> tensor<1x4x3x8xf32>
  %14 = fuse.cast %13 : (tensor<1x4x3x8xf32>) -> tensor<1x4x3x8xi8>
  return %14 : tensor<1x4x3x8xi8>
}

// -----

// Another scale is another number.
// CHECK-LABEL: func.func @scales
// CHECK: fuse.binary div
// CHECK: fuse.unary round_even
func.func @scales(%x: tensor<8xi8>) -> tensor<8xi8> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %t = arith.constant dense<2.000000e-01> : tensor<f32>
  %0 = fuse.cast %x : (tensor<8xi8>) -> tensor<8xf32>
  %1 = fuse.binary mul %0, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = fuse.binary div %1, %t : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = fuse.unary round_even %2 : tensor<8xf32>
  %4 = fuse.cast %3 : (tensor<8xf32>) -> tensor<8xi8>
  return %4 : tensor<8xi8>
}

// -----

// Bytes hold nothing below the zero point 0, and nothing above 25.5; 3 is 30 of 255.
// CHECK-LABEL: func.func @bounds
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK: fuse.binary div %[[X]]
// CHECK: fuse.binary div %[[X]]
// CHECK: %[[M:.*]] = fuse.binary min %[[X]]
// CHECK: fuse.binary div %[[M]]
func.func @bounds(%x: tensor<8xf32>) -> (tensor<8xui8>, tensor<8xui8>, tensor<8xui8>) {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %zero = arith.constant dense<0.000000e+00> : tensor<f32>
  %three = arith.constant dense<3.000000e+00> : tensor<f32>
  %most = arith.constant dense<2.600000e+01> : tensor<f32>
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.binary div %0, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = fuse.unary round_even %1 : tensor<8xf32>
  %3 = fuse.cast %2 : (tensor<8xf32>) -> tensor<8xui8>
  %4 = fuse.clamp %x, %zero, %most : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %5 = fuse.binary div %4, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = fuse.unary round_even %5 : tensor<8xf32>
  %7 = fuse.cast %6 : (tensor<8xf32>) -> tensor<8xui8>
  %8 = fuse.clamp %x, %zero, %three : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %9 = fuse.binary div %8, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %10 = fuse.unary round_even %9 : tensor<8xf32>
  %11 = fuse.cast %10 : (tensor<8xf32>) -> tensor<8xui8>
  return %3, %7, %11 : tensor<8xui8>, tensor<8xui8>, tensor<8xui8>
}

// -----

// Bytes that are only dequantized become unsigned, and each reader dequantizes them.
// CHECK-LABEL: func.func @readers
// CHECK: %[[R:.*]] = fuse.unary round_even
// CHECK: %[[A:.*]] = arith.constant dense<1.250000e+02> : tensor<f32>
// CHECK: %[[MOVED:.*]] = fuse.binary add %[[R]], %[[A]] : (tensor<8x8xf32>, tensor<f32>)
// CHECK: %[[Q:.*]] = fuse.cast %[[MOVED]] : (tensor<8x8xf32>) -> tensor<8x8xui8>
// CHECK: %[[F:.*]] = fuse.cast %[[Q]] : (tensor<8x8xui8>) -> tensor<8x8xf32>
// CHECK: %[[F1:.*]] = fuse.cast %[[Q]] : (tensor<8x8xui8>) -> tensor<8x8xf32>
// CHECK-DAG: fuse.unary exp
// CHECK-DAG: fuse.reduce sum
func.func @readers(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %z = arith.constant dense<-3.000000e+00> : tensor<f32>
  %0 = fuse.binary div %x, %s : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %1 = fuse.unary round_even %0 : tensor<8x8xf32>
  %2 = fuse.binary add %1, %z : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %3 = fuse.cast %2 : (tensor<8x8xf32>) -> tensor<8x8xi8>
  %4 = fuse.cast %3 : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %5 = fuse.binary sub %4, %z : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %6 = fuse.binary mul %5, %s : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %7 = fuse.unary exp %6 : tensor<8x8xf32>
  %8 = fuse.reduce sum %6 dimensions = [1] : tensor<8x8xf32> -> tensor<8xf32>
  return %7, %8 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// What others see keeps its type.
// CHECK-LABEL: func.func @result
// CHECK: fuse.cast %{{.*}} : (tensor<8xf32>) -> tensor<8xi8>
// CHECK-NOT: ui8
func.func @result(%x: tensor<8xf32>) -> (tensor<8xi8>, tensor<8xf32>) {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %0 = fuse.binary div %x, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = fuse.unary round_even %0 : tensor<8xf32>
  %2 = fuse.cast %1 : (tensor<8xf32>) -> tensor<8xi8>
  %3 = fuse.cast %2 : (tensor<8xi8>) -> tensor<8xf32>
  return %2, %3 : tensor<8xi8>, tensor<8xf32>
}
