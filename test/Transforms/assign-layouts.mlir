// RUN: fuse-opt %s --fuse-assign-layouts --split-input-file | FileCheck %s

// What passes between the kernels lies with its channels last; arguments and results stay. What has
// fewer dimensions stands as it would beside an image.
// CHECK-LABEL: func.func @between(
// CHECK-SAME:    -> tensor<2x64x6x7xf32>
// CHECK:         %[[K:.*]] = fuse.kernel (%[[X:.*]] = %{{.*}}, %[[F:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) {{.*}} -> tensor<2x6x7x32xf32>
// CHECK-DAG:       %[[BR:.*]] = fuse.reshape %[[B]] : tensor<32x1x1xf32> -> tensor<1x32x1x1xf32>
// CHECK-DAG:       %[[BT:.*]] = fuse.transpose %[[BR]] permutation = [0, 2, 3, 1]
// CHECK-DAG:       %[[XT:.*]] = fuse.transpose %[[X]] permutation = [0, 2, 3, 1]
// CHECK-DAG:       %[[FT:.*]] = fuse.transpose %[[F]] permutation = [2, 3, 1, 0]
// CHECK:           %[[C:.*]] = fuse.conv2d %[[XT]], %[[FT]] {{.*}} layout = nhwc_hwcf
// CHECK:           %[[A:.*]] = fuse.binary add %[[C]], %[[BT]]
// CHECK:           fuse.yield %[[A]] : tensor<2x6x7x32xf32>
// CHECK:         fuse.kernel (%[[Y:.*]] = %[[K]], {{.*}} -> tensor<2x64x6x7xf32>
// CHECK:           %[[D:.*]] = fuse.conv2d %[[Y]], {{.*}} layout = nhwc_hwcf
// CHECK:           %[[T:.*]] = fuse.transpose %[[D]] permutation = [0, 3, 1, 2]
// CHECK:           fuse.yield %[[T]] : tensor<2x64x6x7xf32>
func.func @between(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>, %g: tensor<64x32x3x3xf32>, %b: tensor<32x1x1xf32>) -> tensor<2x64x6x7xf32> {
  %0 = fuse.kernel (%a = %x, %w = %f, %c = %b) : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>, tensor<32x1x1xf32>) -> tensor<2x32x6x7xf32> {
    %1 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
    %2 = fuse.binary add %1, %c : (tensor<2x32x6x7xf32>, tensor<32x1x1xf32>) -> tensor<2x32x6x7xf32>
    fuse.yield %2 : tensor<2x32x6x7xf32>
  }
  %3 = fuse.kernel (%a = %0, %w = %g) : (tensor<2x32x6x7xf32>, tensor<64x32x3x3xf32>) -> tensor<2x64x6x7xf32> {
    %4 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<2x32x6x7xf32>, tensor<64x32x3x3xf32>) -> tensor<2x64x6x7xf32>
    fuse.yield %4 : tensor<2x64x6x7xf32>
  }
  return %3 : tensor<2x64x6x7xf32>
}

// -----

// Dimensions that attributes count go with the image.
// CHECK-LABEL: func.func @attributes(
// CHECK:         fuse.kernel {{.*}} -> tensor<2x6x8x40xf32>
// CHECK:           fuse.concat {{.*}} dimension = 3
// CHECK:           fuse.pad {{.*}} low = [0, 0, 1, 0] high = [0, 0, 0, 0]
// CHECK:         fuse.kernel
// CHECK:           fuse.max_pool2d {{.*}} layout = nhwc_hwcf
func.func @attributes(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>) -> tensor<2x40x5x7xf32> {
  %0 = fuse.kernel (%a = %x, %w = %f) : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x40x6x8xf32> {
    %1 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
    %2 = fuse.concat %1, %a dimension = 1 : (tensor<2x32x6x7xf32>, tensor<2x8x6x7xf32>) -> tensor<2x40x6x7xf32>
    %3 = fuse.pad %2 low = [0, 0, 0, 1] high = [0, 0, 0, 0] value = 0.0 : f32 : tensor<2x40x6x7xf32> -> tensor<2x40x6x8xf32>
    fuse.yield %3 : tensor<2x40x6x8xf32>
  }
  %4 = fuse.kernel (%a = %0) : (tensor<2x40x6x8xf32>) -> tensor<2x40x5x7xf32> {
    %5 = fuse.max_pool2d %a kernel = [2, 2] strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<2x40x6x8xf32> -> tensor<2x40x5x7xf32>
    fuse.yield %5 : tensor<2x40x5x7xf32>
  }
  return %4 : tensor<2x40x5x7xf32>
}

// -----

