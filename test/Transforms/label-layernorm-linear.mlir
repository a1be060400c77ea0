// A layer norm in any spelling, and the matmul of its rows.
// RUN: fuse-opt %s --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s

!x = tensor<8x16xf32>
!w = tensor<16x4xf32>
!v = tensor<16xf32>
!row = tensor<8x1xf32>
!y = tensor<8x4xf32>

func.func @composite(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=layernorm-linear{{$}}
  %h = fuse.layer_norm %x, %g, %b dimensions = [1] epsilon = 1.000000e-05 {fuse.group = array<i64: 0>} : (!x, !v, !v) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

func.func @primitives(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=layernorm-linear{{$}}
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %c, %c {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %sd = fuse.unary sqrt %ve {fuse.group = array<i64: 0>} : !row
  %n = fuse.binary div %c, %sd {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %s = fuse.binary mul %n, %g {fuse.group = array<i64: 0>} : (!x, !v) -> !x
  %h = fuse.binary add %s, %b {fuse.group = array<i64: 0>} : (!x, !v) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

// Neither scale and offset nor a bias.
func.func @bare(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=layernorm-linear{{$}}
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %c, %c {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %sd = fuse.unary sqrt %ve {fuse.group = array<i64: 0>} : !row
  %n = fuse.binary div %c, %sd {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %r = fuse.matmul %n, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  return %r : !y
}

// E[x²] − E[x]², clamped, rsqrt, sums times 1/n, scale multiplied in first.
func.func @mean_of_squares(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  %inv = arith.constant dense<6.250000e-02> : !row
  %z = arith.constant dense<0.000000e+00> : !row
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=layernorm-linear{{$}}
  %sx = fuse.reduce sum %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %m = fuse.binary mul %inv, %sx {fuse.group = array<i64: 0>} : !row
  %xx = fuse.binary mul %x, %x {fuse.group = array<i64: 0>} : !x
  %sxx = fuse.reduce sum %xx dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %ms = fuse.binary mul %sxx, %inv {fuse.group = array<i64: 0>} : !row
  %mm = fuse.binary mul %m, %m {fuse.group = array<i64: 0>} : !row
  %v0 = fuse.binary sub %ms, %mm {fuse.group = array<i64: 0>} : !row
  %var = fuse.binary max %v0, %z {fuse.group = array<i64: 0>} : !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %eps, %var {fuse.group = array<i64: 0>} : !row
  %i = fuse.unary rsqrt %ve {fuse.group = array<i64: 0>} : !row
  %k = fuse.binary mul %g, %i {fuse.group = array<i64: 0>} : (!v, !row) -> !x
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %s = fuse.binary mul %k, %c {fuse.group = array<i64: 0>} : !x
  %h = fuse.binary add %b, %s {fuse.group = array<i64: 0>} : (!v, !x) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

// x·a + (b − mean·a), a = scale · (variance + ε)^−½ by pow.
func.func @scale_and_shift(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=layernorm-linear{{$}}
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %two = arith.constant dense<2.000000e+00> : !row
  %q = fuse.binary pow %c, %two {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %half = arith.constant dense<-5.000000e-01> : !row
  %i = fuse.binary pow %ve, %half {fuse.group = array<i64: 0>} : !row
  %a = fuse.binary mul %i, %g {fuse.group = array<i64: 0>} : (!row, !v) -> !x
  %xa = fuse.binary mul %x, %a {fuse.group = array<i64: 0>} : !x
  %ma = fuse.binary mul %a, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %sh = fuse.binary sub %b, %ma {fuse.group = array<i64: 0>} : (!v, !x) -> !x
  %h = fuse.binary add %sh, %xa {fuse.group = array<i64: 0>} : !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

func.func @one_plus_scale(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=layernorm-linear{{$}}
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %c, %c {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %sd = fuse.unary sqrt %ve {fuse.group = array<i64: 0>} : !row
  %i = fuse.unary reciprocal %sd {fuse.group = array<i64: 0>} : !row
  %n = fuse.binary mul %c, %i {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %one = arith.constant dense<1.000000e+00> : !v
  %g1 = fuse.binary add %one, %g {fuse.group = array<i64: 0>} : !v
  %h = fuse.binary mul %g1, %n {fuse.group = array<i64: 0>} : (!v, !x) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

// Rows reduced without keep_dims, and split again before the product.
func.func @views(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> tensor<2x4x4xf32> {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=layernorm-linear{{$}}
  %m = fuse.reduce mean %x dimensions = [1] {fuse.group = array<i64: 0>} : !x -> tensor<8xf32>
  %m1 = fuse.reshape %m : tensor<8xf32> -> !row
  %c = fuse.binary sub %x, %m1 {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %c, %c {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] {fuse.group = array<i64: 0>} : !x -> tensor<8xf32>
  %eps = arith.constant dense<1.000000e-05> : tensor<f32>
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %i = fuse.unary rsqrt %ve {fuse.group = array<i64: 0>} : tensor<8xf32>
  %i1 = fuse.broadcast %i dimensions = [1] : tensor<8xf32> -> !x
  %n = fuse.binary mul %i1, %c {fuse.group = array<i64: 0>} : !x
  %s = fuse.binary mul %n, %g {fuse.group = array<i64: 0>} : (!x, !v) -> !x
  %h = fuse.binary add %s, %b {fuse.group = array<i64: 0>} : (!x, !v) -> !x
  %t = fuse.reshape %h : !x -> tensor<2x4x16xf32>
  %r = fuse.matmul %t, %w {fuse.group = array<i64: 0>} : (tensor<2x4x16xf32>, !w) -> tensor<2x4x4xf32>
  return %r : tensor<2x4x4xf32>
}

// Near misses. Rows that are not centered.
func.func @rms_norm(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %q = fuse.binary mul %x, %x {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %i = fuse.unary rsqrt %ve {fuse.group = array<i64: 0>} : !row
  %h = fuse.binary mul %x, %i {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

// The variance of another value.
func.func @variance_of_two(%x: !x, %z: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %z, %z {fuse.group = array<i64: 0>} : !x
  %ms = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %mm = fuse.binary mul %m, %m {fuse.group = array<i64: 0>} : !row
  %var = fuse.binary sub %ms, %mm {fuse.group = array<i64: 0>} : !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %sd = fuse.unary sqrt %ve {fuse.group = array<i64: 0>} : !row
  %h = fuse.binary div %c, %sd {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

// By the variance instead of its root.
func.func @not_divided(%x: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %c, %c {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %h = fuse.binary div %c, %ve {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

func.func @residual_before(%y: !x, %z: !x, %w: !w, %g: !v, %b: !v, %bias: tensor<4xf32>) -> !y {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %x = fuse.binary add %y, %z {fuse.group = array<i64: 0>} : !x
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %c, %c {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %sd = fuse.unary sqrt %ve {fuse.group = array<i64: 0>} : !row
  %h = fuse.binary div %c, %sd {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %o = fuse.matmul %h, %w {fuse.group = array<i64: 0>} : (!x, !w) -> !y
  %r = fuse.binary add %o, %bias {fuse.group = array<i64: 0>} : (!y, tensor<4xf32>) -> !y
  return %r : !y
}

// A norm along the rows of the product.
func.func @other_axis(%x: !x, %w: tensor<8x4xf32>, %g: !v, %bias: tensor<4xf32>) -> tensor<16x4xf32> {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %m = fuse.reduce mean %x dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %c = fuse.binary sub %x, %m {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %q = fuse.binary mul %c, %c {fuse.group = array<i64: 0>} : !x
  %var = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !x -> !row
  %eps = arith.constant dense<1.000000e-05> : !row
  %ve = fuse.binary add %var, %eps {fuse.group = array<i64: 0>} : !row
  %sd = fuse.unary sqrt %ve {fuse.group = array<i64: 0>} : !row
  %h = fuse.binary div %c, %sd {fuse.group = array<i64: 0>} : (!x, !row) -> !x
  %r = fuse.matmul %h, %w transpose_lhs {fuse.group = array<i64: 0>} : (!x, tensor<8x4xf32>) -> tensor<16x4xf32>
  return %r : tensor<16x4xf32>
}
