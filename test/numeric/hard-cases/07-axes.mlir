// Case 7: reductions along different axes of one value; extents of zero.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-plan --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// Blocks of rows hold no whole column: two kernels, and exp is computed in the first of them only.
// CHECK-LABEL: @large
// CHECK-NEXT: Fusion: 3 → 2 kernels
// CHECK-DAG: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 2 {{[0-9. -]+}} exp, reduce {{sum|max}}
// CHECK-DAG: kernel 1: {{[a-z-]+}} {{[0-9. -]+}} reduce
// WHY: [Missed] too-few-blocks {{.*}} Function=large
// expect kernels=2 blocks>=16
func.func @large(%x: tensor<200x300xf32>) -> (tensor<200xf32>, tensor<300xf32>) {
  %e = fuse.unary exp %x : tensor<200x300xf32>
  %r = fuse.reduce sum %e dimensions = [1] : tensor<200x300xf32> -> tensor<200xf32>
  %c = fuse.reduce max %e dimensions = [0] : tensor<200x300xf32> -> tensor<300xf32>
  return %r, %c : tensor<200xf32>, tensor<300xf32>
}

// Three directions at once, where one thread is enough.
// CHECK-LABEL: @small
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1
// with %x = np.arange(10 * 12 * 14).reshape(shape) - 800
// gives result0 = np.abs(x).sum(0)
// gives result1 = np.abs(x).max(1)
// gives result2 = np.abs(x).min((0, 2))
func.func @small(%x: tensor<10x12x14xi32>) -> (tensor<12x14xi32>, tensor<10x14xi32>, tensor<12xi32>) {
  %a = fuse.unary abs %x : tensor<10x12x14xi32>
  %0 = fuse.reduce sum %a dimensions = [0] : tensor<10x12x14xi32> -> tensor<12x14xi32>
  %1 = fuse.reduce max %a dimensions = [1] : tensor<10x12x14xi32> -> tensor<10x14xi32>
  %2 = fuse.reduce min %a dimensions = [0, 2] : tensor<10x12x14xi32> -> tensor<12xi32>
  return %0, %1, %2 : tensor<12x14xi32>, tensor<10x14xi32>, tensor<12xi32>
}

// One reduction of another's result, along the other axis.
// The maximum is a result, which no block may compute again.
// CHECK-LABEL: @nested
// CHECK-NEXT: Fusion: 3 → 3 kernels
// expect kernels=3
// with %x = (np.arange(200 * 300).reshape(shape) % 11) - 3
// gives result0 = x.sum(1).max()
// gives result1 = x - x.sum(1).max()
func.func @nested(%x: tensor<200x300xi32>) -> (tensor<i32>, tensor<200x300xi32>) {
  %r = fuse.reduce sum %x dimensions = [1] : tensor<200x300xi32> -> tensor<200xi32>
  %m = fuse.reduce max %r dimensions = [0] : tensor<200xi32> -> tensor<i32>
  %d = fuse.binary sub %x, %m : (tensor<200x300xi32>, tensor<i32>) -> tensor<200x300xi32>
  return %m, %d : tensor<i32>, tensor<200x300xi32>
}

// No rows: nothing to write but the sums over nothing.
// CHECK-LABEL: @no_rows
// expect kernels=1
// gives result0 = 0
// gives result1 = -np.inf
// gives result2 = np.nan
// gives result3 = 1
func.func @no_rows(%x: tensor<0x5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<0xf32>) {
  %e = fuse.unary exp %x : tensor<0x5xf32>
  %s = fuse.reduce sum %e dimensions = [0] : tensor<0x5xf32> -> tensor<5xf32>
  %m = fuse.reduce max %e dimensions = [0] : tensor<0x5xf32> -> tensor<5xf32>
  %n = fuse.reduce mean %e dimensions = [0] : tensor<0x5xf32> -> tensor<5xf32>
  %p = fuse.reduce prod %e dimensions = [0, 1] : tensor<0x5xf32> -> tensor<f32>
  %r = fuse.reduce sum %e dimensions = [1] : tensor<0x5xf32> -> tensor<0xf32>
  return %s, %m, %n, %p, %r : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<0xf32>
}

// No columns: whole row kernels over nothing, with what follows them.
// CHECK-LABEL: @no_columns
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 3 {{[0-9. -]+}} reduce max, sub, exp, reduce sum, sub{{$}}
// expect kernels=2
// gives result1 = -np.inf
// gives result2 = 127
// gives result3 = -1
func.func @no_columns(%x: tensor<5x0xf32>, %i: tensor<5x0xi8>) -> (tensor<5x0xf32>, tensor<5xf32>, tensor<5xi8>, tensor<5xf32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %m = fuse.reduce max %x dimensions = [1] keep_dims : tensor<5x0xf32> -> tensor<5x1xf32>
  %d = fuse.binary sub %x, %m : (tensor<5x0xf32>, tensor<5x1xf32>) -> tensor<5x0xf32>
  %e = fuse.unary exp %d : tensor<5x0xf32>
  %s = fuse.reduce sum %e dimensions = [1] : tensor<5x0xf32> -> tensor<5xf32>
  %l = fuse.binary sub %s, %one : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  %r = fuse.reshape %m : tensor<5x1xf32> -> tensor<5xf32>
  %h = fuse.reduce min %i dimensions = [1] : tensor<5x0xi8> -> tensor<5xi8>
  return %e, %r, %h, %l : tensor<5x0xf32>, tensor<5xf32>, tensor<5xi8>, tensor<5xf32>
}

// CHECK-LABEL: @softmax_of_nothing
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
func.func @softmax_of_nothing(%x: tensor<3x0x4xf32>) -> tensor<3x0x4xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<3x0x4xf32>
  %1 = fuse.unary log %0 : tensor<3x0x4xf32>
  return %1 : tensor<3x0x4xf32>
}
