// A batch of unknown extent stays whole where weights are cut; its size is that of every rank.
// RUN: fuse-opt %s -fuse-distribute=shard=tensor=2 | FileCheck %s
// RUN: not fuse-opt %s -fuse-distribute=shard=data=2 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: error: data=2: expected an argument that is no parameter and whose leading dimension divides into 2 equal parts, found none

// CHECK: func.func @heads(%[[X:.*]]: tensor<?x16xf32> {{{.*}}}, %{{.*}}: tensor<16x8xf32> {{{.*}}}, %{{.*}}: tensor<8x16xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]],
// CHECK: fuse.reshape %{{.*}} sizes = [%[[N]]] : tensor<?x8xf32> -> tensor<?x2x4xf32>
// CHECK: fuse.softmax %{{.*}} : tensor<?x2x4xf32>
// CHECK: %[[Y:.*]] = fuse.matmul
// CHECK: fuse.all_reduce sum %[[Y]] in <grid = [2], axes = [0]> : tensor<?x16xf32>
func.func @heads(%x: tensor<?x16xf32>, %w: tensor<16x16xf32> {fuse.param}, %v: tensor<16x16xf32> {fuse.param}) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %0 = fuse.matmul %x, %w : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %1 = fuse.reshape %0 sizes = [%n] : tensor<?x16xf32> -> tensor<?x4x4xf32>
  %2 = fuse.softmax %1 dimension = -1 : tensor<?x4x4xf32>
  %3 = fuse.reshape %2 sizes = [%n] : tensor<?x4x4xf32> -> tensor<?x16xf32>
  %4 = fuse.matmul %3, %v : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  return %4 : tensor<?x16xf32>
}
