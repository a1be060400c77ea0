// conv2d, a scale and a shift of each channel in any spelling, relu.
// RUN: fuse-opt %s --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s

!image = tensor<1x4x8x8xf32>
!filter = tensor<4x4x1x1xf32>
!channel = tensor<4xf32>

func.func @composite(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %n = fuse.batch_norm %c, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 {fuse.group = array<i64: 0>} : (!image, !channel, !channel, !channel, !channel) -> !image
  %r = fuse.unary relu %n {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

func.func @primitives(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %e = arith.constant dense<1.000000e-05> : tensor<4x1x1xf32>
  %a = fuse.binary sub %c, %m3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %b = fuse.binary add %v3, %e {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %d = fuse.unary sqrt %b {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %f = fuse.binary div %a, %d {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %g = fuse.binary mul %f, %s3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %h = fuse.binary add %g, %o3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %r = fuse.unary relu %h {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

// Commuted, by rsqrt, the scale multiplied into it first, x + (−mean), and max with 0.
func.func @rsqrt_commuted(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %e = arith.constant dense<1.000000e-05> : tensor<4x1x1xf32>
  %z = arith.constant dense<0.000000e+00> : !image
  %b = fuse.binary add %e, %v3 {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %d = fuse.unary rsqrt %b {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %f = fuse.binary mul %d, %s3 {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %g = fuse.unary neg %m3 {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %a = fuse.binary add %g, %c {fuse.group = array<i64: 0>} : (tensor<4x1x1xf32>, !image) -> !image
  %h = fuse.binary mul %f, %a {fuse.group = array<i64: 0>} : (tensor<4x1x1xf32>, !image) -> !image
  %i = fuse.binary add %o3, %h {fuse.group = array<i64: 0>} : (tensor<4x1x1xf32>, !image) -> !image
  %r = fuse.binary max %z, %i {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

// One scale and one shift.
func.func @scale_and_shift(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %a = fuse.binary mul %c, %s3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %b = fuse.binary add %a, %o3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %r = fuse.unary relu %b {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

// x·a + (b − mean·a), and relu by select.
func.func @shift_minus_scaled_mean(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %e = arith.constant dense<1.000000e-05> : tensor<4x1x1xf32>
  %z = arith.constant dense<0.000000e+00> : !image
  %b = fuse.binary add %v3, %e {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %d = fuse.unary sqrt %b {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %f = fuse.unary reciprocal %d {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %g = fuse.binary mul %f, %s3 {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %h = fuse.binary mul %m3, %g {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %i = fuse.binary sub %o3, %h {fuse.group = array<i64: 0>} : tensor<4x1x1xf32>
  %j = fuse.binary mul %c, %g {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %k = fuse.binary add %j, %i {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %p = fuse.compare gt %k, %z {fuse.group = array<i64: 0>} : (!image, !image) -> tensor<1x4x8x8xi1>
  %r = fuse.select %p, %k, %z {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xi1>, !image, !image) -> !image
  return %r : !image
}

func.func @explicit_broadcast(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s4 = fuse.broadcast %s dimensions = [0, 2, 3] : !channel -> !image
  %o4 = fuse.broadcast %o dimensions = [0, 2, 3] : !channel -> !image
  %a = fuse.binary mul %s4, %c {fuse.group = array<i64: 0>} : !image
  %b = fuse.binary add %o4, %a {fuse.group = array<i64: 0>} : !image
  %r = fuse.unary relu %b {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

// A transpose between keeps the channels apart.
func.func @channels_last(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> tensor<1x8x8x4xf32> {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=conv-bn-relu{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %t = fuse.transpose %c permutation = [0, 2, 3, 1] : !image -> tensor<1x8x8x4xf32>
  %a = fuse.binary mul %t, %s {fuse.group = array<i64: 0>} : (tensor<1x8x8x4xf32>, !channel) -> tensor<1x8x8x4xf32>
  %b = fuse.binary add %a, %o {fuse.group = array<i64: 0>} : (tensor<1x8x8x4xf32>, !channel) -> tensor<1x8x8x4xf32>
  %r = fuse.unary relu %b {fuse.group = array<i64: 0>} : tensor<1x8x8x4xf32>
  return %r : tensor<1x8x8x4xf32>
}

// Near misses. A bias is no batch norm.
func.func @bias(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %b = fuse.binary add %c, %o3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %r = fuse.unary relu %b {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

// A scale that runs along another dimension than the channels, of the same extent or not.
func.func @other_dimension(%x: !image, %w: !filter, %s: tensor<8xf32>, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %a = fuse.binary mul %c, %s {fuse.group = array<i64: 0>} : (!image, tensor<8xf32>) -> !image
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %b = fuse.binary add %a, %o3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %r = fuse.unary relu %b {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

func.func @other_activation(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %a = fuse.binary mul %c, %s3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %b = fuse.binary add %a, %o3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %r = fuse.unary sigmoid %b {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

// One number for all channels.
func.func @one_number(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %k = arith.constant dense<2.000000e+00> : tensor<f32>
  %a = fuse.binary mul %c, %k {fuse.group = array<i64: 0>} : (!image, tensor<f32>) -> !image
  %b = fuse.binary add %a, %k {fuse.group = array<i64: 0>} : (!image, tensor<f32>) -> !image
  %r = fuse.unary relu %b {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

// An op that the pattern does not account for.
func.func @residual(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %a = fuse.binary mul %c, %s3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %b = fuse.binary add %a, %o3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %d = fuse.binary add %b, %x {fuse.group = array<i64: 0>} : !image
  %r = fuse.unary relu %d {fuse.group = array<i64: 0>} : !image
  return %r : !image
}

func.func @after_relu(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel) -> !image {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] label {{.*}} Remark=contraction{{$}}
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.group = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %s3 = fuse.reshape %s : !channel -> tensor<4x1x1xf32>
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %m3 = fuse.reshape %m : !channel -> tensor<4x1x1xf32>
  %v3 = fuse.reshape %v : !channel -> tensor<4x1x1xf32>
  %a = fuse.binary mul %c, %s3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %b = fuse.binary add %a, %o3 {fuse.group = array<i64: 0>} : (!image, tensor<4x1x1xf32>) -> !image
  %d = fuse.unary relu %b {fuse.group = array<i64: 0>} : !image
  %r = fuse.unary neg %d {fuse.group = array<i64: 0>} : !image
  return %r : !image
}
