// Case 8: rank 0, as operand, as result, and throughout.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s
// RUN: fuse-run %s --function reshaped --random-inputs 1 --check --target emulator

// CHECK-LABEL: @throughout
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1
// with %x = 3.0
// with %y = -0.75
// gives result0 = 2.25
// gives result1 = -2.25
func.func @throughout(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %a = fuse.binary mul %x, %y : tensor<f32>
  %b = fuse.unary neg %a : tensor<f32>
  %c = fuse.unary abs %b : tensor<f32>
  %d = fuse.unary neg %c : tensor<f32>
  return %b, %d : tensor<f32>, tensor<f32>
}

// A scalar that a member computes, read at every element.
// CHECK-LABEL: @scalar_member
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
func.func @scalar_member(%x: tensor<200x300xf32>, %s: tensor<f32>) -> tensor<200x300xf32> {
  %n = fuse.unary neg %s : tensor<f32>
  %a = fuse.binary mul %x, %n : (tensor<200x300xf32>, tensor<f32>) -> tensor<200x300xf32>
  %b = fuse.binary add %n, %a : (tensor<f32>, tensor<200x300xf32>) -> tensor<200x300xf32>
  return %b : tensor<200x300xf32>
}

// From all elements to one and back, where one thread is enough.
// CHECK-LABEL: @there_and_back
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1
// with %x = np.arange(60).reshape(shape)
// gives result0 = x / 2048
func.func @there_and_back(%x: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %h = arith.constant dense<278.0> : tensor<f32>
  %s = fuse.reduce sum %x dimensions = [0, 1] : tensor<6x10xf32> -> tensor<f32>
  %t = fuse.binary add %s, %h : tensor<f32>
  %r = fuse.unary reciprocal %t : tensor<f32>
  %b = fuse.binary mul %x, %r : (tensor<6x10xf32>, tensor<f32>) -> tensor<6x10xf32>
  return %b : tensor<6x10xf32>
}

// Rank 0 made a row, a row made rank 0.
// CHECK-LABEL: @reshaped
// expect kernels=1
// with %x = 5.0
// gives result0 = 6
// gives result1 = 6
func.func @reshaped(%x: tensor<f32>) -> (tensor<1x1x1xf32>, tensor<f32>) {
  %one = arith.constant dense<1.0> : tensor<1x1xf32>
  %v = fuse.reshape %x : tensor<f32> -> tensor<1x1x1xf32>
  %a = fuse.binary add %v, %one : (tensor<1x1x1xf32>, tensor<1x1xf32>) -> tensor<1x1x1xf32>
  %w = fuse.reshape %a : tensor<1x1x1xf32> -> tensor<f32>
  %b = fuse.unary abs %w : tensor<f32>
  return %a, %b : tensor<1x1x1xf32>, tensor<f32>
}

// Reductions, a choice, a comparison and a cast of rank 0.
// CHECK-LABEL: @other_ops
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1
// with %x = -3.7
// with %c = 2.0
// gives result0 = -3
// gives result1 = -3.7
func.func @other_ops(%x: tensor<f32>, %c: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %s = fuse.reduce sum %x dimensions = [] : tensor<f32> -> tensor<f32>
  %l = fuse.compare lt %s, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %w = fuse.select %l, %s, %c : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %q = fuse.clamp %w, %x, %c : tensor<f32>
  %i = fuse.cast %q : (tensor<f32>) -> tensor<i32>
  return %i, %w : tensor<i32>, tensor<f32>
}

// In place, rank 0.
// CHECK-LABEL: @memory
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1
// with %m = 21.0
// gives arg0 = 42
func.func @memory(%m: memref<f32>) {
  %x = fuse.load %m : memref<f32> -> tensor<f32>
  %d = fuse.binary add %x, %x : tensor<f32>
  fuse.store %d, %m : tensor<f32>, memref<f32>
  return
}
