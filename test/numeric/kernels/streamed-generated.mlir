// RUN: fuse-run %s --target emulator --random-inputs 1 --numerics folds --check 2>&1 | FileCheck %s
// The shared memory of this chip takes 128 channels at once, and 64 of them are left for the second step.
// RUN: fuse-run %s --target emulator --chip sm_90 --random-inputs 1 --numerics folds --check 2>&1 | FileCheck %s

// The channels of the convolution are streamed. The addition of its bias is computed where the pool reads it, behind
// the loop over channels: the sum is final there.
// CHECK: result0: largest error
func.func @pooled(%x: tensor<2x192x14x14xf32>, %w: tensor<192x192x3x3xf32>, %s: tensor<192x1x1x1xf32>, %b: tensor<192xf32>) -> tensor<2x192x2x2xf32> {
  %0 = fuse.binary mul %w, %s : (tensor<192x192x3x3xf32>, tensor<192x1x1x1xf32>) -> tensor<192x192x3x3xf32>
  %1 = fuse.conv2d %x, %0, %b strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<2x192x14x14xf32>, tensor<192x192x3x3xf32>, tensor<192xf32>) -> tensor<2x192x7x7xf32>
  %2 = fuse.max_pool2d %1 kernel = [3, 3] strides = [3, 3] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<2x192x7x7xf32> -> tensor<2x192x2x2xf32>
  return %2 : tensor<2x192x2x2xf32>
}
