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

// What is put together for each update: features of the sender times a weight of the edge.
// expect kernels=1 exact blocks>=2
// with %s = (np.arange(6000) * 31) % 50
// with %i = (np.arange(6000) * 17) % 50
func.func @weighted(%x: tensor<50x65xf32>, %w: tensor<6000xf32>, %s: tensor<6000xi64>, %i: tensor<6000xi64>) -> tensor<50x65xf32> {
  %z = arith.constant dense<0.0> : tensor<50x65xf32>
  %0 = fuse.gather %x, %s dimension = 0 : (tensor<50x65xf32>, tensor<6000xi64>) -> tensor<6000x65xf32>
  %1 = fuse.broadcast %w dimensions = [1] : tensor<6000xf32> -> tensor<6000x65xf32>
  %2 = fuse.binary mul %0, %1 : tensor<6000x65xf32>
  %3 = fuse.scatter add %z, %i, %2 dimension = 0 : (tensor<50x65xf32>, tensor<6000xi64>, tensor<6000x65xf32>) -> tensor<50x65xf32>
  return %3 : tensor<50x65xf32>
}

// The operand and the indices are computed, too.
// expect kernels=1 exact
// with %i = np.arange(12) * 5 - 30
func.func @computed(%x: tensor<9x17xf32>, %i: tensor<12xi64>, %u: tensor<12x17xf32>) -> tensor<9x17xf32> {
  %0 = fuse.unary relu %x : tensor<9x17xf32>
  %1 = arith.constant dense<9> : tensor<i64>
  %2 = fuse.binary rem %i, %1 : (tensor<12xi64>, tensor<i64>) -> tensor<12xi64>
  %3 = fuse.unary abs %u : tensor<12x17xf32>
  %4 = fuse.scatter min %0, %2, %3 dimension = 0 : (tensor<9x17xf32>, tensor<12xi64>, tensor<12x17xf32>) -> tensor<9x17xf32>
  return %4 : tensor<9x17xf32>
}

// A reader has a kernel of its own, and so has a sum before.
// expect kernels=3 reassociates
// with %i = np.arange(40) % 7
func.func @around(%i: tensor<40xi64>, %u: tensor<40x6x5xf32>) -> tensor<7x6xf32> {
  %z = arith.constant dense<1.0> : tensor<7x6xf32>
  %0 = fuse.reduce sum %u dimensions = [2] : tensor<40x6x5xf32> -> tensor<40x6xf32>
  %1 = fuse.scatter add %z, %i, %0 dimension = 0 : (tensor<7x6xf32>, tensor<40xi64>, tensor<40x6xf32>) -> tensor<7x6xf32>
  %2 = fuse.unary tanh %1 : tensor<7x6xf32>
  return %2 : tensor<7x6xf32>
}

// Updates that another op reads go through memory.
// expect kernels=2 exact
// with %i = np.arange(40) % 7
func.func @two_readers(%i: tensor<40xi64>, %u: tensor<40x6xf32>) -> (tensor<7x6xf32>, tensor<40x6xf32>) {
  %z = arith.constant dense<1.0> : tensor<7x6xf32>
  %0 = fuse.unary abs %u : tensor<40x6xf32>
  %1 = fuse.scatter add %z, %i, %0 dimension = 0 : (tensor<7x6xf32>, tensor<40xi64>, tensor<40x6xf32>) -> tensor<7x6xf32>
  return %1, %0 : tensor<7x6xf32>, tensor<40x6xf32>
}

// Views: updates turned and repeated, an operand that is a part, a result in another shape.
// expect kernels<=3 exact
// with %i = np.arange(12).reshape(3, 4) % 4
func.func @views(%x: tensor<8x6xf32>, %i: tensor<3x4xi64>, %u: tensor<6x12xf32>) -> tensor<2x12xf32> {
  %0 = fuse.slice %x offsets = [1, 0] sizes = [4, 6] strides = [2, 1] : tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = fuse.reshape %i : tensor<3x4xi64> -> tensor<12xi64>
  %2 = fuse.transpose %u permutation = [1, 0] : tensor<6x12xf32> -> tensor<12x6xf32>
  %3 = fuse.scatter add %0, %1, %2 dimension = 0 : (tensor<4x6xf32>, tensor<12xi64>, tensor<12x6xf32>) -> tensor<4x6xf32>
  %4 = fuse.reshape %3 : tensor<4x6xf32> -> tensor<2x12xf32>
  return %4 : tensor<2x12xf32>
}

// Repeated updates: one value, one row.
// expect kernels=1 exact
// with %i = [1, 1, 4]
func.func @repeated(%i: tensor<3xi64>, %u: tensor<5xf32>) -> tensor<6x5xf32> {
  %z = arith.constant dense<0.5> : tensor<6x5xf32>
  %0 = fuse.broadcast %u dimensions = [0] : tensor<5xf32> -> tensor<3x5xf32>
  %1 = fuse.scatter add %z, %i, %0 dimension = 0 : (tensor<6x5xf32>, tensor<3xi64>, tensor<3x5xf32>) -> tensor<6x5xf32>
  return %1 : tensor<6x5xf32>
}

