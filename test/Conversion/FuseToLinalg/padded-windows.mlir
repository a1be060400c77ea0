// RUN: fuse-opt %s --convert-fuse-to-linalg --split-input-file | FileCheck %s

// An image whose channels come first, read with its channels last: a copy that each tile makes of what it reads.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x8x9xf32>
// CHECK:         %[[WHOLE:.*]] = tensor.collapse_shape %[[X]]
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[WHOLE]] : tensor<3x8x9xf32>) outs(%{{.*}} : tensor<8x9x3xf32>) attrs = {fuse.recompute}
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[IN]]
// CHECK:         tensor.pad %[[COPY]] low[1, 2, 0] high[3, 4, 0]
func.func @transposed(%x: tensor<1x3x8x9xf32>) -> tensor<1x10x13x3xf32> {
  %0 = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<1x3x8x9xf32> -> tensor<1x8x9x3xf32>
  %1 = fuse.max_pool2d %0 kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 2, 3, 4] layout = nhwc_hwcf : tensor<1x8x9x3xf32> -> tensor<1x10x13x3xf32>
  return %1 : tensor<1x10x13x3xf32>
}

// -----

// A single row grows, so that it is a dimension; images and channels stay none.
// CHECK-LABEL: func.func @row(
// CHECK:         %[[ROW:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 9] : tensor<9xf32> into tensor<1x9xf32>
// CHECK:         tensor.pad %[[ROW]] low[1, 1] high[1, 1]
// CHECK:         tensor<1x9xf32> to tensor<3x11xf32>
func.func @row(%x: tensor<1x1x9x1xf32>) -> tensor<1x1x9x1xf32> {
  %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x1x9x1xf32> -> tensor<1x1x9x1xf32>
  return %0 : tensor<1x1x9x1xf32>
}

// -----

// Columns of which each is two dimensions of memory that lie apart: elements are read at computed positions.
// CHECK-LABEL: func.func @interleaved(
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<5x8x6xf32>) attrs = {fuse.recompute}
// CHECK:           arith.remui
// CHECK:           arith.divui
// CHECK:           tensor.extract
// CHECK:         tensor.pad %[[COPY]] low[1, 1, 0] high[1, 1, 0]
func.func @interleaved(%x: tensor<2x5x4x6xf32>) -> tensor<1x5x8x6xf32> {
  %0 = fuse.transpose %x permutation = [1, 2, 0, 3] : tensor<2x5x4x6xf32> -> tensor<5x4x2x6xf32>
  %1 = fuse.reshape %0 : tensor<5x4x2x6xf32> -> tensor<1x5x8x6xf32>
  %2 = fuse.max_pool2d %1 kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<1x5x8x6xf32> -> tensor<1x5x8x6xf32>
  return %2 : tensor<1x5x8x6xf32>
}

// -----

// The extent of what is padded is not known: the window's own is that of the input, and two more, less two.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         %[[PAD:.*]] = tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK:         tensor<?x6x6x4xf32> to tensor<?x8x8x4xf32>
func.func @dynamic(%x: tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32> {
  %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nhwc_hwcf : tensor<?x6x6x4xf32> -> tensor<?x6x6x4xf32>
  return %0 : tensor<?x6x6x4xf32>
}
