// RUN: %python %S/Inputs/check_kernels.py %s
// What flushes denormals and rounds less often is as close, too.
// RUN: for f in bf16_odd bf16_wide bf16_long f16_odd bf16_packed_row bf16_packed bf16_packed_window; do fuse-run %s --function $f --random-inputs 3 --numerics reduced-precision --check --rtol 1e-4 --atol 1e-3 || exit 1; done
// Weights of one column that the product packs itself, of groups of which the last has one step.
// RUN: for f in one_column one_filter bf16_column; do fuse-run %s --function $f --random-inputs 3 --numerics exact --check || exit 1; done

// Products of short numbers, whose steps are read in groups: extents that no group, vector or group of
// rows divides, and all that 8 bits can hold.

// One operand with and one without a sign.
// expect kernels=1 exact
// with %arg0 = np.arange(13 * 67).reshape(shape) * 37
// with %arg1 = np.arange(67 * 33).reshape(shape) * 91
func.func @both_signs(%arg0: tensor<13x67xui8>, %arg1: tensor<67x33xi8>) -> tensor<13x33xi32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<13x67xui8>, tensor<67x33xi8>) -> tensor<13x33xi32>
  return %0 : tensor<13x33xi32>
}

// expect kernels=1 exact
// with %arg0 = np.arange(13 * 67).reshape(shape) * 37
// with %arg1 = np.arange(67 * 33).reshape(shape) * 91
func.func @other_signs(%arg0: tensor<13x67xi8>, %arg1: tensor<67x33xui8>) -> tensor<13x33xi32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<13x67xi8>, tensor<67x33xui8>) -> tensor<13x33xi32>
  return %0 : tensor<13x33xi32>
}

// expect kernels=1 exact
// with %arg0 = np.arange(2 * 7 * 9 * 9).reshape(shape) * 37
// with %arg1 = np.arange(20 * 7 * 3 * 3).reshape(shape) * 91
func.func @convolution_of_both_signs(%arg0: tensor<2x7x9x9xui8>, %arg1: tensor<20x7x3x3xi8>) -> tensor<2x20x9x9xi32> {
  %0 = fuse.conv2d %arg0, %arg1 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<2x7x9x9xui8>, tensor<20x7x3x3xi8>) -> tensor<2x20x9x9xi32>
  return %0 : tensor<2x20x9x9xi32>
}

// expect kernels=1 exact
// with %arg0 = np.arange(13 * 67).reshape(shape) * 37
// with %arg1 = np.arange(67 * 33).reshape(shape) * 91
func.func @int8_odd(%arg0: tensor<13x67xi8>, %arg1: tensor<67x33xi8>) -> tensor<13x33xi32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<13x67xi8>, tensor<67x33xi8>) -> tensor<13x33xi32>
  return %0 : tensor<13x33xi32>
}

// expect kernels=1 exact
// with %arg0 = np.full(shape, -128)
// with %arg1 = np.full(shape, -128)
// gives result0 = np.full((64, 64), 2050 * 16384)
func.func @int8_least(%arg0: tensor<64x2050xi8>, %arg1: tensor<2050x64xi8> {fuse.param}) -> tensor<64x64xi32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<64x2050xi8>, tensor<2050x64xi8>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// One column is left over, of rows that the machine counts. A store of it once wrote four.
// expect kernels=1 exact
func.func @int8_one_left(%arg0: tensor<3x?x96xi8>, %arg1: tensor<3x96x33xi8>) -> tensor<3x?x33xi8> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<3x?x96xi8>, tensor<3x96x33xi8>) -> tensor<3x?x33xi8>
  return %0 : tensor<3x?x33xi8>
}

// expect kernels=1 exact
// with %arg1 = np.arange(40 * 50).reshape(shape) * 91
func.func @int8_turned(%arg0: tensor<?x50xi8>, %arg1: tensor<40x50xi8>) -> tensor<?x40xi32> {
  %0 = fuse.matmul %arg0, %arg1 transpose_rhs : (tensor<?x50xi8>, tensor<40x50xi8>) -> tensor<?x40xi32>
  return %0 : tensor<?x40xi32>
}

// expect kernels=1 exact
// with %arg1 = np.arange(3 * 3 * 3 * 20).reshape(shape) * 91
func.func @int8_conv(%arg0: tensor<2x9x9x3xi8>, %arg1: tensor<3x3x3x20xi8> {fuse.param}) -> tensor<2x9x9x20xi8> {
  %0 = fuse.conv2d %arg0, %arg1 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf : (tensor<2x9x9x3xi8>, tensor<3x3x3x20xi8>) -> tensor<2x9x9x20xi8>
  %1 = fuse.unary relu %0 : tensor<2x9x9x20xi8>
  return %1 : tensor<2x9x9x20xi8>
}

