// RUN: %python %S/Inputs/check_kernels.py %s

// What a scatter takes is a view whose elements do not lie in a row: it is copied first.

// Updates that are a joined slice.
// expect kernels<=3 exact
func.func @sliced_updates(%x: tensor<18xf32>, %i: tensor<4xi64>, %v: tensor<2x4xf32>) -> tensor<18xf32> {
  %0 = fuse.slice %v offsets = [0, 0] sizes = [2, 2] strides = [1, 1] : tensor<2x4xf32> -> tensor<2x2xf32>
  %1 = fuse.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
  %2 = fuse.scatter add %x, %i, %1 dimension = 0 : (tensor<18xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<18xf32>
  return %2 : tensor<18xf32>
}

// Indices that are one.
// expect kernels<=3 exact
// with %i = [[1, 2, 3, 4], [5, 6, 7, 8]]
func.func @sliced_indices(%x: tensor<18xf32>, %i: tensor<2x4xi64>, %v: tensor<4xf32>) -> tensor<18xf32> {
  %0 = fuse.slice %i offsets = [0, 1] sizes = [2, 2] strides = [1, 1] : tensor<2x4xi64> -> tensor<2x2xi64>
  %1 = fuse.reshape %0 : tensor<2x2xi64> -> tensor<4xi64>
  %2 = fuse.scatter add %x, %1, %v dimension = 0 : (tensor<18xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<18xf32>
  return %2 : tensor<18xf32>
}

// What it starts from is one, and turned around.
// expect kernels<=3 exact
func.func @sliced_init(%x: tensor<5x4xf32>, %i: tensor<3xi64>, %v: tensor<3xf32>) -> tensor<6xf32> {
  %0 = fuse.slice %x offsets = [1, 2] sizes = [3, 2] strides = [1, 1] : tensor<5x4xf32> -> tensor<3x2xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %2 = fuse.reshape %1 : tensor<2x3xf32> -> tensor<6xf32>
  %3 = fuse.scatter set %2, %i, %v dimension = 0 : (tensor<6xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<6xf32>
  return %3 : tensor<6xf32>
}

// Several dimensions in front of that of the indices are one, of a size that is open: the result's extents are those
// of what the scatter starts from, which is never computed whole.
// expect kernels<=3 exact
// with %i = (np.arange(224) * 17).reshape(16, 14) % 56
func.func @open_batch(%i: tensor<16x14xi64>, %v: tensor<?x2x16x14xf32>) -> tensor<?x2x8x7xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %v, %c0 : tensor<?x2x16x14xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %0 = fuse.broadcast %z dimensions = [0, 1, 2, 3] sizes = [%n] : tensor<f32> -> tensor<?x2x8x7xf32>
  %1 = fuse.reshape %0 : tensor<?x2x8x7xf32> -> tensor<?x2x56xf32>
  %2 = fuse.scatter add %1, %i, %v dimension = 2 : (tensor<?x2x56xf32>, tensor<16x14xi64>, tensor<?x2x16x14xf32>) -> tensor<?x2x56xf32>
  %3 = fuse.reshape %2 : tensor<?x2x56xf32> -> tensor<?x2x8x7xf32>
  return %3 : tensor<?x2x8x7xf32>
}
