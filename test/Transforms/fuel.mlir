// Each merge is an action, so that a wrong result can be bisected to one.
// RUN: fuse-opt %s --fuse-plan --mlir-debug-counter=fuse-merge-skip=1,fuse-merge-count=1 \
// RUN:   --remarks-filter-missed=fuse-plan 2>&1 | FileCheck %s
// RUN: fuse-opt %s --fuse-plan --log-actions-to=- | FileCheck %s --check-prefix=LOG

// CHECK: [Missed] fuel {{.*}} Reason="the merge of relu with sigmoid was not executed"
// CHECK: [Missed] fuel {{.*}} Reason="the merge of exp with neg was not executed"
// CHECK: unary relu %{{[a-z0-9]*}} : tensor
// CHECK: unary sigmoid {{.*}} {fuse.group = array<i64: 0>}
// CHECK: unary exp {{.*}} {fuse.group = array<i64: 0>}
// CHECK: unary neg %{{[a-z0-9]*}} : tensor

// LOG: begins {{.*}}Action fuse-merge: relu with sigmoid
// LOG: begins {{.*}}Action fuse-merge: sigmoid with exp
// LOG: begins {{.*}}Action fuse-merge: exp with neg
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.unary sigmoid %0 : tensor<8xf32>
  %2 = fuse.unary exp %1 : tensor<8xf32>
  %3 = fuse.unary neg %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
