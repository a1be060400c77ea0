// Attention as frameworks spell it is one kernel, by the planner's own decision.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// CHECK-LABEL: @attn
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @attn(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %0 = fuse.attention %q, %k, %v scale = 0.25 : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %0 : tensor<2x4x33x16xf32>
}

// CHECK-LABEL: @attn_causal_grouped
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @attn_causal_grouped(%q: tensor<2x4x33x16xf32>, %k: tensor<2x2x33x16xf32>, %v: tensor<2x2x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %0 = fuse.attention %q, %k, %v scale = 0.25 causal : (tensor<2x4x33x16xf32>, tensor<2x2x33x16xf32>, tensor<2x2x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %0 : tensor<2x4x33x16xf32>
}

// CHECK-LABEL: @attn_mask
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @attn_mask(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>, %m: tensor<33x33xi1>) -> tensor<2x4x33x16xf32> {
  %0 = fuse.attention %q, %k, %v, %m scale = 0.25 : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>, tensor<33x33xi1>) -> tensor<2x4x33x16xf32>
  return %0 : tensor<2x4x33x16xf32>
}

// CHECK-LABEL: @attn_hand
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @attn_hand(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>, %m: tensor<2x1x33x33xf32>) -> tensor<2x4x33x16xf32> {
  %s = arith.constant dense<0.25> : tensor<f32>
  %0 = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %1 = fuse.binary mul %0, %s : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %2 = fuse.binary add %1, %m : (tensor<2x4x33x33xf32>, tensor<2x1x33x33xf32>) -> tensor<2x4x33x33xf32>
  %3 = fuse.reduce max %2 dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %4 = fuse.binary sub %2, %3 : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %5 = fuse.unary exp %4 : tensor<2x4x33x33xf32>
  %6 = fuse.reduce sum %5 dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %7 = fuse.matmul %5, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  %8 = fuse.binary div %7, %6 : (tensor<2x4x33x16xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x16xf32>
  return %8 : tensor<2x4x33x16xf32>
}

// CHECK-LABEL: @attn_hand_t
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @attn_hand_t(%q: tensor<2x33x4x16xf32>, %k: tensor<2x33x4x16xf32>, %v: tensor<2x33x4x16xf32>, %m: tensor<33x33xi1>) -> tensor<2x33x64xf32> {
  %s = arith.constant dense<0.25> : tensor<f32>
  %n = arith.constant dense<-1.0e9> : tensor<f32>
  %qt = fuse.transpose %q permutation = [0, 2, 1, 3] : tensor<2x33x4x16xf32> -> tensor<2x4x33x16xf32>
  %kt = fuse.transpose %k permutation = [0, 2, 3, 1] : tensor<2x33x4x16xf32> -> tensor<2x4x16x33xf32>
  %vt = fuse.transpose %v permutation = [0, 2, 1, 3] : tensor<2x33x4x16xf32> -> tensor<2x4x33x16xf32>
  %0 = fuse.matmul %qt, %kt : (tensor<2x4x33x16xf32>, tensor<2x4x16x33xf32>) -> tensor<2x4x33x33xf32>
  %1 = fuse.binary mul %0, %s : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %2 = fuse.select %m, %1, %n : (tensor<33x33xi1>, tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %3 = fuse.softmax %2 dimension = 3 : tensor<2x4x33x33xf32>
  %7 = fuse.matmul %3, %vt : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  %8 = fuse.transpose %7 permutation = [0, 2, 1, 3] : tensor<2x4x33x16xf32> -> tensor<2x33x4x16xf32>
  %9 = fuse.reshape %8 : tensor<2x33x4x16xf32> -> tensor<2x33x64xf32>
  %10 = fuse.copy %9 : tensor<2x33x64xf32>
  return %10 : tensor<2x33x64xf32>
}

// CHECK-LABEL: @heads
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @heads(%q: tensor<2x33x64xf32>, %k: tensor<2x33x64xf32>, %v: tensor<2x33x64xf32>) -> tensor<2x33x64xf32> {
  %s = arith.constant dense<0.25> : tensor<f32>
  %qr = fuse.reshape %q : tensor<2x33x64xf32> -> tensor<2x33x4x16xf32>
  %kr = fuse.reshape %k : tensor<2x33x64xf32> -> tensor<2x33x4x16xf32>
  %vr = fuse.reshape %v : tensor<2x33x64xf32> -> tensor<2x33x4x16xf32>
  %qt = fuse.transpose %qr permutation = [0, 2, 1, 3] : tensor<2x33x4x16xf32> -> tensor<2x4x33x16xf32>
  %kt = fuse.transpose %kr permutation = [0, 2, 3, 1] : tensor<2x33x4x16xf32> -> tensor<2x4x16x33xf32>
  %vt = fuse.transpose %vr permutation = [0, 2, 1, 3] : tensor<2x33x4x16xf32> -> tensor<2x4x33x16xf32>
  %0 = fuse.matmul %qt, %kt : (tensor<2x4x33x16xf32>, tensor<2x4x16x33xf32>) -> tensor<2x4x33x33xf32>
  %1 = fuse.binary mul %0, %s : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %3 = fuse.softmax %1 dimension = 3 : tensor<2x4x33x33xf32>
  %7 = fuse.matmul %3, %vt : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  %8 = fuse.transpose %7 permutation = [0, 2, 1, 3] : tensor<2x4x33x16xf32> -> tensor<2x33x4x16xf32>
  %9 = fuse.reshape %8 : tensor<2x33x4x16xf32> -> tensor<2x33x64xf32>
  %10 = fuse.copy %9 : tensor<2x33x64xf32>
  return %10 : tensor<2x33x64xf32>
}

// CHECK-LABEL: @heads_merged_batch
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @heads_merged_batch(%q: tensor<2x33x64xf32>, %k: tensor<2x33x64xf32>, %v: tensor<2x33x64xf32>) -> tensor<8x33x16xf32> {
  %s = arith.constant dense<0.25> : tensor<f32>
  %qr = fuse.reshape %q : tensor<2x33x64xf32> -> tensor<2x33x4x16xf32>
  %kr = fuse.reshape %k : tensor<2x33x64xf32> -> tensor<2x33x4x16xf32>
  %vr = fuse.reshape %v : tensor<2x33x64xf32> -> tensor<2x33x4x16xf32>
  %qt = fuse.transpose %qr permutation = [0, 2, 1, 3] : tensor<2x33x4x16xf32> -> tensor<2x4x33x16xf32>
  %kt = fuse.transpose %kr permutation = [0, 2, 3, 1] : tensor<2x33x4x16xf32> -> tensor<2x4x16x33xf32>
  %vt = fuse.transpose %vr permutation = [0, 2, 1, 3] : tensor<2x33x4x16xf32> -> tensor<2x4x33x16xf32>
  %qm = fuse.reshape %qt : tensor<2x4x33x16xf32> -> tensor<8x33x16xf32>
  %km = fuse.reshape %kt : tensor<2x4x16x33xf32> -> tensor<8x16x33xf32>
  %vm = fuse.reshape %vt : tensor<2x4x33x16xf32> -> tensor<8x33x16xf32>
  %0 = fuse.matmul %qm, %km : (tensor<8x33x16xf32>, tensor<8x16x33xf32>) -> tensor<8x33x33xf32>
  %1 = fuse.binary mul %0, %s : (tensor<8x33x33xf32>, tensor<f32>) -> tensor<8x33x33xf32>
  %3 = fuse.softmax %1 dimension = 2 : tensor<8x33x33xf32>
  %7 = fuse.matmul %3, %vm : (tensor<8x33x33xf32>, tensor<8x33x16xf32>) -> tensor<8x33x16xf32>
  return %7 : tensor<8x33x16xf32>
}

// CHECK-LABEL: @grouped_by_hand
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @grouped_by_hand(%q: tensor<2x4x33x16xf32>, %k: tensor<2x2x33x16xf32>, %v: tensor<2x2x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %kb = fuse.broadcast %k dimensions = [2] : tensor<2x2x33x16xf32> -> tensor<2x2x2x33x16xf32>
  %vb = fuse.broadcast %v dimensions = [2] : tensor<2x2x33x16xf32> -> tensor<2x2x2x33x16xf32>
  %kr = fuse.reshape %kb : tensor<2x2x2x33x16xf32> -> tensor<2x4x33x16xf32>
  %vr = fuse.reshape %vb : tensor<2x2x2x33x16xf32> -> tensor<2x4x33x16xf32>
  %0 = fuse.matmul %q, %kr transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %3 = fuse.softmax %0 dimension = 3 : tensor<2x4x33x33xf32>
  %7 = fuse.matmul %3, %vr : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %7 : tensor<2x4x33x16xf32>
}
