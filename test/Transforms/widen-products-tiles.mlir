// RUN: fuse-opt %s --fuse-widen-products="numerics=folds bf16-tiles" | FileCheck %s
// RUN: fuse-opt %s --fuse-widen-products="numerics=reassociates bf16-tiles" | FileCheck %s --check-prefix=WIDE

// Tile registers multiply what fills them, where the numeric class lets denormals be 0.
// CHECK-LABEL: @tiles
// CHECK-NOT: fuse.cast
// CHECK: return
// WIDE-LABEL: @tiles
// WIDE: fuse.matmul {{.*}} : (tensor<64x96xf32>, tensor<96x2xf32>)
func.func @tiles(%x: tensor<64x96xbf16>, %w: tensor<96x2xbf16> {fuse.param}) -> tensor<64x2xbf16> {
  %0 = fuse.matmul %x, %w : (tensor<64x96xbf16>, tensor<96x2xbf16>) -> tensor<64x2xbf16>
  return %0 : tensor<64x2xbf16>
}

// The steps are columns of weights that are transposed; 67 of them have no part that fills half a line.
// CHECK-LABEL: @transposed
// CHECK: fuse.matmul {{.*}} : (tensor<64x96xbf16>, tensor<2x96xbf16>)
// CHECK: fuse.matmul {{.*}} : (tensor<64x67xf32>, tensor<2x67xf32>)
func.func @transposed(%x: tensor<64x96xbf16>, %w: tensor<2x96xbf16> {fuse.param}, %y: tensor<64x67xbf16>, %v: tensor<2x67xbf16> {fuse.param}) -> (tensor<64x2xbf16>, tensor<64x2xbf16>) {
  %0 = fuse.matmul %x, %w transpose_rhs : (tensor<64x96xbf16>, tensor<2x96xbf16>) -> tensor<64x2xbf16>
  %1 = fuse.matmul %y, %v transpose_rhs : (tensor<64x67xbf16>, tensor<2x67xbf16>) -> tensor<64x2xbf16>
  return %0, %1 : tensor<64x2xbf16>, tensor<64x2xbf16>
}

// The steps of a convolution are the channels of its groups. Products of f16 have no tiles.
// CHECK-LABEL: @channels
// CHECK: fuse.conv2d {{.*}} groups = 1 {{.*}}xbf16
// CHECK: fuse.conv2d {{.*}} groups = 1 {{.*}} : (tensor<1x8x8x3xf32>
// CHECK: fuse.matmul {{.*}} : (tensor<64x96xf32>
func.func @channels(%x: tensor<1x8x8x32xbf16>, %w: tensor<1x1x32x16xbf16> {fuse.param}, %y: tensor<1x8x8x3xbf16>, %v: tensor<1x1x3x16xbf16> {fuse.param},
                    %z: tensor<64x96xf16>, %u: tensor<96x2xf16> {fuse.param}) -> (tensor<1x8x8x16xbf16>, tensor<1x8x8x16xbf16>, tensor<64x2xf16>) {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x8x8x32xbf16>, tensor<1x1x32x16xbf16>) -> tensor<1x8x8x16xbf16>
  %1 = fuse.conv2d %y, %v strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x8x8x3xbf16>, tensor<1x1x3x16xbf16>) -> tensor<1x8x8x16xbf16>
  %2 = fuse.matmul %z, %u : (tensor<64x96xf16>, tensor<96x2xf16>) -> tensor<64x2xf16>
  return %0, %1, %2 : tensor<1x8x8x16xbf16>, tensor<1x8x8x16xbf16>, tensor<64x2xf16>
}
