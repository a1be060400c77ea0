// RUN: %python %S/Inputs/check_kernels.py %s

// Updates of element types whose order or memory is not that of floats.

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
