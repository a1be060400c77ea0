// Convolutions whose tiles, packed weights and epilogues differ: what leaves the kernel has its channels first, tiles
// of turned sums are partial ones, and windows go over results whose filters lie in blocks.
// RUN: %python %S/Inputs/check_kernels.py %s

// expect kernels=1
func.func @channels_first(%x: tensor<1x24x31x29xf32>, %w: tensor<24x24x3x3xf32> {fuse.param}, %b: tensor<24x1x1xf32> {fuse.param}) -> tensor<1x24x29x27xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x24x31x29xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x29x27xf32>
  %1 = fuse.binary add %0, %b : (tensor<1x24x29x27xf32>, tensor<24x1x1xf32>) -> tensor<1x24x29x27xf32>
  %2 = fuse.unary sigmoid %1 : tensor<1x24x29x27xf32>
  return %2 : tensor<1x24x29x27xf32>
}

// Its filter counts through blocks by quotient and remainder, since the pool's loop over channels is one.
// expect kernels=1
func.func @pool_behind(%x: tensor<2x20x13x13xf32>, %w: tensor<512x20x1x1xf32> {fuse.param}) -> tensor<2x512x6x6xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "k"} : (tensor<2x20x13x13xf32>, tensor<512x20x1x1xf32>) -> tensor<2x512x13x13xf32>
  %1 = fuse.max_pool2d %0 kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw {fuse.together = "k"} : tensor<2x512x13x13xf32> -> tensor<2x512x6x6xf32>
  %2 = fuse.unary relu %1 {fuse.together = "k"} : tensor<2x512x6x6xf32>
  return %2 : tensor<2x512x6x6xf32>
}

// No block divides the filters: the last one is padded.
// expect kernels=1
func.func @line(%x: tensor<1x1x700xf32>, %w: tensor<258x1x256xf32> {fuse.param}) -> tensor<1x258x1x4xf32> {
  %0 = fuse.reshape %x : tensor<1x1x700xf32> -> tensor<1x1x1x700xf32>
  %1 = fuse.reshape %w : tensor<258x1x256xf32> -> tensor<258x1x1x256xf32>
  %2 = fuse.conv2d %0, %1 strides = [1, 128] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x1x1x700xf32>, tensor<258x1x1x256xf32>) -> tensor<1x258x1x4xf32>
  %3 = fuse.unary abs %2 : tensor<1x258x1x4xf32>
  return %3 : tensor<1x258x1x4xf32>
}

// Four phases of a transposed convolution: slices of one filter, side by side in one kernel.
// expect kernels=1
func.func @phases(%x: tensor<1x24x20x20xf32>, %w: tensor<24x24x2x2xf32> {fuse.param}) -> tensor<1x24x40x20xf32> {
  %0 = fuse.slice %w offsets = [0, 0, 0, 0] sizes = [24, 24, 1, 2] strides = [1, 1, 1, 1] : tensor<24x24x2x2xf32> -> tensor<24x24x1x2xf32>
  %1 = fuse.slice %w offsets = [0, 0, 1, 0] sizes = [24, 24, 1, 2] strides = [1, 1, 1, 1] : tensor<24x24x2x2xf32> -> tensor<24x24x1x2xf32>
  %2 = fuse.conv2d %x, %0 strides = [1, 1] dilations = [1, 1] padding = [0, 1, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x24x20x20xf32>, tensor<24x24x1x2xf32>) -> tensor<1x24x20x20xf32>
  %3 = fuse.conv2d %x, %1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 1] groups = 1 layout = nchw_fchw : (tensor<1x24x20x20xf32>, tensor<24x24x1x2xf32>) -> tensor<1x24x20x20xf32>
  %4 = fuse.concat %2, %3 dimension = 1 : (tensor<1x24x20x20xf32>, tensor<1x24x20x20xf32>) -> tensor<1x48x20x20xf32>
  %5 = fuse.reshape %4 : tensor<1x48x20x20xf32> -> tensor<2x24x20x20xf32>
  %6 = fuse.transpose %5 permutation = [1, 2, 0, 3] : tensor<2x24x20x20xf32> -> tensor<24x20x2x20xf32>
  %7 = fuse.reshape %6 : tensor<24x20x2x20xf32> -> tensor<1x24x40x20xf32>
  %8 = fuse.unary relu %7 : tensor<1x24x40x20xf32>
  return %8 : tensor<1x24x40x20xf32>
}
