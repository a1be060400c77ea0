// Products of 1440 terms have partial sums: in one sum the largest errors would be one and a
// half to three times these tolerances. The interpreter sums in f64.
// RUN: fuse-run %s --function product --random-inputs 1 --check --rtol 0 --atol 7e-5
// RUN: fuse-run %s --function few --random-inputs 1 --check --rtol 0 --atol 7e-5
// RUN: fuse-run %s --function window --random-inputs 1 --check --rtol 0 --atol 7e-5
// RUN: fuse-run %s --function columns --random-inputs 1 --check --rtol 0 --atol 4e-5
// The order of a sum does not depend on how many rows a block has.
// RUN: fuse-run %s --function fused --random-inputs 1 --mode unfused --numerics exact --outputs %t.npz
// RUN: fuse-run %s --function fused --random-inputs 1 --numerics exact --expect %t.npz --rtol 0 --atol 0
// RUN: fuse-run %s --function open --random-inputs 1 --mode unfused --check
// RUN: fuse-run %s --function half --random-inputs 1 --check

func.func @product(%a: tensor<40x1440xf32>, %b: tensor<1440x64xf32>) -> tensor<40x64xf32> {
  %0 = fuse.matmul %a, %b : (tensor<40x1440xf32>, tensor<1440x64xf32>) -> tensor<40x64xf32>
  return %0 : tensor<40x64xf32>
}

// Too few rows to pack the matrix for: parts of 16 steps, and sums of eight to twelve parts.
func.func @few(%a: tensor<9x1440xf32>, %b: tensor<1440x200xf32>) -> tensor<9x200xf32> {
  %0 = fuse.matmul %a, %b : (tensor<9x1440xf32>, tensor<1440x200xf32>) -> tensor<9x200xf32>
  return %0 : tensor<9x200xf32>
}

func.func @window(%x: tensor<1x160x9x8xf32>, %w: tensor<32x160x3x3xf32>) -> tensor<1x32x9x8xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x160x9x8xf32>, tensor<32x160x3x3xf32>) -> tensor<1x32x9x8xf32>
  return %0 : tensor<1x32x9x8xf32>
}

func.func @columns(%x: tensor<1440x96xf32>) -> tensor<96xf32> {
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<1440x96xf32> -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

func.func @fused(%a: tensor<64x1440xf32>, %b: tensor<1440x200xf32>) -> tensor<64x200xf32> {
  %0 = fuse.matmul %a, %b : (tensor<64x1440xf32>, tensor<1440x200xf32>) -> tensor<64x200xf32>
  %1 = fuse.softmax %0 dimension = 1 : tensor<64x200xf32>
  return %1 : tensor<64x200xf32>
}

func.func @open(%a: tensor<?x1000xf32>, %b: tensor<1000x300xf32>) -> tensor<?x300xf32> {
  %0 = fuse.matmul %a, %b : (tensor<?x1000xf32>, tensor<1000x300xf32>) -> tensor<?x300xf32>
  return %0 : tensor<?x300xf32>
}

func.func @half(%a: tensor<150x1001xf16>, %b: tensor<1001x64xf16>) -> tensor<150x64xf16> {
  %0 = fuse.matmul %a, %b : (tensor<150x1001xf16>, tensor<1001x64xf16>) -> tensor<150x64xf16>
  return %0 : tensor<150x64xf16>
}
