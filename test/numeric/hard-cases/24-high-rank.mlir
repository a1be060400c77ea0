// Case 24: eight dimensions and more.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// CHECK-LABEL: @elementwise
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1 blocks>=16
func.func @elementwise(%x: tensor<3x2x4x5x3x4x5x6xf32>, %y: tensor<1x4x1x3x1x5x1xf32>) -> tensor<3x2x4x5x3x4x5x6xf32> {
  %a = fuse.binary add %x, %y : (tensor<3x2x4x5x3x4x5x6xf32>, tensor<1x4x1x3x1x5x1xf32>) -> tensor<3x2x4x5x3x4x5x6xf32>
  %b = fuse.unary tanh %a : tensor<3x2x4x5x3x4x5x6xf32>
  %c = fuse.binary mul %b, %x : tensor<3x2x4x5x3x4x5x6xf32>
  %d = fuse.unary neg %c : tensor<3x2x4x5x3x4x5x6xf32>
  return %d : tensor<3x2x4x5x3x4x5x6xf32>
}

// Every other dimension is folded.
// CHECK-LABEL: @reduced
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1
// with %x = np.arange(43200).reshape(shape) % 13 - 5
// gives result0 = (-x).sum((0, 2, 4, 6)) * 2
func.func @reduced(%x: tensor<3x2x4x5x3x4x5x6xf32>) -> tensor<2x5x4x6xf32> {
  %a = fuse.unary neg %x : tensor<3x2x4x5x3x4x5x6xf32>
  %b = fuse.reduce sum %a dimensions = [0, 2, 4, 6] : tensor<3x2x4x5x3x4x5x6xf32> -> tensor<2x5x4x6xf32>
  %c = fuse.binary add %b, %b : tensor<2x5x4x6xf32>
  return %c : tensor<2x5x4x6xf32>
}

// Softmax along the fourth of eight, behind a permutation of all.
// CHECK-LABEL: @softmax
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax(%x: tensor<3x2x4x5x3x4x5x6xf32>) -> tensor<6x5x4x3x5x4x2x3xf32> {
  %t = fuse.transpose %x permutation = [7, 6, 5, 4, 3, 2, 1, 0] : tensor<3x2x4x5x3x4x5x6xf32> -> tensor<6x5x4x3x5x4x2x3xf32>
  %a = fuse.unary abs %t : tensor<6x5x4x3x5x4x2x3xf32>
  %s = fuse.softmax %a dimension = 3 : tensor<6x5x4x3x5x4x2x3xf32>
  %n = fuse.unary neg %s : tensor<6x5x4x3x5x4x2x3xf32>
  return %n : tensor<6x5x4x3x5x4x2x3xf32>
}

// Twelve, of which half are 1; a slice of each and a sum over two.
// CHECK-LABEL: @twelve
// expect kernels=1
// with %x = np.arange(4096).reshape(shape) % 97
// gives result0 = np.abs(-x)[:, :, :1, :, :, :, 1:].sum((4, 10))
func.func @twelve(%x: tensor<4x1x4x1x4x1x4x1x4x1x4x1xf32>) -> tensor<4x1x1x1x1x3x1x4x1x1xf32> {
  %n = fuse.unary neg %x : tensor<4x1x4x1x4x1x4x1x4x1x4x1xf32>
  %a = fuse.unary abs %n : tensor<4x1x4x1x4x1x4x1x4x1x4x1xf32>
  %s = fuse.slice %a offsets = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0] sizes = [4, 1, 1, 1, 4, 1, 3, 1, 4, 1, 4, 1] strides = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : tensor<4x1x4x1x4x1x4x1x4x1x4x1xf32> -> tensor<4x1x1x1x4x1x3x1x4x1x4x1xf32>
  %r = fuse.reduce sum %s dimensions = [4, 10] : tensor<4x1x1x1x4x1x3x1x4x1x4x1xf32> -> tensor<4x1x1x1x1x3x1x4x1x1xf32>
  return %r : tensor<4x1x1x1x1x3x1x4x1x1xf32>
}

// A product with six batch dimensions, and what follows it.
// CHECK-LABEL: @product
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
// with %x = np.arange(2 ** 6 * 60).reshape(shape) % 7 - 3
// with %w = np.arange(2 ** 3 * 42).reshape(shape) % 5 - 2
// gives result0 = np.maximum(x @ w, 0)
func.func @product(%x: tensor<2x2x2x2x2x2x10x6xf32>, %w: tensor<2x1x2x1x2x1x6x7xf32>) -> tensor<2x2x2x2x2x2x10x7xf32> {
  %0 = fuse.matmul %x, %w : (tensor<2x2x2x2x2x2x10x6xf32>, tensor<2x1x2x1x2x1x6x7xf32>) -> tensor<2x2x2x2x2x2x10x7xf32>
  %1 = fuse.unary relu %0 : tensor<2x2x2x2x2x2x10x7xf32>
  return %1 : tensor<2x2x2x2x2x2x10x7xf32>
}