// expect kernels=1 exact
func.func @uint8(%arg0: tensor<17x35xui8>, %arg1: tensor<35x33xui8>) -> tensor<17x33xui8> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<17x35xui8>, tensor<35x33xui8>) -> tensor<17x33xui8>
  return %0 : tensor<17x33xui8>
}

// expect kernels=1 rtol=1e-4
func.func @bf16_odd(%arg0: tensor<29x67xbf16>, %arg1: tensor<67x49xbf16>) -> tensor<29x49xf32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<29x67xbf16>, tensor<67x49xbf16>) -> tensor<29x49xf32>
  return %0 : tensor<29x49xf32>
}

// expect kernels=1
func.func @bf16_wide(%arg0: tensor<?x33xbf16>, %arg1: tensor<33x257xbf16> {fuse.param}) -> tensor<?x257xf32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<?x33xbf16>, tensor<33x257xbf16>) -> tensor<?x257xf32>
  return %0 : tensor<?x257xf32>
}

// expect kernels=1
func.func @bf16_long(%arg0: tensor<40x1027xbf16>, %arg1: tensor<64x1027xbf16>) -> tensor<40x64xf32> {
  %0 = fuse.matmul %arg0, %arg1 transpose_rhs : (tensor<40x1027xbf16>, tensor<64x1027xbf16>) -> tensor<40x64xf32>
  return %0 : tensor<40x64xf32>
}

// A product with infinity in an odd number of steps: nothing is multiplied with what is not there.
// expect kernels=1
// with %arg0 = np.full(shape, np.inf)
// with %arg1 = np.full(shape, 1.0)
// gives result0 = np.full((16, 16), np.inf)
func.func @bf16_infinite(%arg0: tensor<16x3xbf16>, %arg1: tensor<3x16xbf16>) -> tensor<16x16xf32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<16x3xbf16>, tensor<3x16xbf16>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// expect kernels=1
func.func @f16_odd(%arg0: tensor<131x67xf16>, %arg1: tensor<67x49xf16>) -> tensor<131x49xf32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<131x67xf16>, tensor<67x49xf16>) -> tensor<131x49xf32>
  return %0 : tensor<131x49xf32>
}

// Columns along the steps, of one row. LLVM once gave a quarter of the sum.
// expect kernels=1 exact
// with %arg0 = np.full(shape, 200)
// with %arg1 = np.full(shape, -100)
// gives result0 = np.full((1, 33), -320000)
func.func @one_row_along_steps(%arg0: tensor<1x16xui8>, %arg1: tensor<33x16xi8>) -> tensor<1x33xi32> {
  %0 = fuse.matmul %arg0, %arg1 transpose_rhs : (tensor<1x16xui8>, tensor<33x16xi8>) -> tensor<1x33xi32>
  return %0 : tensor<1x33xi32>
}

// Rows that the machine counts, of weights in groups.
// expect kernels=1 exact
// with %arg1 = np.arange(147 * 70).reshape(shape) * 91
func.func @int8_packed_for_some(%arg0: tensor<?x147xi8>, %arg1: tensor<147x70xi8> {fuse.param}) -> tensor<?x70xi32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<?x147xi8>, tensor<147x70xi8>) -> tensor<?x70xi32>
  return %0 : tensor<?x70xi32>
}

// Pairs of steps lie next to each other in weights, of one row and of many.
// expect kernels=1 rtol=1e-4
func.func @bf16_packed_row(%arg0: tensor<1x67xbf16>, %arg1: tensor<67x149xbf16> {fuse.param}) -> tensor<1x149xf32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<1x67xbf16>, tensor<67x149xbf16>) -> tensor<1x149xf32>
  return %0 : tensor<1x149xf32>
}

// expect kernels=1 rtol=1e-4
func.func @bf16_packed(%arg0: tensor<29x967xbf16>, %arg1: tensor<49x967xbf16> {fuse.param}) -> tensor<29x49xf32> {
  %0 = fuse.matmul %arg0, %arg1 transpose_rhs : (tensor<29x967xbf16>, tensor<49x967xbf16>) -> tensor<29x49xf32>
  return %0 : tensor<29x49xf32>
}

