// RUN: %python %S/Inputs/check_kernels.py %s

// The mean of rows that are constant, or nearly so, is good to its last bit: what a norm then divides
// by the deviation would be the mean's error alone.

// expect kernels=1 reassociates
// with %x = np.full(shape, 1000.3, np.float32)
// gives result0 = np.zeros((16, 768), np.float32)
func.func @constant_rows(%x: tensor<16x768xf32>) -> tensor<16x768xf32> {
  %0 = fuse.layer_norm %x dimensions = [1] epsilon = 1.000000e-05 : (tensor<16x768xf32>) -> tensor<16x768xf32>
  return %0 : tensor<16x768xf32>
}

// expect kernels=1 reassociates
// with %x = (1000.3 * (1 + 1e-6 * np.random.default_rng(0).standard_normal(shape))).astype(np.float32)
func.func @nearly_constant_rows(%x: tensor<61x769xf32>) -> tensor<61x769xf32> {
  %0 = fuse.layer_norm %x dimensions = [1] epsilon = 1.000000e-05 : (tensor<61x769xf32>) -> tensor<61x769xf32>
  return %0 : tensor<61x769xf32>
}

// As exporters spell it, over two dimensions, and with rows shorter than a vector.
// expect kernels=1 reassociates
// with %x = np.full(shape, -37.7, np.float32)
// gives result0 = np.zeros((5, 3, 7, 11), np.float32)
func.func @spelled(%x: tensor<5x3x7x11xf32>, %e: tensor<f32>) -> tensor<5x3x7x11xf32> {
  %0 = fuse.reduce mean %x dimensions = [2, 3] keep_dims : tensor<5x3x7x11xf32> -> tensor<5x3x1x1xf32>
  %1 = fuse.binary sub %x, %0 : (tensor<5x3x7x11xf32>, tensor<5x3x1x1xf32>) -> tensor<5x3x7x11xf32>
  %2 = fuse.binary mul %1, %1 : tensor<5x3x7x11xf32>
  %3 = fuse.reduce mean %2 dimensions = [2, 3] keep_dims : tensor<5x3x7x11xf32> -> tensor<5x3x1x1xf32>
  %4 = fuse.binary add %3, %e : (tensor<5x3x1x1xf32>, tensor<f32>) -> tensor<5x3x1x1xf32>
  %5 = fuse.unary rsqrt %4 : tensor<5x3x1x1xf32>
  %6 = fuse.binary mul %1, %5 : (tensor<5x3x7x11xf32>, tensor<5x3x1x1xf32>) -> tensor<5x3x7x11xf32>
  return %6 : tensor<5x3x7x11xf32>
}

// Along columns.
// expect kernels<=2 reassociates
// with %x = np.full(shape, 1e-3, np.float32)
// gives result0 = np.zeros((513, 65), np.float32)
func.func @columns(%x: tensor<513x65xf32>) -> tensor<513x65xf32> {
  %0 = fuse.reduce mean %x dimensions = [0] : tensor<513x65xf32> -> tensor<65xf32>
  %1 = fuse.binary sub %x, %0 : (tensor<513x65xf32>, tensor<65xf32>) -> tensor<513x65xf32>
  return %1 : tensor<513x65xf32>
}

// What no difference can be taken to: the first element is infinite or a NaN; or larger than others may
// differ from without overflow.
// expect kernels=1 reassociates
// with %x = np.repeat(np.float32([np.inf, -np.inf, np.nan, 3e38]), 70).reshape(4, 70) * np.where(np.arange(70) == 0, 1, np.float32([[1], [0], [1], [0]])).astype(np.float32)
func.func @extremes(%x: tensor<4x70xf32>) -> tensor<4xf32> {
  %0 = fuse.reduce mean %x dimensions = [1] : tensor<4x70xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
