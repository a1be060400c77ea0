// A convolution with its batch norm and relu in one kernel, and what it costs then.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels --fuse-report -o /dev/null | FileCheck %s
// The planner makes the same kernels by itself, on the default target, and so does the pass for this one pattern.
// RUN: sed 's/ {fuse.together = "k"}//' %s | fuse-opt --fuse-decompose --fuse-plan --fuse-form-kernels --fuse-report -o /dev/null | FileCheck %s
// RUN: sed 's/ {fuse.together = "k"}//' %s | fuse-opt --fuse-decompose --fuse-conv-bn-relu --fuse-report -o /dev/null | FileCheck %s --check-prefix=PASS
// RUN: sed 's/ {fuse.together = "k"}//' %s | fuse-opt --fuse-conv-bn-relu --fuse-report -o /dev/null | FileCheck %s --check-prefix=PASS
// PASS: after: launches 1, syncs 0, readback 802816 bytes, traffic 1754112 bytes
// PASS: kernel 0: conv-bn-relu {{([0-9.]+ )?}}6 1 {{[0-9.-]+}} 1568.0 {{[0-9.[:space:]-]+}}conv2d(64 channels, 3x3), batch_norm(64), relu{{$}}
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels --fuse-report=json=- -o /dev/null | FileCheck %s --check-prefix=JSON

!image = tensor<1x64x56x56xf32>
!channel = tensor<64xf32>

// CHECK-LABEL: @conv_bn_relu
// CHECK-NEXT: Fusion: 3 → 1 kernels (67% reduction), 1568.0KB memory saved
// CHECK-NEXT: before: launches 3, syncs 0, readback 802816 bytes, traffic 4965376 bytes
// CHECK-NEXT: after: launches 1, syncs 0, readback 802816 bytes, traffic 1754112 bytes
// CHECK: kernel 0: conv-bn-relu {{[0-9.-]+}} 6 1 {{[0-9.-]+}} 1568.0 {{[0-9.[:space:]-]+}}conv2d(64 channels, 3x3), batch_norm(64), relu{{$}}
// JSON: "memory_saved_bytes": 1605632,
// JSON: "traffic_bytes": 1754112,
func.func @conv_bn_relu(%x: !image, %w: tensor<64x64x3x3xf32>, %s: !channel, %o: !channel,
    %m: !channel, %v: !channel) -> !image {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (!image, tensor<64x64x3x3xf32>) -> !image
  %1 = fuse.batch_norm %0, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 {fuse.together = "k"} : (!image, !channel, !channel, !channel, !channel) -> !image
  %2 = fuse.unary relu %1 {fuse.together = "k"} : !image
  return %2 : !image
}

// With the batch norm folded into weights and bias.
// CHECK-LABEL: @folded
// CHECK: after: launches 1, syncs 0, readback 802816 bytes, traffic 1753344 bytes
func.func @folded(%x: !image, %w: tensor<64x64x3x3xf32>, %b: !channel) -> !image {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (!image, tensor<64x64x3x3xf32>, !channel) -> !image
  %1 = fuse.unary relu %0 {fuse.together = "k"} : !image
  return %1 : !image
}

// Two in sequence are two kernels: a convolution needs all of the image before it.
// CHECK-LABEL: @two
// CHECK-NEXT: Fusion: 6 → 2 kernels (67% reduction), 3136.0KB memory saved
// CHECK: kernel 0 × 2: conv-bn-relu
func.func @two(%x: !image, %w: tensor<64x64x3x3xf32>, %s: !channel) -> !image {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (!image, tensor<64x64x3x3xf32>) -> !image
  %1 = fuse.batch_norm %0, %s, %s, %s, %s epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %2 = fuse.unary relu %1 : !image
  %3 = fuse.conv2d %2, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (!image, tensor<64x64x3x3xf32>) -> !image
  %4 = fuse.batch_norm %3, %s, %s, %s, %s epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %5 = fuse.unary relu %4 : !image
  return %5 : !image
}
