// RUN: %python %S/Inputs/check_kernels.py %s

// Cut down from random programs that failed.

// Members whose extents are unknown and equal: no input of the padding tells its loops.
// expect kernels=1
func.func @unknown_private(%x: tensor<?x16x?xf32>) -> tensor<?x16x?xf32> {
  %0 = fuse.unary exp %x : tensor<?x16x?xf32>
  %1 = fuse.pad %0 low = [0, 0, 0] high = [0, 0, 0] value = 1.0 : f32 : tensor<?x16x?xf32> -> tensor<?x16x?xf32>
  %2 = fuse.reduce max %1 dimensions = [2] keep_dims : tensor<?x16x?xf32> -> tensor<?x16x1xf32>
  %3 = fuse.binary sub %1, %2 : (tensor<?x16x?xf32>, tensor<?x16x1xf32>) -> tensor<?x16x?xf32>
  %4 = fuse.reduce max %3 dimensions = [1] keep_dims : tensor<?x16x?xf32> -> tensor<?x1x?xf32>
  %5 = fuse.binary sub %3, %4 : (tensor<?x16x?xf32>, tensor<?x1x?xf32>) -> tensor<?x16x?xf32>
  return %5 : tensor<?x16x?xf32>
}

// The front of a longer dimension is no loop of its producer.
// expect kernels=1
func.func @cropped(%x: tensor<8xf32>) -> tensor<7xf32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.pad %0 low = [0] high = [-1] value = 1.0 : f32 : tensor<8xf32> -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// An extent that is asked of a slice of a member's value.
// expect kernels=1
func.func @extent_of_slice(%x: tensor<4x4x?xf32>, %y: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<2x4x?xi1>, tensor<4x?x?xf32>) {
  %0 = fuse.compare ge %x, %y : (tensor<4x4x?xf32>, tensor<?xf32>) -> tensor<4x4x?xi1>
  %1 = fuse.select %0, %y, %x : (tensor<4x4x?xi1>, tensor<?xf32>, tensor<4x4x?xf32>) -> tensor<4x4x?xf32>
  %2 = fuse.slice %0 offsets = [2, 0, 0] sizes = [2, 4, -1] strides = [1, 1, 1] : tensor<4x4x?xi1> -> tensor<2x4x?xi1>
  %3 = fuse.gather %1, %i dimension = 1 : (tensor<4x4x?xf32>, tensor<?xi32>) -> tensor<4x?x?xf32>
  return %2, %3 : tensor<2x4x?xi1>, tensor<4x?x?xf32>
}

// Reshapes in a group with a member over nothing: its loops have no factors (a division by zero).
// expect kernels=1
func.func @over_nothing(%x: tensor<17x16xf32>, %z: tensor<0x16xf32>) -> (tensor<272xf32>, tensor<0x17xf32>) {
  %0 = fuse.unary exp %x : tensor<17x16xf32>
  %1 = fuse.reshape %0 : tensor<17x16xf32> -> tensor<272xf32>
  %2 = fuse.unary softplus %1 : tensor<272xf32>
  %3 = fuse.matmul %z, %0 transpose_rhs : (tensor<0x16xf32>, tensor<17x16xf32>) -> tensor<0x17xf32>
  %4 = fuse.unary neg %3 : tensor<0x17xf32>
  return %2, %4 : tensor<272xf32>, tensor<0x17xf32>
}

// Two results that are copies of one value, which is computed in place of the first.
// expect kernels=1
func.func @copied_twice(%x: tensor<3x7x8xf32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
  %0 = fuse.reduce mean %x dimensions = [0, 1, 2] keep_dims : tensor<3x7x8xf32> -> tensor<1x1x1xf32>
  %1 = fuse.copy %0 : tensor<1x1x1xf32>
  %2 = fuse.copy %0 : tensor<1x1x1xf32>
  return %1, %2 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
}

// A result over nothing beside one whose rows are of unknown number.
// expect kernels=1
func.func @unknown_and_nothing(%x: tensor<?x9xf16>, %i: tensor<0x0xi64>) -> (tensor<?x0x0xf16>, tensor<?x18xf16>) {
  %0 = fuse.unary relu %x : tensor<?x9xf16>
  %1 = fuse.unary softplus %0 : tensor<?x9xf16>
  %2 = fuse.gather %0, %i dimension = 1 : (tensor<?x9xf16>, tensor<0x0xi64>) -> tensor<?x0x0xf16>
  %3 = fuse.concat %0, %1 dimension = 1 : (tensor<?x9xf16>, tensor<?x9xf16>) -> tensor<?x18xf16>
  return %2, %3 : tensor<?x0x0xf16>, tensor<?x18xf16>
}

