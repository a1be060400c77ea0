// Two layers of a perceptron and the rows' largest values; rows may differ from call to call.
func.func @mlp(%x: tensor<?x4xf32> {fuse.name = "x"},
               %w0: tensor<4x8xf32> {fuse.param, fuse.name = "w0"},
               %b0: tensor<8xf32> {fuse.param, fuse.name = "b0"},
               %w1: tensor<8x3xf32> {fuse.param, fuse.name = "w1"})
    -> (tensor<?x3xf32> {fuse.name = "y"}) {
  %0 = fuse.matmul %x, %w0 : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %1 = fuse.binary add %0, %b0 : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %2 = fuse.unary relu %1 : tensor<?x8xf32>
  %3 = fuse.matmul %2, %w1 : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  %4 = fuse.softmax %3 dimension = 1 : tensor<?x3xf32>
  return %4 : tensor<?x3xf32>
}
