// RUN: %python %S/Inputs/check_kernels.py %s

// What test-views has found.

// Two operands that no vector along the rows serves, and no row uses both again: nothing to pack for.
// expect kernels=1 blocks>=16
func.func @masked_count(%x: tensor<9x5x3xi32>, %y: tensor<11x9x5x1x3xi32>, %m: tensor<3x3xi1>) -> tensor<11x9x5x3xi64> {
  %0 = fuse.broadcast %x dimensions = [0] : tensor<9x5x3xi32> -> tensor<11x9x5x3xi32>
  %1 = fuse.reshape %0 : tensor<11x9x5x3xi32> -> tensor<11x9x5x3x1xi32>
  %2 = fuse.compare eq %y, %1 {fuse.together = "k"} : (tensor<11x9x5x1x3xi32>, tensor<11x9x5x3x1xi32>) -> tensor<11x9x5x3x3xi1>
  %3 = fuse.binary and %2, %m {fuse.together = "k"} : (tensor<11x9x5x3x3xi1>, tensor<3x3xi1>) -> tensor<11x9x5x3x3xi1>
  %4 = fuse.cast %3 {fuse.together = "k"} : (tensor<11x9x5x3x3xi1>) -> tensor<11x9x5x3x3xi64>
  %5 = fuse.reduce sum %4 dimensions = [4] {fuse.together = "k"} : tensor<11x9x5x3x3xi64> -> tensor<11x9x5x3xi64>
  return %5 : tensor<11x9x5x3xi64>
}

// Columns that are as far apart as a packed parameter's would be, of a slice that lies in no vectors.
// expect kernels=1 blocks>=1
func.func @strided_columns(%x: tensor<3x3x6x3xf32>, %w: tensor<1x1x2x1xf32>) -> tensor<9x17x3x1xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 0, 2] sizes = [3, 3, 6, 1] strides = [1, 1, 1, 1] : tensor<3x3x6x3xf32> -> tensor<3x3x6x1xf32>
  %1 = fuse.reshape %0 : tensor<3x3x6x1xf32> -> tensor<9x3x2xf32>
  %2 = fuse.broadcast %1 dimensions = [1] : tensor<9x3x2xf32> -> tensor<9x17x3x2xf32>
  %3 = fuse.conv2d %2, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf {fuse.together = "k"} : (tensor<9x17x3x2xf32>, tensor<1x1x2x1xf32>) -> tensor<9x17x3x1xf32>
  return %3 : tensor<9x17x3x1xf32>
}

// A result, and a part of it as another one, which is read before the first has left.
// expect kernels=1 blocks>=5
func.func @result_and_part(%x: tensor<96x67xf32>) -> (tensor<96x67xf32>, tensor<82x67xf32>) {
  %0 = fuse.softmax %x dimension = 0 {fuse.together = "k"} : tensor<96x67xf32>
  %1 = fuse.slice %0 offsets = [14, 0] sizes = [82, 67] strides = [1, 1] : tensor<96x67xf32> -> tensor<82x67xf32>
  %2 = fuse.copy %1 {fuse.together = "k"} : tensor<82x67xf32>
  return %0, %2 : tensor<96x67xf32>, tensor<82x67xf32>
}

// The last of 97 elements is alone in its register.
// expect kernels=1 blocks>=1
func.func @last_bf16(%x: tensor<1x1x32x96xbf16>) -> tensor<1x1x33x97xbf16> {
  %0 = fuse.max_pool2d %x kernel = [2, 2] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nchw_fchw {fuse.together = "k"} : tensor<1x1x32x96xbf16> -> tensor<1x1x33x97xbf16>
  return %0 : tensor<1x1x33x97xbf16>
}

// Rows and columns that a slice has left of a padded value, one of each at a time.
// expect kernels=1 blocks>=1
func.func @steps_behind_pad(%x: tensor<3x4x5x6x7xf32>) -> tensor<1x2x3x1x4xf32> {
  %0 = fuse.pad %x low = [1, 0, 0, 1, 0] high = [0, 1, 0, 1, 1] value = 1.0 : f32 {fuse.together = "k"} : tensor<3x4x5x6x7xf32> -> tensor<4x5x5x8x8xf32>
  %1 = fuse.slice %0 offsets = [3, 0, 0, 3, 0] sizes = [1, 2, 3, 1, 4] strides = [2, 2, 2, 3, 2] : tensor<4x5x5x8x8xf32> -> tensor<1x2x3x1x4xf32>
  %2 = fuse.softmax %1 dimension = 4 {fuse.together = "k"} : tensor<1x2x3x1x4xf32>
  return %2 : tensor<1x2x3x1x4xf32>
}

// A border within a border: the inner one begins where the outer one's clamp does nothing.
// expect kernels=1 blocks>=1
func.func @border_in_border(%x: tensor<6x1xf32>) -> tensor<1x1x9x2xf32> {
  %0 = fuse.pad %x low = [0, 0] high = [2, 0] value = 1.0 : f32 {fuse.together = "k"} : tensor<6x1xf32> -> tensor<8x1xf32>
  %1 = fuse.reshape %0 : tensor<8x1xf32> -> tensor<1x1x8x1xf32>
  %2 = fuse.avg_pool2d %1 kernel = [2, 2] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nchw_fchw {fuse.together = "k"} : tensor<1x1x8x1xf32> -> tensor<1x1x9x2xf32>
  return %2 : tensor<1x1x9x2xf32>
}

// A function of a border's value is computed as that of any element is, to the last bit.
// expect kernels=1 blocks>=1
func.func @function_of_border(%x: tensor<12x8xf32>) -> tensor<15x9xf32> {
  %0 = fuse.pad %x low = [1, 2] high = [2, -1] value = 1.0 : f32 {fuse.together = "k"} : tensor<12x8xf32> -> tensor<15x9xf32>
  %1 = fuse.unary cosh %0 {fuse.together = "k"} : tensor<15x9xf32>
  return %1 : tensor<15x9xf32>
}
