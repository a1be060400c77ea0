func.func @main(%x: tensor<4x8xf32>, %c: i1) -> (tensor<8xf32>, tensor<32xf32>) {
  %0 = call @twice(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<4x8xf32> -> tensor<8xf32>
  %2 = fuse.reshape %0 : tensor<4x8xf32> -> tensor<32xf32>
  %3 = scf.if %c -> tensor<32xf32> {
    %4 = fuse.unary exp %2 : tensor<32xf32>
    scf.yield %4 : tensor<32xf32>
  } else {
    scf.yield %2 : tensor<32xf32>
  }
  %5 = fuse.unary log %1 : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<32xf32>
}
func.func private @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.unary relu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
