// Contractions with what stands before and behind them are one kernel, by the planner's own decision.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// CHECK-LABEL: @matmul_relu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @matmul_relu(%x: tensor<50x70xf32>, %w: tensor<70x90xf32>, %b: tensor<90xf32>, %r: tensor<50x90xf32>) -> tensor<50x90xf32> {
  %0 = fuse.matmul %x, %w : (tensor<50x70xf32>, tensor<70x90xf32>) -> tensor<50x90xf32>
  %1 = fuse.binary add %0, %b : (tensor<50x90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  %2 = fuse.unary relu %1 : tensor<50x90xf32>
  %3 = fuse.binary add %2, %r : tensor<50x90xf32>
  return %3 : tensor<50x90xf32>
}

// CHECK-LABEL: @matmul_gelu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @matmul_gelu(%x: tensor<2x50x70xf32>, %w: tensor<70x90xf32>, %b: tensor<90xf32>, %r: tensor<2x50x90xf32>) -> tensor<2x50x90xf32> {
  %0 = fuse.matmul %x, %w : (tensor<2x50x70xf32>, tensor<70x90xf32>) -> tensor<2x50x90xf32>
  %1 = fuse.binary add %0, %b : (tensor<2x50x90xf32>, tensor<90xf32>) -> tensor<2x50x90xf32>
  %2 = fuse.unary gelu %1 approximate = none : tensor<2x50x90xf32>
  %3 = fuse.binary add %2, %r : tensor<2x50x90xf32>
  return %3 : tensor<2x50x90xf32>
}

// CHECK-LABEL: @matmul_silu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @matmul_silu(%x: tensor<50x70xbf16>, %w: tensor<70x90xbf16>, %b: tensor<90xbf16>, %r: tensor<50x90xbf16>) -> tensor<50x90xbf16> {
  %0 = fuse.matmul %x, %w : (tensor<50x70xbf16>, tensor<70x90xbf16>) -> tensor<50x90xbf16>
  %1 = fuse.binary add %0, %b : (tensor<50x90xbf16>, tensor<90xbf16>) -> tensor<50x90xbf16>
  %2 = fuse.unary silu %1 : tensor<50x90xbf16>
  %3 = fuse.binary add %2, %r : tensor<50x90xbf16>
  return %3 : tensor<50x90xbf16>
}

// CHECK-LABEL: @conv_bn_relu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
// with %v = np.linspace(0.25, 2, 16)
func.func @conv_bn_relu(%x: tensor<1x8x20x20xf32>, %w: tensor<16x8x3x3xf32>, %a: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<1x16x20x20xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x8x20x20xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.batch_norm %0, %a, %b, %m, %v epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x20x20xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %2 = fuse.unary relu %1 : tensor<1x16x20x20xf32>
  return %2 : tensor<1x16x20x20xf32>
}

// CHECK-LABEL: @conv_bn_add_relu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
// with %v = np.linspace(0.25, 2, 16)
func.func @conv_bn_add_relu(%x: tensor<2x20x20x8xf32>, %w: tensor<3x3x8x16xf32>, %a: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>, %r: tensor<2x10x10x16xf32>) -> tensor<2x10x10x16xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf : (tensor<2x20x20x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x10x10x16xf32>
  %1 = fuse.batch_norm %0, %a, %b, %m, %v epsilon = 1.0e-05 feature_dimension = 3 : (tensor<2x10x10x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x10x10x16xf32>
  %2 = fuse.binary add %1, %r : tensor<2x10x10x16xf32>
  %3 = fuse.unary relu %2 : tensor<2x10x10x16xf32>
  return %3 : tensor<2x10x10x16xf32>
}

// CHECK-LABEL: @grouped_conv_relu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @grouped_conv_relu(%x: tensor<1x8x20x20xf32>, %w: tensor<16x4x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x20x20xf32> {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 2 layout = nchw_fchw : (tensor<1x8x20x20xf32>, tensor<16x4x3x3xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.unary relu %0 : tensor<1x16x20x20xf32>
  return %1 : tensor<1x16x20x20xf32>
}

