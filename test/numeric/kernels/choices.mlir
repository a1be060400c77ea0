// RUN: %python %S/Inputs/check_kernels.py %s

// Concatenations and paddings along the last dimension that their readers compute: loops are cut where
// the source changes.

// expect kernels=1
func.func @circular(%x: tensor<3x7x101xf32>) -> tensor<3x7x109xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 97] sizes = [3, 7, 4] strides = [1, 1, 1] : tensor<3x7x101xf32> -> tensor<3x7x4xf32>
  %1 = fuse.slice %x offsets = [0, 0, 0] sizes = [3, 7, 4] strides = [1, 1, 1] : tensor<3x7x101xf32> -> tensor<3x7x4xf32>
  %2 = fuse.concat %0, %x, %1 dimension = 2 : (tensor<3x7x4xf32>, tensor<3x7x101xf32>, tensor<3x7x4xf32>) -> tensor<3x7x109xf32>
  %3 = fuse.unary exp %2 : tensor<3x7x109xf32>
  return %3 : tensor<3x7x109xf32>
}

// expect kernels=1
func.func @rotary(%x: tensor<5x19x64xf32>, %c: tensor<19x64xf32>, %s: tensor<19x64xf32>) -> tensor<5x19x64xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 0] sizes = [5, 19, 32] strides = [1, 1, 1] : tensor<5x19x64xf32> -> tensor<5x19x32xf32>
  %1 = fuse.slice %x offsets = [0, 0, 32] sizes = [5, 19, 32] strides = [1, 1, 1] : tensor<5x19x64xf32> -> tensor<5x19x32xf32>
  %2 = fuse.unary neg %1 : tensor<5x19x32xf32>
  %3 = fuse.concat %2, %0 dimension = 2 : (tensor<5x19x32xf32>, tensor<5x19x32xf32>) -> tensor<5x19x64xf32>
  %4 = fuse.binary mul %x, %c : (tensor<5x19x64xf32>, tensor<19x64xf32>) -> tensor<5x19x64xf32>
  %5 = fuse.binary mul %3, %s : (tensor<5x19x64xf32>, tensor<19x64xf32>) -> tensor<5x19x64xf32>
  %6 = fuse.binary add %4, %5 : tensor<5x19x64xf32>
  return %6 : tensor<5x19x64xf32>
}

// Blocks have parts of rows.
// expect kernels=1
func.func @long_row(%x: tensor<1x70001xf32>) -> tensor<1x90013xf32> {
  %0 = fuse.pad %x low = [0, 9005] high = [0, 11007] value = 0.5 : f32 : tensor<1x70001xf32> -> tensor<1x90013xf32>
  %1 = fuse.unary tanh %0 : tensor<1x90013xf32>
  return %1 : tensor<1x90013xf32>
}

// expect kernels=1
func.func @both_sides(%x: tensor<2x13x17xf32>) -> tensor<2x16x20xf32> {
  %0 = fuse.pad %x low = [0, 1, 3] high = [0, 2, 0] value = -1.0 : f32 : tensor<2x13x17xf32> -> tensor<2x16x20xf32>
  %1 = fuse.unary exp %0 : tensor<2x16x20xf32>
  return %1 : tensor<2x16x20xf32>
}

// A concatenation of what was padded, of one element, and of a part.
// expect kernels=1
func.func @nested(%x: tensor<11x5xf32>, %y: tensor<11x1xf32>) -> tensor<11x13xf32> {
  %0 = fuse.pad %x low = [0, 1] high = [0, 2] value = 2.0 : f32 : tensor<11x5xf32> -> tensor<11x8xf32>
  %1 = fuse.slice %x offsets = [0, 1] sizes = [11, 4] strides = [1, 1] : tensor<11x5xf32> -> tensor<11x4xf32>
  %2 = fuse.concat %0, %y, %1 dimension = 1 : (tensor<11x8xf32>, tensor<11x1xf32>, tensor<11x4xf32>) -> tensor<11x13xf32>
  %3 = fuse.unary sigmoid %2 : tensor<11x13xf32>
  return %3 : tensor<11x13xf32>
}

// expect kernels=1
func.func @channels(%x: tensor<2x3x5x7xf32>, %y: tensor<2x4x5x7xf32>) -> tensor<2x7x5x7xf32> {
  %0 = fuse.concat %x, %y dimension = 1 : (tensor<2x3x5x7xf32>, tensor<2x4x5x7xf32>) -> tensor<2x7x5x7xf32>
  %1 = fuse.unary exp %0 : tensor<2x7x5x7xf32>
  return %1 : tensor<2x7x5x7xf32>
}

// expect kernels=1 reassociates
func.func @softmax(%x: tensor<9x31xf32>, %y: tensor<9x70xf32>) -> tensor<9x101xf32> {
  %0 = fuse.concat %x, %y dimension = 1 : (tensor<9x31xf32>, tensor<9x70xf32>) -> tensor<9x101xf32>
  %1 = fuse.softmax %0 dimension = 1 : tensor<9x101xf32>
  return %1 : tensor<9x101xf32>
}

// More sources than the pieces that other members may be cut into.
// expect kernels=1
func.func @many(%a0: tensor<4x1xf32>, %a1: tensor<4x2xf32>, %a2: tensor<4x3xf32>, %a3: tensor<4x1xf32>, %a4: tensor<4x2xf32>, %a5: tensor<4x3xf32>, %a6: tensor<4x1xf32>, %a7: tensor<4x2xf32>, %a8: tensor<4x3xf32>, %a9: tensor<4x1xf32>, %a10: tensor<4x2xf32>, %a11: tensor<4x3xf32>, %a12: tensor<4x1xf32>, %a13: tensor<4x2xf32>, %a14: tensor<4x3xf32>, %a15: tensor<4x1xf32>, %a16: tensor<4x2xf32>, %a17: tensor<4x3xf32>, %a18: tensor<4x1xf32>, %a19: tensor<4x2xf32>, %a20: tensor<4x3xf32>) -> tensor<4x42xf32> {
  %0 = fuse.concat %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20 dimension = 1 : (tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x42xf32>
  %1 = fuse.unary relu %0 : tensor<4x42xf32>
  return %1 : tensor<4x42xf32>
}
