// RUN: %python %S/Inputs/check_kernels.py %s

// Recurrences: one kernel each, whose blocks are rows of the states.

// expect kernels=1
func.func @running_sum(%x: tensor<13x7xf32>, %h: tensor<7xf32>) -> (tensor<7xf32>, tensor<13x7xf32>) {
  %0:2 = fuse.scan states(%s = %h) over(%row = %x) : (tensor<7xf32>, tensor<13x7xf32>) -> (tensor<7xf32>, tensor<13x7xf32>) {
    %1 = fuse.binary add %s, %row : tensor<7xf32>
    fuse.yield %1, %1 : tensor<7xf32>, tensor<7xf32>
  }
  return %0#0, %0#1 : tensor<7xf32>, tensor<13x7xf32>
}

// The last state alone; the outputs are not made.
// expect kernels=1
func.func @last_state(%x: tensor<13x7xf32>, %h: tensor<7xf32>) -> tensor<7xf32> {
  %0:2 = fuse.scan states(%s = %h) over(%row = %x) : (tensor<7xf32>, tensor<13x7xf32>) -> (tensor<7xf32>, tensor<13x7xf32>) {
    %1 = fuse.binary max %s, %row : tensor<7xf32>
    %2 = fuse.unary exp %1 : tensor<7xf32>
    fuse.yield %1, %2 : tensor<7xf32>, tensor<7xf32>
  }
  return %0#0 : tensor<7xf32>
}

// Backwards; the outputs hold the state before the step, and a value that is no state.
// expect kernels=1
func.func @reverse(%x: tensor<9x3x5xf32>, %h: tensor<3x5xf32>) -> (tensor<9x3x5xf32>, tensor<9x3xf32>) {
  %0:3 = fuse.scan states(%s = %h) over(%row = %x) reverse : (tensor<3x5xf32>, tensor<9x3x5xf32>) -> (tensor<3x5xf32>, tensor<9x3x5xf32>, tensor<9x3xf32>) {
    %1 = fuse.binary mul %s, %row : tensor<3x5xf32>
    %2 = fuse.unary tanh %1 : tensor<3x5xf32>
    %3 = fuse.reduce sum %2 dimensions = [1] : tensor<3x5xf32> -> tensor<3xf32>
    fuse.yield %2, %s, %3 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>
  }
  return %0#1, %0#2 : tensor<9x3x5xf32>, tensor<9x3xf32>
}

