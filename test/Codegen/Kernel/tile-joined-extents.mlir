// The extent of two joined dimensions is the product of theirs: a size that is asked of it after the joining reshape needs
// nothing that a member computes, so every member is in the loop over blocks.
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules,func.func(fuse-members-to-linalg,fuse-merge-members),fuse-tile-kernels,canonicalize))" | FileCheck %s

// CHECK: func.func private @kernel_[[ID:[0-9a-f]+]](%[[X:.*]]: tensor<?x?x8xf32>
// CHECK-NOT: linalg.generic
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[ALL:.*]] = arith.muli %[[N]], %[[M]]
// CHECK: %[[QUARTER:.*]] = arith.divui %[[ALL]], %c4
// CHECK-NOT: linalg.generic
// CHECK: scf.for
// CHECK: math.exp
// CHECK: tensor.expand_shape %{{.*}} output_shape [%[[QUARTER]], 4, 8]
// CHECK: arith.addf
// CHECK: return
func.func @joined(%x: tensor<?x?x8xf32> {fuse.dim_hints = array<i64: 2, 4, -1>},
    %y: tensor<?x4x8xf32> {fuse.dim_hints = array<i64: 2, -1, -1>}) -> tensor<?x4x8xf32> {
  %0 = fuse.kernel (%a = %x, %b = %y) : (tensor<?x?x8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
    %1 = fuse.unary exp %a : tensor<?x?x8xf32>
    %2 = fuse.reshape %1 : tensor<?x?x8xf32> -> tensor<?x4x8xf32>
    %3 = fuse.binary add %2, %b : tensor<?x4x8xf32>
    fuse.yield %3 : tensor<?x4x8xf32>
  }
  return %0 : tensor<?x4x8xf32>
}
