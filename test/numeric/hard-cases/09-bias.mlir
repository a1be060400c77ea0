// Case 9: what is added to a product is what its shape says, not a "bias": all extents are equal, so
// that a wrong axis would go unnoticed by shapes.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// Along the columns.
// CHECK-LABEL: @columns
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
// with %x = (np.arange(48 * 48).reshape(shape) % 7) - 3
// with %w = (np.arange(48 * 48).reshape(shape) % 5) - 2
// with %b = 100 * np.arange(48)
// gives result0 = x @ w + b
func.func @columns(%x: tensor<48x48xf32>, %w: tensor<48x48xf32>, %b: tensor<48xf32>) -> tensor<48x48xf32> {
  %0 = fuse.matmul %x, %w : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  %1 = fuse.binary add %0, %b : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48x48xf32>
  return %1 : tensor<48x48xf32>
}

// Along the rows.
// CHECK-LABEL: @rows
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
// with %x = (np.arange(48 * 48).reshape(shape) % 7) - 3
// with %w = (np.arange(48 * 48).reshape(shape) % 5) - 2
// with %b = 100 * np.arange(48).reshape(48, 1)
// gives result0 = b + x @ w
func.func @rows(%x: tensor<48x48xf32>, %w: tensor<48x48xf32>, %b: tensor<48x1xf32>) -> tensor<48x48xf32> {
  %0 = fuse.matmul %x, %w : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  %1 = fuse.binary add %b, %0 : (tensor<48x1xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  return %1 : tensor<48x48xf32>
}

// Along the batch only, and a single element.
// CHECK-LABEL: @batch
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
// with %x = (np.arange(24 ** 3).reshape(shape) % 7) - 3
// with %w = (np.arange(24 ** 3).reshape(shape) % 5) - 2
// with %b = 100 * np.arange(24).reshape(24, 1, 1)
// with %s = 7.0
// gives result0 = x @ w + b + s
func.func @batch(%x: tensor<24x24x24xf32>, %w: tensor<24x24x24xf32>, %b: tensor<24x1x1xf32>, %s: tensor<1x1xf32>) -> tensor<24x24x24xf32> {
  %0 = fuse.matmul %x, %w : (tensor<24x24x24xf32>, tensor<24x24x24xf32>) -> tensor<24x24x24xf32>
  %1 = fuse.binary add %0, %b : (tensor<24x24x24xf32>, tensor<24x1x1xf32>) -> tensor<24x24x24xf32>
  %2 = fuse.binary add %1, %s : (tensor<24x24x24xf32>, tensor<1x1xf32>) -> tensor<24x24x24xf32>
  return %2 : tensor<24x24x24xf32>
}

// alpha (x w + b) is not alpha x w + b.
// CHECK-LABEL: @scaled_outside
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1
// with %x = (np.arange(48 * 48).reshape(shape) % 7) - 3
// with %w = (np.arange(48 * 48).reshape(shape) % 5) - 2
// with %b = 100 * np.arange(48)
// gives result0 = 0.5 * (x @ w + b)
func.func @scaled_outside(%x: tensor<48x48xf32>, %w: tensor<48x48xf32>, %b: tensor<48xf32>) -> tensor<48x48xf32> {
  %h = arith.constant dense<0.5> : tensor<f32>
  %0 = fuse.matmul %x, %w : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  %1 = fuse.binary add %0, %b : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48x48xf32>
  %2 = fuse.binary mul %1, %h : (tensor<48x48xf32>, tensor<f32>) -> tensor<48x48xf32>
  return %2 : tensor<48x48xf32>
}

// CHECK-LABEL: @scaled_inside
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1
// with %x = (np.arange(48 * 48).reshape(shape) % 7) - 3
// with %w = (np.arange(48 * 48).reshape(shape) % 5) - 2
// with %b = 100 * np.arange(48)
// gives result0 = 0.5 * (x @ w) + b
func.func @scaled_inside(%x: tensor<48x48xf32>, %w: tensor<48x48xf32>, %b: tensor<48xf32>) -> tensor<48x48xf32> {
  %h = arith.constant dense<0.5> : tensor<f32>
  %0 = fuse.matmul %x, %w : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  %1 = fuse.binary mul %h, %0 : (tensor<f32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  %2 = fuse.binary add %1, %b : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48x48xf32>
  return %2 : tensor<48x48xf32>
}

// A convolution's own bias is along its channels, in one group or four; what is added afterwards is
// along the width, since it is broadcast as any operand is.
// CHECK-LABEL: @grouped
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
// with %x = (np.arange(16 ** 3).reshape(shape) % 7) - 3
// with %w = (np.arange(16 * 4 * 9).reshape(shape) % 5) - 2
// with %b = 100 * np.arange(16)
// with %c = 10000 * np.arange(16)
func.func @grouped(%x: tensor<1x16x16x16xf32>, %w: tensor<16x4x3x3xf32>, %b: tensor<16xf32>, %c: tensor<16xf32>) -> tensor<1x16x16x16xf32> {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 4 layout = nchw_fchw : (tensor<1x16x16x16xf32>, tensor<16x4x3x3xf32>, tensor<16xf32>) -> tensor<1x16x16x16xf32>
  %1 = fuse.binary add %0, %c : (tensor<1x16x16x16xf32>, tensor<16xf32>) -> tensor<1x16x16x16xf32>
  %2 = fuse.unary relu %1 : tensor<1x16x16x16xf32>
  return %2 : tensor<1x16x16x16xf32>
}

// Depthwise, channels last.
// CHECK-LABEL: @depthwise
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
// with %x = (np.arange(16 ** 3).reshape(shape) % 7) - 3
// with %w = np.ones(shape)
// with %b = 100 * np.arange(16).reshape(shape)
// gives result0 = x + b
func.func @depthwise(%x: tensor<1x16x16x16xf32>, %w: tensor<1x1x1x16xf32>, %b: tensor<16x1xf32>) -> tensor<1x16x16x16xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 16 layout = nhwc_hwcf : (tensor<1x16x16x16xf32>, tensor<1x1x1x16xf32>) -> tensor<1x16x16x16xf32>
  %1 = fuse.binary add %0, %b : (tensor<1x16x16x16xf32>, tensor<16x1xf32>) -> tensor<1x16x16x16xf32>
  return %1 : tensor<1x16x16x16xf32>
}
