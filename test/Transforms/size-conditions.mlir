// What is kept apart for the size that is planned for, and would be one kernel for others, or where sizes are known while
// compiling: the remark says for which, and what it would gain there.
// RUN: fuse-opt %s --fuse-bind-dims --fuse-plan --split-input-file --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s

// Sizes are tried of programs that can be copied as often as these ask for: of 400 sizes the first ones.
// RUN: %python %S/Inputs/make_wide.py open 400 | fuse-opt --fuse-bind-dims --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: or arg0:0 <= 8192 (would gain
// MANY-NOT: or arg399:0

// A sum of all that fits one block.
func.func @sum(%x: tensor<?xf32> {fuse.dim_names = ["n"], fuse.dim_hints = array<i64: 65536>}) -> tensor<f32> {
  %0 = fuse.unary exp %x : tensor<?xf32>
  // CHECK: [Missed] too-few-blocks {{.*}}Function=sum {{.*}}Suggestion="at least 16 blocks, or at most 16384 points in all; or n <= 8192 (would gain {{[0-9]+}} ns at 8192)"
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<?xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// No size is named that the bound excludes.
func.func @bound(%x: tensor<?xf32> {fuse.dim_hints = array<i64: 65536>, fuse.dim_bounds = array<i64: 65536>}, %y: tensor<?xf32>) -> tensor<f32> {
  %0 = fuse.binary add %x, %y : tensor<?xf32>
  // Both arguments have the one size.
  // CHECK: [Missed] too-few-blocks {{.*}}Function=bound {{.*}}Suggestion="at least 16 blocks, or at most 16384 points in all; or arg0:0 <= 8192 (would
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<?xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// The second product's blocks need all of the first one's columns: with many rows these are computed or read again.
func.func @rows(%x: tensor<?x64xf32> {fuse.dim_names = ["m", ""], fuse.dim_hints = array<i64: 100, -1>}, %w: tensor<64x2048xf32>, %z: tensor<2048x64xf32>) -> tensor<?x64xf32> {
  %0 = fuse.matmul %x, %w : (tensor<?x64xf32>, tensor<64x2048xf32>) -> tensor<?x2048xf32>
  // CHECK: [Missed] {{.*}}Function=rows | Kind=price{{.*}}; or m = 1 (would gain
  %1 = fuse.matmul %0, %z : (tensor<?x2048xf32>, tensor<2048x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// -----

// Of ?x8 as ? the loops are known with the extent alone.
func.func @known(%x: tensor<?x8xf32> {fuse.dim_names = ["n", ""], fuse.dim_hints = array<i64: 256, -1>}) -> tensor<?xf32> {
  %0 = fuse.unary exp %x : tensor<?x8xf32>
  %1 = fuse.reshape %0 : tensor<?x8xf32> -> tensor<?xf32>
  // CHECK: [Missed] unknown-extent {{.*}}Function=known {{.*}}Suggestion="static extents where the reshape changes them; or n known while compiling (would gain {{[0-9]+}} ns at 256)"
  %2 = fuse.unary neg %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Two of them; the ops that compute the new extent are none that a kernel could hold, and are not remarked upon.
func.func @both(%x: tensor<?x?xf32> {fuse.dim_names = ["n", "m"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  // CHECK-NOT: foreign-op
  %s = arith.muli %n, %m : index
  %0 = fuse.unary exp %x : tensor<?x?xf32>
  %1 = fuse.reshape %0 sizes = [%s] : tensor<?x?xf32> -> tensor<?xf32>
  // CHECK: [Missed] unknown-extent {{.*}}Function=both {{.*}}; or n, m known while compiling (would gain {{[0-9]+}} ns at 1024, 1024)"
  %2 = fuse.unary neg %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Marks have nothing to do with sizes.
func.func @marked(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.unary exp %x {fuse.alone} : tensor<?xf32>
  // CHECK: [Missed] kept-alone {{.*}}Function=marked {{.*}}Suggestion="the mark removed"
  %1 = fuse.unary neg %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// The rows of the second argument are twice those of the first, and no size of their own.
func.func @computed(%x: tensor<?xf32> {fuse.dim_names = ["n"], fuse.dim_hints = array<i64: 32768>}, %y: tensor<?xf32> {fuse.dim_hints = array<i64: 65536>}) -> (tensor<?xf32>, tensor<f32>)
    attributes {shape_conditions = [{dims = array<i64: 1, 0, 0, 0>, map = affine_map<()[s0, s1] -> (s0, s1 * 2)>, text = "{} rows, expected {}"}]} {
  %0 = fuse.unary exp %x : tensor<?xf32>
  %1 = fuse.unary exp %y : tensor<?xf32>
  // CHECK: [Missed] too-few-blocks {{.*}}Function=computed {{.*}}; or n <= 4096 (would
  %2 = fuse.reduce sum %1 dimensions = [0] : tensor<?xf32> -> tensor<f32>
  return %0, %2 : tensor<?xf32>, tensor<f32>
}
