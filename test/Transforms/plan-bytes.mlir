// Memory near the core is counted by the bytes of what lies there: not by those of the sums that are rounded to bytes.
// RUN: fuse-opt %s --fuse-plan --remarks-filter-missed=fuse-plan --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s

// A convolution of 1 by 1 to 64 channels of 56 by 56 pixels, rounded to bytes, in front of one of 3 by 3 whose windows overlap:
// the image of bytes takes 200,704 bytes, its sums of i32 802,816. As floats the image would take as much again.
// CHECK-NOT: scratch
// CHECK: [Passed] fused {{.*}}Remark="fused cast with conv2d(64 channels, 3x3)
// CHECK-NOT: scratch
module attributes {fuse.target = #fuse.target<"near", cpu, {l2_bytes = 1.048576e+06, min_blocks = 1.000000e+00}>} {
  func.func @convolutions(%x: tensor<1x56x56x64xui8>, %w: tensor<1x1x64x64xi8> {fuse.param}, %v: tensor<3x3x64x64xi8> {fuse.param}) -> tensor<1x54x54x64xui8> {
    %s = arith.constant dense<1.000000e-02> : tensor<f32>
    %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x56x56x64xui8>, tensor<1x1x64x64xi8>) -> tensor<1x56x56x64xi32>
    %1 = fuse.cast %0 : (tensor<1x56x56x64xi32>) -> tensor<1x56x56x64xf32>
    %2 = fuse.binary mul %1, %s : (tensor<1x56x56x64xf32>, tensor<f32>) -> tensor<1x56x56x64xf32>
    %3 = fuse.unary round_even %2 : tensor<1x56x56x64xf32>
    %4 = fuse.cast %3 : (tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xui8>
    %5 = fuse.conv2d %4, %v strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x56x56x64xui8>, tensor<3x3x64x64xi8>) -> tensor<1x54x54x64xi32>
    %6 = fuse.cast %5 : (tensor<1x54x54x64xi32>) -> tensor<1x54x54x64xf32>
    %7 = fuse.binary mul %6, %s : (tensor<1x54x54x64xf32>, tensor<f32>) -> tensor<1x54x54x64xf32>
    %8 = fuse.unary round_even %7 : tensor<1x54x54x64xf32>
    %9 = fuse.cast %8 : (tensor<1x54x54x64xf32>) -> tensor<1x54x54x64xui8>
    return %9 : tensor<1x54x54x64xui8>
  }
}
