// Case 1: a rounding value that two readers need is computed once; two copies could differ, and
// exp(x - max) would exceed 1.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// The logits are read by the row's maximum and by exp: one kernel, in which they are computed once.
// Were they computed twice, in one place with a fused multiply-add, the greatest exp would not be 1.
// CHECK-LABEL: @logits
// CHECK-NEXT: Fusion: 7 → 1 kernels
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 3 2 {{[0-9.[:space:]-]+}}mul, add, reduce max, sub, exp, reduce sum, reduce max{{$}}
// expect kernels=1 blocks>=16
// gives result1 = 1
// with %x = 1000 * np.sin(np.arange(60000)).reshape(shape)
// with %w = 1 + np.arange(300) / 7
// with %b = 100 * np.cos(np.arange(300))
func.func @logits(%x: tensor<200x300xf32>, %w: tensor<300xf32>, %b: tensor<300xf32>) -> (tensor<200x1xf32>, tensor<200x1xf32>) {
  %p = fuse.binary mul %x, %w : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %l = fuse.binary add %p, %b : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %m = fuse.reduce max %l dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %l, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %s = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %o = fuse.reduce max %e dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  return %s, %o : tensor<200x1xf32>, tensor<200x1xf32>
}

// The maximum over columns has a kernel of its own, for it cuts the data the other way; the logits
// are a result of the first kernel, and are computed nowhere else.
// CHECK-LABEL: @two_kernels
// CHECK: kernel 1: {{[a-z-]+}} {{[0-9.[:space:]-]+}}reduce max, sub, exp
// CHECK-NOT: mul
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 3 2 {{[0-9.[:space:]-]+}}mul, add, {{.*}}
// expect kernels=2 blocks>=16
// gives result1 = 1
// with %x = 1000 * np.sin(np.arange(60000)).reshape(shape)
// with %w = 1 + np.arange(300) / 7
// with %b = 100 * np.cos(np.arange(300))
func.func @two_kernels(%x: tensor<200x300xf32>, %w: tensor<300xf32>, %b: tensor<300xf32>) -> (tensor<200xf32>, tensor<1x300xf32>) {
  %p = fuse.binary mul %x, %w : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %l = fuse.binary add %p, %b : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %r = fuse.reduce sum %l dimensions = [1] : tensor<200x300xf32> -> tensor<200xf32>
  %m = fuse.reduce max %l dimensions = [0] keep_dims : tensor<200x300xf32> -> tensor<1x300xf32>
  %d = fuse.binary sub %l, %m : (tensor<200x300xf32>, tensor<1x300xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %o = fuse.reduce max %e dimensions = [0] keep_dims : tensor<200x300xf32> -> tensor<1x300xf32>
  return %r, %o : tensor<200xf32>, tensor<1x300xf32>
}
