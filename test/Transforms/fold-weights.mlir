// Scales and shifts of channels go into weights, where everything is known beforehand.
// RUN: fuse-opt %s --fuse-fold-weights=numerics=folds --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-decompose --fuse-fold-weights=numerics=folds --split-input-file | FileCheck %s --check-prefix=PRIMITIVES
// RUN: fuse-opt %s --fuse-fold-weights=numerics=folds --split-input-file --remarks-filter=fuse-fold-weights -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: fuse-opt %s --split-input-file > %t.before
// RUN: fuse-opt %s --fuse-fold-weights --split-input-file | diff %t.before -
// RUN: fuse-opt %s --fuse-fold-weights=numerics=exact --split-input-file | diff %t.before -
// RUN: fuse-opt %s --fuse-fold-weights --split-input-file --remarks-filter-missed=fuse-fold-weights -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: not fuse-opt %s --fuse-fold-weights=numerics=magic --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown numerics 'magic', expected one of: exact, reassociates, folds, reduced-precision
// DEFAULT: [Missed] numerics {{.*}} Reason="folding rounds weights instead of results", Remark="batch_norm(4) is not folded into conv2d(4 channels, 1x1)", Suggestion=numerics=folds

!image = tensor<1x4x8x8xf32>
!filter = tensor<4x4x1x1xf32>
!channel = tensor<4xf32>

// CHECK-LABEL: func.func @arguments
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x4x8x8xf32>, %[[W:[a-z0-9]+]]: tensor<4x4x1x1xf32>
// CHECK: %[[D:.*]] = fuse.unary sqrt
// CHECK: %[[A:.*]] = fuse.binary div %{{.*}}, %[[D]]
// CHECK: %[[B:.*]] = fuse.binary add
// CHECK: %[[A4:.*]] = fuse.reshape %[[A]] : tensor<4xf32> -> tensor<4x1x1x1xf32>
// CHECK: %[[F:.*]] = fuse.binary mul %[[W]], %[[A4]]
// CHECK: %[[C:.*]] = fuse.conv2d %[[X]], %[[F]], %[[B]] strides
// CHECK-NEXT: %[[R:.*]] = fuse.unary relu %[[C]]
// CHECK-NEXT: return %[[R]]
// PRIMITIVES-LABEL: func.func @arguments
// PRIMITIVES: fuse.conv2d %{{.*}}, %{{.*}}, %{{.*}} strides
// PRIMITIVES-NEXT: fuse.unary relu
// PRIMITIVES-NEXT: return
// REMARKS: [Passed] folded {{.*}} Remark="folded 1 op into the weights of conv2d(4 channels, 1x1)"
func.func @arguments(%x: !image, %w: !filter {fuse.param}, %s: !channel {fuse.param},
    %o: !channel {fuse.param}, %m: !channel {fuse.param}, %v: !channel {fuse.param}) -> !image {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %1 = fuse.batch_norm %0, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %2 = fuse.unary relu %1 : !image
  return %2 : !image
}

// -----

