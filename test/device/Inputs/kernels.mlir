// What GPUs are benchmarked with. `expect`: wide, all global accesses of the kernel are of 16 bytes;
// lines, some are; tensor, products are mma.sync's; kernels, how many there are.

// expect wide kernels=1
func.func @chain(%x: tensor<16777216xf32>, %y: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %0 = fuse.binary add %x, %y : tensor<16777216xf32>
  %1 = fuse.unary tanh %0 : tensor<16777216xf32>
  %2 = fuse.binary mul %1, %x : tensor<16777216xf32>
  %3 = fuse.unary exp %2 : tensor<16777216xf32>
  return %3 : tensor<16777216xf32>
}

// expect wide kernels=1
func.func @chain_2d(%x: tensor<4096x1000xf32>, %b: tensor<1000xf32>) -> tensor<4096x1000xf32> {
  %0 = fuse.binary add %x, %b : (tensor<4096x1000xf32>, tensor<1000xf32>) -> tensor<4096x1000xf32>
  %1 = fuse.unary relu %0 : tensor<4096x1000xf32>
  return %1 : tensor<4096x1000xf32>
}

// expect wide kernels=1
func.func @chain_f16(%x: tensor<4096x4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = fuse.binary add %x, %y : tensor<4096x4096xf16>
  %1 = fuse.unary sigmoid %0 : tensor<4096x4096xf16>
  return %1 : tensor<4096x4096xf16>
}

// expect wide kernels=1
func.func @softmax(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<4096x1024xf32>
  return %0 : tensor<4096x1024xf32>
}

// expect wide kernels=1
func.func @softmax_long(%x: tensor<256x32000xf32>) -> tensor<256x32000xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<256x32000xf32>
  return %0 : tensor<256x32000xf32>
}

// expect wide kernels=1
func.func @softmax_f16(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %0 = fuse.softmax %x dimension = 1 : tensor<4096x1024xf16>
  return %0 : tensor<4096x1024xf16>
}

