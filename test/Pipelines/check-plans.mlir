// RUN: %python %S/check_plans.py fuse-opt %S/../numeric

// What once differed: planned as it was written, built as it is laid out.
// RUN: fuse-opt %s --fuse-pipeline="numerics=folds layouts" --fuse-check-plan=stream | FileCheck %s

// A kernel that a user gave a schedule is built with that one.
// CHECK-LABEL: func.func @given
// CHECK:         sizes = [3]
func.func @given(%x: tensor<20xf32>) -> tensor<20xf32> {
  %0 = fuse.kernel (%a = %x) : (tensor<20xf32>) -> tensor<20xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [3]>]>} {
    %1 = fuse.unary exp %a : tensor<20xf32>
    fuse.yield %1 : tensor<20xf32>
  }
  return %0 : tensor<20xf32>
}

// The result leaves with its channels first, by a copy over its four dimensions.
func.func @channels_first(%x: tensor<2x96x14x14xf32>, %w: tensor<96x96x1x1xf32> {fuse.param}, %d: tensor<96x1x3x3xf32> {fuse.param}) -> tensor<2x96x14x14xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x96x14x14xf32>, tensor<96x96x1x1xf32>) -> tensor<2x96x14x14xf32>
  %1 = fuse.conv2d %0, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 96 layout = nchw_fchw : (tensor<2x96x14x14xf32>, tensor<96x1x3x3xf32>) -> tensor<2x96x14x14xf32>
  %2 = fuse.unary relu %1 : tensor<2x96x14x14xf32>
  return %2 : tensor<2x96x14x14xf32>
}

// 384 columns in 12 blocks of 32, and 360 of which the last block has 8.
func.func @packed(%x: tensor<3x27x120xf32>, %w: tensor<120x384xf32> {fuse.param}, %v: tensor<384x360xf32> {fuse.param}) -> tensor<3x27x360xf32> {
  %0 = fuse.matmul %x, %w : (tensor<3x27x120xf32>, tensor<120x384xf32>) -> tensor<3x27x384xf32>
  %1 = fuse.unary gelu %0 : tensor<3x27x384xf32>
  %2 = fuse.matmul %1, %v : (tensor<3x27x384xf32>, tensor<384x360xf32>) -> tensor<3x27x360xf32>
  return %2 : tensor<3x27x360xf32>
}

// Halves of a row side by side: two loops, over the halves and within them.
func.func @rotary(%x: tensor<5x19x64xf32>, %c: tensor<19x64xf32>, %s: tensor<19x64xf32>) -> tensor<5x19x64xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 0] sizes = [5, 19, 32] strides = [1, 1, 1] : tensor<5x19x64xf32> -> tensor<5x19x32xf32>
  %1 = fuse.slice %x offsets = [0, 0, 32] sizes = [5, 19, 32] strides = [1, 1, 1] : tensor<5x19x64xf32> -> tensor<5x19x32xf32>
  %2 = fuse.unary neg %1 : tensor<5x19x32xf32>
  %3 = fuse.concat %2, %0 dimension = 2 : (tensor<5x19x32xf32>, tensor<5x19x32xf32>) -> tensor<5x19x64xf32>
  %4 = fuse.binary mul %x, %c : (tensor<5x19x64xf32>, tensor<19x64xf32>) -> tensor<5x19x64xf32>
  %5 = fuse.binary mul %3, %s : (tensor<5x19x64xf32>, tensor<19x64xf32>) -> tensor<5x19x64xf32>
  %6 = fuse.binary add %4, %5 : tensor<5x19x64xf32>
  return %6 : tensor<5x19x64xf32>
}

