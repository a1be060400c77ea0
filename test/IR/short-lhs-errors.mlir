// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @elsewhere(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.short_lhs' belongs on a fuse.matmul}}
  %0 = fuse.unary relu %x {fuse.short_lhs} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @number(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{attribute 'fuse.short_lhs' expects a unit attribute, found 8 : i64}}
  %0 = fuse.matmul %x, %y {fuse.short_lhs = 8} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
