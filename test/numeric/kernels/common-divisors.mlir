// Elements of rows that are divided by what the row has in common are multiplied by its reciprocal, and
// corrected until they are the quotients to the last bit.
// RUN: fuse-run %s --function near --random-inputs 1 --check --rtol 0 --atol 0
// RUN: fuse-run %s --function double --random-inputs 2 --check --rtol 0 --atol 0
// Dividends whose remainders would be denormal are divided, in vectors with others, and so are denormal ones.
// RUN: fuse-run %s --function border --random-inputs 3 --check --rtol 0 --atol 0
// RUN: fuse-run %s --function denormal --random-inputs 4 --check --rtol 0 --atol 0
// Zeros are multiplied, and keep their signs; divisors that may be zero or negative divide.
// RUN: fuse-run %s --function zeros --random-inputs 5 --check --rtol 0 --atol 0
// RUN: fuse-run %s --function any --random-inputs 6 --check --rtol 0 --atol 0
// A softmax is as it was, fused or not.
// RUN: fuse-run %s --function softmax --random-inputs 7 --mode unfused --numerics exact --outputs %t.npz
// RUN: fuse-run %s --function softmax --random-inputs 7 --numerics exact --expect %t.npz --rtol 0 --atol 0

func.func @near(%x: tensor<37x203xf32>, %d: tensor<37x1xf32>) -> tensor<37x203xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %abs = fuse.unary abs %d : tensor<37x1xf32>
  %p = fuse.binary add %abs, %one : (tensor<37x1xf32>, tensor<f32>) -> tensor<37x1xf32>
  %q = fuse.binary div %x, %p : (tensor<37x203xf32>, tensor<37x1xf32>) -> tensor<37x203xf32>
  return %q : tensor<37x203xf32>
}

func.func @double(%x: tensor<37x203xf64>, %d: tensor<37x1xf64>) -> tensor<37x203xf64> {
  %one = arith.constant dense<1.0> : tensor<f64>
  %abs = fuse.unary abs %d : tensor<37x1xf64>
  %p = fuse.binary add %abs, %one : (tensor<37x1xf64>, tensor<f64>) -> tensor<37x1xf64>
  %q = fuse.binary div %x, %p : (tensor<37x203xf64>, tensor<37x1xf64>) -> tensor<37x203xf64>
  return %q : tensor<37x203xf64>
}

func.func @border(%x: tensor<37x203xf32>, %d: tensor<37x1xf32>) -> tensor<37x203xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %abs = fuse.unary abs %d : tensor<37x1xf32>
  %p = fuse.binary add %abs, %one : (tensor<37x1xf32>, tensor<f32>) -> tensor<37x1xf32>
  %scale = arith.constant dense<7.88860905e-31> : tensor<f32>
  %s = fuse.binary mul %x, %scale : (tensor<37x203xf32>, tensor<f32>) -> tensor<37x203xf32>
  %q = fuse.binary div %s, %p : (tensor<37x203xf32>, tensor<37x1xf32>) -> tensor<37x203xf32>
  return %q : tensor<37x203xf32>
}

func.func @denormal(%x: tensor<37x203xf32>, %d: tensor<37x1xf32>) -> tensor<37x203xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %abs = fuse.unary abs %d : tensor<37x1xf32>
  %p = fuse.binary add %abs, %one : (tensor<37x1xf32>, tensor<f32>) -> tensor<37x1xf32>
  %scale = arith.constant dense<2.2958874e-41> : tensor<f32>
  %s = fuse.binary mul %x, %scale : (tensor<37x203xf32>, tensor<f32>) -> tensor<37x203xf32>
  %q = fuse.binary div %s, %p : (tensor<37x203xf32>, tensor<37x1xf32>) -> tensor<37x203xf32>
  return %q : tensor<37x203xf32>
}

func.func @zeros(%x: tensor<37x203xf32>, %d: tensor<37x1xf32>) -> tensor<37x203xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %abs = fuse.unary abs %d : tensor<37x1xf32>
  %p = fuse.binary add %abs, %one : (tensor<37x1xf32>, tensor<f32>) -> tensor<37x1xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r = fuse.unary relu %x : tensor<37x203xf32>
  %s = fuse.binary mul %x, %zero : (tensor<37x203xf32>, tensor<f32>) -> tensor<37x203xf32>
  %z = fuse.binary div %s, %p : (tensor<37x203xf32>, tensor<37x1xf32>) -> tensor<37x203xf32>
  %h = fuse.binary div %r, %p : (tensor<37x203xf32>, tensor<37x1xf32>) -> tensor<37x203xf32>
  %y = fuse.binary div %p, %z : (tensor<37x1xf32>, tensor<37x203xf32>) -> tensor<37x203xf32>
  %q = fuse.binary add %y, %h : tensor<37x203xf32>
  return %q : tensor<37x203xf32>
}

func.func @any(%x: tensor<37x203xf32>, %d: tensor<37x1xf32>) -> tensor<37x203xf32> {
  %r = fuse.unary relu %d : tensor<37x1xf32>
  %z = fuse.binary div %x, %r : (tensor<37x203xf32>, tensor<37x1xf32>) -> tensor<37x203xf32>
  %w = fuse.binary div %x, %d : (tensor<37x203xf32>, tensor<37x1xf32>) -> tensor<37x203xf32>
  %q = fuse.binary max %z, %w : tensor<37x203xf32>
  return %q : tensor<37x203xf32>
}

func.func @softmax(%x: tensor<37x203xf32>) -> tensor<37x203xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<37x203xf32>
  return %0 : tensor<37x203xf32>
}
