// RUN: not fuse-opt %s --fuse-pipeline=numerics=folds --fuse-layout=numerics=folds --fuse-check-plan=stream 2>&1 | FileCheck %s

// The groups of a convolution are one of the loops of its code, and not yet of its price.
// CHECK: check-plan-errors.mlir:[[#@LINE+4]]:8: error: kernel @kernel_{{[0-9a-f]+}} is priced with 3 shared dims, built with 4
// CHECK: note: priced: #fuse.schedule<
// CHECK: note: built: #fuse.schedule<
func.func @grouped(%x: tensor<1x8x20x20xf32>, %w: tensor<16x4x3x3xf32>) -> tensor<1x16x20x20xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 2 layout = nchw_fchw : (tensor<1x8x20x20xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x20x20xf32>
  return %0 : tensor<1x16x20x20xf32>
}
