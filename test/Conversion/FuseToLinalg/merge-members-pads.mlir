// RUN: fuse-opt %s --convert-fuse-to-linalg --fuse-merge-members | FileCheck %s
// RUN: fuse-opt %s --convert-fuse-to-linalg --fuse-merge-members=per-element | FileCheck %s --check-prefix=EACH

// A padding of an activation that is costly behind a convolution: the activation is there whole, as the sums are.
// CHECK-LABEL: func.func @costly(
// CHECK:         %[[CONV:.*]] = linalg.generic {{.*}}"reduction"
// CHECK-NOT:     fuse.recompute
// CHECK:         %[[SIGMOID:.*]] = linalg.generic {{.*}} ins(%[[CONV]] :
// CHECK:           arith.divf
// CHECK-NOT:     fuse.recompute
// CHECK:         tensor.pad %[[SIGMOID]]
// EACH-LABEL:  func.func @costly(
// EACH:          %[[CONV:.*]] = linalg.generic {{.*}}"reduction"
// EACH:          %[[SIGMOID:.*]] = linalg.generic {{.*}} ins(%[[CONV]] :
// EACH:            arith.divf
// EACH:          linalg.generic {{.*}} {{.*}}fuse.recompute}
// EACH-NOT:        arith.divf
// EACH:            tensor.extract %[[SIGMOID]]
func.func @costly(%x: tensor<1x2x6x6xf32>, %w: tensor<4x2x1x1xf32>, %d: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %y = fuse.unary exp %x : tensor<1x2x6x6xf32>
  %0 = fuse.conv2d %y, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x6x6xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x6x6xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1x4x6x6xf32>
  %2 = fuse.conv2d %1, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 4 layout = nchw_fchw : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %2 : tensor<1x4x6x6xf32>
}

// What is computed from an argument is computed by each tile, costly or not.
// CHECK-LABEL: func.func @argument(
// CHECK:         %[[SIGMOID:.*]] = linalg.generic {{.*}} {{.*}}fuse.recompute}
// CHECK:           arith.divf
// CHECK:         tensor.pad %[[SIGMOID]]
// EACH-LABEL:  func.func @argument(
// EACH:          linalg.generic {{.*}} ins(
// EACH-NOT:      tensor.pad
func.func @argument(%x: tensor<1x4x6x6xf32>, %d: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %1 = fuse.unary sigmoid %x : tensor<1x4x6x6xf32>
  %2 = fuse.conv2d %1, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 4 layout = nchw_fchw : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %2 : tensor<1x4x6x6xf32>
}

// Sums that only a relu reads go through it before they are stored. A thread of a GPU computes the relu of each
// element that it reads.
// CHECK-LABEL: func.func @sums(
// CHECK:         %[[CONV:.*]] = linalg.generic {{.*}}"reduction"
// CHECK-NOT:     fuse.recompute
// CHECK:         %[[RELU:.*]] = linalg.generic {{.*}} ins(%[[CONV]] :
// CHECK-NOT:     fuse.recompute
// CHECK:         tensor.pad %[[RELU]]
// EACH-LABEL:  func.func @sums(
// EACH:          %[[CONV:.*]] = linalg.generic {{.*}}"reduction"
// EACH:          linalg.generic {{.*}} {{.*}}fuse.recompute}
// EACH:            arith.cmpi ult
// EACH:            arith.maxsi
// EACH:            tensor.extract %[[CONV]]
// EACH:            arith.cmpf ole
// EACH:            arith.select
func.func @sums(%x: tensor<1x2x6x6xf32>, %w: tensor<4x2x1x1xf32>, %d: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x6x6xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x6x6xf32>
  %1 = fuse.unary relu %0 : tensor<1x4x6x6xf32>
  %2 = fuse.conv2d %1, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 4 layout = nchw_fchw : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %2 : tensor<1x4x6x6xf32>
}

// Sums that are read afterwards stay as they are, and so the relu is computed by each tile.
// CHECK-LABEL: func.func @read_afterwards(
// CHECK:         %[[CONV:.*]] = linalg.generic {{.*}}"reduction"
// CHECK:         %[[RELU:.*]] = linalg.generic {{.*}} ins(%[[CONV]] : {{.*}} {{.*}}fuse.recompute}
// CHECK:         tensor.pad %[[RELU]]
func.func @read_afterwards(%x: tensor<1x2x6x6xf32>, %w: tensor<4x2x1x1xf32>, %d: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x6x6xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x6x6xf32>
  %1 = fuse.unary relu %0 : tensor<1x4x6x6xf32>
  %2 = fuse.conv2d %1, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 4 layout = nchw_fchw : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  %3 = fuse.binary add %2, %0 : tensor<1x4x6x6xf32>
  return %3 : tensor<1x4x6x6xf32>
}

// A transposed image takes in what computes its elements: one copy, which computes them.
// CHECK-LABEL: func.func @transposed(
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<6x6x4xf32>) {{.*}}fuse.recompute}
// CHECK:           arith.cmpf ole
// CHECK-NOT:     linalg.generic
// CHECK:         tensor.pad %[[COPY]]
func.func @transposed(%x: tensor<1x4x6x6xf32>) -> tensor<1x6x6x4xf32> {
  %0 = fuse.unary relu %x : tensor<1x4x6x6xf32>
  %1 = fuse.transpose %0 permutation = [0, 2, 3, 1] : tensor<1x4x6x6xf32> -> tensor<1x6x6x4xf32>
  %2 = fuse.max_pool2d %1 kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x6x6x4xf32> -> tensor<1x6x6x4xf32>
  return %2 : tensor<1x6x6x4xf32>
}
