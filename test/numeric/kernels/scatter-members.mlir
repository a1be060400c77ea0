// RUN: %python %S/Inputs/check_kernels.py %s

// Updates at given indices, put together for each of them in the scatter's kernel: computed, views, repeated values and rows.

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