// expect kernels=1 exact
// with %i = [1, 1, 4, 2, 2, 2]
// gives result0 = [0, 2, 3, 0, 1, 0]
func.func @counts(%i: tensor<6xi64>) -> tensor<6xi32> {
  %z = arith.constant dense<0> : tensor<6xi32>
  %one = arith.constant dense<1> : tensor<6xi32>
  %0 = fuse.scatter add %z, %i, %one dimension = 0 : (tensor<6xi32>, tensor<6xi64>, tensor<6xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// Element types whose order or memory is not that of floats.
// expect kernels=1 exact
// with %x = [200, 100, 3]
// with %u = [[7], [250], [1]]
// with %i = [0, 0, 2]
// gives result0 = [250, 100, 3]
func.func @unsigned(%x: tensor<3xui8>, %i: tensor<3xi64>, %u: tensor<3x1xui8>) -> tensor<3xui8> {
  %0 = fuse.reshape %x : tensor<3xui8> -> tensor<3x1xui8>
  %1 = fuse.scatter max %0, %i, %u dimension = 0 : (tensor<3x1xui8>, tensor<3xi64>, tensor<3x1xui8>) -> tensor<3x1xui8>
  %2 = fuse.reshape %1 : tensor<3x1xui8> -> tensor<3xui8>
  return %2 : tensor<3xui8>
}

// expect kernels=1 exact
// with %u = [[True, False], [False, True]]
// with %i = [3, 0]
// gives result0 = [[False, True], [True, True], [True, True], [True, False]]
func.func @masks(%i: tensor<2xi64>, %u: tensor<2x2xi1>) -> tensor<4x2xi1> {
  %t = arith.constant dense<true> : tensor<4x2xi1>
  %0 = fuse.scatter set %t, %i, %u dimension = 0 : (tensor<4x2xi1>, tensor<2xi64>, tensor<2x2xi1>) -> tensor<4x2xi1>
  return %0 : tensor<4x2xi1>
}

// expect kernels=1 exact
// with %u = odd
// with %i = np.arange(20) % 3
func.func @rounds_each(%x: tensor<3x1xbf16>, %i: tensor<20xi64>, %u: tensor<20x1xbf16>) -> tensor<3x1xbf16> {
  %0 = fuse.scatter add %x, %i, %u dimension = 0 : (tensor<3x1xbf16>, tensor<20xi64>, tensor<20x1xbf16>) -> tensor<3x1xbf16>
  return %0 : tensor<3x1xbf16>
}

// expect kernels=1 exact
// with %u = odd
// with %i = np.arange(20) % 3
func.func @keeps_nan(%x: tensor<3x2xf32>, %i: tensor<20xi64>, %u: tensor<20x2xf32>) -> tensor<3x2xf32> {
  %0 = fuse.scatter max %x, %i, %u dimension = 0 : (tensor<3x2xf32>, tensor<20xi64>, tensor<20x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
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

// Rows that are repeated: each update is the row at its place / 8. It reads no other.
// expect kernels=1 exact
// with %i = (np.arange(4096) * 7919) % 173
func.func @repeated_rows(%u: tensor<512x16xf32>, %i: tensor<4096xi64>) -> tensor<173x16xf32> {
  %z = arith.constant dense<0.0> : tensor<173x16xf32>
  %0 = fuse.broadcast %u dimensions = [1] : tensor<512x16xf32> -> tensor<512x8x16xf32>
  %1 = fuse.reshape %0 : tensor<512x8x16xf32> -> tensor<4096x16xf32>
  %2 = fuse.scatter add %z, %i, %1 dimension = 0 : (tensor<173x16xf32>, tensor<4096xi64>, tensor<4096x16xf32>) -> tensor<173x16xf32>
  return %2 : tensor<173x16xf32>
}

// Three joined dimensions, and a split one behind them.
// expect kernels=1 exact
// with %i = (np.arange(60) * 7) % 9
func.func @repeated_twice(%u: tensor<4x5x6xf32>, %i: tensor<60xi64>) -> tensor<9x6xf32> {
  %z = arith.constant dense<0.0> : tensor<9x6xf32>
  %0 = fuse.broadcast %u dimensions = [1] : tensor<4x5x6xf32> -> tensor<4x3x5x6xf32>
  %1 = fuse.reshape %0 : tensor<4x3x5x6xf32> -> tensor<60x6xf32>
  %2 = fuse.scatter add %z, %i, %1 dimension = 0 : (tensor<9x6xf32>, tensor<60xi64>, tensor<60x6xf32>) -> tensor<9x6xf32>
  return %2 : tensor<9x6xf32>
}
