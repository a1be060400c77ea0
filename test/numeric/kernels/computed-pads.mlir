// Windows over a padded image whose elements are computed as it is padded (fuse-lower-pads). Small integers, whose
// sums are exact in any order, show each element that is read in a wrong place; results are those of the unfused program.
// RUN: %python %S/Inputs/check_kernels.py %s

// An image with its channels first, of which blocks of rows are turned. No number stays none.
// expect kernels=1 blocks>=4 exact
// with %x = np.where(np.arange(np.prod(shape)).reshape(shape) % 6007 == 3, np.nan, np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8)
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @turned(%x: tensor<1x16x40x37xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x40x37xf32> {
  %0 = fuse.unary relu %x : tensor<1x16x40x37xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x16x40x37xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x40x37xf32>
  return %1 : tensor<1x16x40x37xf32>
}

// An image that is larger than the cache of a core: nobody has it whole, and plans know that.
// expect kernels=1 blocks>=4 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @large(%x: tensor<1x64x56x56xf32>, %w: tensor<16x64x3x3xf32>) -> tensor<1x16x56x56xf32> {
  %0 = fuse.unary relu %x : tensor<1x64x56x56xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x64x56x56xf32>, tensor<16x64x3x3xf32>) -> tensor<1x16x56x56xf32>
  return %1 : tensor<1x16x56x56xf32>
}

// The operands of a norm are those of the channel, and a mask has an element for each pixel. The border is 0, not what
// the norm makes of it.
// expect kernels<=2 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %scale = np.arange(24) % 3 - 1
// with %shift = np.arange(24) % 5 + 1
// with %mask = np.arange(np.prod(shape)).reshape(shape) % 7 % 2
// with %six = np.array(6)
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @normed(%x: tensor<2x29x31x24xf32>, %scale: tensor<24xf32>, %shift: tensor<24xf32>, %mask: tensor<29x31x1xf32>, %six: tensor<f32>, %w: tensor<3x3x24x32xf32>) -> tensor<2x15x16x32xf32> {
  %0 = fuse.binary mul %x, %scale : (tensor<2x29x31x24xf32>, tensor<24xf32>) -> tensor<2x29x31x24xf32>
  %1 = fuse.binary add %0, %shift : (tensor<2x29x31x24xf32>, tensor<24xf32>) -> tensor<2x29x31x24xf32>
  %2 = fuse.unary relu %1 : tensor<2x29x31x24xf32>
  %3 = fuse.binary min %2, %six : (tensor<2x29x31x24xf32>, tensor<f32>) -> tensor<2x29x31x24xf32>
  %4 = fuse.binary mul %3, %mask : (tensor<2x29x31x24xf32>, tensor<29x31x1xf32>) -> tensor<2x29x31x24xf32>
  %5 = fuse.conv2d %4, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf : (tensor<2x29x31x24xf32>, tensor<3x3x24x32xf32>) -> tensor<2x15x16x32xf32>
  return %5 : tensor<2x15x16x32xf32>
}

// Short numbers are widened as they are padded; windows with holes, borders of unlike width, some windows that lie
// outside altogether.
// expect kernels<=2 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %r = np.arange(np.prod(shape)).reshape(shape) % 5
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @widened(%x: tensor<1x30x41x16xbf16>, %r: tensor<1x30x41x16xf32>, %w: tensor<2x3x16x32xf32>) -> tensor<1x18x15x32xf32> {
  %0 = fuse.cast %x : (tensor<1x30x41x16xbf16>) -> tensor<1x30x41x16xf32>
  %1 = fuse.binary sub %0, %r : tensor<1x30x41x16xf32>
  %2 = fuse.conv2d %1, %w strides = [2, 3] dilations = [3, 2] padding = [5, 1, 3, 6] groups = 1 layout = nhwc_hwcf : (tensor<1x30x41x16xf32>, tensor<2x3x16x32xf32>) -> tensor<1x18x15x32xf32>
  return %2 : tensor<1x18x15x32xf32>
}

// An unknown number of images; a function of each element.
// expect kernels<=2
func.func @images(%x: tensor<?x8x17x19xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<?x16x17x19xf32> {
  %0 = fuse.unary sigmoid %x : tensor<?x8x17x19xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<?x8x17x19xf32>, tensor<16x8x3x3xf32>) -> tensor<?x16x17x19xf32>
  return %1 : tensor<?x16x17x19xf32>
}

// One row of pixels, padded along it; a tile has a single row then.
// expect kernels<=2 exact
// with %x = np.arange(np.prod(shape)).reshape(shape) * 7 % 17 - 8
// with %w = np.arange(np.prod(shape)).reshape(shape) * 5 % 11 - 5
func.func @row(%x: tensor<1x1x3001x16xf32>, %w: tensor<1x4x16x16xf32>) -> tensor<1x1x3002x16xf32> {
  %0 = fuse.unary abs %x : tensor<1x1x3001x16xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [0, 2, 0, 2] groups = 1 layout = nhwc_hwcf : (tensor<1x1x3001x16xf32>, tensor<1x4x16x16xf32>) -> tensor<1x1x3002x16xf32>
  return %1 : tensor<1x1x3002x16xf32>
}
