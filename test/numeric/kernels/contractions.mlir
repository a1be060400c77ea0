// RUN: %python %S/Inputs/check_kernels.py %s

// Matrix products and convolutions with what stands before and behind them.

// expect kernels=1 blocks>=16
func.func @matmul_relu(%x: tensor<50x70xf32>, %w: tensor<70x90xf32>, %b: tensor<90xf32>, %r: tensor<50x90xf32>) -> tensor<50x90xf32> {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<50x70xf32>, tensor<70x90xf32>) -> tensor<50x90xf32>
  %1 = fuse.binary add %0, %b {fuse.together = "k"} : (tensor<50x90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  %2 = fuse.unary relu %1 {fuse.together = "k"} : tensor<50x90xf32>
  %3 = fuse.binary add %2, %r {fuse.together = "k"} : tensor<50x90xf32>
  return %3 : tensor<50x90xf32>
}

// expect kernels=1 blocks>=16
func.func @matmul_gelu(%x: tensor<2x50x70xf32>, %w: tensor<70x90xf32>, %b: tensor<90xf32>, %r: tensor<2x50x90xf32>) -> tensor<2x50x90xf32> {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<2x50x70xf32>, tensor<70x90xf32>) -> tensor<2x50x90xf32>
  %1 = fuse.binary add %0, %b {fuse.together = "k"} : (tensor<2x50x90xf32>, tensor<90xf32>) -> tensor<2x50x90xf32>
  %2 = fuse.unary gelu %1 approximate = none {fuse.together = "k"} : tensor<2x50x90xf32>
  %3 = fuse.binary add %2, %r {fuse.together = "k"} : tensor<2x50x90xf32>
  return %3 : tensor<2x50x90xf32>
}

// expect kernels=1 blocks>=16
func.func @matmul_silu(%x: tensor<50x70xbf16>, %w: tensor<70x90xbf16>, %b: tensor<90xbf16>, %r: tensor<50x90xbf16>) -> tensor<50x90xbf16> {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<50x70xbf16>, tensor<70x90xbf16>) -> tensor<50x90xbf16>
  %1 = fuse.binary add %0, %b {fuse.together = "k"} : (tensor<50x90xbf16>, tensor<90xbf16>) -> tensor<50x90xbf16>
  %2 = fuse.unary silu %1 {fuse.together = "k"} : tensor<50x90xbf16>
  %3 = fuse.binary add %2, %r {fuse.together = "k"} : tensor<50x90xbf16>
  return %3 : tensor<50x90xbf16>
}

