// RUN: fuse-opt %s --fuse-widen-products | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: fuse-opt %s --fuse-widen-products=numerics=reduced-precision | FileCheck %s --check-prefixes=CHECK,REDUCED
// RUN: not fuse-opt %s --fuse-widen-products=numerics=some 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: fuse-opt %s --fuse-pipeline="layouts=true prepare-moves=true" | FileCheck %s --check-prefix=PREPARED

// NAME: error: unknown numerics 'some'

// 64 rows read the same weights: the product is one of f32, rounded once.
// CHECK-LABEL: @many
// CHECK-DAG: %[[X:.*]] = fuse.cast %arg0 : (tensor<64x8xf16>) -> tensor<64x8xf32>
// CHECK-DAG: %[[W:.*]] = fuse.cast %arg1 : (tensor<8x2xf16>) -> tensor<8x2xf32>
// CHECK: %[[Y:.*]] = fuse.matmul %[[X]], %[[W]] : (tensor<64x8xf32>, tensor<8x2xf32>) -> tensor<64x2xf32>
// CHECK: %[[R:.*]] = fuse.cast %[[Y]] {fuse.rounding} : (tensor<64x2xf32>) -> tensor<64x2xf16>
// CHECK: return %[[R]]
// Widening parameters is exact, and is done once where nothing but moves is.
// PREPARED-LABEL: func.func @many(
// PREPARED-SAME: tensor<8x2xf32> {fuse.param, fuse.prepared}
func.func @many(%x: tensor<64x8xf16>, %w: tensor<8x2xf16> {fuse.param}) -> tensor<64x2xf16> {
  %0 = fuse.matmul %x, %w : (tensor<64x8xf16>, tensor<8x2xf16>) -> tensor<64x2xf16>
  return %0 : tensor<64x2xf16>
}

// With few rows, the bytes of weights are what counts.
// CHECK-LABEL: @few
// CHECK-NOT: fuse.cast
func.func @few(%x: tensor<3x5x8xf16>, %w: tensor<8x2xf16> {fuse.param}) -> tensor<3x5x2xf16> {
  %0 = fuse.matmul %x, %w : (tensor<3x5x8xf16>, tensor<8x2xf16>) -> tensor<3x5x2xf16>
  return %0 : tensor<3x5x2xf16>
}

// An open number of rows counts as what is likely.
// CHECK-LABEL: @likely_few
// CHECK-NOT: fuse.cast
// CHECK-LABEL: @likely_many
// CHECK: fuse.matmul {{.*}} : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
func.func @likely_few(%x: tensor<?x8xf16> {fuse.dim_hints = array<i64: 2, -1>}, %w: tensor<8x2xf16> {fuse.param}) -> tensor<?x2xf16> {
  %0 = fuse.matmul %x, %w : (tensor<?x8xf16>, tensor<8x2xf16>) -> tensor<?x2xf16>
  return %0 : tensor<?x2xf16>
}
func.func @likely_many(%x: tensor<?x8xf16> {fuse.dim_hints = array<i64: 128, -1>}, %w: tensor<8x2xf16> {fuse.param}) -> tensor<?x2xf16> {
  %0 = fuse.matmul %x, %w : (tensor<?x8xf16>, tensor<8x2xf16>) -> tensor<?x2xf16>
  return %0 : tensor<?x2xf16>
}

// bf16, with an f32 result: nothing is rounded behind it. An instruction sums bf16 where numbers may be rounded on the way.
// CHECK-LABEL: @brain
// EXACT: fuse.matmul {{.*}} : (tensor<2x8xf32>, tensor<8x64xf32>) -> tensor<2x64xf32>
// EXACT-NOT: fuse.cast {{.*}} -> tensor<2x64xbf16>
// REDUCED: fuse.matmul {{.*}} : (tensor<2x8xbf16>, tensor<8x64xbf16>) -> tensor<2x64xf32>
func.func @brain(%w: tensor<2x8xbf16> {fuse.param}, %x: tensor<8x64xbf16>) -> tensor<2x64xf32> {
  %0 = fuse.matmul %w, %x : (tensor<2x8xbf16>, tensor<8x64xbf16>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}

// Convolutions, their bias too. Windows of several pixels overlap: of f16 the kernel's tile of the image is widened once. Of
// bf16, two of which are read at once, they stay.
// CHECK-LABEL: @pixels
// CHECK: fuse.conv2d {{.*}} : (tensor<1x4x9x9xf32>, tensor<6x4x1x1xf32>, tensor<6xf32>) -> tensor<1x6x9x9xf32>
// CHECK: fuse.conv2d {{.*}} : (tensor<1x4x9x9xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x7x7xf32>
// CHECK-LABEL: @brain_windows
// CHECK-NOT: fuse.cast
// CHECK: fuse.conv2d {{.*}} : (tensor<1x4x9x9xbf16>, tensor<6x4x3x3xbf16>) -> tensor<1x6x7x7xbf16>
func.func @pixels(%x: tensor<1x4x9x9xf16>, %w: tensor<6x4x1x1xf16> {fuse.param}, %b: tensor<6xf16> {fuse.param},
                  %v: tensor<6x4x3x3xf16> {fuse.param}) -> (tensor<1x6x9x9xf16>, tensor<1x6x7x7xf16>) {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw
      : (tensor<1x4x9x9xf16>, tensor<6x4x1x1xf16>, tensor<6xf16>) -> tensor<1x6x9x9xf16>
  %1 = fuse.conv2d %x, %v strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw
      : (tensor<1x4x9x9xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x7xf16>
  return %0, %1 : tensor<1x6x9x9xf16>, tensor<1x6x7x7xf16>
}

func.func @brain_windows(%x: tensor<1x4x9x9xbf16>, %v: tensor<6x4x3x3xbf16> {fuse.param}) -> tensor<1x6x7x7xbf16> {
  %0 = fuse.conv2d %x, %v strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw
      : (tensor<1x4x9x9xbf16>, tensor<6x4x3x3xbf16>) -> tensor<1x6x7x7xbf16>
  return %0 : tensor<1x6x7x7xbf16>
}

// Computed operands alone, and parameters alone.
// CHECK-LABEL: @others
// CHECK-NOT: fuse.cast
func.func @others(%x: tensor<64x8xf16>, %y: tensor<8x2xf16>, %v: tensor<64x8xf16> {fuse.param}, %w: tensor<8x2xf16> {fuse.param})
    -> (tensor<64x2xf16>, tensor<64x2xf16>) {
  %0 = fuse.matmul %x, %y : (tensor<64x8xf16>, tensor<8x2xf16>) -> tensor<64x2xf16>
  %1 = fuse.matmul %v, %w : (tensor<64x8xf16>, tensor<8x2xf16>) -> tensor<64x2xf16>
  return %0, %1 : tensor<64x2xf16>, tensor<64x2xf16>
}
