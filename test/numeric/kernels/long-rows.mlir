// RUN: %python %S/Inputs/check_kernels.py %s
// RUN: fuse-run %s --function by_hand --random-inputs 1 --mode unfused --outputs %t.npz
// RUN: fuse-run %s --function by_hand --random-inputs 1 --numerics exact --expect %t.npz --rtol 0 --atol 0

// Attention over so many keys that few rows of scores stay near the core: the planner forms one kernel,
// whose scratch does not depend on the number of keys. Where numbers must be exact, rows stay whole.

// expect kernels=1 blocks>=16 reassociates
func.func @attn(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x6000x16xf32>, %v: tensor<1x2x6000x16xf32>) -> tensor<1x2x40x16xf32> {
  %0 = fuse.attention %q, %k, %v scale = 0.25 : (tensor<1x2x40x16xf32>, tensor<1x2x6000x16xf32>, tensor<1x2x6000x16xf32>) -> tensor<1x2x40x16xf32>
  return %0 : tensor<1x2x40x16xf32>
}

// No divisor of 6007 is a tile: the last one is partial.
// expect kernels=1 blocks>=16 reassociates
func.func @causal_grouped(%q: tensor<1x4x20x16xf32>, %k: tensor<1x2x6007x16xf32>, %v: tensor<1x2x6007x16xf32>) -> tensor<1x4x20x16xf32> {
  %0 = fuse.attention %q, %k, %v scale = 0.25 causal : (tensor<1x4x20x16xf32>, tensor<1x2x6007x16xf32>, tensor<1x2x6007x16xf32>) -> tensor<1x4x20x16xf32>
  return %0 : tensor<1x4x20x16xf32>
}

// expect kernels=1 blocks>=16 reassociates
func.func @masked(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x6000x16xf32>, %v: tensor<1x2x6000x16xf32>, %m: tensor<40x6000xi1>) -> tensor<1x2x40x16xf32> {
  %0 = fuse.attention %q, %k, %v, %m scale = 0.25 : (tensor<1x2x40x16xf32>, tensor<1x2x6000x16xf32>, tensor<1x2x6000x16xf32>, tensor<40x6000xi1>) -> tensor<1x2x40x16xf32>
  return %0 : tensor<1x2x40x16xf32>
}

// expect kernels=1 blocks>=16 reassociates
func.func @by_hand(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x6000x16xf32>, %v: tensor<1x2x6000x16xf32>, %m: tensor<40x6000xf32>) -> tensor<1x2x40x16xf32> {
  %s = arith.constant dense<0.25> : tensor<f32>
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "attention"} : (tensor<1x2x40x16xf32>, tensor<1x2x6000x16xf32>) -> tensor<1x2x40x6000xf32>
  %1 = fuse.binary mul %0, %s {fuse.together = "attention"} : (tensor<1x2x40x6000xf32>, tensor<f32>) -> tensor<1x2x40x6000xf32>
  %2 = fuse.binary add %1, %m {fuse.together = "attention"} : (tensor<1x2x40x6000xf32>, tensor<40x6000xf32>) -> tensor<1x2x40x6000xf32>
  %3 = fuse.reduce max %2 dimensions = [3] keep_dims {fuse.together = "attention"} : tensor<1x2x40x6000xf32> -> tensor<1x2x40x1xf32>
  %4 = fuse.binary sub %2, %3 {fuse.together = "attention"} : (tensor<1x2x40x6000xf32>, tensor<1x2x40x1xf32>) -> tensor<1x2x40x6000xf32>
  %5 = fuse.unary exp %4 {fuse.together = "attention"} : tensor<1x2x40x6000xf32>
  %6 = fuse.reduce sum %5 dimensions = [3] keep_dims {fuse.together = "attention"} : tensor<1x2x40x6000xf32> -> tensor<1x2x40x1xf32>
  %7 = fuse.matmul %5, %v {fuse.together = "attention"} : (tensor<1x2x40x6000xf32>, tensor<1x2x6000x16xf32>) -> tensor<1x2x40x16xf32>
  %8 = fuse.binary div %7, %6 {fuse.together = "attention"} : (tensor<1x2x40x16xf32>, tensor<1x2x40x1xf32>) -> tensor<1x2x40x16xf32>
  return %8 : tensor<1x2x40x16xf32>
}

// One row of these scores is more than the cache of a core: only streaming makes this one kernel legal.
// expect kernels=1 blocks>=16 reassociates
func.func @very_long(%q: tensor<2x8x4xf32>, %k: tensor<2x300000x4xf32>, %v: tensor<2x300000x4xf32>) -> tensor<2x8x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x8x4xf32>, tensor<2x300000x4xf32>) -> tensor<2x8x300000xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x8x300000xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<2x8x300000xf32>, tensor<2x300000x4xf32>) -> tensor<2x8x4xf32>
  return %2 : tensor<2x8x4xf32>
}
