func.func @p(%x: tensor<2x3xf32> {fuse.name = "x"}, %n: tensor<4xi32> {fuse.name = "n"})
    -> (tensor<2x3xf32> {fuse.name = "y"}, tensor<4xi32> {fuse.name = "m"}) {
  %one = arith.constant dense<1.0> : tensor<2x3xf32>
  %y = fuse.binary add %x, %one : tensor<2x3xf32>
  %m = fuse.unary neg %n : tensor<4xi32>
  return %y, %m : tensor<2x3xf32>, tensor<4xi32>
}
