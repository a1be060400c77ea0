// RUN: fuse-opt %s --split-input-file --fuse-flush-weights=numerics=folds | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-flush-weights | FileCheck %s --check-prefix=EXACT --implicit-check-not=fuse.select
// RUN: not fuse-opt %s --split-input-file --fuse-flush-weights=numerics=rough 2>&1 | FileCheck %s --check-prefix=ERROR

// EXACT: fuse.conv2d
// ERROR: rough

// The weights and the bias of a convolution; the image is no parameter.
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1x8x8x4xf32>, %[[W:[^:]*]]: tensor<3x3x4x16xf32> {fuse.denormals, fuse.param}, %[[B:[^:]*]]: tensor<16xf32> {fuse.denormals, fuse.param})
// CHECK-DAG:     %[[SIZE:.*]] = fuse.unary abs %[[W]]
// CHECK-DAG:     %[[MASK:.*]] = fuse.compare lt %[[SIZE]], %{{.*}}
// CHECK-DAG:     %[[FLUSHED:.*]] = fuse.select %[[MASK]], %{{.*}}, %[[W]]
// CHECK-DAG:     %[[SIZE1:.*]] = fuse.unary abs %[[B]]
// CHECK-DAG:     %[[FLUSHED1:.*]] = fuse.select %{{.*}}, %{{.*}}, %[[B]]
// CHECK:         fuse.conv2d %[[X]], %[[FLUSHED]], %[[FLUSHED1]]
func.func @convolution(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32> {fuse.param, fuse.denormals}, %b: tensor<16xf32> {fuse.param, fuse.denormals}) -> tensor<1x8x8x16xf32> {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>, tensor<16xf32>) -> tensor<1x8x8x16xf32>
  return %0 : tensor<1x8x8x16xf32>
}

// -----

// Through views; an op that does more than multiply and add reads the parameter as it is.
// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[V:[^:]*]]: tensor<8x4xf32> {fuse.denormals, fuse.param}, %[[L:[^:]*]]: tensor<4x8xf32> {fuse.denormals, fuse.param})
// CHECK-DAG:     %[[FLUSHED:.*]] = fuse.select %{{.*}}, %{{.*}}, %[[V]]
// CHECK-DAG:     %[[SUMMED:.*]] = fuse.select %{{.*}}, %{{.*}}, %[[L]]
// CHECK:         %[[R:.*]] = fuse.reshape %[[FLUSHED]]
// CHECK:         fuse.unary log %[[L]]
// CHECK:         fuse.matmul %{{.*}}, %[[SUMMED]]
func.func @views(%x: tensor<2x4xf32>, %v: tensor<8x4xf32> {fuse.param, fuse.denormals}, %l: tensor<4x8xf32> {fuse.param, fuse.denormals}) -> (tensor<2x8xf32>, tensor<4x8xf32>) {
  %r = fuse.reshape %v : tensor<8x4xf32> -> tensor<2x4x4xf32>
  %0 = fuse.reshape %r : tensor<2x4x4xf32> -> tensor<8x4xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %2 = fuse.matmul %x, %1 : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %3 = fuse.unary log %l : tensor<4x8xf32>
  %4 = fuse.matmul %x, %l : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %5 = fuse.binary add %2, %4 : tensor<2x8xf32>
  return %5, %3 : tensor<2x8xf32>, tensor<4x8xf32>
}

// -----

// Without the mark all elements are taken to be normal.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT:     fuse.select
// CHECK:         return
func.func @kept(%x: tensor<2x4xf32>, %w: tensor<4x8xf32> {fuse.param}) -> tensor<2x8xf32> {
  %0 = fuse.matmul %x, %w : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

// What is computed from such parameters: packed weights.
// CHECK-LABEL: func.func @computed(
// CHECK:         %[[P:.*]] = fuse.transpose
// CHECK:         %[[C:.*]] = fuse.copy %[[P]]
// CHECK:         fuse.unary abs %[[C]]
// CHECK:         %[[S:.*]] = fuse.select %{{.*}}, %{{.*}}, %[[C]]
// CHECK-NOT:     fuse.select
// CHECK:         fuse.matmul %{{.*}}, %[[S]]
func.func @computed(%x: tensor<2x4xf32>, %w: tensor<8x4xf32> {fuse.param, fuse.denormals}) -> tensor<2x8xf32> {
  %p = fuse.transpose %w permutation = [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %c = fuse.copy %p : tensor<4x8xf32>
  %0 = fuse.matmul %x, %c : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

// A function that another calls prepares nothing.
// CHECK-LABEL: func.func @called(
// CHECK-NOT:     fuse.select
// CHECK:         return
func.func @called(%x: tensor<2x4xf32>, %w: tensor<4x8xf32> {fuse.param, fuse.denormals}) -> tensor<2x8xf32> {
  %0 = fuse.matmul %x, %w : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
func.func @caller(%x: tensor<2x4xf32>, %w: tensor<4x8xf32> {fuse.param, fuse.denormals}) -> tensor<2x8xf32> {
  %0 = func.call @called(%x, %w) : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
