// RUN: fuse-opt %s --fuse-assign-layouts --split-input-file | FileCheck %s

// A channel shuffle, [32] as [4, 8] and turned, and a slice of channels move nothing but channels: the depthwise
// convolution and the one behind the slice read what lies beside them in memory.
// CHECK-LABEL: func.func @shuffle(
// CHECK:         %[[C:.*]] = fuse.conv2d {{.*}} layout = nhwc_hwcf : {{.*}} -> tensor<2x6x7x32xf32>
// CHECK-NEXT:    %[[S:.*]] = fuse.reshape %[[C]] : tensor<2x6x7x32xf32> -> tensor<2x6x7x4x8xf32>
// CHECK-NEXT:    %[[T:.*]] = fuse.transpose %[[S]] permutation = [0, 1, 2, 4, 3]
// CHECK-NEXT:    %[[J:.*]] = fuse.reshape %[[T]] : tensor<2x6x7x8x4xf32> -> tensor<2x6x7x32xf32>
// CHECK:         %[[D:.*]] = fuse.conv2d %[[J]], {{.*}} groups = 32 layout = nhwc_hwcf
// CHECK-NEXT:    %[[P:.*]] = fuse.slice %[[D]] offsets = [0, 1, 0, 8] sizes = [2, 5, 7, 16] strides = [1, 1, 1, 1]
// CHECK:         fuse.conv2d %[[P]], {{.*}} layout = nhwc_hwcf
func.func @shuffle(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>, %d: tensor<32x1x3x3xf32>, %g: tensor<64x16x1x1xf32>) -> tensor<2x64x5x7xf32> {
  %0 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
  %1 = fuse.reshape %0 : tensor<2x32x6x7xf32> -> tensor<2x4x8x6x7xf32>
  %2 = fuse.transpose %1 permutation = [0, 2, 1, 3, 4] : tensor<2x4x8x6x7xf32> -> tensor<2x8x4x6x7xf32>
  %3 = fuse.reshape %2 : tensor<2x8x4x6x7xf32> -> tensor<2x32x6x7xf32>
  %4 = fuse.conv2d %3, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 32 layout = nchw_fchw : (tensor<2x32x6x7xf32>, tensor<32x1x3x3xf32>) -> tensor<2x32x6x7xf32>
  %5 = fuse.slice %4 offsets = [0, 8, 1, 0] sizes = [2, 16, 5, 7] strides = [1, 1, 1, 1] : tensor<2x32x6x7xf32> -> tensor<2x16x5x7xf32>
  %6 = fuse.conv2d %5, %g strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x16x5x7xf32>, tensor<64x16x1x1xf32>) -> tensor<2x64x5x7xf32>
  return %6 : tensor<2x64x5x7xf32>
}

// -----

// A view that mixes pixels with channels ends what lies alike: [32, 6] as [16, 12].
// CHECK-LABEL: func.func @mixed(
// CHECK:         %[[C:.*]] = fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK:         %[[T:.*]] = fuse.transpose %{{.*}} permutation = [0, 3, 1, 2] : tensor<2x6x7x32xf32> ->
// CHECK:         fuse.reshape %[[T]] : tensor<2x32x6x7xf32> -> tensor<2x16x12x7xf32>
func.func @mixed(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>, %g: tensor<64x16x3x3xf32>) -> tensor<2x64x10x5xf32> {
  %0 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
  %1 = fuse.reshape %0 : tensor<2x32x6x7xf32> -> tensor<2x16x12x7xf32>
  %2 = fuse.conv2d %1, %g strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x16x12x7xf32>, tensor<64x16x3x3xf32>) -> tensor<2x64x10x5xf32>
  return %2 : tensor<2x64x10x5xf32>
}

// -----

// Sizes and offsets that are values go with their dimensions.
// CHECK-LABEL: func.func @values(
// CHECK-SAME:    %[[CHANNEL:[a-z0-9]+]]: index, %[[ROW:[a-z0-9]+]]: index, %[[ROWS:[a-z0-9]+]]: index, %[[COLUMNS:[a-z0-9]+]]: index, %[[BATCH:[a-z0-9]+]]: index)
// CHECK:         %[[S:.*]] = fuse.slice %{{.*}} offsets = [0, %[[ROW]], 0, %[[CHANNEL]]] sizes = [-1, %[[ROWS]], -1, 16] strides = [1, 1, 1, 1]
// CHECK-NEXT:    %[[R:.*]] = fuse.resize_nearest %[[S]] sizes = [%[[BATCH]], %[[ROWS]], %[[COLUMNS]]] : tensor<?x?x?x16xf32> -> tensor<?x?x?x16xf32>
// CHECK:         fuse.conv2d %[[R]], {{.*}} layout = nhwc_hwcf
func.func @values(%x: tensor<?x8x?x?xf32>, %f: tensor<32x8x1x1xf32>, %g: tensor<64x16x1x1xf32>, %channel: index, %row: index, %rows: index, %columns: index, %batch: index) -> tensor<?x64x?x?xf32> {
  %0 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<?x8x?x?xf32>, tensor<32x8x1x1xf32>) -> tensor<?x32x?x?xf32>
  %1 = fuse.slice %0 offsets = [0, %channel, %row, 0] sizes = [-1, 16, %rows, -1] strides = [1, 1, 1, 1] : tensor<?x32x?x?xf32> -> tensor<?x16x?x?xf32>
  %2 = fuse.resize_nearest %1 sizes = [%batch, %rows, %columns] : tensor<?x16x?x?xf32> -> tensor<?x16x?x?xf32>
  %3 = fuse.conv2d %2, %g strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<?x16x?x?xf32>, tensor<64x16x1x1xf32>) -> tensor<?x64x?x?xf32>
  return %3 : tensor<?x64x?x?xf32>
}
