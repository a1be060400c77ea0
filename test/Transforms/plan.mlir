// RUN: fuse-opt %s --fuse-plan=strategy=chains | FileCheck %s
// RUN: fuse-opt %s --fuse-plan=strategy=chains --fuse-plan=strategy=chains | FileCheck %s
// RUN: fuse-opt %s > %t.before
// RUN: fuse-opt %s --fuse-plan=enable=false | diff %t.before -
// RUN: fuse-opt %s "--fuse-plan=strategy=chains disable=elementwise-chain" | FileCheck %s --check-prefix=OFF
// RUN: fuse-opt %s --fuse-plan=strategy=none | FileCheck %s --check-prefix=OFF
// RUN: not fuse-opt %s --fuse-plan=strategy=magic 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not fuse-opt %s --fuse-plan=disable=magic 2>&1 | FileCheck %s --check-prefix=LABEL
// STRATEGY: error: unknown strategy 'magic', expected one of: chains, none, priority
// LABEL: error: unknown label 'magic', expected one of: conv-bn-relu, conv-bn-relu-pool, bottleneck, matmul-add-activation, elementwise-chain, attention, attention-projection, layernorm-linear, row-reduction, contraction, copy, other
// OFF-NOT: fuse.group

// Ids count the groups of a function in order.
// CHECK-LABEL: @two
// CHECK: unary relu {{.*}} {fuse.group = array<i64: 0>}
// CHECK: unary neg {{.*}} {fuse.group = array<i64: 1>}
// CHECK: unary exp {{.*}} {fuse.group = array<i64: 0>}
// CHECK: unary abs {{.*}} {fuse.group = array<i64: 1>}
func.func @two(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.unary neg %x : tensor<8xf32>
  %2 = fuse.unary exp %0 : tensor<8xf32>
  %3 = fuse.unary abs %1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// A value that is returned stays, and so does its consumer.
// CHECK-LABEL: @returned
// CHECK-NOT: fuse.group
func.func @returned(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.unary exp %0 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The second operand's chain is joined where the first has none.
// CHECK-LABEL: @second_operand
// CHECK-COUNT-2: fuse.group = array<i64: 0>
func.func @second_operand(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %y : tensor<8xf32>
  %1 = fuse.binary add %x, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A use within a region is a use by the op around it; blocks in regions are planned too.
// CHECK-LABEL: @region
// CHECK: unary relu %{{[a-z0-9]+}} : tensor<8xf32>
// CHECK: scf.if
// CHECK: unary exp {{.*}} {fuse.group = array<i64: 0>}
// CHECK: unary neg {{.*}} {fuse.group = array<i64: 0>}
func.func @region(%c: i1, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    %2 = fuse.unary exp %0 : tensor<8xf32>
    %3 = fuse.unary neg %2 : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// Dynamic extents agree by position.
// CHECK-LABEL: @dynamic
// CHECK-COUNT-2: fuse.group = array<i64: 0>
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = fuse.unary relu %x : tensor<?x4xf32>
  %1 = fuse.unary exp %0 : tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
