// RUN: fuse-opt %s --fuse-assign-layouts --split-input-file | FileCheck %s

// What passes between the convolutions lies with its channels last; arguments and results stay. What has
// fewer dimensions stands as it would beside an image.
// CHECK-LABEL: func.func @between(
// CHECK-SAME:    -> tensor<2x64x6x7xf32>
// CHECK-DAG:     %[[BR:.*]] = fuse.reshape %{{.*}} : tensor<32x1x1xf32> -> tensor<1x32x1x1xf32>
// CHECK-DAG:     %[[BT:.*]] = fuse.transpose %[[BR]] permutation = [0, 2, 3, 1]
// CHECK-DAG:     %[[XT:.*]] = fuse.transpose %{{.*}} permutation = [0, 2, 3, 1] : tensor<2x8x6x7xf32> ->
// CHECK-DAG:     %[[FT:.*]] = fuse.transpose %{{.*}} permutation = [2, 3, 1, 0] : tensor<32x8x1x1xf32> ->
// CHECK:         %[[C:.*]] = fuse.conv2d %[[XT]], %[[FT]] {{.*}} layout = nhwc_hwcf
// CHECK-NEXT:    %[[A:.*]] = fuse.binary add %[[C]], %[[BT]]
// CHECK-NOT:     permutation = [0, 3, 1, 2]
// CHECK:         %[[D:.*]] = fuse.conv2d %[[A]], {{.*}} layout = nhwc_hwcf
// CHECK-NEXT:    %[[T:.*]] = fuse.transpose %[[D]] permutation = [0, 3, 1, 2]
// CHECK-NEXT:    return %[[T]] : tensor<2x64x6x7xf32>
func.func @between(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>, %g: tensor<64x32x3x3xf32>, %b: tensor<32x1x1xf32>) -> tensor<2x64x6x7xf32> {
  %0 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
  %1 = fuse.binary add %0, %b : (tensor<2x32x6x7xf32>, tensor<32x1x1xf32>) -> tensor<2x32x6x7xf32>
  %2 = fuse.conv2d %1, %g strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<2x32x6x7xf32>, tensor<64x32x3x3xf32>) -> tensor<2x64x6x7xf32>
  return %2 : tensor<2x64x6x7xf32>
}

// -----

// Dimensions that attributes count go with the image.
// CHECK-LABEL: func.func @attributes(
// CHECK:         fuse.concat {{.*}} dimension = 3
// CHECK:         fuse.pad {{.*}} low = [0, 0, 1, 0] high = [0, 0, 0, 0] {{.*}} -> tensor<2x6x8x40xf32>
// CHECK:         fuse.max_pool2d {{.*}} layout = nhwc_hwcf
func.func @attributes(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>) -> tensor<2x40x5x7xf32> {
  %0 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
  %1 = fuse.concat %0, %x dimension = 1 : (tensor<2x32x6x7xf32>, tensor<2x8x6x7xf32>) -> tensor<2x40x6x7xf32>
  %2 = fuse.pad %1 low = [0, 0, 0, 1] high = [0, 0, 0, 0] value = 0.0 : f32 : tensor<2x40x6x7xf32> -> tensor<2x40x6x8xf32>
  %3 = fuse.max_pool2d %2 kernel = [2, 2] strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<2x40x6x8xf32> -> tensor<2x40x5x7xf32>
  return %3 : tensor<2x40x5x7xf32>
}

// -----

// A kernel that is formed stays, for its schedule counts the dims as they are; a small convolution whose
// image is read element by element stays, and so does an image without a convolution of 16 channels.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     fuse.transpose
// CHECK-NOT:     nhwc_hwcf
func.func @stays(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>, %g: tensor<8x8x1x1xf32>) -> (tensor<2x32x6x7xf32>, tensor<2x32x6x7xf32>, tensor<2x8x6x7xf32>) {
  %0 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
  %k1 = fuse.kernel (%a = %0) : (tensor<2x32x6x7xf32>) -> tensor<2x32x6x7xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2, 3], sizes = [1, 4, 6, 7]>], reduction_lanes = 64>} {
    %3 = fuse.unary relu %a : tensor<2x32x6x7xf32>
    fuse.yield %3 : tensor<2x32x6x7xf32>
  }
  %2 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
  %3 = fuse.conv2d %x, %g strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x7xf32>
  %4 = fuse.unary relu %3 : tensor<2x8x6x7xf32>
  return %k1, %2, %4 : tensor<2x32x6x7xf32>, tensor<2x32x6x7xf32>, tensor<2x8x6x7xf32>
}

// -----

