// What blocks lay out of padded windows is scratch, and work that neighbors repeat.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: %python %S/Inputs/check_kernels.py %s

// A result for each channel would leave blocks of whole images, each with a copy of all channels.
// CHECK-LABEL: @shared_variance
// CHECK-NEXT: Fusion: 7 → 3 kernels
// CHECK: kernel 1 × 2: conv-bn-relu
// WHY: [Missed] scratch {{.*}} Function=shared_variance | {{.*}}Remark="exp is not fused with
// The second image passes between kernels, so that its channels come last: prices are of the order as written.
// expect kernels=3
func.func @shared_variance(%x: tensor<1x64x80x80xf32>, %w: tensor<64x64x3x3xf32>, %w2: tensor<64x64x3x3xf32>, %g: tensor<64xf32>, %b: tensor<64xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>) -> tensor<1x64x80x80xf32> {
  %a = fuse.unary exp %v : tensor<64xf32>
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x64x80x80xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x80x80xf32>
  %1 = fuse.batch_norm %0, %g, %b, %m, %a epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x64x80x80xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x64x80x80xf32>
  %2 = fuse.unary relu %1 : tensor<1x64x80x80xf32>
  %3 = fuse.conv2d %2, %w2 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x64x80x80xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x80x80xf32>
  %4 = fuse.batch_norm %3, %g, %b, %m, %a epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x64x80x80xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x64x80x80xf32>
  %5 = fuse.unary relu %4 : tensor<1x64x80x80xf32>
  return %5 : tensor<1x64x80x80xf32>
}

// CHECK-LABEL: @smaller
// CHECK-NEXT: Fusion: 7 → 3 kernels
// WHY: [Missed] recomputation {{.*}} Function=smaller | {{.*}}Reason="{{[0-9]+}} operations would be repeated, {{[0-9]+}} ns more than is saved", Remark="relu is not fused with conv2d
// expect kernels=3
func.func @smaller(%x: tensor<1x16x40x40xf32>, %w: tensor<16x16x3x3xf32>, %w2: tensor<16x16x3x3xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<1x16x40x40xf32> {
  %a = fuse.unary exp %v : tensor<16xf32>
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x16x40x40xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x40x40xf32>
  %1 = fuse.batch_norm %0, %g, %b, %m, %a epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x40x40xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x40x40xf32>
  %2 = fuse.unary relu %1 : tensor<1x16x40x40xf32>
  %3 = fuse.conv2d %2, %w2 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x16x40x40xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x40x40xf32>
  %4 = fuse.batch_norm %3, %g, %b, %m, %a epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x16x40x40xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x40x40xf32>
  %5 = fuse.unary relu %4 : tensor<1x16x40x40xf32>
  return %5 : tensor<1x16x40x40xf32>
}