// expect kernels=1 rtol=1e-4
func.func @bf16_packed_window(%arg0: tensor<2x9x9x7xbf16>, %arg1: tensor<3x3x7x20xbf16> {fuse.param}) -> tensor<2x9x9x20xf32> {
  %0 = fuse.conv2d %arg0, %arg1 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf : (tensor<2x9x9x7xbf16>, tensor<3x3x7x20xbf16>) -> tensor<2x9x9x20xf32>
  return %0 : tensor<2x9x9x20xf32>
}

// Integers of 16 bits are added up in 32.
// expect kernels=1 exact
// with %arg0 = np.arange(13 * 67).reshape(shape) * 37 - 9000
// with %arg1 = np.arange(67 * 33).reshape(shape) * 91 - 70000
func.func @sixteen_bits(%arg0: tensor<13x67xi16>, %arg1: tensor<67x33xi16>) -> tensor<13x33xi32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<13x67xi16>, tensor<67x33xi16>) -> tensor<13x33xi32>
  return %0 : tensor<13x33xi32>
}

// expect kernels=1 exact
// with %arg0 = np.arange(13 * 67).reshape(shape) * 37 - 9000
// with %arg1 = np.arange(67 * 33).reshape(shape) * 91 - 70000
func.func @wrapped(%arg0: tensor<13x67xi16>, %arg1: tensor<67x33xi16>) -> tensor<13x33xi16> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<13x67xi16>, tensor<67x33xi16>) -> tensor<13x33xi16>
  return %0 : tensor<13x33xi16>
}

// Filters of single channels.
// expect kernels=1 exact
// with %arg0 = np.arange(2 * 9 * 9 * 37).reshape(shape) * 37 - 9000
// with %arg1 = np.arange(3 * 3 * 37).reshape(shape) * 91 - 9000
func.func @depthwise(%arg0: tensor<2x9x9x37xi16>, %arg1: tensor<3x3x1x37xi16>) -> tensor<2x5x5x37xi32> {
  %0 = fuse.conv2d %arg0, %arg1 strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 37 layout = nhwc_hwcf : (tensor<2x9x9x37xi16>, tensor<3x3x1x37xi16>) -> tensor<2x5x5x37xi32>
  return %0 : tensor<2x5x5x37xi32>
}

// The bias is computed behind the product, from another operand, and the result is folded: the product comes after it.
// expect kernels=1 exact
// with %arg0 = np.arange(13 * 67).reshape(shape) * 37
// with %arg1 = np.arange(67 * 33).reshape(shape) * 91
func.func @bias_behind(%arg0: tensor<13x67xui8>, %arg1: tensor<67x33xi8>, %arg2: tensor<33xi32>, %arg3: tensor<i32>) -> (tensor<13x33xi32>, tensor<13xi32>) {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<13x67xui8>, tensor<67x33xi8>) -> tensor<13x33xi32>
  %1 = fuse.binary mul %arg2, %arg3 : (tensor<33xi32>, tensor<i32>) -> tensor<33xi32>
  %2 = fuse.binary sub %0, %1 : (tensor<13x33xi32>, tensor<33xi32>) -> tensor<13x33xi32>
  %3 = fuse.reduce max %2 dimensions = [1] : tensor<13x33xi32> -> tensor<13xi32>
  return %2, %3 : tensor<13x33xi32>, tensor<13xi32>
}

// expect kernels=1 exact
func.func @one_column(%arg0: tensor<5x5xui8>, %arg1: tensor<5x1xi8> {fuse.param}) -> tensor<5x1xi32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<5x5xui8>, tensor<5x1xi8>) -> tensor<5x1xi32>
  return %0 : tensor<5x1xi32>
}

// expect kernels=1 exact
func.func @one_filter(%arg0: tensor<1x6x6x9xui8>, %arg1: tensor<3x3x9x1xi8> {fuse.param}) -> tensor<1x4x4x1xi32> {
  %0 = fuse.conv2d %arg0, %arg1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x6x6x9xui8>, tensor<3x3x9x1xi8>) -> tensor<1x4x4x1xi32>
  return %0 : tensor<1x4x4x1xi32>
}

// expect kernels=1
func.func @bf16_column(%arg0: tensor<5x5xbf16>, %arg1: tensor<5x1xbf16> {fuse.param}) -> tensor<5x1xf32> {
  %0 = fuse.matmul %arg0, %arg1 : (tensor<5x5xbf16>, tensor<5x1xbf16>) -> tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}
