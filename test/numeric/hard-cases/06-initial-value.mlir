// Case 6: what a reduction starts from is added once, however many steps the reduction is cut into,
// also where it is computed in the same kernel.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// The bias is what the sum starts from, and a member computes it.
// CHECK-LABEL: @conv_bias
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
// with %x = (np.arange(32 * 20 * 20).reshape(shape) % 7) - 3
// with %w = (np.arange(16 * 32 * 9).reshape(shape) % 5) - 2
// with %b = 1000 * np.arange(16)
func.func @conv_bias(%x: tensor<1x32x20x20xf32>, %w: tensor<16x32x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x20x20xf32> {
  %n = fuse.unary neg %b : tensor<16xf32>
  %0 = fuse.conv2d %x, %w, %n strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x32x20x20xf32>, tensor<16x32x3x3xf32>, tensor<16xf32>) -> tensor<1x16x20x20xf32>
  %1 = fuse.unary relu %0 : tensor<1x16x20x20xf32>
  return %1 : tensor<1x16x20x20xf32>
}

// 5000 steps; the addend comes before, in between or after, but once.
// CHECK-LABEL: @long_product
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
// with %x = (np.arange(40 * 5000).reshape(shape) % 5) - 2
// with %y = (np.arange(5000 * 48).reshape(shape) % 3) - 1
// with %c = 1000 * np.arange(48)
// gives result0 = x @ y - c
func.func @long_product(%x: tensor<40x5000xf32>, %y: tensor<5000x48xf32>, %c: tensor<48xf32>) -> tensor<40x48xf32> {
  %n = fuse.unary neg %c : tensor<48xf32>
  %0 = fuse.matmul %x, %y : (tensor<40x5000xf32>, tensor<5000x48xf32>) -> tensor<40x48xf32>
  %1 = fuse.binary add %0, %n : (tensor<40x48xf32>, tensor<48xf32>) -> tensor<40x48xf32>
  return %1 : tensor<40x48xf32>
}

// A sum over rows longer than any tile, an addend and a second sum over its result.
// CHECK-LABEL: @long_rows
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1 blocks>=16
// with %x = (np.arange(40 * 20000).reshape(shape) % 5) - 1
// with %c = 1000 * np.arange(40).reshape(40, 1)
// gives result0 = x.sum(1, keepdims=True) + c
// gives result1 = ((x - 1 * (x.sum(1, keepdims=True) + c)).astype(np.float64)).sum(1)
func.func @long_rows(%x: tensor<40x20000xf32>, %c: tensor<40x1xf32>) -> (tensor<40x1xf32>, tensor<40xf64>) {
  %s = fuse.reduce sum %x dimensions = [1] keep_dims : tensor<40x20000xf32> -> tensor<40x1xf32>
  %a = fuse.binary add %s, %c : tensor<40x1xf32>
  %d = fuse.binary sub %x, %a : (tensor<40x20000xf32>, tensor<40x1xf32>) -> tensor<40x20000xf32>
  %e = fuse.cast %d : (tensor<40x20000xf32>) -> tensor<40x20000xf64>
  %r = fuse.reduce sum %e dimensions = [1] : tensor<40x20000xf64> -> tensor<40xf64>
  return %a, %r : tensor<40x1xf32>, tensor<40xf64>
}

// All elements to one, cut over many blocks or not at all: the start counts once.
// CHECK-LABEL: @everything
// expect kernels=2
// with %x = np.arange(300 * 500).reshape(shape) % 4 - 1
// gives result0 = x.astype(np.int64).sum() + 7
// gives result1 = np.full((), 120)
func.func @everything(%x: tensor<300x500xi32>) -> (tensor<i32>, tensor<i32>) {
  %c = arith.constant dense<7> : tensor<i32>
  %p = arith.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %s = fuse.reduce sum %x dimensions = [0, 1] : tensor<300x500xi32> -> tensor<i32>
  %a = fuse.binary add %s, %c : tensor<i32>
  %q = fuse.reduce prod %p dimensions = [0] : tensor<5xi32> -> tensor<i32>
  return %a, %q : tensor<i32>, tensor<i32>
}
