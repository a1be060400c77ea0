// RUN: %python %S/Inputs/check_kernels.py %s

// Sums of what the program makes up are fused with it: partial sums are all that is in memory.

// expect kernels=2 reassociates
// gives result0 = 3000
func.func @identity() -> tensor<f32> {
  %r = fuse.iota dimension = 0 : tensor<3000x3000xi64>
  %c = fuse.iota dimension = 1 : tensor<3000x3000xi64>
  %e = fuse.compare eq %r, %c : (tensor<3000x3000xi64>, tensor<3000x3000xi64>) -> tensor<3000x3000xi1>
  %f = fuse.cast %e : (tensor<3000x3000xi1>) -> tensor<3000x3000xf32>
  %s = fuse.reduce sum %f dimensions = [0, 1] : tensor<3000x3000xf32> -> tensor<f32>
  return %s : tensor<f32>
}
