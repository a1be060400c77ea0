// RUN: %python %S/Inputs/check_kernels.py %s

// Zeros of either sign stay what they are: LLVM takes a maximum with 0 through the widening of a
// half, where -0.0 becomes 0.0.

// expect kernels=1 exact
// with %x = np.resize([-0.0, 0.0, -0.0], shape)
// gives result0 = x
func.func @silu(%x: tensor<17xf16>) -> tensor<17xf16> {
  %0 = fuse.unary silu %x : tensor<17xf16>
  return %0 : tensor<17xf16>
}
