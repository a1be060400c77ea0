// Windows that read a padded image where it lies (fuse-lower-pads), and some that do not. Small integers, whose
// sums are exact in any order, show each element that is read in a wrong place.
// RUN: %python %S/Inputs/check_kernels.py %s

// Rows are cut into tiles; the last block of channels is short. What is infinite, or no number, counts at
// the border too: 0 times it is no number.
// expect kernels=1 blocks>=4 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.where(np.arange(np.prod(shape)).reshape(shape) % 41 == 5, np.inf, np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5)
// with %b = np.arange(72) - 36
func.func @depthwise(%x: tensor<2x61x45x72xf32>, %w: tensor<3x3x1x72xf32>, %b: tensor<72xf32>) -> tensor<2x61x45x72xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 72 layout = nhwc_hwcf : (tensor<2x61x45x72xf32>, tensor<3x3x1x72xf32>) -> tensor<2x61x45x72xf32>
  %1 = fuse.binary add %0, %b : (tensor<2x61x45x72xf32>, tensor<72xf32>) -> tensor<2x61x45x72xf32>
  %2 = fuse.unary relu %1 : tensor<2x61x45x72xf32>
  return %2 : tensor<2x61x45x72xf32>
}

// Every other row; no border at the far end.
// expect kernels=1 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
// with %r = np.arange(np.prod(shape)).reshape(shape) % 5
func.func @stride(%x: tensor<1x58x64x48xf32>, %w: tensor<3x3x1x48xf32>, %r: tensor<1x29x32x48xf32>) -> tensor<1x29x32x48xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 48 layout = nhwc_hwcf : (tensor<1x58x64x48xf32>, tensor<3x3x1x48xf32>) -> tensor<1x29x32x48xf32>
  %1 = fuse.binary add %0, %r : tensor<1x29x32x48xf32>
  return %1 : tensor<1x29x32x48xf32>
}

// Windows with holes, borders of unlike width, and some windows that lie outside altogether.
// expect kernels=1 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @holes(%x: tensor<1x66x150x32xf32>, %w: tensor<2x3x1x32xf32>) -> tensor<1x36x51x32xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 3] dilations = [3, 2] padding = [5, 1, 3, 6] groups = 32 layout = nhwc_hwcf : (tensor<1x66x150x32xf32>, tensor<2x3x1x32xf32>) -> tensor<1x36x51x32xf32>
  return %0 : tensor<1x36x51x32xf32>
}

// One padded dimension, long enough to be cut into tiles.
// expect kernels=1 blocks>=4 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @row(%x: tensor<1x1x9001x40xf32>, %w: tensor<1x4x1x40xf32>) -> tensor<1x1x9002x40xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 2, 0, 2] groups = 40 layout = nhwc_hwcf : (tensor<1x1x9001x40xf32>, tensor<1x4x1x40xf32>) -> tensor<1x1x9002x40xf32>
  return %0 : tensor<1x1x9002x40xf32>
}

// Every window crosses the border.
// expect kernels=1 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @all_border(%x: tensor<1x2x2x32xf32>, %w: tensor<2x2x1x32xf32>) -> tensor<1x2x2x32xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 32 layout = nhwc_hwcf : (tensor<1x2x2x32xf32>, tensor<2x2x1x32xf32>) -> tensor<1x2x2x32xf32>
  return %0 : tensor<1x2x2x32xf32>
}

// The border of a maximum is less than all numbers, and no number wins.
// expect kernels=1 exact
// with %x = np.where(np.arange(np.prod(shape)).reshape(shape) % 997 == 3, np.nan, np.where(np.arange(np.prod(shape)).reshape(shape) % 5 > 0, -np.inf, -1.0 - np.arange(np.prod(shape)).reshape(shape) % 89))
func.func @maximum(%x: tensor<1x57x57x64xf32>) -> tensor<1x29x29x64xf32> {
  %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x57x57x64xf32> -> tensor<1x29x29x64xf32>
  return %0 : tensor<1x29x29x64xf32>
}

