func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  return %2 : tensor<1024xf32>
}
