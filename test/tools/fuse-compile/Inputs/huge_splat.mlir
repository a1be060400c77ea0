func.func @f() -> tensor<8589934592xf32> {
  %0 = arith.constant dense<1.0> : tensor<8589934592xf32>
  return %0 : tensor<8589934592xf32>
}
