// RUN: fuse-opt %s --fuse-bind-dims --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-bind-dims --fuse-bind-dims --split-input-file | FileCheck %s

// What is called alike is equal, whether or not an op needs it.
// CHECK-LABEL: func.func @alike
// CHECK-SAME: fuse.equal_dims = array<i64: 1, 0, 0, 0>
func.func @alike(%x: tensor<?xf32> {fuse.dim_names = ["n"]}, %y: tensor<?xf32> {fuse.dim_names = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fuse.unary relu %x : tensor<?xf32>
  %1 = fuse.unary relu %y : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A name that is an expression of others is what it says: the concat has as many columns as the mask.
// CHECK: #[[SUM:.*]] = affine_map<()[s0, s1, s2] -> (s0, s1 + s2)>
// CHECK-LABEL: func.func @sum
// CHECK-SAME: shape_conditions = [{dims = array<i64: 2, 0, 0, 0, 1, 0>, map = #[[SUM]], text = "m: dimension 0 (past + seq) is {}, expected {}"}]
func.func @sum(%x: tensor<?xf32> {fuse.dim_names = ["seq"]}, %p: tensor<?xf32> {fuse.dim_names = ["past"]}, %m: tensor<?xf32> {fuse.dim_names = ["past + seq"], fuse.name = "m"}) -> tensor<?xf32> {
  %0 = fuse.concat %p, %x dimension = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = fuse.binary add %0, %m : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A name that no dimension has alone is solved for: h is a fourth of one dimension, and half of the other.
// CHECK-DAG: #[[FOURTH:.*]] = affine_map<()[s0, s1] -> (s0, (s1 floordiv 4) * 4)>
// CHECK-DAG: #[[HALF:.*]] = affine_map<()[s0, s1] -> (s0, (s1 floordiv 4) * 2)>
// CHECK-LABEL: func.func @solved
// CHECK-SAME: {dims = array<i64: 0, 0, 0, 0>, map = #[[FOURTH]]
// CHECK-SAME: {dims = array<i64: 1, 0, 0, 0>, map = #[[HALF]]
func.func @solved(%x: tensor<?xf32> {fuse.dim_names = ["4*h"]}, %y: tensor<?xf32> {fuse.dim_names = ["2*h"]}) -> (tensor<?xf32>, tensor<?x2xf32>) {
  %0 = fuse.unary relu %y : tensor<?xf32>
  %1 = fuse.reshape %x : tensor<?xf32> -> tensor<?x2xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x2xf32>
}

// -----

// Two names that nobody else has are one name.
// CHECK-LABEL: func.func @hyphen
// CHECK-NOT: shape_conditions
// CHECK: return
func.func @hyphen(%x: tensor<?xf32> {fuse.dim_names = ["batch-size"]}) -> tensor<?xf32> {
  %0 = fuse.unary relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// What is left of a sum is at least 0.
// CHECK-LABEL: func.func @rest
// CHECK-SAME: shape_conditions = [{dims = array<i64: 0, 0>, least,
// CHECK-SAME: text = "arg0: dimension 0 (past + 1) is {}, expected at least {}"
func.func @rest(%x: tensor<?xf32> {fuse.dim_names = ["past + 1"]}) -> tensor<?xf32> {
  %0 = fuse.unary relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
