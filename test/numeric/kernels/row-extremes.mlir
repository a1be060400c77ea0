// RUN: %python %S/Inputs/check_kernels.py %s

// The greatest and the least of a row: a NaN anywhere in it is the result, and of zeros the greater is
// 0.0 and the lesser -0.0. Whole vectors and what is left behind them.

// expect kernels=1 exact
// with %x = np.where(np.arange(200)[:, None] * 7 % 333 == np.arange(333), np.resize(odd, 200)[:, None], np.resize([-1.0, -2.5, -0.0], shape))
// gives result0 = np.where((np.max(x, axis=1) == 0) & ((x == 0) & ~np.signbit(x)).any(axis=1), 0.0, np.max(x, axis=1))
func.func @max(%x: tensor<200x333xf32>) -> tensor<200xf32> {
  %0 = fuse.reduce max %x dimensions = [1] : tensor<200x333xf32> -> tensor<200xf32>
  return %0 : tensor<200xf32>
}

// expect kernels=1 exact
// with %x = np.where(np.arange(200)[:, None] * 7 % 333 == np.arange(333), np.resize(odd, 200)[:, None], np.resize([1.0, 2.5, 0.0], shape))
// gives result0 = np.where((np.min(x, axis=1) == 0) & ((x == 0) & np.signbit(x)).any(axis=1), -0.0, np.min(x, axis=1))
func.func @min(%x: tensor<200x333xf32>) -> tensor<200xf32> {
  %0 = fuse.reduce min %x dimensions = [1] : tensor<200x333xf32> -> tensor<200xf32>
  return %0 : tensor<200xf32>
}

// The signs of zeros are seen by what divides by them.
// expect kernels=1 exact
// with %x = np.where((np.arange(200) % 3 == 0)[:, None] & (np.arange(70) == 69), 0.0, np.broadcast_to(np.float32(-0.0), shape))
// gives result0 = np.where(np.arange(200) % 3 == 0, np.inf, -np.inf)
func.func @zeros(%x: tensor<200x70xf32>) -> tensor<200xf32> {
  %0 = fuse.reduce max %x dimensions = [1] : tensor<200x70xf32> -> tensor<200xf32>
  %1 = fuse.unary reciprocal %0 : tensor<200xf32>
  return %1 : tensor<200xf32>
}

// What is folded is computed in the same loop.
// expect kernels=1 exact
// with %x = np.resize(odd[1:], shape)
// gives result0 = np.max(np.abs(x), axis=1)
func.func @magnitudes(%x: tensor<200x333xf32>) -> tensor<200xf32> {
  %0 = fuse.unary abs %x : tensor<200x333xf32>
  %1 = fuse.reduce max %0 dimensions = [1] : tensor<200x333xf32> -> tensor<200xf32>
  return %1 : tensor<200xf32>
}

// Elements of 16 bits are compared as integers.

// expect kernels=1 exact
// with %x = np.where(np.arange(200)[:, None] * 7 % 333 == np.arange(333), np.resize(odd, 200)[:, None], np.resize([-1.0, -2.5, -0.0], shape))
// gives result0 = np.where((np.max(x, axis=1) == 0) & ((x == 0) & ~np.signbit(x)).any(axis=1), 0.0, np.max(x, axis=1))
func.func @max_f16(%x: tensor<200x333xf16>) -> tensor<200xf16> {
  %0 = fuse.reduce max %x dimensions = [1] : tensor<200x333xf16> -> tensor<200xf16>
  return %0 : tensor<200xf16>
}

// expect kernels=1 exact
// with %x = np.where(np.arange(200)[:, None] * 7 % 333 == np.arange(333), np.resize(-odd, 200)[:, None], np.resize([1.0, 2.5, 0.0], shape))
// gives result0 = np.where((np.min(x, axis=1) == 0) & ((x == 0) & np.signbit(x)).any(axis=1), -0.0, np.min(x, axis=1))
func.func @min_f16(%x: tensor<200x333xf16>) -> tensor<200xf16> {
  %0 = fuse.reduce min %x dimensions = [1] : tensor<200x333xf16> -> tensor<200xf16>
  return %0 : tensor<200xf16>
}

// expect kernels=1 exact
// with %x = np.where((np.arange(200) % 3 == 0)[:, None] & (np.arange(70) == 69), 0.0, np.broadcast_to(np.float32(-0.0), shape))
// gives result0 = np.where(np.arange(200) % 3 == 0, np.inf, -np.inf)
func.func @zeros_f16(%x: tensor<200x70xf16>) -> tensor<200xf16> {
  %0 = fuse.reduce max %x dimensions = [1] : tensor<200x70xf16> -> tensor<200xf16>
  %1 = fuse.unary reciprocal %0 : tensor<200xf16>
  return %1 : tensor<200xf16>
}

// expect kernels=1 exact
// with %x = np.where(np.arange(200)[:, None] * 7 % 333 == np.arange(333), np.resize(odd, 200)[:, None], np.resize([-1.0, -2.5, -0.0], shape))
// gives result0 = np.where((np.max(x, axis=1) == 0) & ((x == 0) & ~np.signbit(x)).any(axis=1), 0.0, np.max(x, axis=1))
func.func @max_bf16(%x: tensor<200x333xbf16>) -> tensor<200xbf16> {
  %0 = fuse.reduce max %x dimensions = [1] : tensor<200x333xbf16> -> tensor<200xbf16>
  return %0 : tensor<200xbf16>
}

// expect kernels=1 exact
// with %x = np.where(np.arange(200)[:, None] * 7 % 333 == np.arange(333), np.resize(-odd, 200)[:, None], np.resize([1.0, 2.5, 0.0], shape))
// gives result0 = np.where((np.min(x, axis=1) == 0) & ((x == 0) & np.signbit(x)).any(axis=1), -0.0, np.min(x, axis=1))
func.func @min_bf16(%x: tensor<200x333xbf16>) -> tensor<200xbf16> {
  %0 = fuse.reduce min %x dimensions = [1] : tensor<200x333xbf16> -> tensor<200xbf16>
  return %0 : tensor<200xbf16>
}

// expect kernels=1 exact
// with %x = np.where((np.arange(200) % 3 == 0)[:, None] & (np.arange(70) == 69), 0.0, np.broadcast_to(np.float32(-0.0), shape))
// gives result0 = np.where(np.arange(200) % 3 == 0, np.inf, -np.inf)
func.func @zeros_bf16(%x: tensor<200x70xbf16>) -> tensor<200xbf16> {
  %0 = fuse.reduce max %x dimensions = [1] : tensor<200x70xbf16> -> tensor<200xbf16>
  %1 = fuse.unary reciprocal %0 : tensor<200xbf16>
  return %1 : tensor<200xbf16>
}
