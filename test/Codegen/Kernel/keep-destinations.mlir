// RUN: fuse-opt %s --fuse-keep-destinations | FileCheck %s

// A member that only copied has been folded away.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %{{.*}}: tensor<8xf32>
func.func @copy(%x: tensor<8xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[OUT:.*]] =
  // CHECK: %[[COPY:.*]] = linalg.copy ins(%[[X]] : tensor<8xf32>) outs(%[[OUT]] : tensor<8xf32>)
  // CHECK: scf.yield %[[COPY]]
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<8xf32>) {
    scf.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// What is written in place stays as it is, also through slices and other ops.
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @in_place(%x: tensor<4xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> (tensor<8xf32>) {
    %slice = tensor.extract_slice %o[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%slice : tensor<4xf32>) -> tensor<4xf32>
    %z = tensor.insert_slice %y into %o[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %z : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