// A member without loops that reads a slice of an argument.
// expect kernels=1
func.func @one_element_of_slice(%x: tensor<1x4xf64>, %y: tensor<f64>) -> tensor<1x1xf64> {
  %0 = fuse.slice %x offsets = [0, 2] sizes = [1, 1] strides = [2, 2] : tensor<1x4xf64> -> tensor<1x1xf64>
  %1 = fuse.binary sub %0, %y : (tensor<1x1xf64>, tensor<f64>) -> tensor<1x1xf64>
  return %1 : tensor<1x1xf64>
}

// A copy that folding makes of a member, beside another copy of the same value.
// expect kernels=1
func.func @copied_through_units(%x: tensor<1x7x1xbf16>) -> (tensor<1x7xbf16>, tensor<7x1x1xbf16>) {
  %0 = fuse.unary cos %x : tensor<1x7x1xbf16>
  %1 = fuse.reduce min %0 dimensions = [2] : tensor<1x7x1xbf16> -> tensor<1x7xbf16>
  %2 = fuse.transpose %0 permutation = [1, 2, 0] : tensor<1x7x1xbf16> -> tensor<7x1x1xbf16>
  return %1, %2 : tensor<1x7xbf16>, tensor<7x1x1xbf16>
}

// A copy and a select that folding makes a second copy: two results from one value.
// expect kernels=1
func.func @copied_and_selected(%x: tensor<4x5xf32>, %c: tensor<4x5xi1>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = fuse.unary exp %x : tensor<4x5xf32>
  %1 = fuse.copy %0 : tensor<4x5xf32>
  %2 = fuse.select %c, %0, %0 : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %1, %2 : tensor<4x5xf32>, tensor<4x5xf32>
}

// Two attentions of one query with long keys: factors are deferred along either before one is streamed.
// expect kernels=1 reassociates
func.func @two_attentions(%q: tensor<2x40x16xf32>, %k: tensor<2x4000x16xf32>, %v: tensor<2x4000x8xf32>, %l: tensor<2x4000x16xf32>, %w: tensor<2x4000x8xf32>) -> (tensor<2x40x8xf32>, tensor<2x40x8xf32>) {
  %0 = fuse.attention %q, %k, %v scale = 0.25 : (tensor<2x40x16xf32>, tensor<2x4000x16xf32>, tensor<2x4000x8xf32>) -> tensor<2x40x8xf32>
  %1 = fuse.attention %q, %l, %w scale = 0.25 : (tensor<2x40x16xf32>, tensor<2x4000x16xf32>, tensor<2x4000x8xf32>) -> tensor<2x40x8xf32>
  return %0, %1 : tensor<2x40x8xf32>, tensor<2x40x8xf32>
}

// A streamed tile larger than any extent, in a schedule by hand.
// expect kernels=1 reassociates
func.func @huge_tile(%q: tensor<2x40x16xf32>, %k: tensor<2x3000x16xf32>, %v: tensor<2x3000x8xf32>) -> tensor<2x40x8xf32> {
  %0 = fuse.kernel (%a = %q, %b = %k, %c = %v) : (tensor<2x40x16xf32>, tensor<2x3000x16xf32>, tensor<2x3000x8xf32>) -> tensor<2x40x8xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [1, 8, 8]>, <sequential, dims = [3], sizes = [9223372036854775807]>]>} {
    %1 = fuse.matmul %a, %b transpose_rhs : (tensor<2x40x16xf32>, tensor<2x3000x16xf32>) -> tensor<2x40x3000xf32>
    %2 = fuse.reduce max %1 dimensions = [2] keep_dims : tensor<2x40x3000xf32> -> tensor<2x40x1xf32>
    %3 = fuse.binary sub %1, %2 : (tensor<2x40x3000xf32>, tensor<2x40x1xf32>) -> tensor<2x40x3000xf32>
    %4 = fuse.unary exp %3 : tensor<2x40x3000xf32>
    %5 = fuse.reduce sum %4 dimensions = [2] keep_dims : tensor<2x40x3000xf32> -> tensor<2x40x1xf32>
    %6 = fuse.binary div %4, %5 : (tensor<2x40x3000xf32>, tensor<2x40x1xf32>) -> tensor<2x40x3000xf32>
    %7 = fuse.matmul %6, %c : (tensor<2x40x3000xf32>, tensor<2x3000x8xf32>) -> tensor<2x40x8xf32>
    fuse.yield %7 : tensor<2x40x8xf32>
  }
  return %0 : tensor<2x40x8xf32>
}

// A window of one element with a stride: the map of its input is no permutation, also where loops could be joined.
// expect kernels=1
func.func @strided_point(%x: tensor<2x5x5x1xi8>, %w: tensor<1x1x1x64xi8> {fuse.param}) -> tensor<2x3x3x64xi8> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<2x5x5x1xi8>, tensor<1x1x1x64xi8>) -> tensor<2x3x3x64xi8>
  %1 = fuse.unary relu %0 : tensor<2x3x3x64xi8>
  return %1 : tensor<2x3x3x64xi8>
}