// A large convolution is built with its channels last even where it stands alone; one that is a product
// of many pixels as it is written is not.
// CHECK-LABEL: func.func @alone(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x64x14x14xf32>
// CHECK:         fuse.transpose %[[X]] permutation = [0, 2, 3, 1]
// CHECK:         fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK:         fuse.transpose %{{.*}} permutation = [0, 3, 1, 2]
// CHECK-NOT:     fuse.transpose
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
func.func @alone(%x: tensor<1x64x14x14xf32>, %f: tensor<64x64x3x3xf32>, %y: tensor<1x64x56x56xf32>, %g: tensor<64x64x1x1xf32>) -> (tensor<1x64x14x14xf32>, tensor<1x64x56x56xf32>) {
  %0 = fuse.conv2d %x, %f strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x14x14xf32>
  %1 = fuse.conv2d %y, %g strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x56x56xf32>
  return %0, %1 : tensor<1x64x14x14xf32>, tensor<1x64x56x56xf32>
}

// -----

// A small convolution alone stays; with a pool that steps over columns its images change.
// CHECK-LABEL: func.func @alone(
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
// CHECK-LABEL: func.func @pooled(
// CHECK:         fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK:         fuse.max_pool2d {{.*}} layout = nhwc_hwcf
func.func @alone(%x: tensor<1x4x8x8xf32>, %w: tensor<16x4x1x1xf32>) -> tensor<1x16x8x8xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x4x8x8xf32>, tensor<16x4x1x1xf32>) -> tensor<1x16x8x8xf32>
  return %0 : tensor<1x16x8x8xf32>
}
func.func @pooled(%x: tensor<1x4x8x8xf32>, %w: tensor<16x4x1x1xf32>) -> tensor<1x16x4x4xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x4x8x8xf32>, tensor<16x4x1x1xf32>) -> tensor<1x16x8x8xf32>
  %1 = fuse.max_pool2d %0 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xf32>
  return %1 : tensor<1x16x4x4xf32>
}

// -----

// One of some steps changes where its filter is a parameter, which is laid out once.
// CHECK-LABEL: func.func @parameter(
// CHECK:         fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK-LABEL: func.func @argument(
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
func.func @parameter(%x: tensor<1x16x12x12xf32>, %w: tensor<16x16x3x3xf32> {fuse.param}) -> tensor<1x16x10x10xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  return %0 : tensor<1x16x10x10xf32>
}
func.func @argument(%x: tensor<1x16x12x12xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  return %0 : tensor<1x16x10x10xf32>
}

// -----

// A depthwise convolution of stride 1 stays as it is written where no other one turns its images.
// CHECK-LABEL: func.func @depthwise(
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
func.func @depthwise(%x: tensor<4x16x32x32xf32>, %w: tensor<16x1x3x3xf32> {fuse.param}) -> tensor<4x16xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 16 layout = nchw_fchw : (tensor<4x16x32x32xf32>, tensor<16x1x3x3xf32>) -> tensor<4x16x32x32xf32>
  %1 = fuse.reduce mean %0 dimensions = [2, 3] : tensor<4x16x32x32xf32> -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// Vectors along columns that windows step over are made element by element: four filters are enough then.
// CHECK-LABEL: func.func @stepped(
// CHECK:         fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK-LABEL: func.func @three_filters(
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
func.func @stepped(%x: tensor<1x64x66x66xf32>, %w: tensor<4x64x3x3xf32> {fuse.param}) -> tensor<1x4x32x32xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x64x66x66xf32>, tensor<4x64x3x3xf32>) -> tensor<1x4x32x32xf32>
  return %0 : tensor<1x4x32x32xf32>
}
func.func @three_filters(%x: tensor<1x64x66x66xf32>, %w: tensor<3x64x3x3xf32> {fuse.param}) -> tensor<1x3x32x32xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x64x66x66xf32>, tensor<3x64x3x3xf32>) -> tensor<1x3x32x32xf32>
  return %0 : tensor<1x3x32x32xf32>
}

// -----

// Neither does one whose groups have few filters, of which a vector of output channels takes no more; eight are enough.
// CHECK-LABEL: func.func @groups_of_four(
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
// CHECK-LABEL: func.func @groups_of_eight(
// CHECK:         fuse.conv2d {{.*}} layout = nhwc_hwcf
func.func @groups_of_four(%x: tensor<1x128x56x56xf32>, %w: tensor<128x4x3x3xf32> {fuse.param}) -> tensor<1x128x54x54xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 32 layout = nchw_fchw : (tensor<1x128x56x56xf32>, tensor<128x4x3x3xf32>) -> tensor<1x128x54x54xf32>
  return %0 : tensor<1x128x54x54xf32>
}
func.func @groups_of_eight(%x: tensor<1x128x56x56xf32>, %w: tensor<128x8x3x3xf32> {fuse.param}) -> tensor<1x128x54x54xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 16 layout = nchw_fchw : (tensor<1x128x56x56xf32>, tensor<128x8x3x3xf32>) -> tensor<1x128x54x54xf32>
  return %0 : tensor<1x128x54x54xf32>
}
