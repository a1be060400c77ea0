// RUN: fuse-opt %s --convert-linalg-to-fuse --split-input-file | FileCheck %s --implicit-check-not=linalg.

// CHECK-LABEL: func.func @named(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x3xf32>
func.func @named(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  // CHECK: %[[SUM:.*]] = fuse.binary add %[[X]], %[[Y]] : tensor<2x3xf32>
  %0 = linalg.add ins(%x, %y : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[EXP:.*]] = fuse.unary exp %[[SUM]]
  %1 = linalg.exp ins(%0 : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[MAX:.*]] = fuse.binary max %[[EXP]], %[[Y]]
  %2 = linalg.max ins(%1, %y : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[TANH:.*]] = fuse.unary tanh %[[X]]
  %3 = linalg.elementwise kind=#linalg.elementwise_kind<tanh> ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[MAPPED:.*]] = fuse.binary mul %[[X]], %[[Y]]
  %4 = linalg.map { arith.mulf } ins(%x, %y : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)
  // CHECK: return %[[MAX]], %[[TANH]], %[[MAPPED]], %[[X]]
  %5 = linalg.copy ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Maps: a row is broadcast as it is, a column gets a unit dimension; the result is transposed.
#whole = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func @maps(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[T:.*]]: tensor<3x2xf32>, %[[R:.*]]: tensor<3xf32>, %[[C:.*]]: tensor<2xf32>
// CHECK: %[[TURNED:.*]] = fuse.transpose %[[T]] permutation = [1, 0]
// CHECK: %[[A:.*]] = fuse.binary add %[[X]], %[[TURNED]] : tensor<2x3xf32>
// CHECK: %[[B:.*]] = fuse.binary sub %[[A]], %[[R]] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: %[[UNIT:.*]] = fuse.reshape %[[C]] : tensor<2xf32> -> tensor<2x1xf32>
// CHECK: %[[D:.*]] = fuse.binary div %[[B]], %[[UNIT]]
// CHECK: %[[RESULT:.*]] = fuse.transpose %[[D]] permutation = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK: return %[[RESULT]]
func.func @maps(%x: tensor<2x3xf32>, %t: tensor<3x2xf32>, %r: tensor<3xf32>, %c: tensor<2xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [#whole, #turned, #row, #column, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t, %r, %c : tensor<2x3xf32>, tensor<3x2xf32>, tensor<3xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %f: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.subf %1, %d : f32
    %3 = arith.divf %2, %f : f32
    linalg.yield %3 : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK: %[[B:.*]] = fuse.broadcast %[[X]] dimensions = [1] : tensor<2x3xf32> -> tensor<2x5x3xf32>
// CHECK: %[[T:.*]] = fuse.transpose %[[X]] permutation = [1, 0]
// CHECK: %[[F:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK: return %[[B]], %[[T]], %[[F]]
func.func @views(%x: tensor<2x3xf32>) -> (tensor<2x5x3xf32>, tensor<3x2xf32>, tensor<4xf32>) {
  %e0 = tensor.empty() : tensor<2x5x3xf32>
  %0 = linalg.broadcast ins(%x : tensor<2x3xf32>) outs(%e0 : tensor<2x5x3xf32>) dimensions = [1]
  %e1 = tensor.empty() : tensor<3x2xf32>
  %1 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e1 : tensor<3x2xf32>) permutation = [1, 0]
  %c = arith.constant 2.0 : f32
  %e2 = tensor.empty() : tensor<4xf32>
  %2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<2x5x3xf32>, tensor<3x2xf32>, tensor<4xf32>
}

// -----

// Unsigned ops of signless integers, masks, constants from within and without, two results.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @bodies(
// CHECK-SAME: %[[X:.*]]: tensor<?xi32>, %[[E:.*]]: tensor<?xi32>
// CHECK: %[[U:.*]] = fuse.bitcast %[[X]] : (tensor<?xi32>) -> tensor<?xui32>
// CHECK: fuse.binary div %[[U]], %{{.*}} : (tensor<?xui32>, tensor<ui32>) -> tensor<?xui32>
// CHECK: %[[M:.*]] = fuse.compare lt %{{.*}}, %{{.*}} : (tensor<?xi32>, tensor<i32>) -> tensor<?xi1>
// CHECK: fuse.select %[[M]]
// CHECK: fuse.cast %[[M]] : (tensor<?xi1>) -> tensor<?xi32>
func.func @bodies(%x: tensor<?xi32>, %e: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %seven = arith.constant 7 : i32
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi32>) outs(%e, %e : tensor<?xi32>, tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32, %p: i32):
    %zero = arith.constant 0 : i32
    %1 = arith.divui %a, %seven : i32
    %2 = arith.cmpi slt, %a, %zero : i32
    %3 = arith.select %2, %1, %p : i32
    %4 = arith.extui %2 : i1 to i32
    linalg.yield %3, %4 : i32, i32
  } -> (tensor<?xi32>, tensor<?xi32>)
  return %0#0, %0#1 : tensor<?xi32>, tensor<?xi32>
}
