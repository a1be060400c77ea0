// RUN: fuse-opt %s --fuse-pipeline=layouts | FileCheck %s

// Three convolutions of a residual network in one kernel: at the borders of tiles of rows parts of the first one are computed
// twice, which is priced 0.2 % dearer than two kernels. Prices of that are not more exact, and one kernel is better than two.
// CHECK-LABEL: func.func @bottleneck
// CHECK: fuse.kernel
// CHECK-COUNT-3: fuse.conv2d
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @bottleneck(%x: tensor<1x28x28x128xf32>, %r: tensor<1x28x28x512xf32>, %w: tensor<3x3x128x128xf32> {fuse.param},
    %b: tensor<128xf32> {fuse.param}, %v: tensor<1x1x128x512xf32> {fuse.param}, %c: tensor<512xf32> {fuse.param},
    %u: tensor<1x1x512x128xf32> {fuse.param}, %d: tensor<128xf32> {fuse.param}) -> (tensor<1x28x28x512xf32>, tensor<1x28x28x128xf32>) {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf
      : (tensor<1x28x28x128xf32>, tensor<3x3x128x128xf32>, tensor<128xf32>) -> tensor<1x28x28x128xf32>
  %1 = fuse.unary relu %0 : tensor<1x28x28x128xf32>
  %2 = fuse.conv2d %1, %v, %c strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf
      : (tensor<1x28x28x128xf32>, tensor<1x1x128x512xf32>, tensor<512xf32>) -> tensor<1x28x28x512xf32>
  %3 = fuse.binary add %2, %r : tensor<1x28x28x512xf32>
  %4 = fuse.unary relu %3 : tensor<1x28x28x512xf32>
  %5 = fuse.conv2d %4, %u, %d strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf
      : (tensor<1x28x28x512xf32>, tensor<1x1x512x128xf32>, tensor<128xf32>) -> tensor<1x28x28x128xf32>
  %6 = fuse.unary relu %5 : tensor<1x28x28x128xf32>
  return %4, %6 : tensor<1x28x28x512xf32>, tensor<1x28x28x128xf32>
}
