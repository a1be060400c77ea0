// RUN: fuse-opt %s --fuse-members-to-linalg | FileCheck %s

// The windows of a depthwise convolution with its channels last are read along the channels, which this image has
// first: it is laid out in order for each tile. A window that all filters share is read where it lies.
// CHECK-LABEL: func.func @depthwise(
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<16x8x8xf32>)
// CHECK-SAME:    {fuse.recompute}
// CHECK:         linalg.generic {{.*}} ins(%[[COPY]],
// CHECK-LABEL: func.func @dense(
// CHECK-NOT:     fuse.recompute
// CHECK:         return
func.func @depthwise(%x: tensor<1x16x8x8xf32>, %w: tensor<3x3x1x16xf32>, %out: tensor<1x6x6x16xf32> {bufferization.writable = true}) -> tensor<1x6x6x16xf32> {
  %0 = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<1x16x8x8xf32> -> tensor<1x8x8x16xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 16 layout = nhwc_hwcf : (tensor<1x8x8x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x6x6x16xf32>
  return %1 : tensor<1x6x6x16xf32>
}
func.func @dense(%x: tensor<1x16x8x8xf32>, %w: tensor<3x3x16x16xf32>, %out: tensor<1x6x6x16xf32> {bufferization.writable = true}) -> tensor<1x6x6x16xf32> {
  %0 = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<1x16x8x8xf32> -> tensor<1x8x8x16xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x6x6x16xf32>
  return %1 : tensor<1x6x6x16xf32>
}
