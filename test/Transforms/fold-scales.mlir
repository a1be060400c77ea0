// What is quantized is divided by a scale: parameters and numbers are, instead.
// RUN: fuse-opt %s --fuse-fold-scales=numerics=folds --split-input-file | FileCheck %s
// RUN: fuse-opt %s --split-input-file > %t.before
// RUN: fuse-opt %s --fuse-fold-scales --split-input-file | diff %t.before -

// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x32xf32>, %[[T:[a-z0-9]+]]: tensor<32xf32>{{.*}}, %[[B:[a-z0-9]+]]: tensor<32xf32>
// CHECK: %[[T1:.*]] = fuse.binary div %[[T]], %{{.*}} : (tensor<32xf32>, tensor<f32>)
// CHECK: %[[M:.*]] = fuse.binary mul %[[X]], %[[T1]]
// CHECK: %[[B1:.*]] = fuse.binary div %[[B]], %{{.*}} : (tensor<32xf32>, tensor<f32>)
// CHECK: %[[A:.*]] = fuse.binary add %[[M]], %[[B1]]
// CHECK: %[[R:.*]] = fuse.unary relu %[[A]]
// CHECK: fuse.unary round_even %[[R]]
func.func @product(%x: tensor<8x32xf32>, %t: tensor<32xf32> {fuse.param}, %b: tensor<32xf32> {fuse.param}) -> tensor<8x32xi8> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %0 = fuse.binary mul %x, %t : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %1 = fuse.binary add %0, %b : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %2 = fuse.unary relu %1 : tensor<8x32xf32>
  %3 = fuse.binary div %2, %s : (tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %4 = fuse.unary round_even %3 : tensor<8x32xf32>
  %5 = fuse.cast %4 : (tensor<8x32xf32>) -> tensor<8x32xi8>
  return %5 : tensor<8x32xi8>
}

// -----

// An exponential is no product; a value that others read as well stays what it is.
// CHECK-LABEL: func.func @others
// CHECK: %[[E:.*]] = fuse.unary exp
// CHECK: %[[TEN:.*]] = arith.constant dense<1.000000e+01> : tensor<f32>
// CHECK: fuse.binary mul %[[E]], %[[TEN]]
// CHECK: %[[M:.*]] = fuse.binary mul %[[E]], %{{.*}} : (tensor<8xf32>, tensor<f32>)
// CHECK: fuse.binary mul %[[M]], %{{.*}} : (tensor<8xf32>, tensor<f32>)
func.func @others(%x: tensor<8xf32>) -> (tensor<8xui8>, tensor<8xui8>, tensor<8xf32>) {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %t = arith.constant dense<3.000000e-01> : tensor<f32>
  %0 = fuse.unary exp %x : tensor<8xf32>
  %1 = fuse.binary div %0, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = fuse.unary round_even %1 : tensor<8xf32>
  %3 = fuse.cast %2 : (tensor<8xf32>) -> tensor<8xui8>
  %4 = fuse.binary mul %0, %t : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = fuse.binary div %4, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = fuse.unary round_even %5 : tensor<8xf32>
  %7 = fuse.cast %6 : (tensor<8xf32>) -> tensor<8xui8>
  return %3, %7, %4 : tensor<8xui8>, tensor<8xui8>, tensor<8xf32>
}

// -----

// An input of the program is divided: its elements may lie exactly half-way between two integers.
// CHECK-LABEL: func.func @input
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK: %[[V:.*]] = fuse.reshape %[[X]]
// CHECK: %[[D:.*]] = fuse.binary div %[[V]]
// CHECK: fuse.unary round_even %[[D]]
func.func @input(%x: tensor<8x4xf32>) -> tensor<32xui8> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %0 = fuse.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
  %1 = fuse.binary div %0, %s : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
  %2 = fuse.unary round_even %1 : tensor<32xf32>
  %3 = fuse.cast %2 : (tensor<32xf32>) -> tensor<32xui8>
  return %3 : tensor<32xui8>
}

// -----

// A product of floats: 1 / 0.5 and the scale of the left operand go into the weights.
// CHECK-LABEL: func.func @weights
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<8x4xui8>, %[[W:[a-z0-9]+]]: tensor<4x32xf32>
// CHECK: %[[X:.*]] = fuse.cast %[[Q]]
// CHECK: %[[W1:.*]] = fuse.binary div %[[W]]
// CHECK: %[[W2:.*]] = fuse.binary mul %[[W1]]
// CHECK: %[[P:.*]] = fuse.matmul %[[X]], %[[W2]]
// CHECK: fuse.unary round_even %[[P]]
func.func @weights(%q: tensor<8x4xui8>, %w: tensor<4x32xf32> {fuse.param}) -> tensor<8x32xi8> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %t = arith.constant dense<5.000000e-01> : tensor<f32>
  %0 = fuse.cast %q : (tensor<8x4xui8>) -> tensor<8x4xf32>
  %1 = fuse.binary mul %0, %s : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %2 = fuse.matmul %1, %w : (tensor<8x4xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %3 = fuse.binary div %2, %t : (tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %4 = fuse.unary round_even %3 : tensor<8x32xf32>
  %5 = fuse.cast %4 : (tensor<8x32xf32>) -> tensor<8x32xi8>
  return %5 : tensor<8x32xi8>
}

// -----

// Biases of constants are dequantized now.
// CHECK-LABEL: func.func @constants
// CHECK: %[[B:.*]] = arith.constant dense<[2.000000e+01, 4.000000e+01]> : tensor<2xf32>
// CHECK: fuse.binary add %{{.*}}, %[[B]]
func.func @constants(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %b = arith.constant dense<[10, 20]> : tensor<2xi32>
  %s = arith.constant dense<2.000000e+00> : tensor<f32>
  %0 = fuse.cast %b : (tensor<2xi32>) -> tensor<2xf32>
  %1 = fuse.binary mul %0, %s : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = fuse.binary add %x, %1 : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}
