// Case 11: values that the function returns stay, and results that nobody reads go.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// Three of four are returned: one kernel with three results.
// CHECK-LABEL: @returned
// CHECK-NEXT: Fusion: 4 → 1 kernels
// CHECK: {{[0-9.-]+}} 1 3
// expect kernels=1 blocks>=16
// with %x = np.arange(200 * 300).reshape(shape) - 30000
// gives result0 = np.abs(x)
// gives result1 = -2 * np.abs(x)
// gives result2 = -np.abs(x)
func.func @returned(%x: tensor<200x300xf32>) -> (tensor<200x300xf32>, tensor<200x300xf32>, tensor<200x300xf32>) {
  %a = fuse.unary abs %x : tensor<200x300xf32>
  %n = fuse.unary neg %a : tensor<200x300xf32>
  %d = fuse.binary add %n, %n : tensor<200x300xf32>
  %h = fuse.binary min %a, %n : tensor<200x300xf32>
  return %a, %d, %h : tensor<200x300xf32>, tensor<200x300xf32>, tensor<200x300xf32>
}

// The sum before the norm, the norm's mean and the norm.
// CHECK-LABEL: @statistics
// CHECK: {{[0-9.-]+}} 2 3
// expect kernels=1 blocks>=16
func.func @statistics(%x: tensor<200x300xf32>, %y: tensor<200x300xf32>) -> (tensor<200x300xf32>, tensor<200x1xf32>, tensor<200x300xf32>) {
  %s = fuse.binary add %x, %y : tensor<200x300xf32>
  %m = fuse.reduce mean %s dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %s, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  return %d, %m, %s : tensor<200x300xf32>, tensor<200x1xf32>, tensor<200x300xf32>
}

// Returned twice, and once more as a view.
// CHECK-LABEL: @thrice
// expect kernels=1 blocks>=16
// with %x = np.arange(200 * 300).reshape(shape)
// gives result0 = -x
// gives result1 = -x
// gives result2 = (-x).reshape(600, 100)
func.func @thrice(%x: tensor<200x300xf32>) -> (tensor<200x300xf32>, tensor<200x300xf32>, tensor<600x100xf32>) {
  %n = fuse.unary neg %x : tensor<200x300xf32>
  %r = fuse.reshape %n : tensor<200x300xf32> -> tensor<600x100xf32>
  return %n, %n, %r : tensor<200x300xf32>, tensor<200x300xf32>, tensor<600x100xf32>
}

// Nobody reads the middle result of a kernel that was formed by hand, nor the sum in the second.
// CHECK-LABEL: @dead_result
// expect kernels=1
// with %x = np.arange(40).reshape(shape) - 20
// gives result0 = np.abs(x)
// gives result1 = -x
func.func @dead_result(%x: tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %k:3 = fuse.kernel (%a = %x) : (tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5xf32>, tensor<5x8xf32>) {
    %1 = fuse.unary abs %a : tensor<5x8xf32>
    %2 = fuse.reduce sum %1 dimensions = [1] : tensor<5x8xf32> -> tensor<5xf32>
    %3 = fuse.unary neg %a : tensor<5x8xf32>
    fuse.yield %1, %2, %3 : tensor<5x8xf32>, tensor<5xf32>, tensor<5x8xf32>
  }
  return %k#0, %k#2 : tensor<5x8xf32>, tensor<5x8xf32>
}

// Ops that nobody needs.
// CHECK-LABEL: @dead_op
// expect kernels=1
// with %x = np.arange(40).reshape(shape) - 20
// gives result0 = np.abs(x)
func.func @dead_op(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %1 = fuse.unary abs %x : tensor<5x8xf32>
  %2 = fuse.reduce sum %1 dimensions = [1] : tensor<5x8xf32> -> tensor<5xf32>
  %3 = fuse.unary exp %2 : tensor<5xf32>
  return %1 : tensor<5x8xf32>
}

// An argument, returned beside what is computed in its place.
// CHECK-LABEL: @argument
// expect kernels=1
// with %x = np.arange(40).reshape(shape) - 20
// gives result0 = x
// gives result1 = -x
// gives result2 = 1
func.func @argument(%x: tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>, tensor<2xf32>) {
  %c = arith.constant dense<1.0> : tensor<2xf32>
  %1 = fuse.unary neg %x : tensor<5x8xf32>
  return %x, %1, %c : tensor<5x8xf32>, tensor<5x8xf32>, tensor<2xf32>
}