// expect wide kernels=1
func.func @layer_norm_gelu(%x: tensor<8192x1024xf32>, %g: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<8192x1024xf32> {
  %0 = fuse.layer_norm %x, %g, %b dimensions = [1] epsilon = 1.0e-05 : (tensor<8192x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) -> tensor<8192x1024xf32>
  %1 = fuse.unary gelu %0 : tensor<8192x1024xf32>
  return %1 : tensor<8192x1024xf32>
}

// expect wide kernels=1
func.func @residual_layer_norm(%x: tensor<8192x768xf32>, %r: tensor<8192x768xf32>, %g: tensor<768xf32>, %b: tensor<768xf32>) -> (tensor<8192x768xf32>, tensor<8192x768xf32>) {
  %0 = fuse.binary add %x, %r : tensor<8192x768xf32>
  %1 = fuse.layer_norm %0, %g, %b dimensions = [1] epsilon = 1.0e-05 : (tensor<8192x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<8192x768xf32>
  return %0, %1 : tensor<8192x768xf32>, tensor<8192x768xf32>
}

// expect kernels=1
func.func @row_sum(%x: tensor<8192x1024xf32>) -> tensor<8192xf32> {
  %0 = fuse.reduce sum %x dimensions = [1] : tensor<8192x1024xf32> -> tensor<8192xf32>
  return %0 : tensor<8192xf32>
}

// expect kernels=1
func.func @column_sum(%x: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<4096x4096xf32> -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// expect kernels=2
func.func @full_sum(%x: tensor<4096x4096xf32>) -> tensor<f32> {
  %0 = fuse.reduce sum %x dimensions = [0, 1] : tensor<4096x4096xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// expect kernels=1
func.func @matmul(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>, %b: tensor<1024xf32>) -> tensor<1024x1024xf32> {
  %0 = fuse.matmul %x, %w : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %1 = fuse.binary add %0, %b : (tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<1024x1024xf32>
  %2 = fuse.unary relu %1 : tensor<1024x1024xf32>
  return %2 : tensor<1024x1024xf32>
}

// expect tensor kernels=1
func.func @matmul_f16(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = fuse.matmul %x, %w : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// expect tensor kernels=1
func.func @matmul_bf16(%x: tensor<512x4096xbf16>, %w: tensor<4096x1024xbf16>, %b: tensor<1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = fuse.matmul %x, %w : (tensor<512x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<512x1024xbf16>
  %1 = fuse.binary add %0, %b : (tensor<512x1024xbf16>, tensor<1024xbf16>) -> tensor<512x1024xbf16>
  return %1 : tensor<512x1024xbf16>
}

// expect tensor kernels=1
func.func @matmul_bf16_large(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = fuse.matmul %x, %w : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

// expect tensor kernels=1
func.func @matmul_i8(%x: tensor<4096x4096xi8>, %w: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
  %0 = fuse.matmul %x, %w transpose_rhs : (tensor<4096x4096xi8>, tensor<4096x4096xi8>) -> tensor<4096x4096xi32>
  return %0 : tensor<4096x4096xi32>
}

// expect tensor kernels=1
func.func @matmul_f16_ragged(%x: tensor<4000x1000xf16>, %w: tensor<1000x3000xf16>) -> tensor<4000x3000xf16> {
  %0 = fuse.matmul %x, %w : (tensor<4000x1000xf16>, tensor<1000x3000xf16>) -> tensor<4000x3000xf16>
  return %0 : tensor<4000x3000xf16>
}

// expect tensor kernels=1
func.func @matmul_f16_odd(%x: tensor<4001x1003xf16>, %w: tensor<1003x3001xf16>) -> tensor<4001x3001xf16> {
  %0 = fuse.matmul %x, %w : (tensor<4001x1003xf16>, tensor<1003x3001xf16>) -> tensor<4001x3001xf16>
  return %0 : tensor<4001x3001xf16>
}

// expect tensor kernels=1
func.func @matmul_f16_open(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = fuse.matmul %x, %w : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// expect tensor kernels=1
func.func @matmul_f16_open_steps(%x: tensor<4096x?xf16>, %w: tensor<?x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = fuse.matmul %x, %w : (tensor<4096x?xf16>, tensor<?x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// expect tensor kernels=1
func.func @matmul_i8_ragged(%x: tensor<4000x1000xi8>, %w: tensor<1000x3000xi8>) -> tensor<4000x3000xi32> {
  %0 = fuse.matmul %x, %w : (tensor<4000x1000xi8>, tensor<1000x3000xi8>) -> tensor<4000x3000xi32>
  return %0 : tensor<4000x3000xi32>
}

// expect tensor kernels=1
func.func @matmul_i8_open(%x: tensor<?x?xi8>, %w: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %0 = fuse.matmul %x, %w : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// expect kernels=1
func.func @conv(%x: tensor<8x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32>
  %1 = fuse.unary relu %0 : tensor<8x64x56x56xf32>
  return %1 : tensor<8x64x56x56xf32>
}

// expect tensor kernels=1
func.func @conv_f16(%x: tensor<8x56x56x64xf16>, %w: tensor<3x3x64x64xf16>) -> tensor<8x54x54x64xf16> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<8x56x56x64xf16>, tensor<3x3x64x64xf16>) -> tensor<8x54x54x64xf16>
  %1 = fuse.unary relu %0 : tensor<8x54x54x64xf16>
  return %1 : tensor<8x54x54x64xf16>
}

// expect kernels=1
func.func @depthwise(%x: tensor<8x32x112x112xf32>, %w: tensor<32x1x3x3xf32>) -> tensor<8x32x112x112xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 32 layout = nchw_fchw : (tensor<8x32x112x112xf32>, tensor<32x1x3x3xf32>) -> tensor<8x32x112x112xf32>
  return %0 : tensor<8x32x112x112xf32>
}

// expect kernels=1
func.func @attention(%q: tensor<96x1024x64xf32>, %k: tensor<96x1024x64xf32>, %v: tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32> {
  %0 = fuse.attention %q, %k, %v scale = 0.125 : (tensor<96x1024x64xf32>, tensor<96x1024x64xf32>, tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32>
  return %0 : tensor<96x1024x64xf32>
}

// expect tensor kernels=1
func.func @attention_f16(%q: tensor<96x1024x64xf16>, %k: tensor<96x1024x64xf16>, %v: tensor<96x1024x64xf16>) -> tensor<96x1024x64xf16> {
  %0 = fuse.attention %q, %k, %v scale = 0.125 : (tensor<96x1024x64xf16>, tensor<96x1024x64xf16>, tensor<96x1024x64xf16>) -> tensor<96x1024x64xf16>
  return %0 : tensor<96x1024x64xf16>
}

// expect lines kernels=1
func.func @gather(%x: tensor<30000x768xf32>, %i: tensor<4096xi64>) -> tensor<4096x768xf32> {
  %0 = fuse.gather %x, %i dimension = 0 : (tensor<30000x768xf32>, tensor<4096xi64>) -> tensor<4096x768xf32>
  return %0 : tensor<4096x768xf32>
}

// expect kernels=1
func.func @transpose(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
