// RUN: fuse-opt %s --fuse-assign-schedules | FileCheck %s

// Tiles of depthwise convolutions and pools, on a core with caches of 32 KB and 1 MB.
module attributes {fuse.target = #fuse.target<"one", cpu, {min_blocks = 1.0, l1_bytes = 32768.0, l2_bytes = 1048576.0}>} {
  // Channels first: a channel's image with its border has 16 x 16 pixels, 1 KB. Copies take half of the innermost cache.
  // CHECK: func.func private @channels_first({{.*}}sizes = [16, 14, 14]>
  func.func private @channels_first(%x: tensor<1x384x14x14xf32>, %w: tensor<384x1x3x3xf32>, %out: tensor<1x384x14x14xf32> {bufferization.writable = true}) -> tensor<1x384x14x14xf32> {
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 384 layout = nchw_fchw : (tensor<1x384x14x14xf32>, tensor<384x1x3x3xf32>) -> tensor<1x384x14x14xf32>
    return %0 : tensor<1x384x14x14xf32>
  }
  // Channels last: two vectors of 16 channels. 8 rows of 14 pixels need 10 x 16 pixels of 128 bytes, 20 KB; all 14, with 16 x 16, 32 KB.
  // CHECK: func.func private @channels_last({{.*}}sizes = [14, 14, 32]>
  func.func private @channels_last(%x: tensor<1x14x14x384xf32>, %w: tensor<3x3x1x384xf32>, %out: tensor<1x14x14x384xf32> {bufferization.writable = true}) -> tensor<1x14x14x384xf32> {
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 384 layout = nhwc_hwcf : (tensor<1x14x14x384xf32>, tensor<3x3x1x384xf32>) -> tensor<1x14x14x384xf32>
    return %0 : tensor<1x14x14x384xf32>
  }
  // 112 pixels and their border take 14 KB for 32 channels, so that one row of a 3x3 window does not fit. Four rows have a
  // border of two.
  // CHECK: func.func private @wide({{.*}}sizes = [4, 112, 32]>
  func.func private @wide(%x: tensor<1x112x112x64xf32>, %w: tensor<3x3x1x64xf32>, %out: tensor<1x112x112x64xf32> {bufferization.writable = true}) -> tensor<1x112x112x64xf32> {
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 64 layout = nhwc_hwcf : (tensor<1x112x112x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x112x112x64xf32>
    return %0 : tensor<1x112x112x64xf32>
  }
  // All seven rows of a stride of 2 need 15 x 15 pixels, 29 KB, beside sums of 6 KB.
  // CHECK: func.func private @all_rows({{.*}}sizes = [7, 7, 32]>
  func.func private @all_rows(%x: tensor<1x14x14x576xf32>, %w: tensor<3x3x1x576xf32>, %b: tensor<576xf32>, %out: tensor<1x7x7x576xf32> {bufferization.writable = true}) -> tensor<1x7x7x576xf32> {
    %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 576 layout = nhwc_hwcf : (tensor<1x14x14x576xf32>, tensor<3x3x1x576xf32>) -> tensor<1x7x7x576xf32>
    %1 = fuse.binary add %0, %b : (tensor<1x7x7x576xf32>, tensor<576xf32>) -> tensor<1x7x7x576xf32>
    return %1 : tensor<1x7x7x576xf32>
  }
  // A relu in front is computed for the pixels of a tile and their border, not for the whole image.
  // CHECK: func.func private @relu_in_front({{.*}}sizes = [4, 112, 32]>
  func.func private @relu_in_front(%x: tensor<1x112x112x64xf32>, %w: tensor<3x3x1x64xf32>, %s: tensor<64xf32>, %out: tensor<1x112x112x64xf32> {bufferization.writable = true}) -> tensor<1x112x112x64xf32> {
    %0 = fuse.binary mul %x, %s : (tensor<1x112x112x64xf32>, tensor<64xf32>) -> tensor<1x112x112x64xf32>
    %1 = fuse.unary relu %0 : tensor<1x112x112x64xf32>
    %2 = fuse.conv2d %1, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 64 layout = nhwc_hwcf : (tensor<1x112x112x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x112x112x64xf32>
    return %2 : tensor<1x112x112x64xf32>
  }
  // 144 channels are no multiple of 32: all tiles have one vector.
  // CHECK: func.func private @odd_vectors({{.*}}sizes = [4, 56, 16]>
  func.func private @odd_vectors(%x: tensor<1x56x56x144xf32>, %w: tensor<3x3x1x144xf32>, %out: tensor<1x56x56x144xf32> {bufferization.writable = true}) -> tensor<1x56x56x144xf32> {
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 144 layout = nhwc_hwcf : (tensor<1x56x56x144xf32>, tensor<3x3x1x144xf32>) -> tensor<1x56x56x144xf32>
    return %0 : tensor<1x56x56x144xf32>
  }
  // A result with its channels first, of an image that stays near the core: one vector; of a larger one, two.
  // CHECK: func.func private @transposed({{.*}}sizes = [16, 4, 28]>
  func.func private @transposed(%x: tensor<1x28x28x128xf32>, %out: tensor<1x128x28x28xf32> {bufferization.writable = true}) -> tensor<1x128x28x28xf32> {
    %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x28x28x128xf32> -> tensor<1x28x28x128xf32>
    %1 = fuse.transpose %0 permutation = [0, 3, 1, 2] : tensor<1x28x28x128xf32> -> tensor<1x128x28x28xf32>
    return %1 : tensor<1x128x28x28xf32>
  }
  // CHECK: func.func private @transposed_far({{.*}}sizes = [32, 1, 56]>
  func.func private @transposed_far(%x: tensor<1x112x112x64xf32>, %out: tensor<1x64x56x56xf32> {bufferization.writable = true}) -> tensor<1x64x56x56xf32> {
    %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x112x112x64xf32> -> tensor<1x56x56x64xf32>
    %1 = fuse.transpose %0 permutation = [0, 3, 1, 2] : tensor<1x56x56x64xf32> -> tensor<1x64x56x56xf32>
    return %1 : tensor<1x64x56x56xf32>
  }
}
