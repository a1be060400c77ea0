// RUN: fuse-opt %s --fuse-trace-sizes | FileCheck %s
// The ops of @one are one kernel, which takes the size as a number.
// RUN: fuse-opt %s --fuse-pipeline | FileCheck %s --check-prefix=KERNEL

// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]],
// CHECK: %[[HALF:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: fuse.slice %{{.*}} offsets = [%[[HALF]], 0]
// KERNEL-LABEL: func.func @one(
// KERNEL: fuse.kernel
// KERNEL-NOT: fuse.kernel
// KERNEL-LABEL: func.func @joined(
func.func @one(%x: tensor<?x4xf32>) -> tensor<2x4xf32> {
  %c0 = arith.constant 0 : index
  %0 = fuse.unary exp %x : tensor<?x4xf32>
  %n = tensor.dim %0, %c0 : tensor<?x4xf32>
  %half = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%n]
  %1 = fuse.slice %0 offsets = [%half, 0] sizes = [2, 4] strides = [1, 1] : tensor<?x4xf32> -> tensor<2x4xf32>
  %2 = fuse.unary neg %1 : tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// What the ops in between make of the arguments' extents.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32>, %[[Y:[a-z0-9]+]]: tensor<?xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]],
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[Y]],
// CHECK: %[[SUM:.*]] = affine.apply #{{.*}}()[%[[N]], %[[M]]]
// CHECK: fuse.iota dimension = 0 sizes = [%[[SUM]]]
func.func @joined(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %0 = fuse.concat %x, %y dimension = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = tensor.dim %0, %c0 : tensor<?xf32>
  %1 = fuse.iota dimension = 0 sizes = [%n] : tensor<?xi64>
  return %1 : tensor<?xi64>
}
