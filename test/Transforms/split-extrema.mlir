// RUN: fuse-opt %s --fuse-split-extrema --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline --split-input-file | FileCheck %s --check-prefix=KERNEL

// The product's kernel takes the extrema of parts of 64 columns, which its blocks hold whole; the kernel that divides by
// the sum of both takes those of the parts.
// CHECK-LABEL: func.func @product
// CHECK: %[[Y:.*]] = fuse.matmul
// CHECK: %[[CUT:.*]] = fuse.reshape %[[Y]] : tensor<128x768xf32> -> tensor<128x12x64xf32>
// CHECK: %[[PARTS:.*]] = fuse.reduce max %[[CUT]] dimensions = [2] : tensor<128x12x64xf32> -> tensor<128x12xf32>
// CHECK: fuse.reduce max %[[PARTS]] dimensions = [0, 1] : tensor<128x12xf32> -> tensor<f32>
// KERNEL-LABEL: func.func @product
// KERNEL: fuse.kernel
// KERNEL: fuse.matmul
// KERNEL: fuse.reduce max {{.*}} dimensions = [2]
// KERNEL: fuse.reduce min {{.*}} dimensions = [2]
// KERNEL: fuse.kernel
// KERNEL: fuse.reduce max {{.*}} dimensions = [0, 1]
// KERNEL: fuse.binary div
// KERNEL-NOT: fuse.kernel
// KERNEL: return
func.func @product(%x: tensor<128x768xf32>, %w: tensor<768x768xf32>) -> tensor<128x768xf32> {
  %0 = fuse.matmul %x, %w : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  %1 = fuse.reduce max %0 dimensions = [0, 1] : tensor<128x768xf32> -> tensor<f32>
  %2 = fuse.reduce min %0 dimensions = [0, 1] : tensor<128x768xf32> -> tensor<f32>
  %3 = fuse.binary sub %1, %2 : tensor<f32>
  %4 = fuse.binary div %0, %3 : (tensor<128x768xf32>, tensor<f32>) -> tensor<128x768xf32>
  return %4 : tensor<128x768xf32>
}

// -----

// Images of 14x14 are one part; 75 columns have no part of 64, 32 or 16 and are one as well. The extents of dimensions that
// are kept come back.
// CHECK-LABEL: func.func @whole_dimensions
// CHECK: fuse.reduce max %{{.*}} dimensions = [2, 3] : tensor<2x8x14x14xf32> -> tensor<2x8xf32>
// CHECK: %[[ALL:.*]] = fuse.reduce max %{{.*}} dimensions = [0, 1] : tensor<2x8xf32> -> tensor<f32>
// CHECK: fuse.reshape %[[ALL]] : tensor<f32> -> tensor<1x1x1x1xf32>
// CHECK: fuse.reduce any %{{.*}} dimensions = [1] : tensor<9x75xi1> -> tensor<9xi1>
// CHECK: fuse.reduce any %{{.*}} dimensions = [0] : tensor<9xi1> -> tensor<i1>
func.func @whole_dimensions(%x: tensor<2x8x14x14xf32>, %y: tensor<9x75xf32>) -> (tensor<1x1x1x1xf32>, tensor<i1>) {
  %0 = fuse.unary exp %x : tensor<2x8x14x14xf32>
  %1 = fuse.reduce max %0 dimensions = [0, 1, 2, 3] keep_dims : tensor<2x8x14x14xf32> -> tensor<1x1x1x1xf32>
  %2 = fuse.unary is_nan %y : (tensor<9x75xf32>) -> tensor<9x75xi1>
  %3 = fuse.reduce any %2 dimensions = [0, 1] : tensor<9x75xi1> -> tensor<i1>
  return %1, %3 : tensor<1x1x1x1xf32>, tensor<i1>
}

// -----

// Of an image, a part is a row with all of its channels, in either order.
// CHECK-LABEL: func.func @images
// CHECK: fuse.reduce max %{{.*}} dimensions = [1, 3] : tensor<1x96x28x28xf32> -> tensor<1x28xf32>
// CHECK: fuse.reduce min %{{.*}} dimensions = [2, 3] : tensor<1x14x7x96xf32> -> tensor<1x14xf32>
func.func @images(%x: tensor<1x16x28x28xf32>, %w: tensor<96x16x1x1xf32>, %y: tensor<1x28x14x96xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw
      : (tensor<1x16x28x28xf32>, tensor<96x16x1x1xf32>) -> tensor<1x96x28x28xf32>
  %1 = fuse.unary relu %0 : tensor<1x96x28x28xf32>
  %2 = fuse.reduce max %1 dimensions = [0, 1, 2, 3] : tensor<1x96x28x28xf32> -> tensor<f32>
  %3 = fuse.max_pool2d %y kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nhwc_hwcf
      : tensor<1x28x14x96xf32> -> tensor<1x14x7x96xf32>
  %4 = fuse.reduce min %3 dimensions = [0, 1, 2, 3] : tensor<1x14x7x96xf32> -> tensor<f32>
  return %2, %4 : tensor<f32>, tensor<f32>
}

// -----

// An open number of rows is no part of anything; open columns are left.
// CHECK-LABEL: func.func @open_sizes
// CHECK: fuse.reduce max %{{.*}} dimensions = [2] : tensor<?x12x64xf32> -> tensor<?x12xf32>
// CHECK: fuse.reduce max %{{.*}} dimensions = [0, 1] : tensor<?x12xf32> -> tensor<f32>
// CHECK: fuse.reduce max %{{.*}} dimensions = [0, 1] : tensor<768x?xf32> -> tensor<f32>
func.func @open_sizes(%x: tensor<?x768xf32>, %y: tensor<768x?xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = fuse.unary exp %x : tensor<?x768xf32>
  %1 = fuse.reduce max %0 dimensions = [0, 1] : tensor<?x768xf32> -> tensor<f32>
  %2 = fuse.unary exp %y : tensor<768x?xf32>
  %3 = fuse.reduce max %2 dimensions = [0, 1] : tensor<768x?xf32> -> tensor<f32>
  return %1, %3 : tensor<f32>, tensor<f32>
}

// -----

// What stays: sums, which depend on the order; arguments, which no kernel makes; few elements; some dimensions only; what a
// user has planned.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-5: fuse.reduce
// CHECK-NOT: fuse.reduce
func.func @stays(%x: tensor<128x768xf32>, %y: tensor<8x16xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<128xf32>, tensor<f32>) {
  %0 = fuse.unary exp %x : tensor<128x768xf32>
  %1 = fuse.reduce sum %0 dimensions = [0, 1] : tensor<128x768xf32> -> tensor<f32>
  %2 = fuse.reduce max %x dimensions = [0, 1] : tensor<128x768xf32> -> tensor<f32>
  %3 = fuse.unary exp %y : tensor<8x16xf32>
  %4 = fuse.reduce max %3 dimensions = [0, 1] : tensor<8x16xf32> -> tensor<f32>
  %5 = fuse.reduce max %0 dimensions = [1] : tensor<128x768xf32> -> tensor<128xf32>
  %6 = fuse.reduce min %0 dimensions = [0, 1] {fuse.alone} : tensor<128x768xf32> -> tensor<f32>
  return %1, %2, %4, %5, %6 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<128xf32>, tensor<f32>
}
