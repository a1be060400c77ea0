// RUN: %python %S/Inputs/check_kernels.py %s

// Updates at given indices: in order, whatever the number of blocks.

// Messages summed at atoms; the zeros are written, not read.
// expect kernels=1 exact blocks>=2
// with %i = (np.arange(4001) * 7919) % 173
func.func @sum_messages(%m: tensor<4001x64xf32>, %i: tensor<4001xi64>) -> tensor<173x64xf32> {
  %z = arith.constant dense<0.0> : tensor<173x64xf32>
  %0 = fuse.scatter add %z, %i, %m dimension = 0 : (tensor<173x64xf32>, tensor<4001xi64>, tensor<4001x64xf32>) -> tensor<173x64xf32>
  return %0 : tensor<173x64xf32>
}

// Two updates of one row: the last one stays. Negative indices count from the end.
// expect kernels=1 exact
// with %x = np.zeros(shape)
// with %i = [1, -4, 2, 1]
// with %u = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
// gives result0 = [[4, 5, 6], [10, 11, 12], [7, 8, 9], [0, 0, 0]]
func.func @last_stays(%x: tensor<4x3xf32>, %i: tensor<4xi32>, %u: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = fuse.scatter set %x, %i, %u dimension = 0 : (tensor<4x3xf32>, tensor<4xi32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Sums round at each update, in order: 1e8 + 1 + 1 - 1e8 is 0.
// expect kernels=1 exact
// with %x = 0
// with %i = [2, 2, 2, 2]
// with %u = [1e8, 1, 1, -1e8]
// gives result0 = [0, 0, 0, 0, 0]
func.func @in_order(%x: tensor<5xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) -> tensor<5xf32> {
  %0 = fuse.scatter add %x, %i, %u dimension = 0 : (tensor<5xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// Single elements, too many for one block of them to be the best.
// expect kernels=1 exact
// with %i = (np.arange(30000) * 7919) % 5003 - 2000
func.func @elements(%x: tensor<5003xf32>, %i: tensor<30000xi64>, %u: tensor<30000xf32>) -> tensor<5003xf32> {
  %0 = fuse.scatter mul %x, %i, %u dimension = 0 : (tensor<5003xf32>, tensor<30000xi64>, tensor<30000xf32>) -> tensor<5003xf32>
  return %0 : tensor<5003xf32>
}

// Between other dimensions, at a table of indices.
// expect kernels=1 exact
// with %i = [[3, -1, 0], [3, 4, 2]]
func.func @between(%x: tensor<3x7x5x2xf32>, %i: tensor<2x3xi64>, %u: tensor<3x2x3x5x2xf32>) -> tensor<3x7x5x2xf32> {
  %0 = fuse.scatter max %x, %i, %u dimension = 1 : (tensor<3x7x5x2xf32>, tensor<2x3xi64>, tensor<3x2x3x5x2xf32>) -> tensor<3x7x5x2xf32>
  return %0 : tensor<3x7x5x2xf32>
}

// Many rows before, few updates: a cache that a step writes.
// expect kernels=1 exact
// with %i = [100]
func.func @cache(%x: tensor<16x256x64xf32>, %i: tensor<1xi64>, %u: tensor<16x1x64xf32>) -> tensor<16x256x64xf32> {
  %0 = fuse.scatter set %x, %i, %u dimension = 1 : (tensor<16x256x64xf32>, tensor<1xi64>, tensor<16x1x64xf32>) -> tensor<16x256x64xf32>
  return %0 : tensor<16x256x64xf32>
}

// Long rows are cut before their slices are.
// expect kernels=1 exact
// with %i = [5, 5, 0, -1]
func.func @long_rows(%x: tensor<6x30001xf32>, %i: tensor<4xi64>, %u: tensor<4x30001xf32>) -> tensor<6x30001xf32> {
  %0 = fuse.scatter add %x, %i, %u dimension = 0 : (tensor<6x30001xf32>, tensor<4xi64>, tensor<4x30001xf32>) -> tensor<6x30001xf32>
  return %0 : tensor<6x30001xf32>
}

// One slice, one update.
// expect kernels=1 exact
func.func @one(%x: tensor<1x4xf32>, %u: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %i = arith.constant dense<0> : tensor<1xi64>
  %0 = fuse.scatter add %x, %i, %u dimension = 0 : (tensor<1x4xf32>, tensor<1xi64>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// No updates.
// expect kernels<=1 exact
func.func @none(%x: tensor<3x4xf32>, %i: tensor<0xi64>, %u: tensor<0x4xf32>) -> tensor<3x4xf32> {
  %0 = fuse.scatter add %x, %i, %u dimension = 0 : (tensor<3x4xf32>, tensor<0xi64>, tensor<0x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