// expect kernels=1
func.func @mean(%x: tensor<1x40x41x48xf32>) -> tensor<1x40x41x48xf32> {
  %0 = fuse.avg_pool2d %x kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x40x41x48xf32> -> tensor<1x40x41x48xf32>
  %1 = fuse.unary exp %0 : tensor<1x40x41x48xf32>
  return %1 : tensor<1x40x41x48xf32>
}

// Sums of short numbers are wider than what is stored.
// expect kernels=1 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @bytes(%x: tensor<1x30x30x48xi8>, %w: tensor<3x3x1x48xi8>) -> tensor<1x15x15x48xi32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 48 layout = nhwc_hwcf : (tensor<1x30x30x48xi8>, tensor<3x3x1x48xi8>) -> tensor<1x15x15x48xi32>
  return %0 : tensor<1x15x15x48xi32>
}

// expect kernels=1 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @short(%x: tensor<1x30x30x48xbf16>, %w: tensor<3x3x1x48xbf16>) -> tensor<1x15x15x48xbf16> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 48 layout = nhwc_hwcf : (tensor<1x30x30x48xbf16>, tensor<3x3x1x48xbf16>) -> tensor<1x15x15x48xbf16>
  %1 = fuse.unary relu %0 : tensor<1x15x15x48xbf16>
  return %1 : tensor<1x15x15x48xbf16>
}

// An unknown number of images.
// expect kernels=1
func.func @images(%x: tensor<?x28x28x33xf32>, %w: tensor<3x3x1x33xf32>) -> tensor<?x14x14x33xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 33 layout = nhwc_hwcf : (tensor<?x28x28x33xf32>, tensor<3x3x1x33xf32>) -> tensor<?x14x14x33xf32>
  return %0 : tensor<?x14x14x33xf32>
}

// The image is what an earlier member leaves.
// expect kernels<=3 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @behind(%x: tensor<1x56x56x32xf32>, %w: tensor<3x3x1x32xf32>) -> tensor<1x28x28x32xf32> {
  %0 = fuse.unary abs %x : tensor<1x56x56x32xf32>
  %1 = fuse.conv2d %0, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 32 layout = nhwc_hwcf : (tensor<1x56x56x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x28x28x32xf32>
  %2 = fuse.max_pool2d %1 kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x28x28x32xf32> -> tensor<1x28x28x32xf32>
  return %2 : tensor<1x28x28x32xf32>
}

// A convolution behind another one of its kernel, whose bias and relu are computed with its sums and not as they are
// padded; blocks of rows share them.
// expect kernels=1 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %e = np.arange(np.prod(shape)).reshape(shape) * 5 % 7 - 3
// with %b = np.arange(768) % 13 - 6
// with %w = np.arange(np.prod(shape)).reshape(shape) * 3 % 11 - 5
func.func @expanded(%x: tensor<1x14x14x64xf32>, %e: tensor<1x1x64x768xf32>, %b: tensor<768xf32>, %w: tensor<3x3x1x768xf32>) -> tensor<1x14x14x768xf32> {
  %0 = fuse.conv2d %x, %e strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf {fuse.together = "a"} : (tensor<1x14x14x64xf32>, tensor<1x1x64x768xf32>) -> tensor<1x14x14x768xf32>
  %1 = fuse.binary add %0, %b {fuse.together = "a"} : (tensor<1x14x14x768xf32>, tensor<768xf32>) -> tensor<1x14x14x768xf32>
  %2 = fuse.unary relu %1 {fuse.together = "a"} : tensor<1x14x14x768xf32>
  %3 = fuse.conv2d %2, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 768 layout = nhwc_hwcf {fuse.together = "a"} : (tensor<1x14x14x768xf32>, tensor<3x3x1x768xf32>) -> tensor<1x14x14x768xf32>
  %4 = fuse.unary relu %3 {fuse.together = "a"} : tensor<1x14x14x768xf32>
  return %4 : tensor<1x14x14x768xf32>
}
