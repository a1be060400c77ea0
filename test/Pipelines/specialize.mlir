// RUN: fuse-opt %s --split-input-file --fuse-specialize="sizes=n=2;n=3..64,likely=16" | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-specialize="sizes=" | FileCheck %s --check-prefix=NONE
// NONE-NOT: fuse.variants

// Types know the size, and sizes that ops take are gone. For a range there is a copy as it is, with what it is planned for.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: attributes {{{.*}}fuse.variants = [@sizes_n_2, @sizes_n_3__64_likely_16]}
// CHECK: fuse.broadcast %{{.*}} dimensions = [0] sizes = [%{{.*}}] : tensor<4xf32> -> tensor<?x4xf32>
// CHECK: func.func @sizes_n_2(%[[X:.*]]: tensor<2x4xf32> {fuse.dim_names = ["n", ""]}, %[[ROW:.*]]: tensor<4xf32>)
// CHECK-SAME: -> (tensor<2x4xf32>, tensor<8xf32>, tensor<4x4xf32>, tensor<2xi64>)
// CHECK-SAME: fuse.variant_sizes = array<i64: 0, 0, 2, 2>
// CHECK-NEXT: %[[B:.*]] = fuse.broadcast %[[ROW]] dimensions = [0] : tensor<4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[S:.*]] = fuse.binary add %[[X]], %[[B]]
// CHECK-NEXT: %[[F:.*]] = fuse.reshape %[[S]] : tensor<2x4xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[C:.*]] = fuse.concat %[[X]], %[[S]] dimension = 0 : {{.*}} -> tensor<4x4xf32>
// CHECK-NEXT: %[[I:.*]] = fuse.iota dimension = 0 : tensor<2xi64>
// CHECK: func.func @sizes_n_3__64_likely_16(
// CHECK-SAME: fuse.dim_bounds = array<i64: 64, -1>, fuse.dim_hints = array<i64: 16, -1>
// CHECK-SAME: fuse.variant_sizes = array<i64: 0, 0, 3, 64>
// CHECK: sizes = [%{{.*}}] : tensor<4xf32> -> tensor<?x4xf32>
func.func @sizes(%x: tensor<?x4xf32> {fuse.dim_names = ["n", ""]}, %row: tensor<4xf32>)
    -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = fuse.broadcast %row dimensions = [0] sizes = [%n] : tensor<4xf32> -> tensor<?x4xf32>
  %1 = fuse.binary add %x, %0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = fuse.reshape %1 : tensor<?x4xf32> -> tensor<?xf32>
  %3 = fuse.concat %x, %1 dimension = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = fuse.iota dimension = 0 sizes = [%n] : tensor<?xi64>
  return %1, %2, %3, %4 : tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?xi64>
}

// -----

// What must be equal is; of ?x1x2x4 alone nothing would say which dimensions of the result it becomes.
// CHECK-LABEL: func.func @equal_n_2(
// CHECK-SAME: tensor<?x2x2x4xf32>
// CHECK-SAME: tensor<?x2x8xf32>
// CHECK-SAME: fuse.variant_sizes = array<i64: 0, 1, 2, 2, 1, 1, 2, 2>
// CHECK: fuse.reshape %{{.*}} : tensor<?x2x2x4xf32> -> tensor<?x2x8xf32>
// CHECK: return %{{.*}} : tensor<?x2x8xf32>
func.func @equal(%x: tensor<?x?x2x4xf32> {fuse.dim_names = ["", "n", "", ""]}, %y: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %0 = fuse.reshape %x : tensor<?x?x2x4xf32> -> tensor<?x?x8xf32>
  %1 = fuse.binary add %0, %y : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %1 : tensor<?x?x8xf32>
}

// -----

// A branch on sizes is decided, and its extents go on.
// CHECK-LABEL: func.func @branch_n_2(
// CHECK-NOT: scf.if
// CHECK: fuse.unary exp %{{.*}} : tensor<2x4xf32>
// CHECK: fuse.unary neg %{{.*}} : tensor<2x4xf32>
// CHECK: return %{{.*}} : tensor<2x4xf32>
func.func @branch(%x: tensor<?x4xf32> {fuse.dim_names = ["n", ""]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %isSmall = arith.cmpi ule, %n, %c2 : index
  %0 = scf.if %isSmall -> tensor<?x4xf32> {
    %1 = fuse.unary exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %1 : tensor<?x4xf32>
  } else {
    scf.yield %x : tensor<?x4xf32>
  }
  %2 = fuse.unary neg %0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

// What a loop carries keeps its type where the body needs that: half of the rows, each time.
// CHECK-LABEL: func.func @loop_n_2(
// CHECK: %[[CAST:.*]] = tensor.cast %{{.*}} : tensor<2x4xf32> to tensor<?x4xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[CAST]]) -> (tensor<?x4xf32>)
func.func @loop(%x: tensor<?x4xf32> {fuse.dim_names = ["n", ""]}, %trips: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %x) -> tensor<?x4xf32> {
    %n = tensor.dim %a, %c0 : tensor<?x4xf32>
    %half = arith.divui %n, %c2 : index
    %1 = fuse.slice %a offsets = [0, 0] sizes = [%half, 4] strides = [1, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
    scf.yield %1 : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}

// -----

// Of two operands one may know an extent that the other does not: that of a padded value follows from no name.
// CHECK-LABEL: func.func @padded_n_2(
// CHECK: fuse.batch_norm %{{.*}} : (tensor<?x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x4xf32>
// CHECK: fuse.layer_norm %{{.*}} : (tensor<?x4xf32>, tensor<2x1xf32>) -> tensor<?x4xf32>
func.func @padded(%x: tensor<?x4xf32>, %s: tensor<?xf32> {fuse.dim_names = ["n"]}, %m: tensor<?x1xf32> {fuse.dim_names = ["n", ""]})
    -> tensor<?x4xf32> {
  %0 = fuse.pad %x low = [0, 0] high = [1, 0] value = 1.0 : f32 : tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = fuse.batch_norm %0, %s, %s, %s, %s epsilon = 1.0e-5 feature_dimension = 0
      : (tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x4xf32>
  %2 = fuse.layer_norm %1, %m axes = [0, 1] epsilon = 0.5 : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

// A parameter keeps its type, and so does what is joined with it: the size is a bound.
// CHECK-LABEL: func.func @joined_n_2(
// CHECK-SAME: tensor<?x8xf32> {fuse.dim_bounds = array<i64: 2, -1>, fuse.dim_hints = array<i64: 2, -1>
// CHECK-SAME: fuse.variant_sizes = array<i64: 0, 0, 2, 2, 1, 0, 2, 2>
// CHECK: fuse.concat %{{.*}} dimension = 1 : (tensor<?x96xf32>, tensor<?x8xf32>) -> tensor<?x104xf32>
func.func @joined(%x: tensor<?x8xf32> {fuse.dim_names = ["n", ""]}, %w: tensor<?x96xf32> {fuse.dim_names = ["n", ""], fuse.param})
    -> tensor<?x104xf32> {
  %0 = fuse.concat %w, %x dimension = 1 : (tensor<?x96xf32>, tensor<?x8xf32>) -> tensor<?x104xf32>
  return %0 : tensor<?x104xf32>
}
