// Q·Kᵀ, softmax, ·V, with corrections of the scores and the quotient on either side.
// RUN: fuse-opt %s --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s

!q = tensor<2x8x4xf32>
!kv = tensor<2x16x4xf32>
!s = tensor<2x8x16xf32>
!row = tensor<2x8x1xf32>

func.func @plain(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=attention{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %top = fuse.reduce max %s dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %s, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %w = fuse.binary div %e, %sum {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %r = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}

func.func @composite_softmax(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=attention{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %w = fuse.softmax %s dimension = -1 {fuse.group = array<i64: 0>} : !s
  %r = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}

// The mask first, the scale as a quotient, the product with the reciprocal sum.
func.func @masked(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=attention{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<2.000000e+00> : tensor<f32>
  %s = fuse.binary div %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %m = fuse.binary add %mask, %s {fuse.group = array<i64: 0>} : !s
  %top = fuse.reduce max %m dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %m, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %i = fuse.unary reciprocal %sum {fuse.group = array<i64: 0>} : !row
  %w = fuse.binary mul %i, %e {fuse.group = array<i64: 0>} : (!row, !s) -> !s
  %r = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}

// The quotient after the second product.
func.func @divided_after(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=attention{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %top = fuse.reduce max %s dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %s, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %o = fuse.matmul %e, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  %r = fuse.binary div %o, %sum {fuse.group = array<i64: 0>} : (!q, !row) -> !q
  return %r : !q
}

// A mask in the making, and a scaled query.
func.func @causal(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=attention{{$}}
  %qs = fuse.binary mul %n, %q {fuse.group = array<i64: 0>} : (tensor<f32>, !q) -> !q
  %p = fuse.matmul %qs, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %row = fuse.iota dimension = 0 {fuse.group = array<i64: 0>} : tensor<8x16xi64>
  %col = fuse.iota dimension = 1 {fuse.group = array<i64: 0>} : tensor<8x16xi64>
  %keep = fuse.compare le %col, %row {fuse.group = array<i64: 0>} : (tensor<8x16xi64>, tensor<8x16xi64>) -> tensor<8x16xi1>
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %s = fuse.select %keep, %p, %low {fuse.group = array<i64: 0>} : (tensor<8x16xi1>, !s, tensor<f32>) -> !s
  %top = fuse.reduce max %s dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %s, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %w = fuse.binary div %e, %sum {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %r = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}

// Scores cast to f64 for the softmax, rows reduced without keep_dims, keys already transposed.
func.func @casts_and_views(%q: !q, %k: tensor<2x4x16xf32>, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=attention{{$}}
  %p = fuse.matmul %q, %k {fuse.group = array<i64: 0>} : (!q, tensor<2x4x16xf32>) -> !s
  %s = fuse.cast %p {fuse.group = array<i64: 0>} : (!s) -> tensor<2x8x16xf64>
  %top = fuse.reduce max %s dimensions = [2] {fuse.group = array<i64: 0>} : tensor<2x8x16xf64> -> tensor<2x8xf64>
  %t1 = fuse.reshape %top : tensor<2x8xf64> -> tensor<2x8x1xf64>
  %sh = fuse.binary sub %s, %t1 {fuse.group = array<i64: 0>} : (tensor<2x8x16xf64>, tensor<2x8x1xf64>) -> tensor<2x8x16xf64>
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : tensor<2x8x16xf64>
  %sum = fuse.reduce sum %e dimensions = [2] {fuse.group = array<i64: 0>} : tensor<2x8x16xf64> -> tensor<2x8xf64>
  %t2 = fuse.broadcast %sum dimensions = [2] : tensor<2x8xf64> -> tensor<2x8x16xf64>
  %w = fuse.binary div %e, %t2 {fuse.group = array<i64: 0>} : tensor<2x8x16xf64>
  %f = fuse.cast %w {fuse.group = array<i64: 0>} : (tensor<2x8x16xf64>) -> !s
  %r = fuse.matmul %f, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}

// Near misses. A softmax along the queries.
func.func @other_axis(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %top = fuse.reduce max %p dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !s -> tensor<2x1x16xf32>
  %sh = fuse.binary sub %p, %top {fuse.group = array<i64: 0>} : (!s, tensor<2x1x16xf32>) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [1] keep_dims {fuse.group = array<i64: 0>} : !s -> tensor<2x1x16xf32>
  %w = fuse.binary div %e, %sum {fuse.group = array<i64: 0>} : (!s, tensor<2x1x16xf32>) -> !s
  %r = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}

func.func @no_quotient(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %top = fuse.reduce max %s dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %s, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %o = fuse.matmul %e, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  %r = fuse.binary mul %o, %sum {fuse.group = array<i64: 0>} : (!q, !row) -> !q
  return %r : !q
}

func.func @twice_divided(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %top = fuse.reduce max %s dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %s, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %w = fuse.binary div %e, %sum {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %o = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  %r = fuse.binary div %o, %sum {fuse.group = array<i64: 0>} : (!q, !row) -> !q
  return %r : !q
}

func.func @residual(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %top = fuse.reduce max %s dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %s, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %w = fuse.binary div %e, %sum {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %o = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  %r = fuse.binary add %o, %q {fuse.group = array<i64: 0>} : !q
  return %r : !q
}

func.func @sigmoid(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %w = fuse.unary sigmoid %s {fuse.group = array<i64: 0>} : !s
  %r = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}

// The maximum of something else.
func.func @other_maximum(%q: !q, %k: !kv, %v: !kv, %mask: !s) -> !q {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %p = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!q, !kv) -> !s
  %n = arith.constant dense<5.000000e-01> : tensor<f32>
  %s = fuse.binary mul %p, %n {fuse.group = array<i64: 0>} : (!s, tensor<f32>) -> !s
  %top = fuse.reduce max %p dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %sh = fuse.binary sub %s, %top {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %e = fuse.unary exp %sh {fuse.group = array<i64: 0>} : !s
  %sum = fuse.reduce sum %e dimensions = [2] keep_dims {fuse.group = array<i64: 0>} : !s -> !row
  %w = fuse.binary div %e, %sum {fuse.group = array<i64: 0>} : (!s, !row) -> !s
  %r = fuse.matmul %w, %v {fuse.group = array<i64: 0>} : (!s, !kv) -> !q
  return %r : !q
}