// expect kernels=1 blocks>=16
func.func @conv_bn_relu(%x: tensor<1x8x20x20xf32>, %w: tensor<16x8x3x3xf32>, %a: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<1x16x20x20xf32> {
  %va = fuse.unary exp %v {fuse.together = "k"} : tensor<16xf32>
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x8x20x20xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.batch_norm %0, %a, %b, %m, %va epsilon = 1.0e-05 feature_dimension = 1 {fuse.together = "k"} : (tensor<1x16x20x20xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %2 = fuse.unary relu %1 {fuse.together = "k"} : tensor<1x16x20x20xf32>
  return %2 : tensor<1x16x20x20xf32>
}

// expect kernels=1 blocks>=16
func.func @conv_bn_add_relu(%x: tensor<2x20x20x8xf32>, %w: tensor<3x3x8x16xf32>, %a: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>, %r: tensor<2x10x10x16xf32>) -> tensor<2x10x10x16xf32> {
  %va = fuse.unary exp %v {fuse.together = "k"} : tensor<16xf32>
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf {fuse.together = "k"} : (tensor<2x20x20x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x10x10x16xf32>
  %1 = fuse.batch_norm %0, %a, %b, %m, %va epsilon = 1.0e-05 feature_dimension = 3 {fuse.together = "k"} : (tensor<2x10x10x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x10x10x16xf32>
  %2 = fuse.binary add %1, %r {fuse.together = "k"} : tensor<2x10x10x16xf32>
  %3 = fuse.unary relu %2 {fuse.together = "k"} : tensor<2x10x10x16xf32>
  return %3 : tensor<2x10x10x16xf32>
}

// expect kernels=1 blocks>=16
func.func @relu_conv(%x: tensor<1x8x20x20xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x20x20xf32> {
  %p = fuse.unary relu %x {fuse.together = "k"} : tensor<1x8x20x20xf32>
  %0 = fuse.conv2d %p, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x8x20x20xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x20x20xf32>
  return %0 : tensor<1x16x20x20xf32>
}

// expect kernels=1 blocks>=16
func.func @grouped_conv_relu(%x: tensor<1x8x20x20xf32>, %w: tensor<16x4x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x20x20xf32> {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 2 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x8x20x20xf32>, tensor<16x4x3x3xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.unary relu %0 {fuse.together = "k"} : tensor<1x16x20x20xf32>
  return %1 : tensor<1x16x20x20xf32>
}

// expect kernels=1 blocks>=16
func.func @swiglu(%x: tensor<50x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x96xf32>) -> tensor<50x96xf32> {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  %1 = fuse.matmul %x, %v {fuse.together = "k"} : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  %2 = fuse.unary silu %0 {fuse.together = "k"} : tensor<50x96xf32>
  %3 = fuse.binary mul %2, %1 {fuse.together = "k"} : tensor<50x96xf32>
  return %3 : tensor<50x96xf32>
}

// expect kernels=1 blocks>=16
func.func @qkv(%x: tensor<50x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x96xf32>, %u: tensor<64x32xf32>, %b: tensor<96xf32>) -> (tensor<50x96xf32>, tensor<50x96xf32>, tensor<50x32xf32>) {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  %1 = fuse.matmul %x, %v {fuse.together = "k"} : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  %2 = fuse.matmul %x, %u {fuse.together = "k"} : (tensor<50x64xf32>, tensor<64x32xf32>) -> tensor<50x32xf32>
  %3 = fuse.binary add %0, %b {fuse.together = "k"} : (tensor<50x96xf32>, tensor<96xf32>) -> tensor<50x96xf32>
  return %3, %1, %2 : tensor<50x96xf32>, tensor<50x96xf32>, tensor<50x32xf32>
}

// expect kernels=1 blocks>=16
func.func @siblings_equal(%x: tensor<50x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x96xf32>) -> (tensor<50x96xf32>, tensor<50x96xf32>) {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  %1 = fuse.matmul %x, %v {fuse.together = "k"} : (tensor<50x64xf32>, tensor<64x96xf32>) -> tensor<50x96xf32>
  return %0, %1 : tensor<50x96xf32>, tensor<50x96xf32>
}

// expect kernels=1 blocks>=16
func.func @relu_conv_valid(%x: tensor<1x8x60x60xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x58x58xf32> {
  %p = fuse.unary tanh %x {fuse.together = "k"} : tensor<1x8x60x60xf32>
  %0 = fuse.conv2d %p, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x8x60x60xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x58x58xf32>
  return %0 : tensor<1x16x58x58xf32>
}

// expect kernels=1 blocks>=16
func.func @bn_relu_conv(%x: tensor<1x8x60x60xf32>, %a: tensor<8x1x1xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x60x60xf32> {
  %p = fuse.binary mul %x, %a {fuse.together = "k"} : (tensor<1x8x60x60xf32>, tensor<8x1x1xf32>) -> tensor<1x8x60x60xf32>
  %q = fuse.unary relu %p {fuse.together = "k"} : tensor<1x8x60x60xf32>
  %0 = fuse.conv2d %q, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x8x60x60xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x60x60xf32>
  return %0 : tensor<1x16x60x60xf32>
}

// expect kernels=1 blocks>=1
func.func @conv_conv(%x: tensor<1x8x60x60xf32>, %w: tensor<16x8x3x3xf32>, %v: tensor<16x16x3x3xf32>) -> tensor<1x16x60x60xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x8x60x60xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x60x60xf32>
  %r = fuse.unary relu %0 {fuse.together = "k"} : tensor<1x16x60x60xf32>
  %1 = fuse.conv2d %r, %v strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x16x60x60xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x60x60xf32>
  return %1 : tensor<1x16x60x60xf32>
}

// expect kernels=1 blocks>=16
func.func @conv_1x1(%x: tensor<1x8x60x60xf32>, %w: tensor<16x8x3x3xf32>, %v: tensor<16x16x1x1xf32>) -> tensor<1x16x60x60xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x8x60x60xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x60x60xf32>
  %r = fuse.unary relu %0 {fuse.together = "k"} : tensor<1x16x60x60xf32>
  %1 = fuse.conv2d %r, %v strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<1x16x60x60xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x60x60xf32>
  return %1 : tensor<1x16x60x60xf32>
}

// expect kernels=1 blocks>=16
func.func @norm_linear(%x: tensor<50x70xf32>, %s: tensor<70xf32>, %b: tensor<70xf32>, %w: tensor<70x90xf32>, %c: tensor<90xf32>) -> tensor<50x90xf32> {
  %0 = fuse.layer_norm %x, %s, %b dimensions = [1] epsilon = 1.0e-5 {fuse.together = "k"} : (tensor<50x70xf32>, tensor<70xf32>, tensor<70xf32>) -> tensor<50x70xf32>
  %1 = fuse.matmul %0, %w {fuse.together = "k"} : (tensor<50x70xf32>, tensor<70x90xf32>) -> tensor<50x90xf32>
  %2 = fuse.binary add %1, %c {fuse.together = "k"} : (tensor<50x90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  return %2 : tensor<50x90xf32>
}

// expect kernels=1 blocks>=16
func.func @linear_residual_norm(%x: tensor<50x70xf32>, %s: tensor<90xf32>, %b: tensor<90xf32>, %w: tensor<70x90xf32>, %c: tensor<90xf32>, %r: tensor<50x90xf32>) -> tensor<50x90xf32> {
  %1 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<50x70xf32>, tensor<70x90xf32>) -> tensor<50x90xf32>
  %2 = fuse.binary add %1, %c {fuse.together = "k"} : (tensor<50x90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  %3 = fuse.binary add %2, %r {fuse.together = "k"} : tensor<50x90xf32>
  %0 = fuse.layer_norm %3, %s, %b dimensions = [1] epsilon = 1.0e-5 {fuse.together = "k"} : (tensor<50x90xf32>, tensor<90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  return %0 : tensor<50x90xf32>
}

// expect kernels=1 blocks>=16
func.func @mlp(%x: tensor<50x70xf32>, %w: tensor<70x90xf32>, %c: tensor<90xf32>, %v: tensor<90x70xf32>) -> tensor<50x70xf32> {
  %1 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<50x70xf32>, tensor<70x90xf32>) -> tensor<50x90xf32>
  %2 = fuse.binary add %1, %c {fuse.together = "k"} : (tensor<50x90xf32>, tensor<90xf32>) -> tensor<50x90xf32>
  %3 = fuse.unary gelu %2 approximate = none {fuse.together = "k"} : tensor<50x90xf32>
  %4 = fuse.matmul %3, %v {fuse.together = "k"} : (tensor<50x90xf32>, tensor<90x70xf32>) -> tensor<50x70xf32>
  return %4 : tensor<50x70xf32>
}
