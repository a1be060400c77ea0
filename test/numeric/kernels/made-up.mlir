// RUN: %python %S/Inputs/check_kernels.py %s

// Sums of what the program makes up are fused with it, and nothing of that is in memory: no kernel of
// the first function moves more than its partial sums, though the matrix has 14 GB.

// expect kernels<=2 reassociates blocks>=1
// gives result0 = 60000
func.func @identity() -> tensor<f32> {
  %r = fuse.iota dimension = 0 : tensor<60000x60000xi64>
  %c = fuse.iota dimension = 1 : tensor<60000x60000xi64>
  %e = fuse.compare eq %r, %c : (tensor<60000x60000xi64>, tensor<60000x60000xi64>) -> tensor<60000x60000xi1>
  %f = fuse.cast %e : (tensor<60000x60000xi1>) -> tensor<60000x60000xf32>
  %s = fuse.reduce sum %f dimensions = [0, 1] : tensor<60000x60000xf32> -> tensor<f32>
  return %s : tensor<f32>
}
