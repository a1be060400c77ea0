// RUN: fuse-opt %s --fuse-assign-schedules --split-input-file | FileCheck %s

// Tiles have whole vectors of a contraction's columns, also where those are not the last dim: here the 24 channels of a
// convolution with its channels last, whose result leaves the kernel with its channels first.
// CHECK-LABEL: module @channels_first
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [24, {{[0-9]+}}, {{[1-9][0-9]}}]>]
module @channels_first {
  func.func private @k(%x: tensor<1x58x58x24xf32>, %w: tensor<3x3x24x24xf32>, %b: tensor<24x1x1xf32>, %y: tensor<1x24x56x56xf32> {bufferization.writable = true}) -> tensor<1x24x56x56xf32> {
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x58x58x24xf32>, tensor<3x3x24x24xf32>) -> tensor<1x56x56x24xf32>
    %1 = fuse.transpose %0 permutation = [0, 3, 1, 2] : tensor<1x56x56x24xf32> -> tensor<1x24x56x56xf32>
    %2 = fuse.binary add %1, %b : (tensor<1x24x56x56xf32>, tensor<24x1x1xf32>) -> tensor<1x24x56x56xf32>
    return %2 : tensor<1x24x56x56xf32>
  }
}

// -----

// And where more elements are contiguous along another dim: an operand of 512 channels by 257 points. What is computed of
// channels alone does not keep points whole at their cost.
// CHECK-LABEL: module @points
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [{{[0-9]+}}, {{[0-9]+}}, 16]>]
module @points {
  func.func private @k(%x: tensor<512x257xf32>, %w: tensor<3x512x16xf32>, %v: tensor<3x16xf32>, %y: tensor<257x3x16xf32> {bufferization.writable = true}) -> tensor<257x3x16xf32> {
    %0 = fuse.transpose %x permutation = [1, 0] : tensor<512x257xf32> -> tensor<257x512xf32>
    %1 = fuse.broadcast %0 dimensions = [0] : tensor<257x512xf32> -> tensor<3x257x512xf32>
    %2 = fuse.matmul %1, %w : (tensor<3x257x512xf32>, tensor<3x512x16xf32>) -> tensor<3x257x16xf32>
    %3 = fuse.transpose %2 permutation = [1, 0, 2] : tensor<3x257x16xf32> -> tensor<257x3x16xf32>
    %4 = fuse.unary sqrt %v : tensor<3x16xf32>
    %5 = fuse.binary div %3, %4 : (tensor<257x3x16xf32>, tensor<3x16xf32>) -> tensor<257x3x16xf32>
    return %5 : tensor<257x3x16xf32>
  }
}

// -----

// Windows over an image with its channels last, written with its channels first: tiles keep whole lines of both.
// CHECK-LABEL: module @pool
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [16, {{[0-9]+}}, {{[1-9][0-9]}}]>]
module @pool {
  func.func private @k(%x: tensor<1x75x75x16xf32>, %v: tensor<16xf32>, %y: tensor<1x16x73x73xf32> {bufferization.writable = true}) -> tensor<1x16x73x73xf32> {
    %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nhwc_hwcf : tensor<1x75x75x16xf32> -> tensor<1x73x73x16xf32>
    %1 = fuse.unary sqrt %v : tensor<16xf32>
    %2 = fuse.reshape %1 : tensor<16xf32> -> tensor<16x1x1xf32>
    %3 = fuse.transpose %0 permutation = [0, 3, 1, 2] : tensor<1x73x73x16xf32> -> tensor<1x16x73x73xf32>
    %4 = fuse.binary div %3, %2 : (tensor<1x16x73x73xf32>, tensor<16x1x1xf32>) -> tensor<1x16x73x73xf32>
    return %4 : tensor<1x16x73x73xf32>
  }
}

// -----

// Each group of filters reads all pixels of a tile where both lie channels first: a tile has as many rows of the image, here
// eight of 64 channels by 242 pixels, as half of the core's cache holds.
// CHECK-LABEL: module @filters_first
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [24, 8, 242]>]
module @filters_first {
  func.func private @k(%x: tensor<1x64x242x242xf32>, %w: tensor<24x64x1x1xf32>, %y: tensor<1x24x242x242xf32> {bufferization.writable = true}) -> tensor<1x24x242x242xf32> {
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x64x242x242xf32>, tensor<24x64x1x1xf32>) -> tensor<1x24x242x242xf32>
    return %0 : tensor<1x24x242x242xf32>
  }
}

// -----

// The four filters of a group share the pixels that they read, and stay together; lines of the image are cut instead.
// CHECK-LABEL: module @small_groups
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2, 3], sizes = [1, 4, {{[0-9]+}}, 41]>]
module @small_groups {
  func.func private @k(%x: tensor<1x128x43x43xf32>, %w: tensor<16x32x3x3xf32>, %y: tensor<1x16x41x41xf32> {bufferization.writable = true}) -> tensor<1x16x41x41xf32> {
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 4 layout = nchw_fchw : (tensor<1x128x43x43xf32>, tensor<16x32x3x3xf32>) -> tensor<1x16x41x41xf32>
    return %0 : tensor<1x16x41x41xf32>
  }
}

// -----

// All 56 channels of whole images, 58x58 pixels, do not stay near the core, 32 do. With these the pool's tiles need not be cut:
// they have whole lines, not single pixels.
// CHECK-LABEL: module @whole_images
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2, 3], sizes = [1, 32, {{[0-9]+}}, 29]>]
module @whole_images {
  func.func private @k(%x: tensor<3x129x58x58xf32>, %w: tensor<1x1x129x56xf32>, %y: tensor<3x56x29x29xf32> {bufferization.writable = true}) -> tensor<3x56x29x29xf32> {
    %0 = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<3x129x58x58xf32> -> tensor<3x58x58x129xf32>
    %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<3x58x58x129xf32>, tensor<1x1x129x56xf32>) -> tensor<3x58x58x56xf32>
    %2 = fuse.max_pool2d %1 kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<3x58x58x56xf32> -> tensor<3x29x29x56xf32>
    %3 = fuse.transpose %2 permutation = [0, 3, 1, 2] : tensor<3x29x29x56xf32> -> tensor<3x56x29x29xf32>
    return %3 : tensor<3x56x29x29xf32>
  }
}
