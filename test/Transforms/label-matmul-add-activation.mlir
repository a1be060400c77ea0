// matmul, the sum with one value, and a function of the sum.
// RUN: fuse-opt %s --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s

!out = tensor<8x4xf32>

func.func @relu(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=matmul-add-activation{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %a = fuse.binary add %m, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  %r = fuse.unary relu %a {fuse.group = array<i64: 0>} : !out
  return %r : !out
}

// silu as x · sigmoid(x); the bias first.
func.func @commuted_bias_silu(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=matmul-add-activation{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %a = fuse.binary add %b, %m {fuse.group = array<i64: 0>} : (tensor<4xf32>, !out) -> !out
  %s = fuse.unary sigmoid %a {fuse.group = array<i64: 0>} : !out
  %r = fuse.binary mul %s, %a {fuse.group = array<i64: 0>} : !out
  return %r : !out
}

// x · ½ · (1 + erf(x / √2)).
func.func @gelu_by_hand(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=matmul-add-activation{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %a = fuse.binary add %m, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  %h = arith.constant dense<5.000000e-01> : tensor<f32>
  %o = arith.constant dense<1.000000e+00> : tensor<f32>
  %q = arith.constant dense<1.4142135> : tensor<f32>
  %c = fuse.binary div %a, %q {fuse.group = array<i64: 0>} : (!out, tensor<f32>) -> !out
  %d = fuse.unary erf %c {fuse.group = array<i64: 0>} : !out
  %e = fuse.binary add %o, %d {fuse.group = array<i64: 0>} : (tensor<f32>, !out) -> !out
  %f = fuse.binary mul %h, %a {fuse.group = array<i64: 0>} : (tensor<f32>, !out) -> !out
  %r = fuse.binary mul %f, %e {fuse.group = array<i64: 0>} : !out
  return %r : !out
}

func.func @sigmoid_by_hand(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=matmul-add-activation{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %a = fuse.binary add %m, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  %o = arith.constant dense<1.000000e+00> : tensor<f32>
  %c = fuse.unary neg %a {fuse.group = array<i64: 0>} : !out
  %d = fuse.unary exp %c {fuse.group = array<i64: 0>} : !out
  %e = fuse.binary add %d, %o {fuse.group = array<i64: 0>} : (!out, tensor<f32>) -> !out
  %r = fuse.binary div %o, %e {fuse.group = array<i64: 0>} : (tensor<f32>, !out) -> !out
  return %r : !out
}

// A cast and a reshape between.
func.func @cast_and_reshape(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> tensor<2x4x4xf16> {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=matmul-add-activation{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %c = fuse.cast %m {fuse.group = array<i64: 0>} : (!out) -> tensor<8x4xf64>
  %v = fuse.reshape %c : tensor<8x4xf64> -> tensor<2x4x4xf64>
  %d = fuse.cast %b {fuse.group = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf64>
  %a = fuse.binary add %v, %d {fuse.group = array<i64: 0>} : (tensor<2x4x4xf64>, tensor<4xf64>) -> tensor<2x4x4xf64>
  %e = fuse.cast %a {fuse.group = array<i64: 0>} : (tensor<2x4x4xf64>) -> tensor<2x4x4xf16>
  %r = fuse.unary gelu %e approximate = tanh {fuse.group = array<i64: 0>} : tensor<2x4x4xf16>
  return %r : tensor<2x4x4xf16>
}

// Near misses.
func.func @no_activation(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %r = fuse.binary add %m, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  return %r : !out
}

func.func @no_add(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %r = fuse.unary relu %m {fuse.group = array<i64: 0>} : !out
  return %r : !out
}

// A product with a number is no activation.
func.func @linear(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %a = fuse.binary add %m, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  %h = arith.constant dense<5.000000e-01> : tensor<f32>
  %r = fuse.binary mul %a, %h {fuse.group = array<i64: 0>} : (!out, tensor<f32>) -> !out
  return %r : !out
}

// α·AB + b is something else than α·(AB + b).
func.func @scaled_product(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %h = arith.constant dense<5.000000e-01> : tensor<f32>
  %c = fuse.binary mul %m, %h {fuse.group = array<i64: 0>} : (!out, tensor<f32>) -> !out
  %a = fuse.binary add %c, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  %r = fuse.unary relu %a {fuse.group = array<i64: 0>} : !out
  return %r : !out
}

func.func @residual_after(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %y: !out, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %a = fuse.binary add %m, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  %c = fuse.unary relu %a {fuse.group = array<i64: 0>} : !out
  %r = fuse.binary add %c, %y {fuse.group = array<i64: 0>} : !out
  return %r : !out
}

// A function of two values.
func.func @gate(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %y: !out, %b: tensor<4xf32>) -> !out {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.matmul %x, %w {fuse.group = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> !out
  %a = fuse.binary add %m, %b {fuse.group = array<i64: 0>} : (!out, tensor<4xf32>) -> !out
  %c = fuse.unary sigmoid %a {fuse.group = array<i64: 0>} : !out
  %r = fuse.binary mul %c, %y {fuse.group = array<i64: 0>} : !out
  return %r : !out
}
