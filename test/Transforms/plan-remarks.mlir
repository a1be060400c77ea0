// One remark per edge: what was saved, or the blocking op, the reason, and what would allow it.
// RUN: fuse-opt %s --fuse-plan=strategy=chains --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s
// RUN: fuse-opt %s "--fuse-plan=strategy=chains disable=elementwise-chain" --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=DISABLED
// DISABLED: [Missed] disabled {{.*}} Reason="the pattern elementwise-chain is switched off", Remark="relu is not fused with exp"

func.func private @g(tensor<8xf32>) -> tensor<8xf32>

func.func @reasons(%x: tensor<8xf32>, %y: tensor<4x8xf32>, %m: memref<8xf32>, %c: i1)
    -> (tensor<8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<8x4xf32>) {
  %0 = fuse.unary relu %x : tensor<8xf32>
  // CHECK: [[#@LINE+1]]:8: remark: [Passed] fused {{.*}} Function=reasons | Remark="fused relu with exp: saves 1 launch and 32 bytes"
  %1 = fuse.unary exp %0 : tensor<8xf32>
  // CHECK: [[#@LINE+1]]:8: remark: [Missed] reduction {{.*}} Reason="'reduce sum' is a reduction, which is never in a chain", Remark="exp is not fused with reduce sum", Suggestion="a strategy that merges more than chains"
  %2 = fuse.reduce sum %1 dimensions = [0] : tensor<8xf32> -> tensor<f32>

  %3 = fuse.unary abs %x : tensor<8xf32>
  // CHECK: [Missed] shape-differs {{.*}} Reason="'abs' gives shape 8, 'add' 4x8"
  %4 = fuse.binary add %3, %y : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: [Missed] several-consumers {{.*}} Reason="the result of 'add' is also read by 'neg'"
  %5 = fuse.unary sin %4 : tensor<4x8xf32>
  // CHECK: [Missed] several-consumers {{.*}} Reason="the result of 'add' is also read by 'sin'"
  %6 = fuse.unary neg %4 : tensor<4x8xf32>
  // CHECK: [Passed] fused {{.*}} Remark="fused sin with mul: saves 1 launch and 128 bytes"
  // CHECK: [Missed] joined-elsewhere {{.*}} Reason="'mul' joined the chain of 'sin' already"
  %7 = fuse.binary mul %5, %6 : tensor<4x8xf32>
  %27 = fuse.unary elu %y : tensor<4x8xf32>
  %8 = fuse.transpose %27 permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: [Missed] view-between {{.*}} Reason="the result of 'elu' is read by 'ceil' through a view"
  %9 = fuse.unary ceil %8 : tensor<8x4xf32>

  %26 = fuse.unary sqrt %x : tensor<8xf32>
  %10 = fuse.load %m : memref<8xf32> -> tensor<8xf32>
  // CHECK: [Missed] memory-access {{.*}} Reason="'store' accesses memory, which is never in a chain"
  fuse.store %26, %m : tensor<8xf32>, memref<8xf32>
  // CHECK: [Missed] memory-order {{.*}} Reason="'store' may write what 'load' reads before the value is used"
  %11 = fuse.unary floor %10 : tensor<8xf32>
  // CHECK: [Missed] host-op {{.*}} Reason="'host_call @h' runs on the host"
  %12 = fuse.host_call @h(%11) pure : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: [Missed] host-op
  // CHECK: [Missed] foreign-op {{.*}} Reason="'func.call' is an op of another dialect that nobody plans"
  %13 = fuse.unary sqrt %12 : tensor<8xf32>
  %14 = func.call @g(%13) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: [Missed] foreign-op
  %15 = fuse.unary cos %14 : tensor<8xf32>
  // CHECK: [Missed] kept-alone {{.*}} Reason="'tan' is marked fuse.alone", {{.*}} Suggestion="the mark removed"
  %16 = fuse.unary tan %15 {fuse.alone} : tensor<8xf32>
  %17 = fuse.unary sign %x : tensor<8xf32>
  // CHECK: [Missed] composite {{.*}} Reason="'softmax' is a composite
  %18 = fuse.softmax %17 dimension = 0 : tensor<8xf32>
  // CHECK: [Missed] composite {{.*}} Remark="softmax is not fused with hard_swish"
  %28 = fuse.unary hard_swish %18 : tensor<8xf32>
  // CHECK: [Missed] kept-together {{.*}} Reason="'erf' belongs to a kernel that fuse.together fixes", Remark="hard_swish is not fused with erf"
  // CHECK: [Missed] kept-together {{.*}} Remark="erf is not fused with silu"
  %19 = fuse.unary erf %28 {fuse.together = "t"} : tensor<8xf32>
  %20 = fuse.unary silu %19 : tensor<8xf32>
  %21 = fuse.unary tanh %x : tensor<8xf32>
  // CHECK: [Missed] used-in-region {{.*}} Reason="the result of 'tanh' is used inside a region"
  %22 = fuse.unary log %21 : tensor<8xf32>
  scf.if %c {
    func.call @g(%21) : (tensor<8xf32>) -> tensor<8xf32>
  }
  %23 = fuse.unary rsqrt %x : tensor<8xf32>
  // CHECK: [Missed] escapes {{.*}} Reason="the result of 'rsqrt' leaves the block", {{.*}} Suggestion="a kernel with several results"
  %24 = fuse.unary log1p %23 : tensor<8xf32>
  // CHECK: [Missed] not-elementwise {{.*}} Reason="'copy' is not element-wise"
  %25 = fuse.copy %22 : tensor<8xf32>
  return %23, %7, %2, %9 : tensor<8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<8x4xf32>
}
