// RUN: %python %S/Inputs/check_kernels.py %s

// Numbers that are rounded, moved by a zero point and saturated: ties, what is at the bounds and beyond, NaN (0), infinities.

// expect kernels=1 exact
// with %arg0 = np.resize(np.concatenate([odd.ravel()[:20], np.arange(-300, 300) + 0.5, np.float32([3e9, -3e9, 2**31, -2**31, 0.49999997, 8388608.5])]), shape)
func.func @unsigned(%arg0: tensor<3x211xf32>) -> tensor<3x211xui8> {
  %z = arith.constant dense<37.0> : tensor<f32>
  %0 = fuse.unary round_even %arg0 : tensor<3x211xf32>
  %1 = fuse.binary add %0, %z : (tensor<3x211xf32>, tensor<f32>) -> tensor<3x211xf32>
  %2 = fuse.cast %1 : (tensor<3x211xf32>) -> tensor<3x211xui8>
  return %2 : tensor<3x211xui8>
}

// expect kernels=1 exact
// with %arg0 = np.resize(np.concatenate([odd.ravel()[:20], np.arange(-300, 300) + 0.5, np.float32([3e9, -3e9, 2**31, -2**31, 0.49999997, 8388608.5])]), shape)
func.func @signed(%arg0: tensor<3x211xf32>) -> tensor<3x211xi8> {
  %z = arith.constant dense<-128.0> : tensor<f32>
  %0 = fuse.unary round_even %arg0 : tensor<3x211xf32>
  %1 = fuse.binary add %0, %z : (tensor<3x211xf32>, tensor<f32>) -> tensor<3x211xf32>
  %2 = fuse.cast %1 : (tensor<3x211xf32>) -> tensor<3x211xi8>
  return %2 : tensor<3x211xi8>
}

// What is quantized is read as a number again.
// expect kernels=1 exact
// with %arg0 = np.resize(np.concatenate([odd.ravel()[:20], np.arange(-300, 300) + 0.5]), shape)
func.func @and_back(%arg0: tensor<3x211xf32>) -> tensor<3x211xf32> {
  %0 = fuse.unary round_even %arg0 : tensor<3x211xf32>
  %1 = fuse.cast %0 : (tensor<3x211xf32>) -> tensor<3x211xui8>
  %2 = fuse.cast %1 : (tensor<3x211xui8>) -> tensor<3x211xf32>
  return %2 : tensor<3x211xf32>
}
