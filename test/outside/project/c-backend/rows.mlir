// Elements, and the sums of their rows.
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>) {
  %0 = fuse.binary sub %x, %y : tensor<3x4xf32>
  %1 = fuse.unary relu %0 : tensor<3x4xf32>
  %2 = fuse.unary exp %1 : tensor<3x4xf32>
  %3 = fuse.reduce sum %2 dimensions = [1] : tensor<3x4xf32> -> tensor<3xf32>
  return %2, %3 : tensor<3x4xf32>, tensor<3xf32>
}
