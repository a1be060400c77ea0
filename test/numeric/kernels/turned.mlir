// RUN: %python %S/Inputs/check_kernels.py %s

// Operands that run along another dim than the result: in whole tiles, odd ones, and several at once.

// expect kernels=1 blocks>=16
func.func @whole(%x: tensor<256x512xf32>) -> tensor<512x256xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<256x512xf32> -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// expect kernels=1 blocks>=16
func.func @odd(%x: tensor<333x517xf32>) -> tensor<517x333xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<333x517xf32> -> tensor<517x333xf32>
  return %0 : tensor<517x333xf32>
}

// expect kernels=1 blocks>=16
func.func @narrow(%x: tensor<9000x7xf32>) -> tensor<7x9000xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<9000x7xf32> -> tensor<7x9000xf32>
  return %0 : tensor<7x9000xf32>
}

// expect kernels=1 blocks>=16
func.func @channels_last(%x: tensor<2x19x37x41xf32>) -> tensor<2x37x41x19xf32> {
  %0 = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<2x19x37x41xf32> -> tensor<2x37x41x19xf32>
  return %0 : tensor<2x37x41x19xf32>
}

// expect kernels=1 blocks>=16
func.func @with_others(%x: tensor<150x170xf32>, %y: tensor<170x150xf32>, %z: tensor<150x170xf32>, %r: tensor<150xf32>) -> tensor<170x150xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<150x170xf32> -> tensor<170x150xf32>
  %1 = fuse.transpose %z permutation = [1, 0] : tensor<150x170xf32> -> tensor<170x150xf32>
  %2 = fuse.binary mul %0, %1 : tensor<170x150xf32>
  %3 = fuse.binary add %2, %y : tensor<170x150xf32>
  %4 = fuse.binary sub %3, %r : (tensor<170x150xf32>, tensor<150xf32>) -> tensor<170x150xf32>
  return %4 : tensor<170x150xf32>
}

// expect kernels=1 blocks>=16
func.func @doubles(%x: tensor<150x170xf64>) -> tensor<170x150xf64> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<150x170xf64> -> tensor<170x150xf64>
  return %0 : tensor<170x150xf64>
}

// expect kernels=1 blocks>=16
func.func @halves(%x: tensor<150x170xf16>) -> tensor<170x150xf16> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<150x170xf16> -> tensor<170x150xf16>
  return %0 : tensor<170x150xf16>
}

// expect kernels=1 blocks>=16
func.func @both_ways(%x: tensor<160x160xf32>) -> tensor<160x160xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<160x160xf32> -> tensor<160x160xf32>
  %1 = fuse.binary add %x, %0 : tensor<160x160xf32>
  return %1 : tensor<160x160xf32>
}

// expect kernels=1 blocks>=16
func.func @rows_of_a_table(%x: tensor<500x75xf32>, %i: tensor<300xi32>, %s: tensor<75xf32>) -> tensor<300x75xf32> {
  %0 = fuse.gather %x, %i dimension = 0 : (tensor<500x75xf32>, tensor<300xi32>) -> tensor<300x75xf32>
  %1 = fuse.binary mul %0, %s : (tensor<300x75xf32>, tensor<75xf32>) -> tensor<300x75xf32>
  return %1 : tensor<300x75xf32>
}

// Found by random programs: a permutation of nothing, and a gather of a value of the kernel along an unknown extent.
// expect kernels=1
func.func @nothing_turned(%x: tensor<f32>) -> tensor<f32> {
  %0 = fuse.unary neg %x : tensor<f32>
  %1 = fuse.transpose %0 permutation = [] : tensor<f32> -> tensor<f32>
  %2 = fuse.unary exp %1 : tensor<f32>
  return %2 : tensor<f32>
}

// expect kernels=1
func.func @gather_unknown(%x: tensor<?xf32>, %i: tensor<i64>) -> tensor<f32> {
  %0 = fuse.unary neg %x : tensor<?xf32>
  %1 = fuse.gather %0, %i dimension = 0 : (tensor<?xf32>, tensor<i64>) -> tensor<f32>
  return %1 : tensor<f32>
}

// The columns of a product lie along its reduction, as the keys of attention do: they are transposed in tiles when they are
// packed, and what tiles leave of the steps (75 = 4 tiles and 11, 4 tiles of 16) or of the columns comes element by element.
// expect kernels=1
func.func @keys(%x: tensor<40x64xf32>, %y: tensor<70x64xf32>) -> tensor<40x70xf32> {
  %0 = fuse.matmul %x, %y transpose_rhs : (tensor<40x64xf32>, tensor<70x64xf32>) -> tensor<40x70xf32>
  return %0 : tensor<40x70xf32>
}

// expect kernels=1
func.func @odd_keys(%x: tensor<41x75xf32>, %y: tensor<67x75xf32>) -> tensor<41x67xf32> {
  %0 = fuse.matmul %x, %y transpose_rhs : (tensor<41x75xf32>, tensor<67x75xf32>) -> tensor<41x67xf32>
  return %0 : tensor<41x67xf32>
}

// expect kernels=1
func.func @short_keys(%x: tensor<3x41x75xf16>, %y: tensor<3x96x75xf16>) -> tensor<3x41x96xf16> {
  %0 = fuse.matmul %x, %y transpose_rhs : (tensor<3x41x75xf16>, tensor<3x96x75xf16>) -> tensor<3x41x96xf16>
  return %0 : tensor<3x41x96xf16>
}

// expect kernels=1
func.func @wide_keys(%x: tensor<41x75xf64>, %y: tensor<96x75xf64>) -> tensor<41x96xf64> {
  %0 = fuse.matmul %x, %y transpose_rhs : (tensor<41x75xf64>, tensor<96x75xf64>) -> tensor<41x96xf64>
  return %0 : tensor<41x96xf64>
}

// expect kernels=1
func.func @integer_keys(%x: tensor<41x75xi16>, %y: tensor<96x75xi16>) -> tensor<41x96xi32> {
  %0 = fuse.matmul %x, %y transpose_rhs : (tensor<41x75xi16>, tensor<96x75xi16>) -> tensor<41x96xi32>
  return %0 : tensor<41x96xi32>
}

// Parts of 2600 steps, the last one shorter.
// expect kernels=1
func.func @long_keys(%x: tensor<64x2600xf32>, %y: tensor<96x2600xf32>) -> tensor<64x96xf32> {
  %0 = fuse.matmul %x, %y transpose_rhs : (tensor<64x2600xf32>, tensor<96x2600xf32>) -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
}