// Constants are folded at once: y = conv + 3, (y − 1) / 2 · 4 + 5 = 2·conv + 9.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[F:.*]] = arith.constant dense<6.000000e+00> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<9.000000e+00> : tensor<2xf32>
// CHECK: %[[C:.*]] = fuse.conv2d %{{.*}}, %[[F]], %[[B]] strides = [2, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 2
// CHECK-NEXT: return %[[C]]
func.func @constants(%x: tensor<1x2x8x8xf32>) -> tensor<1x2x4x8xf32> {
  %w = arith.constant dense<3.000000e+00> : tensor<2x1x1x1xf32>
  %b = arith.constant dense<3.000000e+00> : tensor<2xf32>
  %one = arith.constant dense<1.000000e+00> : tensor<2x1x1xf32>
  %two = arith.constant dense<[[[2.000000e+00]], [[2.000000e+00]]]> : tensor<2x1x1xf32>
  %four = arith.constant dense<4.000000e+00> : tensor<f32>
  %five = arith.constant dense<5.000000e+00> : tensor<1x2x4x8xf32>
  %s = arith.constant dense<1.000000e+00> : tensor<2xf32>
  %z = arith.constant dense<0.000000e+00> : tensor<2xf32>
  %0 = fuse.conv2d %x, %w, %b strides = [2, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 2 layout = nchw_fchw : (tensor<1x2x8x8xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x8xf32>
  %1 = fuse.binary sub %0, %one : (tensor<1x2x4x8xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x8xf32>
  %2 = fuse.binary div %1, %two : (tensor<1x2x4x8xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x8xf32>
  %3 = fuse.binary mul %four, %2 : (tensor<f32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %4 = fuse.binary add %five, %3 : tensor<1x2x4x8xf32>
  %5 = fuse.batch_norm %4, %s, %z, %z, %s epsilon = 0.000000e+00 feature_dimension = 1 : (tensor<1x2x4x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x8xf32>
  return %5 : tensor<1x2x4x8xf32>
}

// -----

// A matmul has no bias of its own.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x16xf32>, %[[W:[a-z0-9]+]]: tensor<4x16xf32> {fuse.param}, %[[S:[a-z0-9]+]]: tensor<4xf32> {fuse.param}, %[[O:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[A:.*]] = fuse.reshape %[[S]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK: %[[F:.*]] = fuse.binary mul %[[W]], %[[A]]
// CHECK: %[[M:.*]] = fuse.matmul %[[X]], %[[F]] transpose_rhs
// CHECK: %[[R:.*]] = fuse.binary add %[[M]], %[[O]]
// CHECK-NEXT: return %[[R]]
func.func @matmul(%x: tensor<8x16xf32>, %w: tensor<4x16xf32> {fuse.param}, %s: tensor<4xf32> {fuse.param}, %o: tensor<4xf32> {fuse.param}) -> tensor<8x4xf32> {
  %0 = fuse.matmul %x, %w transpose_rhs : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  %1 = fuse.binary mul %0, %s : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %2 = fuse.binary add %1, %o : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// bf16 is folded in f32 and rounded once; a transpose between stays.
// CHECK-LABEL: func.func @short
// CHECK: fuse.cast %{{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: fuse.binary mul %{{.*}}, %{{.*}} : (tensor<1x1x4x4xf32>, tensor<4xf32>) -> tensor<1x1x4x4xf32>
// CHECK: %[[F:.*]] = fuse.cast %{{.*}} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xbf16>
// CHECK: %[[C:.*]] = fuse.conv2d %{{.*}}, %[[F]] strides
// CHECK-NEXT: %[[T:.*]] = fuse.transpose %[[C]]
// CHECK-NEXT: fuse.unary relu %[[T]]
func.func @short(%x: tensor<1x8x8x4xbf16>, %w: tensor<1x1x4x4xbf16> {fuse.param}, %s: tensor<4x1x1xbf16> {fuse.param}) -> tensor<1x4x8x8xbf16> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x8x8x4xbf16>, tensor<1x1x4x4xbf16>) -> tensor<1x8x8x4xbf16>
  %1 = fuse.transpose %0 permutation = [0, 3, 1, 2] : tensor<1x8x8x4xbf16> -> tensor<1x4x8x8xbf16>
  %2 = fuse.binary mul %1, %s : (tensor<1x4x8x8xbf16>, tensor<4x1x1xbf16>) -> tensor<1x4x8x8xbf16>
  %3 = fuse.unary relu %2 : tensor<1x4x8x8xbf16>
  return %3 : tensor<1x4x8x8xbf16>
}

// -----

!image = tensor<1x4x8x8xf32>
!filter = tensor<4x4x1x1xf32>
!channel = tensor<4xf32>

// CHECK-LABEL: func.func @refused
// CHECK-COUNT-3: fuse.batch_norm
func.func @refused(%x: !image, %w: !filter {fuse.param}, %u: !filter, %v: !channel {fuse.param}, %s: !channel) -> (!image, !image, !image, !image) {
  // REMARKS: [Missed] several-consumers {{.*}} Reason="others read the result of 'conv2d(4 channels, 1x1)' as it is"
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %1 = fuse.batch_norm %0, %v, %v, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  // REMARKS: [Missed] not-parameters {{.*}} Reason="the weights of 'conv2d(4 channels, 1x1)' are computed from inputs"
  %2 = fuse.conv2d %x, %u strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %3 = fuse.batch_norm %2, %v, %v, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  // REMARKS: [Missed] not-parameters {{.*}} Reason="an operand of 'batch_norm(4)' is computed from inputs"
  %4 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %5 = fuse.batch_norm %4, %v, %s, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  return %0, %1, %3, %5 : !image, !image, !image, !image
}
