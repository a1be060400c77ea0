// Attention whose schedule streams the keys (dim 3, after the shared ones). The loop carries the true
// maximum, the sum and the product with the values; what is subtracted is never below the lowest finite
// number; sum and product are corrected by exp(old - new) before they grow; the division by the sum comes
// after the loop, and so does the last correction, from the subtracted maximum to the true one.
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules,func.func(fuse-members-to-linalg,fuse-merge-members),fuse-tile-kernels,canonicalize))" | FileCheck %s

// CHECK-LABEL: func.func private @kernel_{{[0-9a-f]+}}(
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK-DAG: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[KEYS:.*]] = arith.constant 20 : index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 8 : index
// CHECK: scf.for {{.*}} iter_args(%[[OUT:.*]] = %
// CHECK: %[[MAX_INIT:.*]] = linalg.fill ins(%[[MINUS_INFINITY]]
// CHECK: %[[SUM_INIT:.*]] = linalg.fill
// CHECK: %[[PRODUCT_INIT:.*]] = linalg.fill
// CHECK: %[[CARRIED:.*]]:3 = scf.for %[[KEY:.*]] = %{{.*}} to %[[KEYS]] step %[[STEP]] iter_args(%[[MAX:.*]] = %[[MAX_INIT]], %[[SUM:.*]] = %[[SUM_INIT]], %[[PRODUCT:.*]] = %[[PRODUCT_INIT]])
// CHECK: %[[SIZE:.*]] = affine.min {{.*}}(%[[KEY]])
// CHECK: tensor.empty() : tensor<1x5x8xf32>
// CHECK: %[[SCORES:.*]] = linalg.generic {{.*}}"reduction"]
// CHECK: %[[TILE_MAX:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[SCORES]] :
// CHECK: %[[FACTOR:.*]] = linalg.generic {{.*}} ins(%[[MAX]], %[[TILE_MAX]] :
// CHECK: %[[FROM:.*]] = arith.maximumf %{{.*}}, %[[LOWEST]]
// CHECK: %[[TO:.*]] = arith.maximumf %[[FROM]], %
// CHECK: %[[STEP_DOWN:.*]] = arith.subf %[[FROM]], %[[TO]]
// CHECK: math.exp %[[STEP_DOWN]]
// CHECK: %[[NEXT_MAX:.*]] = linalg.generic {{.*}} ins(%[[TILE_MAX]] : {{.*}} outs(%[[MAX]] :
// CHECK: %[[USED:.*]] = linalg.generic {{.*}} ins(%[[NEXT_MAX]] :
// CHECK: arith.maximumf %{{.*}}, %[[LOWEST]]
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} ins(%[[SCORES]], %[[USED]] :
// CHECK: %[[CORRECTED_SUM:.*]] = linalg.generic {{.*}} ins(%[[FACTOR]] : {{.*}} outs(%[[SUM]] :
// CHECK: %[[NEXT_SUM:.*]] = linalg.generic {{.*}} ins(%[[EXP]] : {{.*}} outs(%[[CORRECTED_SUM]] :
// CHECK: %[[CORRECTED_PRODUCT:.*]] = linalg.generic {{.*}} ins(%[[FACTOR]] : {{.*}} outs(%[[PRODUCT]] :
// CHECK-NOT: arith.divf
// CHECK: %[[NEXT_PRODUCT:.*]] = linalg.generic {{.*}} ins(%[[EXP]], %{{.*}} : {{.*}} outs(%[[CORRECTED_PRODUCT]] :
// CHECK: scf.yield %[[NEXT_MAX]], %[[NEXT_SUM]], %[[NEXT_PRODUCT]]
// CHECK: %[[LAST:.*]] = linalg.generic {{.*}} ins(%[[CARRIED]]#0 :
// CHECK: %[[ALL_SUM:.*]] = linalg.generic {{.*}} ins(%[[LAST]] : {{.*}} outs(%[[CARRIED]]#1 :
// CHECK: %[[ALL_PRODUCT:.*]] = linalg.generic {{.*}} ins(%[[LAST]] : {{.*}} outs(%[[CARRIED]]#2 :
// CHECK: linalg.generic {{.*}} ins(%[[ALL_PRODUCT]], %[[ALL_SUM]] :
// CHECK: arith.divf
func.func @attention(%q: tensor<2x5x4xf32>, %k: tensor<2x20x4xf32>, %v: tensor<2x20x4xf32>) -> tensor<2x5x4xf32> {
  %0 = fuse.kernel (%a = %q, %b = %k, %c = %v) : (tensor<2x5x4xf32>, tensor<2x20x4xf32>, tensor<2x20x4xf32>) -> tensor<2x5x4xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [1, 5, 4]>, <sequential, dims = [3], sizes = [8]>], reduction_lanes = 64>} {
    %1 = fuse.matmul %a, %b transpose_rhs : (tensor<2x5x4xf32>, tensor<2x20x4xf32>) -> tensor<2x5x20xf32>
    %2 = fuse.reduce max %1 dimensions = [2] keep_dims : tensor<2x5x20xf32> -> tensor<2x5x1xf32>
    %3 = fuse.binary sub %1, %2 : (tensor<2x5x20xf32>, tensor<2x5x1xf32>) -> tensor<2x5x20xf32>
    %4 = fuse.unary exp %3 : tensor<2x5x20xf32>
    %5 = fuse.reduce sum %4 dimensions = [2] keep_dims : tensor<2x5x20xf32> -> tensor<2x5x1xf32>
    %6 = fuse.binary div %4, %5 : (tensor<2x5x20xf32>, tensor<2x5x1xf32>) -> tensor<2x5x20xf32>
    %7 = fuse.matmul %6, %c : (tensor<2x5x20xf32>, tensor<2x20x4xf32>) -> tensor<2x5x4xf32>
    fuse.yield %7 : tensor<2x5x4xf32>
  }
  return %0 : tensor<2x5x4xf32>
}
