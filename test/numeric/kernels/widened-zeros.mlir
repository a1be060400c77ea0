// RUN: %python %S/Inputs/check_kernels.py %s

// Zeros of either sign stay what they are: LLVM takes a maximum with 0 through a widening, where -0.0
// becomes 0.0.

// expect kernels=1 exact
// with %x = np.resize([-0.0, 0.0, -0.0], shape)
// gives result0 = x
func.func @silu(%x: tensor<17xf16>) -> tensor<17xf16> {
  %0 = fuse.unary silu %x : tensor<17xf16>
  return %0 : tensor<17xf16>
}

// expect kernels=1 exact
// with %x = np.resize([-0.0, 0.0, -0.0], shape)
// gives result0 = x
func.func @choose(%x: tensor<16xf32>) -> tensor<16xf64> {
  %z = arith.constant dense<0.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = fuse.compare lt %x, %z : (tensor<16xf32>, tensor<f32>) -> tensor<16xi1>
  %1 = fuse.cast %x : (tensor<16xf32>) -> tensor<16xf64>
  %2 = fuse.select %0, %zero, %1 : (tensor<16xi1>, tensor<f64>, tensor<16xf64>) -> tensor<16xf64>
  return %2 : tensor<16xf64>
}