// CHECK-LABEL: @swiglu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @swiglu(%x: tensor<50x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x96xf32>) -> tensor<50x96xf32> {
  %0 = fuse.matmul %x, %w : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  %1 = fuse.matmul %x, %v : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  %2 = fuse.unary silu %0 : tensor<50x96xf32>
  %3 = fuse.binary mul %2, %1 : tensor<50x96xf32>
  return %3 : tensor<50x96xf32>
}

// CHECK-LABEL: @qkv
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @qkv(%x: tensor<128x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x96xf32>, %u: tensor<64x32xf32>, %b: tensor<96xf32>) -> (tensor<128x96xf32>, tensor<128x96xf32>, tensor<128x32xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<128x64xf32>, tensor<64x96xf32>) -> tensor<128x96xf32>
  %1 = fuse.matmul %x, %v : (tensor<128x64xf32>, tensor<64x96xf32>) -> tensor<128x96xf32>
  %2 = fuse.matmul %x, %u : (tensor<128x64xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
  %3 = fuse.binary add %0, %b : (tensor<128x96xf32>, tensor<96xf32>) -> tensor<128x96xf32>
  return %3, %1, %2 : tensor<128x96xf32>, tensor<128x96xf32>, tensor<128x32xf32>
}

// CHECK-LABEL: @norm_linear
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @norm_linear(%x: tensor<50x70xf32>, %s: tensor<70xf32>, %b: tensor<70xf32>, %w: tensor<70x90xf32>, %c: tensor<90xf32>) -> tensor<50x90xf32> {
  %0 = fuse.layer_norm %x, %s, %b dimensions = [1] epsilon = 1.0e-5 : (tensor<50x70xf32>, tensor<70xf32>, tensor<70xf32>) -> tensor<50x70xf32>
  %1 = fuse.matmul %0, %w : (tensor<50x70xf32>, tensor<70x90xf32>) -> tensor<50x90xf32>
  %2 = fuse.binary add %1, %c : (tensor<50x90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  return %2 : tensor<50x90xf32>
}

// CHECK-LABEL: @linear_residual_norm
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @linear_residual_norm(%x: tensor<50x70xf32>, %s: tensor<90xf32>, %b: tensor<90xf32>, %w: tensor<70x90xf32>, %c: tensor<90xf32>, %r: tensor<50x90xf32>) -> tensor<50x90xf32> {
  %1 = fuse.matmul %x, %w : (tensor<50x70xf32>, tensor<70x90xf32>) -> tensor<50x90xf32>
  %2 = fuse.binary add %1, %c : (tensor<50x90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  %3 = fuse.binary add %2, %r : tensor<50x90xf32>
  %0 = fuse.layer_norm %3, %s, %b dimensions = [1] epsilon = 1.0e-5 : (tensor<50x90xf32>, tensor<90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  return %0 : tensor<50x90xf32>
}

// An activation between a pointwise and a padded depthwise convolution, and the mean behind them: in one kernel, where
// somebody asks for it.
// CHECK-LABEL: @inverted_bottleneck
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @inverted_bottleneck(%x: tensor<1x24x7x7xf32>, %w: tensor<384x24x1x1xf32>, %d: tensor<384x1x5x5xf32>) -> (tensor<1x384x7x7xf32>, tensor<1x384x1x1xf32>) {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "a"} : (tensor<1x24x7x7xf32>, tensor<384x24x1x1xf32>) -> tensor<1x384x7x7xf32>
  %1 = fuse.unary silu %0 {fuse.together = "a"} : tensor<1x384x7x7xf32>
  %2 = fuse.conv2d %1, %d strides = [1, 1] dilations = [1, 1] padding = [2, 2, 2, 2] groups = 384 layout = nchw_fchw {fuse.together = "a"} : (tensor<1x384x7x7xf32>, tensor<384x1x5x5xf32>) -> tensor<1x384x7x7xf32>
  %3 = fuse.unary silu %2 {fuse.together = "a"} : tensor<1x384x7x7xf32>
  %4 = fuse.reduce mean %3 dimensions = [2, 3] keep_dims {fuse.together = "a"} : tensor<1x384x7x7xf32> -> tensor<1x384x1x1xf32>
  return %3, %4 : tensor<1x384x7x7xf32>, tensor<1x384x1x1xf32>
}
