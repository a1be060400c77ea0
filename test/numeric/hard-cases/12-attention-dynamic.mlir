// Case 12: attention over a sequence that is as long as the call says.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-run %s --function odd_scale --random-inputs 1 --check
// RUN: fuse-run %s --function odd_scale --random-inputs 1 --check --mode unfused
// RUN: fuse-run %s --function mask_first --random-inputs 1 --check
// RUN: fuse-run %s --function divided_after --random-inputs 1 --check

// CHECK-LABEL: @odd_scale
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
func.func @odd_scale(%q: tensor<2x4x?x16xf32>, %k: tensor<2x4x?x16xf32>, %v: tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32> {
  %c = arith.constant dense<0.7> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x?x16xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x?xf32>
  %x = fuse.binary mul %c, %s : (tensor<f32>, tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %mx = fuse.reduce max %x dimensions = [3] keep_dims : tensor<2x4x?x?xf32> -> tensor<2x4x?x1xf32>
  %sx = fuse.binary sub %x, %mx : (tensor<2x4x?x?xf32>, tensor<2x4x?x1xf32>) -> tensor<2x4x?x?xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x?x?xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x?x?xf32> -> tensor<2x4x?x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x?x?xf32>, tensor<2x4x?x1xf32>) -> tensor<2x4x?x?xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x?x?xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32>
  return %o : tensor<2x4x?x16xf32>
}

// CHECK-LABEL: @mask_first
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
func.func @mask_first(%q: tensor<2x4x?x16xf32>, %k: tensor<2x4x?x16xf32>, %v: tensor<2x4x?x16xf32>, %m: tensor<1x?x?xf32>) -> tensor<2x4x?x16xf32> {
  %c = arith.constant dense<0.25> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x?x16xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x?xf32>
  %x = fuse.binary mul %s, %c : (tensor<2x4x?x?xf32>, tensor<f32>) -> tensor<2x4x?x?xf32>
  %y = fuse.binary add %m, %x : (tensor<1x?x?xf32>, tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %mx = fuse.reduce max %y dimensions = [3] keep_dims : tensor<2x4x?x?xf32> -> tensor<2x4x?x1xf32>
  %sx = fuse.binary sub %y, %mx : (tensor<2x4x?x?xf32>, tensor<2x4x?x1xf32>) -> tensor<2x4x?x?xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x?x?xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x?x?xf32> -> tensor<2x4x?x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x?x?xf32>, tensor<2x4x?x1xf32>) -> tensor<2x4x?x?xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x?x?xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32>
  return %o : tensor<2x4x?x16xf32>
}

// CHECK-LABEL: @divided_after
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
func.func @divided_after(%q: tensor<2x4x?x16xf32>, %k: tensor<2x4x?x16xf32>, %v: tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x?x16xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x?xf32>
  %mx = fuse.reduce max %s dimensions = [3] keep_dims : tensor<2x4x?x?xf32> -> tensor<2x4x?x1xf32>
  %sx = fuse.binary sub %s, %mx : (tensor<2x4x?x?xf32>, tensor<2x4x?x1xf32>) -> tensor<2x4x?x?xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x?x?xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x?x?xf32> -> tensor<2x4x?x1xf32>
  %z = fuse.matmul %ex, %v : (tensor<2x4x?x?xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32>
  %o = fuse.binary div %z, %su : (tensor<2x4x?x16xf32>, tensor<2x4x?x1xf32>) -> tensor<2x4x?x16xf32>
  return %o : tensor<2x4x?x16xf32>
}