// Each of two heads of keys serves two heads of queries.
func.func @grouped_heads(%q: tensor<2x4x33x16xf32>, %k: tensor<2x2x33x16xf32>, %v: tensor<2x2x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %0 = fuse.attention %q, %k, %v scale = 2.500000e-01 : (tensor<2x4x33x16xf32>, tensor<2x2x33x16xf32>, tensor<2x2x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %0 : tensor<2x4x33x16xf32>
}

// The groups of a convolution are a loop of their own, 2 x 8 of its 16 filters.
func.func @grouped(%x: tensor<1x8x20x20xf32>, %w: tensor<16x4x3x3xf32>) -> tensor<1x16x20x20xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 2 layout = nchw_fchw : (tensor<1x8x20x20xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x20x20xf32>
  return %0 : tensor<1x16x20x20xf32>
}

// 12x13 as 156, as 26x6 and as 156 again is one reshape that changes nothing.
func.func @there_and_back(%x: tensor<12x13xf32>, %y: tensor<156xf32>) -> tensor<156xf32> {
  %0 = fuse.unary exp %x : tensor<12x13xf32>
  %1 = fuse.reshape %0 : tensor<12x13xf32> -> tensor<156xf32>
  %2 = fuse.reshape %1 : tensor<156xf32> -> tensor<26x6xf32>
  %3 = fuse.reshape %2 : tensor<26x6xf32> -> tensor<156xf32>
  %4 = fuse.binary add %3, %y : tensor<156xf32>
  return %4 : tensor<156xf32>
}

// Half of a row: rows of two halves, of which one is read.
func.func @half(%x: tensor<11x64xf32>, %w: tensor<64x64xf32>) -> (tensor<11x64xf32>, tensor<11x32xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<11x64xf32>, tensor<64x64xf32>) -> tensor<11x64xf32>
  %1 = fuse.slice %0 offsets = [0, 32] sizes = [11, 32] strides = [1, 1] : tensor<11x64xf32> -> tensor<11x32xf32>
  %2 = fuse.unary neg %1 : tensor<11x32xf32>
  return %0, %2 : tensor<11x64xf32>, tensor<11x32xf32>
}

// The result of a convolution whose windows keep its rows whole leaves in another shape: the copy's loops are
// cut where those of the result lie.
func.func @windows_keep_rows(%x: tensor<1x128x1x7xf32>, %w: tensor<1x1x7x16xf32>) -> tensor<8x4x32xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x128x1x7xf32>, tensor<1x1x7x16xf32>) -> tensor<1x64x1x16xf32>
  %1 = fuse.reshape %0 : tensor<1x64x1x16xf32> -> tensor<4x8x4x8xf32>
  %2 = fuse.transpose %1 permutation = [2, 1, 3, 0] : tensor<4x8x4x8xf32> -> tensor<4x8x8x4xf32>
  %3 = fuse.reshape %2 : tensor<4x8x8x4xf32> -> tensor<8x4x32xf32>
  return %3 : tensor<8x4x32xf32>
}

// A part of an image in one row: rows of the part do not lie behind each other.
func.func @part(%x: tensor<7x8x16xf32>) -> tensor<192xf32> {
  %0 = fuse.slice %x offsets = [3, 3, 0] sizes = [3, 4, 16] strides = [1, 1, 1] : tensor<7x8x16xf32> -> tensor<3x4x16xf32>
  %1 = fuse.reshape %0 : tensor<3x4x16xf32> -> tensor<192xf32>
  %2 = fuse.unary exp %1 : tensor<192xf32>
  return %2 : tensor<192xf32>
}

// Three parts of 5 rows, read as 5 rows of 3 times 2: 3 and 5 are joined to 15, which is 5 and 3, and the last 2 stay.
func.func @parts(%i: tensor<5x2xi64>, %x: tensor<10xf32>) -> (tensor<5x2xf32>, tensor<5x1x6xf32>) {
  %0 = fuse.gather %x, %i dimension = 0 : (tensor<10xf32>, tensor<5x2xi64>) -> tensor<5x2xf32>
  %1 = fuse.unary exp %0 : tensor<5x2xf32>
  %2 = fuse.concat %0, %0, %0 dimension = 0 : (tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<15x2xf32>
  %3 = fuse.reshape %2 : tensor<15x2xf32> -> tensor<5x6xf32>
  %4 = fuse.broadcast %3 dimensions = [1] : tensor<5x6xf32> -> tensor<5x1x6xf32>
  return %1, %4 : tensor<5x2xf32>, tensor<5x1x6xf32>
}

// Blocks of 32 filters behind which a window goes over the image: the window keeps the channels whole, and so
// does what computes them, whose tiles have whole blocks.
func.func @blocks_before_window(%x: tensor<1x3x33x384xf32>, %w: tensor<1x1x384x384xf32> {fuse.param}, %b: tensor<384xf32>, %d: tensor<3x3x1x384xf32>) -> tensor<1x3x33x384xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf {fuse.together = "a"} : (tensor<1x3x33x384xf32>, tensor<1x1x384x384xf32>) -> tensor<1x3x33x384xf32>
  %1 = fuse.binary add %0, %b {fuse.together = "a"} : (tensor<1x3x33x384xf32>, tensor<384xf32>) -> tensor<1x3x33x384xf32>
  %2 = fuse.conv2d %1, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 384 layout = nhwc_hwcf {fuse.together = "a"} : (tensor<1x3x33x384xf32>, tensor<3x3x1x384xf32>) -> tensor<1x3x33x384xf32>
  return %2 : tensor<1x3x33x384xf32>
}
