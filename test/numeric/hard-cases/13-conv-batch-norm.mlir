// Case 13: a convolution and the batch norm behind it. The norm is an epilogue: weights are never
// folded unasked, so that numbers are those of the unfused program, bit by bit.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline | FileCheck %s --check-prefix=IR
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// Groups: the norm's channel is that of the output.
// CHECK-LABEL: @grouped
// CHECK-NEXT: Fusion: 3 → 1 kernels
// CHECK: {{[0-9.-]+}} 6 1
// expect kernels=1 blocks>=16
// with %g = 10.0 ** (np.arange(16) / 8)
// with %v = np.linspace(0.25, 2, 16)
func.func @grouped(%x: tensor<1x8x20x20xf32>, %w: tensor<16x2x3x3xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<1x16x20x20xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 4 layout = nchw_fchw : (tensor<1x8x20x20xf32>, tensor<16x2x3x3xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.batch_norm %0, %g, %b, %m, %v epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x20x20xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %2 = fuse.unary relu %1 : tensor<1x16x20x20xf32>
  return %2 : tensor<1x16x20x20xf32>
}

// Depthwise, channels last.
// CHECK-LABEL: @depthwise
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
// with %g = 10.0 ** (np.arange(16) / 8)
// with %v = np.linspace(0.25, 2, 16)
func.func @depthwise(%x: tensor<2x20x20x16xf32>, %w: tensor<3x3x1x16xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<2x20x20x16xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 16 layout = nhwc_hwcf : (tensor<2x20x20x16xf32>, tensor<3x3x1x16xf32>) -> tensor<2x20x20x16xf32>
  %1 = fuse.batch_norm %0, %g, %b, %m, %v epsilon = 1.0e-05 feature_dimension = 3 : (tensor<2x20x20x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x20x20x16xf32>
  %2 = fuse.unary relu %1 : tensor<2x20x20x16xf32>
  return %2 : tensor<2x20x20x16xf32>
}

// The convolution itself is returned, too: what the norm would have been folded into is needed as
// it is.
// CHECK-LABEL: @two_users
// CHECK-NEXT: Fusion: 3 → 1 kernels
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 6 2 {{[0-9.[:space:]-]+}}conv2d(16 channels, 3x3), batch_norm(16), relu{{$}}
// expect kernels=1 blocks>=16
// with %g = 10.0 ** (np.arange(16) / 8)
// with %v = np.linspace(0.25, 2, 16)
func.func @two_users(%x: tensor<1x8x20x20xf32>, %w: tensor<16x8x3x3xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> (tensor<1x16x20x20xf32>, tensor<1x16x20x20xf32>) {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x8x20x20xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.batch_norm %0, %g, %b, %m, %v epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x20x20xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %2 = fuse.unary relu %1 : tensor<1x16x20x20xf32>
  return %0, %2 : tensor<1x16x20x20xf32>, tensor<1x16x20x20xf32>
}

// Two norms of one convolution, each with its own weights; parameters all.
// CHECK-LABEL: @two_norms
// CHECK-NEXT: Fusion: 4 → 1 kernels
// IR-LABEL: @two_norms
// IR-COUNT-1: fuse.conv2d %{{[a-z0-9]+}}, %{{[a-z0-9]+}} strides
// IR-NOT: fuse.conv2d
// IR: return
// expect kernels=1 blocks>=16
// with %v = np.linspace(0.25, 2, 16)
func.func @two_norms(%x: tensor<1x8x20x20xf32>, %w: tensor<16x8x3x3xf32> {fuse.param}, %g: tensor<16xf32> {fuse.param}, %b: tensor<16xf32> {fuse.param}, %m: tensor<16xf32> {fuse.param}, %v: tensor<16xf32> {fuse.param}) -> tensor<1x16x20x20xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x8x20x20xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.batch_norm %0, %g, %b, %m, %v epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x20x20xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %2 = fuse.batch_norm %0, %b, %g, %m, %v epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x20x20xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %3 = fuse.binary add %1, %2 : tensor<1x16x20x20xf32>
  return %3 : tensor<1x16x20x20xf32>
}

// bf16: rounded after the convolution and at every step of the norm, as unfused.
// CHECK-LABEL: @short_floats
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
// with %v = np.linspace(0.25, 2, 16)
func.func @short_floats(%x: tensor<1x8x20x20xbf16>, %w: tensor<16x8x3x3xbf16>, %g: tensor<16xbf16>, %b: tensor<16xbf16>, %m: tensor<16xbf16>, %v: tensor<16xbf16>) -> tensor<1x16x20x20xbf16> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x8x20x20xbf16>, tensor<16x8x3x3xbf16>) -> tensor<1x16x20x20xbf16>
  %1 = fuse.batch_norm %0, %g, %b, %m, %v epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x20x20xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<1x16x20x20xbf16>
  %2 = fuse.unary relu %1 : tensor<1x16x20x20xbf16>
  return %2 : tensor<1x16x20x20xbf16>
}
