// Only the pattern becomes kernels, with the batch norm as written or in primitives.
// RUN: fuse-opt %s --fuse-conv-bn-relu --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-decompose --fuse-conv-bn-relu --split-input-file | FileCheck %s --check-prefix=PRIMITIVES
// RUN: fuse-opt %s --fuse-conv-bn-relu --split-input-file --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS

!image = tensor<1x4x8x8xf32>
!filter = tensor<4x4x1x1xf32>
!channel = tensor<4xf32>

// Two in sequence are two kernels; an op that stands between is none of theirs.
// CHECK-LABEL: func.func @two
// CHECK: %[[N:.*]] = fuse.unary neg
// CHECK: %[[A:.*]] = fuse.kernel
// CHECK-NEXT: fuse.conv2d {{.*}} strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw :
// CHECK-NEXT: fuse.batch_norm
// CHECK-NEXT: fuse.unary relu
// CHECK-NEXT: yield
// CHECK: %[[B:.*]] = fuse.kernel ({{.*}} = %[[A]],
// CHECK-NEXT: fuse.conv2d
// CHECK-NEXT: fuse.batch_norm
// CHECK-NEXT: fuse.unary relu
// CHECK-NEXT: yield
// CHECK: return %[[B]], %[[N]]
// PRIMITIVES-LABEL: func.func @two
// PRIMITIVES: fuse.unary neg
// PRIMITIVES: fuse.kernel
// PRIMITIVES-COUNT-1: fuse.conv2d
// PRIMITIVES: fuse.unary relu
// PRIMITIVES-NEXT: yield
// PRIMITIVES: fuse.kernel
// PRIMITIVES: fuse.conv2d
// PRIMITIVES: fuse.unary relu
// PRIMITIVES-NEXT: yield
// PRIMITIVES: return
func.func @two(%x: !image, %w: !filter, %s: !channel, %o: !channel, %m: !channel, %v: !channel)
    -> (!image, !image) {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %1 = fuse.unary neg %x : !image
  %2 = fuse.batch_norm %0, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %3 = fuse.unary relu %2 : !image
  %4 = fuse.conv2d %3, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %5 = fuse.batch_norm %4, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %6 = fuse.unary relu %5 : !image
  return %6, %1 : !image, !image
}

// Commuted, by a reciprocal root that another op reads too: that stays outside.
// CHECK-LABEL: func.func @by_hand
// CHECK: %[[R:.*]] = fuse.unary rsqrt
// CHECK: fuse.kernel
// CHECK-NEXT: %[[C:.*]] = fuse.conv2d
// CHECK: fuse.binary mul %{{.*}}, %[[C]]
// CHECK: fuse.binary add
// CHECK: fuse.unary relu
// CHECK-NEXT: yield
// CHECK-NOT: fuse.kernel
func.func @by_hand(%x: !image, %w: !filter, %o: !channel, %v: tensor<4x1x1xf32>) -> (!image, tensor<4x1x1xf32>) {
  %r = fuse.unary rsqrt %v : tensor<4x1x1xf32>
  %c = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %o3 = fuse.reshape %o : !channel -> tensor<4x1x1xf32>
  %a = fuse.binary mul %r, %c : (tensor<4x1x1xf32>, !image) -> !image
  %b = fuse.binary add %o3, %a : (tensor<4x1x1xf32>, !image) -> !image
  %d = fuse.unary relu %b : !image
  return %d, %r : !image, tensor<4x1x1xf32>
}

// -----

!image = tensor<1x4x8x8xf32>
!filter = tensor<4x4x1x1xf32>
!channel = tensor<4xf32>

// CHECK-LABEL: func.func @near
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @near(%x: !image, %w: !filter, %s: !channel) -> (!image, !image, !image, !image, !image) {
  // REMARKS: [Missed] escapes {{.*}} Reason="the result of 'conv2d(4 channels, 1x1)' leaves the block"
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %1 = fuse.batch_norm %0, %s, %s, %s, %s epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %2 = fuse.unary relu %1 : !image
  // REMARKS: [Missed] several-consumers {{.*}} Reason="the result of 'conv2d(4 channels, 1x1)' is also read by 'tanh'"
  %3 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %4 = fuse.batch_norm %3, %s, %s, %s, %s epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %5 = fuse.unary tanh %3 : !image
  %6 = fuse.binary add %4, %5 : !image
  // REMARKS: [Missed] pattern-ends {{.*}} Reason="'relu' is not the batch norm", Remark="conv2d(4 channels, 1x1) is not fused with relu", Suggestion="the batch norm of the value"
  %7 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %8 = fuse.unary relu %7 : !image
  // REMARKS: [Missed] pattern-ends {{.*}} Reason="'exp' is not the relu"
  %9 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %10 = fuse.batch_norm %9, %s, %s, %s, %s epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %11 = fuse.unary exp %10 : !image
  // REMARKS: [Missed] kept-alone {{.*}} Reason="'relu' is marked fuse.alone"
  %12 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (!image, !filter) -> !image
  %13 = fuse.batch_norm %12, %s, %s, %s, %s epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %14 = fuse.unary relu %13 {fuse.alone} : !image
  return %0, %2, %6, %8, %11 : !image, !image, !image, !image, !image
}
