// Kernels that hold several patterns: a pool behind conv-bn-relu, a bottleneck, attention with a projection.
// RUN: fuse-opt %s --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s

!image = tensor<1x4x8x8xf32>
!half = tensor<1x4x4x4xf32>
!filter = tensor<4x4x1x1xf32>
!wide = tensor<4x4x3x3xf32>
!channel = tensor<4xf32>
!rows = tensor<6x4xf32>

func.func @pool(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !half {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu-pool{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (!image, !filter) -> !image
  %n = fuse.batch_norm %c, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 {fuse.group = array<i64: 0>} : (!image, !channel, !channel, !channel, !channel) -> !image
  %r = fuse.unary relu %n {fuse.group = array<i64: 0>} : !image
  %p = fuse.max_pool2d %r kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw {fuse.group = array<i64: 0>} : !image -> !half
  return %p : !half
}

// The pool reads what the relu reads: that is no chain.
func.func @beside(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> (!image, !half) {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=other{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (!image, !filter) -> !image
  %n = fuse.batch_norm %c, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 {fuse.group = array<i64: 0>} : (!image, !channel, !channel, !channel, !channel) -> !image
  %r = fuse.unary relu %n {fuse.group = array<i64: 0>} : !image
  %p = fuse.max_pool2d %n kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw {fuse.group = array<i64: 0>} : !image -> !half
  return %r, %p : !image, !half
}

func.func @bottleneck(%x: !image, %skip: !image, %w: !wide, %u: !filter, %b: tensor<4x1x1xf32>) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=bottleneck{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (!image, !wide) -> !image
  %d = fuse.binary add %c, %b {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %r = fuse.unary relu %d {fuse.group = array<i64: 0>} : !image
  %e = fuse.conv2d %r, %u strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (!image, !filter) -> !image
  %f = fuse.binary add %e, %skip {fuse.group = array<i64: 0>} : !image
  return %f : !image
}

// Two that have nothing to do with each other.
func.func @apart(%x: !image, %y: !image, %w: !wide, %u: !filter) -> (!image, !image) {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (!image, !wide) -> !image
  %e = fuse.conv2d %y, %u strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (!image, !filter) -> !image
  return %c, %e : !image, !image
}

func.func @projection(%q: !rows, %x: !rows, %wk: tensor<4x4xf32>, %v: !rows) -> !rows {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=attention-projection{{$}}
  %k = fuse.matmul %x, %wk {fuse.group = array<i64: 0>} : (!rows, tensor<4x4xf32>) -> !rows
  %s = fuse.matmul %q, %k transpose_rhs {fuse.group = array<i64: 0>} : (!rows, !rows) -> tensor<6x6xf32>
  %p = fuse.softmax %s dimension = -1 {fuse.group = array<i64: 0>} : tensor<6x6xf32>
  %o = fuse.matmul %p, %v {fuse.group = array<i64: 0>} : (tensor<6x6xf32>, !rows) -> !rows
  return %o : !rows
}