// Two states that change places: each is read from what the step before wrote.
// expect kernels=1
func.func @exchange(%x: tensor<6x4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = fuse.scan states(%p = %a, %q = %b) over(%row = %x) : (tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = fuse.binary add %p, %row : tensor<4xf32>
    fuse.yield %q, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// An Elman cell: the rows of the batch are blocks, the columns of the state are whole. Both begin as
// one value.
// expect kernels=1 reassociates
// with %w = np.random.default_rng(0).standard_normal(shape) / 8
func.func @elman(%x: tensor<11x6x32xf32>, %h: tensor<6x32xf32>, %w: tensor<32x32xf32>) -> (tensor<6x32xf32>, tensor<11x6x32xf32>, tensor<6x32xf32>) {
  %0:3 = fuse.scan states(%s = %h, %m = %h) over(%row = %x) with(%in = %w) : (tensor<6x32xf32>, tensor<6x32xf32>, tensor<11x6x32xf32>, tensor<32x32xf32>) -> (tensor<6x32xf32>, tensor<6x32xf32>, tensor<11x6x32xf32>) {
    %1 = fuse.matmul %s, %in : (tensor<6x32xf32>, tensor<32x32xf32>) -> tensor<6x32xf32>
    %2 = fuse.binary add %1, %row : tensor<6x32xf32>
    %3 = fuse.unary tanh %2 : tensor<6x32xf32>
    %4 = fuse.binary max %m, %3 : tensor<6x32xf32>
    fuse.yield %3, %4, %3 : tensor<6x32xf32>, tensor<6x32xf32>, tensor<6x32xf32>
  }
  return %0#0, %0#2, %0#1 : tensor<6x32xf32>, tensor<11x6x32xf32>, tensor<6x32xf32>
}

// The whole state is mixed in each step: one block.
// expect kernels=1 reassociates
func.func @mixed(%x: tensor<5x6x8xf32>, %h: tensor<6x8xf32>) -> tensor<5x6x8xf32> {
  %0:2 = fuse.scan states(%s = %h) over(%row = %x) : (tensor<6x8xf32>, tensor<5x6x8xf32>) -> (tensor<6x8xf32>, tensor<5x6x8xf32>) {
    %1 = fuse.reduce mean %s dimensions = [0] keep_dims : tensor<6x8xf32> -> tensor<1x8xf32>
    %2 = fuse.binary sub %row, %1 : (tensor<6x8xf32>, tensor<1x8xf32>) -> tensor<6x8xf32>
    fuse.yield %2, %2 : tensor<6x8xf32>, tensor<6x8xf32>
  }
  return %0#1 : tensor<5x6x8xf32>
}

// A transposed state is read by other blocks than the one that wrote it: one block again.
// expect kernels=1
func.func @turned(%x: tensor<5x7x7xf32>, %h: tensor<7x7xf32>) -> tensor<5x7x7xf32> {
  %0:2 = fuse.scan states(%s = %h) over(%row = %x) : (tensor<7x7xf32>, tensor<5x7x7xf32>) -> (tensor<7x7xf32>, tensor<5x7x7xf32>) {
    %1 = fuse.transpose %s permutation = [1, 0] : tensor<7x7xf32> -> tensor<7x7xf32>
    %2 = fuse.binary add %row, %1 : tensor<7x7xf32>
    fuse.yield %2, %2 : tensor<7x7xf32>, tensor<7x7xf32>
  }
  return %0#1 : tensor<5x7x7xf32>
}

// Unit extents, one step, and views and other ops around the scan.
// expect kernels=4
func.func @around(%x: tensor<4x1x1x3xf32>, %y: tensor<3x1xf32>) -> tensor<1x1x3xf32> {
  %0 = fuse.transpose %x permutation = [1, 0, 2, 3] : tensor<4x1x1x3xf32> -> tensor<1x4x1x3xf32>
  %1 = fuse.slice %0 offsets = [0, 1, 0, 0] sizes = [1, 2, 1, 3] strides = [1, 2, 1, 1] : tensor<1x4x1x3xf32> -> tensor<1x2x1x3xf32>
  %2 = fuse.reshape %1 : tensor<1x2x1x3xf32> -> tensor<2x1x3xf32>
  %3 = fuse.slice %2 offsets = [1, 0, 0] sizes = [1, 1, 3] strides = [1, 1, 1] : tensor<2x1x3xf32> -> tensor<1x1x3xf32>
  %4 = fuse.transpose %y permutation = [1, 0] : tensor<3x1xf32> -> tensor<1x3xf32>
  %5:2 = fuse.scan states(%s = %4) over(%row = %3) : (tensor<1x3xf32>, tensor<1x1x3xf32>) -> (tensor<1x3xf32>, tensor<1x1x3xf32>) {
    %6 = fuse.binary sub %row, %s : tensor<1x3xf32>
    fuse.yield %6, %6 : tensor<1x3xf32>, tensor<1x3xf32>
  }
  %7 = fuse.unary exp %5#1 : tensor<1x1x3xf32>
  return %7 : tensor<1x1x3xf32>
}

// No step at all: the last state is the first one.
// expect kernels=1
func.func @no_steps(%x: tensor<0x8xf32>, %h: tensor<8xf32>) -> (tensor<8xf32>, tensor<0x8xf32>) {
  %0:2 = fuse.scan states(%s = %h) over(%row = %x) : (tensor<8xf32>, tensor<0x8xf32>) -> (tensor<8xf32>, tensor<0x8xf32>) {
    %1 = fuse.binary add %s, %row : tensor<8xf32>
    fuse.yield %1, %1 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<0x8xf32>
}
