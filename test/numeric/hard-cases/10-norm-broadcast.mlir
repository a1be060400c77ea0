// Case 10: a norm whose scale is not of the normalized axes' shape. The extents are equal, so that
// only the values tell.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// The scale goes along the rows: each row has one.
// CHECK-LABEL: @per_row
// CHECK-NEXT: Fusion: 10 → 1 kernels
// expect kernels=1 blocks>=16
// with %g = 1000.0 ** (np.arange(64).reshape(shape) / 64)
func.func @per_row(%x: tensor<64x64xf32>, %g: tensor<64x1xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32> {
  %eps = arith.constant dense<1.0e-5> : tensor<f32>
  %m = fuse.reduce mean %x dimensions = [1] keep_dims : tensor<64x64xf32> -> tensor<64x1xf32>
  %c = fuse.binary sub %x, %m : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %q = fuse.binary mul %c, %c : tensor<64x64xf32>
  %v = fuse.reduce mean %q dimensions = [1] keep_dims : tensor<64x64xf32> -> tensor<64x1xf32>
  %e = fuse.binary add %v, %eps : (tensor<64x1xf32>, tensor<f32>) -> tensor<64x1xf32>
  %s = fuse.unary rsqrt %e : tensor<64x1xf32>
  %n = fuse.binary mul %c, %s : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %t = fuse.binary mul %n, %g : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %r = fuse.binary add %t, %b : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  %a = fuse.unary abs %r : tensor<64x64xf32>
  return %a : tensor<64x64xf32>
}

// The scale has more dimensions than the value: each batch has another one.
// CHECK-LABEL: @larger_scale
// expect kernels=1
// with %g = 1000.0 ** (np.arange(3 * 64 * 64).reshape(shape) / 12288)
func.func @larger_scale(%x: tensor<64x64xf32>, %g: tensor<3x64x64xf32>) -> tensor<3x64x64xf32> {
  %0 = fuse.layer_norm %x dimensions = [1] epsilon = 1.0e-5 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = fuse.binary mul %0, %g : (tensor<64x64xf32>, tensor<3x64x64xf32>) -> tensor<3x64x64xf32>
  return %1 : tensor<3x64x64xf32>
}

// One number for all.
// CHECK-LABEL: @one_scale
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1 blocks>=16
func.func @one_scale(%x: tensor<200x300xf32>, %g: tensor<1xf32>) -> tensor<200x300xf32> {
  %0 = fuse.layer_norm %x dimensions = [1] epsilon = 1.0e-5 : (tensor<200x300xf32>) -> tensor<200x300xf32>
  %1 = fuse.binary mul %0, %g : (tensor<200x300xf32>, tensor<1xf32>) -> tensor<200x300xf32>
  return %1 : tensor<200x300xf32>
}

// The composite's scale is along its axes, here the first two of three.
// CHECK-LABEL: @leading_axes
// expect kernels=1
// with %g = 1000.0 ** (np.arange(32 * 32).reshape(shape) / 1024)
func.func @leading_axes(%x: tensor<32x32x32xf32>, %g: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32x32xf32> {
  %0 = fuse.layer_norm %x, %g, %b dimensions = [0, 1] epsilon = 1.0e-5 : (tensor<32x32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32x32xf32>
  return %0 : tensor<32x32x32xf32>
}

// The middle axis; what is multiplied afterwards is along the last.
// CHECK-LABEL: @middle_axis
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1 blocks>=16
// with %g = 1000.0 ** (np.arange(32) / 32)
// with %h = 1000.0 ** (np.arange(32) / 32)
func.func @middle_axis(%x: tensor<32x32x32xf32>, %g: tensor<32xf32>, %h: tensor<32xf32>) -> tensor<32x32x32xf32> {
  %0 = fuse.layer_norm %x, %g dimensions = [1] epsilon = 1.0e-5 : (tensor<32x32x32xf32>, tensor<32xf32>) -> tensor<32x32x32xf32>
  %1 = fuse.binary mul %0, %h : (tensor<32x32x32xf32>, tensor<32xf32>) -> tensor<32x32x32xf32>
  return %1 : tensor<32x32x32xf32>
}
