// Case 5: a producer that one consumer reads twice, through other maps; a kernel with several
// results, of which each reader takes the right one.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// Two uses by one op are one consumer.
// CHECK-LABEL: @squared
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
func.func @squared(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %r = fuse.unary relu %x : tensor<200x300xf32>
  %m = fuse.binary mul %r, %r : tensor<200x300xf32>
  %e = fuse.unary exp %m : tensor<200x300xf32>
  return %e : tensor<200x300xf32>
}

// y + y^T: the second read has a map of its own. y rounds, so it is not computed twice.
// CHECK-LABEL: @symmetric
// CHECK-NEXT: Fusion: 2 → 2 kernels
// expect kernels=2 blocks>=16
// with %x = np.sin(np.arange(200 * 200)).reshape(shape) / 8
func.func @symmetric(%x: tensor<200x200xf32>) -> tensor<200x200xf32> {
  %y = fuse.unary exp %x : tensor<200x200xf32>
  %t = fuse.transpose %y permutation = [1, 0] : tensor<200x200xf32> -> tensor<200x200xf32>
  %a = fuse.binary sub %y, %t : tensor<200x200xf32>
  return %a : tensor<200x200xf32>
}

// A single thread has both in one kernel.
// CHECK-LABEL: @symmetric_small
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
// with %x = np.arange(400).reshape(shape)
// gives result0 = x.T - x
func.func @symmetric_small(%x: tensor<20x20xf32>) -> tensor<20x20xf32> {
  %y = fuse.unary neg %x : tensor<20x20xf32>
  %t = fuse.transpose %y permutation = [1, 0] : tensor<20x20xf32> -> tensor<20x20xf32>
  %a = fuse.binary sub %y, %t : tensor<20x20xf32>
  return %a : tensor<20x20xf32>
}

// Two parts of the same rows, one of them backwards by the step.
// CHECK-LABEL: @halves
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1 blocks>=16
// with %x = np.arange(200 * 300).reshape(shape) % 1000
// gives result0 = (-x[:, :150]) - (-x[:, 0::2])
func.func @halves(%x: tensor<200x300xf32>) -> tensor<200x150xf32> {
  %y = fuse.unary neg %x : tensor<200x300xf32>
  %l = fuse.slice %y offsets = [0, 0] sizes = [200, 150] strides = [1, 1] : tensor<200x300xf32> -> tensor<200x150xf32>
  %h = fuse.slice %y offsets = [0, 0] sizes = [200, 150] strides = [1, 2] : tensor<200x300xf32> -> tensor<200x150xf32>
  %a = fuse.binary sub %l, %h : tensor<200x150xf32>
  return %a : tensor<200x150xf32>
}

// x x^T: one operand, two maps.
// CHECK-LABEL: @gram
// expect kernels=2
// with %x = (np.arange(96 * 70).reshape(shape) % 17) - 8
// gives result0 = (-x) @ (-x).T
func.func @gram(%x: tensor<96x70xf32>) -> tensor<96x96xf32> {
  %y = fuse.unary neg %x : tensor<96x70xf32>
  %g = fuse.matmul %y, %y transpose_rhs : (tensor<96x70xf32>, tensor<96x70xf32>) -> tensor<96x96xf32>
  return %g : tensor<96x96xf32>
}

// A kernel with three results of one shape, in another order than they are computed, each read
// through another map. Views that are returned are copied first.
// CHECK-LABEL: @three_results
// expect kernels=3
// with %x = np.arange(64).reshape(shape) - 20
// gives result0 = np.abs(x).T
// gives result1 = -x[:1]
// gives result2 = x + x
func.func @three_results(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<1x8xf32>, tensor<8x8xf32>) {
  %k:3 = fuse.kernel (%a = %x) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %1 = fuse.unary abs %a : tensor<8x8xf32>
    %2 = fuse.unary neg %a : tensor<8x8xf32>
    %3 = fuse.binary add %a, %a : tensor<8x8xf32>
    fuse.yield %3, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  %t = fuse.transpose %k#1 permutation = [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %s = fuse.slice %k#2 offsets = [0, 0] sizes = [1, 8] strides = [1, 1] : tensor<8x8xf32> -> tensor<1x8xf32>
  return %t, %s, %k#0 : tensor<8x8xf32>, tensor<1x8xf32>, tensor<8x8xf32>
}