// Whoever wrote a schedule counts the dims as they are; what anything but a kernel reads stays, and
// so does an image without a convolution of 16 channels.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     fuse.transpose
// CHECK-NOT:     nhwc_hwcf
func.func @stays(%x: tensor<2x8x6x7xf32>, %f: tensor<32x8x1x1xf32>, %g: tensor<8x8x1x1xf32>) -> (tensor<2x32x6x7xf32>, tensor<2x32x6x7xf32>, tensor<2x8x6x7xf32>) {
  %0 = fuse.kernel (%a = %x, %w = %f) : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32> {
    %1 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
    fuse.yield %1 : tensor<2x32x6x7xf32>
  }
  %2 = fuse.kernel (%a = %0) : (tensor<2x32x6x7xf32>) -> tensor<2x32x6x7xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2, 3], sizes = [1, 4, 6, 7]>], reduction_lanes = 64>} {
    %3 = fuse.unary relu %a : tensor<2x32x6x7xf32>
    fuse.yield %3 : tensor<2x32x6x7xf32>
  }
  %4 = fuse.kernel (%a = %x, %w = %f) : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32> {
    %5 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<32x8x1x1xf32>) -> tensor<2x32x6x7xf32>
    fuse.yield %5 : tensor<2x32x6x7xf32>
  }
  %6 = fuse.kernel (%a = %x, %w = %g) : (tensor<2x8x6x7xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x7xf32> {
    %7 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x8x6x7xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x7xf32>
    fuse.yield %7 : tensor<2x8x6x7xf32>
  }
  %8 = fuse.kernel (%a = %6) : (tensor<2x8x6x7xf32>) -> tensor<2x8x6x7xf32> {
    %9 = fuse.unary relu %a : tensor<2x8x6x7xf32>
    fuse.yield %9 : tensor<2x8x6x7xf32>
  }
  return %2, %4, %8 : tensor<2x32x6x7xf32>, tensor<2x32x6x7xf32>, tensor<2x8x6x7xf32>
}

// -----

// A large convolution turns what the function gives and takes in its own kernel; one that is a product
// of many pixels as it is written does not.
// CHECK-LABEL: func.func @alone(
// CHECK:         fuse.kernel (%[[X:[a-z0-9]+]] = {{.*}} -> tensor<1x64x14x14xf32>
// CHECK:           fuse.transpose %[[X]] permutation = [0, 2, 3, 1]
// CHECK:           fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK:           fuse.transpose %{{.*}} permutation = [0, 3, 1, 2]
// CHECK:         fuse.kernel
// CHECK-NOT:       fuse.transpose
// CHECK:           fuse.conv2d {{.*}} layout = nchw_fchw
func.func @alone(%x: tensor<1x64x14x14xf32>, %f: tensor<64x64x3x3xf32>, %y: tensor<1x64x56x56xf32>, %g: tensor<64x64x1x1xf32>) -> (tensor<1x64x14x14xf32>, tensor<1x64x56x56xf32>) {
  %0 = fuse.kernel (%a = %x, %w = %f) : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x14x14xf32> {
    %1 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x14x14xf32>
    fuse.yield %1 : tensor<1x64x14x14xf32>
  }
  %2 = fuse.kernel (%a = %y, %w = %g) : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x56x56xf32> {
    %3 = fuse.conv2d %a, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x56x56xf32>
    fuse.yield %3 : tensor<1x64x56x56xf32>
  }
  return %0, %2 : tensor<1x64x14x14xf32>, tensor<1x64x56x56xf32>
}

// -----

// A small convolution alone stays; with a pool that steps over columns its images are turned.
// CHECK-LABEL: func.func @alone(
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
// CHECK-LABEL: func.func @pooled(
// CHECK:         fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK:         fuse.max_pool2d {{.*}} layout = nhwc_hwcf
func.func @alone(%x: tensor<1x4x8x8xf32>, %w: tensor<16x4x1x1xf32>) -> tensor<1x16x8x8xf32> {
  %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<1x4x8x8xf32>, tensor<16x4x1x1xf32>) -> tensor<1x16x8x8xf32> {
    %1 = fuse.conv2d %a, %b strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x4x8x8xf32>, tensor<16x4x1x1xf32>) -> tensor<1x16x8x8xf32>
    fuse.yield %1 : tensor<1x16x8x8xf32>
  }
  return %0 : tensor<1x16x8x8xf32>
}
func.func @pooled(%x: tensor<1x4x8x8xf32>, %w: tensor<16x4x1x1xf32>) -> tensor<1x16x4x4xf32> {
  %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<1x4x8x8xf32>, tensor<16x4x1x1xf32>) -> tensor<1x16x4x4xf32> {
    %1 = fuse.conv2d %a, %b strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x4x8x8xf32>, tensor<16x4x1x1xf32>) -> tensor<1x16x8x8xf32>
    %2 = fuse.max_pool2d %1 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xf32>
    fuse.yield %2 : tensor<1x16x4x4xf32>
  }
  return %0 : tensor<1x16x4x4xf32>
}

// -----

// One of some steps is turned where its filter is a parameter, which is laid out once.
// CHECK-LABEL: func.func @parameter(
// CHECK:         fuse.conv2d {{.*}} layout = nhwc_hwcf
// CHECK-LABEL: func.func @argument(
// CHECK:         fuse.conv2d {{.*}} layout = nchw_fchw
func.func @parameter(%x: tensor<1x16x12x12xf32>, %w: tensor<16x16x3x3xf32> {fuse.param}) -> tensor<1x16x10x10xf32> {
  %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32> {
    %1 = fuse.conv2d %a, %b strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
    fuse.yield %1 : tensor<1x16x10x10xf32>
  }
  return %0 : tensor<1x16x10x10xf32>
}
func.func @argument(%x: tensor<1x16x12x12xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32> {
  %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32> {
    %1 = fuse.conv2d %a, %b strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
    fuse.yield %1 : tensor<1x16x10x10xf32>
  }
  return %0 : tensor<1x16x10x10xf32>
}
